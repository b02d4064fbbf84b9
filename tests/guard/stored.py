"""What must not change by itself: names of stored results, and what the shipped rows say.

A curve's name ends in a digest of the keys of all its cells, a sample's in one of its parameters
and sources: a name that changes is a result that everybody computes again.
"""

import hashlib
import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from srhm.declare.names import resolved
from srhm.declare.study import Figure, Planned, Use, names_in
from srhm.planning import preset
from srhm.planning.registry import STUDIES
from srhm.planning.specs import claim_uses, repository_files
from srhm.scorecard.card import claims_in, scorecard
from srhm.store.places import CONFIRMING, roots_of
from srhm.store.records import read_table
from srhm.store.sources import digest_of
from srhm.store.tables import schema_of

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
# But for the one that README.md has its reader write.
PRESETS = tuple(sorted({path.stem for path in (ROOT / "config").glob("*.yaml")} - {"mine"}))
# Studies of which rows are shipped, with the preset of these; one that trains nothing needs no
# shipped rows, as they are made in seconds.
SHIPPED = (
    *(
        (path.parent.parent.name, path.parent.name)
        for path in sorted((ROOT / "published").glob("*/*/cells.parquet"))
        if STUDIES[path.parent.name].claims is not None and path.parts[-3] != CONFIRMING
    ),
    *(("quick", name) for name, one in STUDIES.items() if one.trainer is None),
)
DIGITS = 9


def key_lines(name: str) -> list[str]:
    """A line for each curve and each sample of a preset: "STUDY NUMBER-OF-CELLS NAME"."""
    lines = set()
    for study, plan in planned(name):
        lines |= {f"{study} {len(one.entries)} {one.name}" for one in plan.curves.values()}
        lines |= {f"{study} sample {name}" for name in plan.samples}
    return sorted(lines)


@cache
def planned(name: str) -> list[tuple[str, Planned]]:
    """Each study of a preset with its plan, also one whose package is not installed here."""
    sections = preset.sections(preset.validate(_config(name)))
    return [(study, STUDIES[study].plan(section, ROOT)) for study, section in sections.items()]


def job_lines() -> list[str]:
    """A line for each job of data, trainer and measurement: the digest of its code.

    One that changes makes a run draw, gather or measure all of them again, from stored networks.
    """
    return sorted(f"{job} {digest_of(*roots)}" for job, roots in job_roots().items())


def job_roots() -> dict[str, tuple[str, ...]]:
    """What the digest of each of these jobs covers."""
    trainers = {one.trainer for one in STUDIES.values() if one.trainer is not None}
    measured = {one.function for study in STUDIES.values() for one in study.measurements}
    return {
        "draw data": roots_of("draw_derivations.py"),
        **{f"train {one.name}": roots_of("train_curve.py", one.module) for one in trainers},
        **{f"measure {name}": roots_of("measure.py", name) for name in measured},
    }


def scores(preset_name: str, study: str) -> list[dict[str, Any]]:
    """The scorecard of a study on its shipped rows, a dictionary a claim."""
    module = STUDIES[study].claims
    assert module is not None
    tables = {name: used(preset_name, study, use) for name, use in claim_uses(study).items()}
    table = scorecard(tables, claims_in(module))
    rows = []
    for row in table.to_dict("records"):
        rows.append({str(name): _plain(value) for name, value in row.items()})
    return rows


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return f"{value:.{DIGITS}g}"
    return value if isinstance(value, str) else int(value)


def used(preset_name: str, study: str, use: Use) -> pd.DataFrame:
    parts = []
    for name in names_in([use]):
        owner, _, table = name.rpartition("/")
        parts.append(shipped_table(preset_name, owner or study, table))
    filled = [part for part in parts if len(part)] or parts[:1]
    return pd.concat(filled, ignore_index=True) if len(filled) > 1 else filled[0]


def worker(study: str) -> str:
    """Group of tests on shipped rows of a study: one worker reads and makes its tables once."""
    return f"shipped rows of {study}"


@cache
def shipped_table(preset_name: str, study: str, table: str) -> pd.DataFrame:
    """A shipped table, one that is made of these, or one without rows."""
    schema = schema_of(STUDIES[study].schemas[table])
    file = ROOT / "published" / preset_name / study / f"{table}.parquet"
    if file.is_file():
        return read_table(file, schema)
    derived = next((one for one in STUDIES[study].tables if one.name == table), None)
    shipped = file.parent.is_dir() or STUDIES[study].trainer is None
    if derived is None or not shipped:
        return schema.empty_table().to_pandas()
    known = _plan(preset_name).settings(study)
    made = resolved(derived.function)(
        *(used(preset_name, study, use) for use in derived.uses),
        **{name: known[name] for name in derived.settings},
        **repository_files(derived),
    )
    return made if isinstance(made, pd.DataFrame) else pd.DataFrame(list(made))


@cache
def _config(name: str) -> dict[str, Any]:
    config: dict[str, Any] = yaml.safe_load((ROOT / "config" / f"{name}.yaml").read_text("utf-8"))
    return config


@cache
def _plan(name: str) -> preset.Plan:
    return preset.plan_preset(_config(name), directory=ROOT)


STORED_JOBS = HERE / "keys/jobs.txt"
RELEASES = HERE / "releases.txt"


def stored_keys(name: str) -> Path:
    """File of the names of a preset."""
    return HERE / "keys" / f"{name}.txt"


def stored_scores(preset_name: str, study: str) -> Path:
    """File of a scorecard."""
    return HERE / "scorecards" / preset_name / f"{study}.jsonl"


def digest_of_scores() -> str:
    """Digest of all stored scorecards, with their names."""
    whole = hashlib.sha256()
    for file in sorted((HERE / "scorecards").glob("*/*.jsonl")):
        whole.update(f"{file.parent.name}/{file.name}\n".encode() + file.read_bytes())
    return whole.hexdigest()


def version() -> str:
    """Version of the project."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])


def released() -> dict[str, str]:
    """Digest of the scorecards of each version that was released."""
    return dict(line.split() for line in RELEASES.read_text("utf-8").splitlines())


def text_of(rows: list[dict[str, Any]]) -> str:
    """A line of JSON for each claim."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def drawn_of_shipped_rows(preset_name: str, study: str, figure: Figure) -> Any:
    """A figure of a study, of its shipped rows."""
    known = _plan(preset_name).settings(study)
    return resolved(figure.function)(
        *(used(preset_name, study, use) for use in figure.uses),
        **{name: known[name] for name in figure.settings},
        **figure.options,
        **repository_files(figure),
    )
