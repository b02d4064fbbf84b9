"""A preset: one configuration file, a section for each of its studies. Imports no torch.

The models of the sections are the one source of the configuration's keys, defaults and ranges:
config/schema.json is written from them, and `make docs` shows them in config/README.md.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    BaseModel,
    Field,
    ValidationError,
    create_model,
    field_validator,
    model_validator,
)

from srhm.declare.keys import Keys, models_in, refusals
from srhm.declare.search import Search
from srhm.declare.study import CellMeasurement, ConfigError, Curve, Planned, Sample, Study
from srhm.networks.registry import label
from srhm.planning.registry import STUDIES, TRAINERS
from srhm.store import places
from srhm.store.cells import path_of
from srhm.store.provenance import PACKAGE
from srhm.store.published_provenance import (
    PROVENANCE_FILE,
    PublicationError,
    measured_otherwise,
    read_provenance_file,
)

# At the end of the name of a preset of which only published rows are shown.
PUBLISHED_ALONE = "-published"
Rows = Literal["trained", "published", "both"]
ROWS: tuple[str, ...] = get_args(Rows)
REFUSED = "the configuration is refused:\n"
# Folders of results/ that are of no preset; those of former versions, too.
RESERVED = {
    *(Path(trainer.folder, name).parts[1] for trainer in TRAINERS for name in places.KEPT),
    *(Path(places.DERIVATIONS).name, "archive", "benchmarks", "crate"),
    *("docs", "experiments", "notebooks", "sensitivities"),
}


class Jobs(Keys):
    """How long a training job may be. Part of no key: other limits train nothing again."""

    minutes: float | None = Field(
        None,
        gt=0,
        allow_inf_nan=False,
        description="a curve that is expected to train longer on one core is split into jobs of"
        " about so many minutes; absent: one job a curve",
    )
    limit: int | None = Field(
        None,
        ge=5,
        description="minutes that a cluster allows a job; one that needs more goes on from its"
        " checkpoints at the next attempt",
    )


class Analysis(Keys):
    """Sample complexities."""

    threshold: float = Field(0.1, gt=0, lt=1, description="test error that defines P*")
    other_thresholds: list[Annotated[float, Field(gt=0, lt=1)]] = Field(
        [0.05, 0.2, 0.3],
        description="thresholds at which P* is measured again; the scorecard's claims are about"
        " 10 %, and 5, 20, 30 %",
    )

    @model_validator(mode="after")
    def _distinct(self) -> "Analysis":
        thresholds = [self.threshold, *self.other_thresholds]
        if len(set(thresholds)) < len(thresholds):
            raise ValueError(f"thresholds {thresholds}: each may stand once")
        return self


class Common(Keys):
    """Keys of a preset that are of no single study."""

    preset: str = Field(
        pattern=r"^[a-z][a-z0-9_-]*$", max_length=64, description="name; results/<preset>/"
    )
    description: str = Field("", description="what it is for, and how long it takes")
    device: Literal["cpu", "cuda"] = Field(
        "cpu",
        description="where networks are trained: cpu: processors, the default, as the forms for"
        " GPUs have been checked without a GPU only; cuda: a GPU for each training job. Part of no"
        " cell or table",
    )
    rows: Rows = Field(
        "trained",
        description="of which networks rows are shown: trained: of those that are trained here;"
        " published: of those that published/ keeps, and nothing is trained (`make figures`); both:"
        " what published/ lacks is trained",
    )
    analysis: Analysis = Analysis()  # type: ignore[call-arg]
    jobs: Jobs = Jobs()  # type: ignore[call-arg]

    @field_validator("preset")
    @classmethod
    def _has_a_folder_of_its_own(cls, name: str) -> str:
        if name in RESERVED:
            raise ValueError(
                f"results/ keeps what presets share under {', '.join(sorted(RESERVED))}"
            )
        return name


Preset: type[Common] = create_model(  # type: ignore[call-overload]
    "Preset",
    __base__=Common,
    __doc__="A preset.",
    **{name: (study.config | None, None) for name, study in STUDIES.items()},
)


@dataclass(frozen=True)
class Plan:
    """What a preset asks for.

    studies: what it asks of each study that it has a section for, in the order of the registry.
    part: name of the figure that has these curves alone; empty: all curves.
    """

    preset: Common
    studies: Mapping[str, Planned]
    part: str = ""

    @property
    def name(self) -> str:
        """Name of the preset: of its folder in results/. Published rows alone have their own."""
        alone = self.preset.rows == "published"
        return f"{self.preset.preset}{PUBLISHED_ALONE if alone else ''}"

    @property
    def curves(self) -> dict[str, Curve]:
        """Curves that are trained, of all studies, by name."""
        return {
            name: curve for part in self.studies.values() for name, curve in part.trained.items()
        }

    @property
    def samples(self) -> dict[str, Sample]:
        """Derivations that the curves learn from, by name."""
        return {
            name: sample for part in self.studies.values() for name, sample in part.samples.items()
        }

    def settings(self, study: str) -> dict[str, Any]:
        """Values by name that the study's measurements, derived tables and figures get."""
        analysis = self.preset.analysis
        return {
            "preset": self.name,
            "threshold": analysis.threshold,
            "thresholds": [analysis.threshold, *analysis.other_thresholds],
            **self.studies[study].settings,
        }

    def only(self, names: list[str]) -> "Plan":
        """The same with these studies alone."""
        return Plan(self.preset, {name: self.studies[name] for name in names})


