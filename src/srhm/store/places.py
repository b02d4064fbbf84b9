"""Where the workflow's files lie, from the folder that holds results/.

What is trained and measured belongs to a trainer, and presets and studies share it. Tables,
figures and pages belong to a preset.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from srhm.declare.study import Curve, CurveMeasurement, Planned, Trainer
from srhm.store.provenance import PACKAGE, short_hash
from srhm.store.sources import digest_of

DERIVATIONS = "results/derivations"
# Folders in that of a trainer.
KEPT = ("cells", "checkpoints", "curves", "parts", "measured")
SCRIPTS = PACKAGE.parents[1] / "scripts"
# Rows of finished runs that the repository keeps.
PUBLISHED = PACKAGE.parents[1] / "published"
# Of these the run that tests rules frozen before it: no other result is made of its rows.
CONFIRMING = "fresh"
# The page of a folder of results that links all others.
INDEX = "index.html"
# In the folder of a preset: the configuration of which its results were made.
CONFIGURATION = ".configuration"


def explored_files(pattern: str) -> list[str]:
    """Files of the repository by a pattern, without the rows of the confirming run."""
    files = sorted(PUBLISHED.parent.glob(pattern))
    return [str(file) for file in files if PUBLISHED / CONFIRMING not in file.parents]


def store_of(trainer: Trainer) -> str:
    """Folder of its trained cells."""
    return f"{trainer.folder}/cells"


def checkpoints_of(trainer: Trainer) -> str:
    """Folder of its cells in training."""
    return f"{trainer.folder}/checkpoints"


def rows_of_curve(trainer: Trainer, name: str) -> str:
    """Rows of the trained cells of a curve."""
    return f"{trainer.folder}/curves/{name}.parquet"


def timings_of_curve(trainer: Trainer, name: str) -> str:
    """Times of the trained cells of a curve."""
    return f"{trainer.folder}/curves/{name}.timings.parquet"


def parts_of_curve(trainer: Trainer, name: str) -> str:
    """Folder of what the part jobs of a curve leave: the keys of their cells."""
    return f"{trainer.folder}/parts/{name}"


def source_of(script: str, *names: str) -> str:
    """Digest of a script and of what it loads by name, "module:function" or "module".

    The imports of the script do not lead to what is named by text.
    """
    return digest_of(*roots_of(script, *names))


def roots_of(script: str, *names: str) -> tuple[str, ...]:
    """A script and what it loads by name, as `sources.digest_of` takes them."""
    return (f"{SCRIPTS / script}:", *(name if ":" in name else f"{name}:" for name in names))


def options_of(measurement: CurveMeasurement, planned: Planned) -> Mapping[str, Any]:
    """The settings of a measurement in a study; empty where it has none."""
    options: Mapping[str, Any] = planned.settings.get(measurement.options or measurement.name, {})
    return options


def folder_of_measurement(measurement: CurveMeasurement, options: Mapping[str, Any]) -> str:
    """Folder of a measurement. Its name holds a digest of the options and of the code.

    So a changed definition never finds an old file.
    """
    digest = short_hash([options, source_of("measure.py", measurement.function)])
    return f"{measurement.trainer.folder}/measured/{measurement.name}/{digest}"


def measured_files(
    measurement: CurveMeasurement, options: Mapping[str, Any], curve: str
) -> dict[str, str]:
    """Files of a measurement of one curve, by table."""
    folder = folder_of_measurement(measurement, options)
    return {table: f"{folder}/{table}/{curve}.parquet" for table in measurement.tables}


def table_file(preset: str, study: str, table: str, *, part: str = "") -> str:
    """A table of a study; part: of the curves of this figure alone."""
    folder = f"results/{preset}/tables/{study}{f'/{part}' if part else ''}"
    return f"{folder}/{table}.parquet"


def figure_files(preset: str, figure: str) -> dict[str, str]:
    """Files of a figure by their kind; rst is its caption with the notes of what was drawn."""
    return {kind: f"results/{preset}/figures/{figure}.{kind}" for kind in ("pdf", "png", "rst")}


def page_file(preset: str, page: str) -> str:
    """A page."""
    return f"results/{preset}/{page}.html"


def methods_file(preset: str, page: str) -> str:
    """The methods of a page."""
    return page_file(preset, "methods" if page == "report" else f"{page}_methods")


def scorecard_file(preset: str, page: str) -> str:
    """The scorecard of a page as text."""
    name = "scorecard" if page == "report" else f"{page}_scorecard"
    return f"results/{preset}/{name}.md"


def scorecard_json(preset: str, page: str) -> str:
    """The scorecard of a page for programs."""
    return str(Path(scorecard_file(preset, page)).with_suffix(".json"))


def published_folder(preset: str, study: str, *, published: Path = PUBLISHED) -> Path:
    """Folder of the rows of a study that the repository keeps."""
    return published / preset / study


def is_of(measurement: CurveMeasurement, curve: Curve) -> bool:
    """Whether a measurement is made of a curve."""
    return curve.trainer == measurement.trainer and measurement.name in curve.measured