def validate(config: Mapping[str, Any]) -> Common:
    """The configuration as a model.

    Raises:
        ConfigError: one line for each key that is unknown or out of range.
    """
    try:
        preset = Preset.model_validate(dict(config))
    except ValidationError as error:
        raise ConfigError(REFUSED + refusals(error, Preset)) from error
    if not sections(preset):
        raise ConfigError(
            f"{REFUSED}  no study is asked for: allowed sections are {', '.join(STUDIES)}"
        )
    return preset


def sections(preset: Common) -> dict[str, BaseModel]:
    """The sections of a preset by study."""
    by_study = {name: getattr(preset, name) for name in STUDIES}
    return {name: section for name, section in by_study.items() if section is not None}


def plan_preset(
    config: Mapping[str, Any], *, directory: Path = Path(), published: Path = places.PUBLISHED
) -> Plan:
    """Curves, cells, keys and samples of a configuration.

    directory: the one that holds results/. published: folder of published rows, if the
    configuration asks for them.

    Raises:
        ConfigError: naming the key, its value and the allowed range.
    """
    preset = validate(config)
    studies = {}
    for name, section in sections(preset).items():
        try:
            studies[name] = STUDIES[name].plan(section, directory)
        except ConfigError as refusal:
            # The lines name keys within the section.
            lines = str(refusal).splitlines()
            text = "\n".join(f"  {name}.{line.strip()}" for line in lines)
            raise ConfigError(REFUSED + text) from refusal
    _check_shared(studies)
    for name, planned in studies.items():
        threshold = preset.analysis.threshold
        if any(c.search and c.search.threshold != threshold for c in planned.curves.values()):
            raise ConfigError(
                f"{REFUSED}  analysis.threshold = {threshold}: allowed is {Search.threshold}, at"
                f" which {name} searches for P*"
            )
    if preset.rows != "trained":
        studies = _with_published(studies, preset, published, directory)
    return Plan(preset, {name: planned.computable for name, planned in studies.items()})


def _with_published(
    studies: Mapping[str, Planned], preset: Common, published: Path, directory: Path
) -> dict[str, Planned]:
    """The studies with what is published of them.

    Where only published rows are asked for, studies that have none are left out, unless they train
    nothing, and curves that have none, too.
    """
    alone = preset.rows == "published"
    # A curve of two studies is one for both, and they may measure it or have other rows of it.
    asked = Counter(name for planned in studies.values() for name in planned.curves)

    def taken(trained: Set[str]) -> dict[str, Planned]:
        """trained: keys that are trained here whatever is published."""
        with_rows = {}
        for study, planned in studies.items():
            folder = places.published_folder(preset.preset, study, published=published)
            if STUDIES[study].trainer is None:
                with_rows[study] = planned
            elif (folder / PROVENANCE_FILE).is_file():
                unshared = {name for name in planned.curves if asked[name] == 1}
                try:
                    with_rows[study] = _from(
                        folder,
                        STUDIES[study],
                        planned,
                        own=unshared,
                        trained=trained,
                        directory=None if alone else directory,
                    )
                except PublicationError as error:
                    raise ConfigError(str(error)) from error
            elif not alone:
                with_rows[study] = planned
        return with_rows

    plans = taken(frozenset())
    keys = {
        entry["key"]
        for planned in plans.values()
        for curve in planned.trained.values()
        for entry in curve.entries
    }
    # Curves share cells, and a cell that is trained here for one of them has no other row here.
    if any(keys & cells for planned in plans.values() for cells in planned.published.values()):
        plans = taken(keys)
    if not any(planned.published for planned in plans.values()) and alone:
        raise ConfigError(
            f"nothing of {preset.preset} is published in {published}: `make publish"
            f" PRESET={preset.preset}` does it, once its networks are trained"
        )
    return plans


def _from(
    folder: Path,
    study: Study,
    planned: Planned,
    *,
    own: Set[str],
    trained: Set[str],
    directory: Path | None,
) -> Planned:
    """What is planned, with the rows of a folder of published ones.

    A curve that is published is taken whole. A size or a seed more gives a curve another name, and
    leaves the keys of its other cells, whose rows are taken one by one; but none if one of its
    measurements is no `CellMeasurement`, or if networks are not kept, so that nothing can be
    measured of the others. A cell that is in the store has its own row.

    own: names of curves that no other study has. trained: keys of which no single published row is
    taken, as another curve trains them here. directory: the one that holds results/; None:
    published rows alone.

    Raises:
        PublicationError: if a file of the folder is missing or damaged.
    """
    known = read_provenance_file(folder / PROVENANCE_FILE)
    tables = {table: set(curves) for table, curves in known["tables"].items()}
    otherwise = measured_otherwise(known, study, planned)

    def is_whole(curve: Curve) -> bool:
        """Whether all that is to be measured of a curve is published, too."""
        return not set(otherwise) & set(curve.measured) and all(
            curve.name in tables.get(table, ())
            for measurement in study.measurements
            if measurement.name in curve.measured and not measurement.may_be_empty
            for table in measurement.tables
        )

    @cache
    def known_keys(measured: tuple[str, ...]) -> frozenset[str]:
        """Keys of the published cells of which this was measured, each by itself."""
        from srhm.store.published import measured_keys  # takes pandas, half a second

        of_curve = [one for one in study.measurements if one.name in measured]
        by_cell = all(isinstance(one, CellMeasurement) for one in of_curve)
        return measured_keys(folder, of_curve) if by_cell else frozenset()

    def taken_of(curve: Curve) -> frozenset[str]:
        keys = frozenset(entry["key"] for entry in curve.entries)
        if curve.name in tables["cells"]:
            return keys if directory is None or is_whole(curve) else frozenset()
        if (
            directory is None
            or curve.name not in own
            or set(otherwise) & set(curve.measured)
            or (curve.measured and not curve.keep_weights)
        ):
            return frozenset()
        store = directory / places.store_of(curve.trainer)
        single = (keys & known_keys(curve.measured)) - trained
        single = frozenset(key for key in single if not path_of(store, key).is_file())
        return single if curve.name not in planned.missing or single == keys else frozenset()

    published = {name: keys for name, curve in planned.curves.items() if (keys := taken_of(curve))}
    taken = replace(planned, published=published, published_in=str(folder) if published else "")
    told = otherwise if published.keys() & tables["cells"] else []
    origin = _origin_of(folder, known, taken, told, alone=directory is None)
    kept = published if directory is None else planned.curves
    return replace(taken, curves={name: planned.curves[name] for name in kept}, origin=origin)


def _origin_of(
    folder: Path, known: Mapping[str, Any], taken: Planned, otherwise: Sequence[str], *, alone: bool
) -> str:
    """Where the rows of a study are from, for people; known: what their provenance says."""
    lacking = Counter(
        name.partition("_")[0] for name in taken.curves if name not in taken.published
    )
    days = " to ".join(dict.fromkeys([known["trained_from"], known["trained_to"]]))
    words = [
        f"{taken.archived or f'0 of {len(taken.curves)} curves are archived rows'}"
        f" (published/{folder.parent.name}/{folder.name}), trained {days} by commit"
        f" {known['commit'][:10]}"
    ]
    if lacking and alone:
        words.append(f"not there: {', '.join(f'{n} {label(net)}' for net, n in lacking.items())}")
    if otherwise:
        words.append(f"{', '.join(otherwise)} have other settings than this configuration")
    here = (
        "nothing was trained here" if alone or not taken.trained else "the others were trained here"
    )
    return "; ".join([*words, here])


def _check_shared(studies: Mapping[str, Planned]) -> None:
    """Refuses curves that two studies ask for in two ways: one is trained once, for both."""
    seen: dict[str, tuple[str, Curve]] = {}
    differ: dict[tuple[str, str], str] = {}
    for study, planned in studies.items():
        for name, curve in planned.curves.items():
            first, other = seen.setdefault(name, (study, curve))
            # What is measured of it each study says for itself.
            if replace(curve, measured=()) != replace(other, measured=()):
                differ.setdefault((first, study), name)
    if differ:
        pairs = "; ".join(f"{a} and {b} ({name})" for (a, b), name in differ.items())
        raise ConfigError(
            f"{REFUSED}  studies that share a curve differ in what is kept of it: {pairs}: give"
            " keep_weights one value in all of them"
        )


def key_table() -> str:
    """All keys of a configuration as a Markdown table: key, default, meaning.

    Sections of one model are listed once; the others refer to it.
    """
    rows = ["| key | default | meaning |", "|---|---|---|"]
    seen: dict[type[BaseModel], str] = {}
    elsewhere: tuple[str, ...] = ()
    for prefix, model in models_in(Preset):
        if prefix.startswith(elsewhere):
            continue
        if model in seen:
            rows.append(f"| `{prefix}` | | as `{seen[model]}` |")
            elsewhere += (prefix,)
            continue
        seen[model] = prefix
        for name, field in model.model_fields.items():
            if field.description is not None:
                default = "required" if field.is_required() else f"`{field.default}`"
                rows.append(f"| `{prefix}{name}` | {default} | {field.description} |")
    return "\n".join(rows)


if __name__ == "__main__":
    schema = json.dumps(Preset.model_json_schema(), indent=2) + "\n"
    (PACKAGE.parents[1] / "config" / "schema.json").write_text(schema, encoding="utf-8")
