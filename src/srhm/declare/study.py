"""What a study declares: its configuration, trainer, measurements, tables, figures, claims, page.

A study is one folder, `package`, and one name in its family (`srhm.planning.registry`). The rules
of the workflow and the commands are made of these declarations alone. What computes is named by
text, "package.module" or "package.module:function". So reading a declaration loads neither torch
nor matplotlib.

Names that begin with a dot are of the study's own package (".figures.gaps:draw"). A table of the
study itself is named alone ("cells"), one of another study with that study before
it ("double_descent/cells"). A tuple of names stands for the rows of all of them. docs/extending.md
shows an example.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import Any

from srhm.declare.search import Search

Entry = Mapping[str, Any]
# The name of a table, or several whose rows are put together.
Use = str | tuple[str, ...]


class ConfigError(Exception):
    """A configuration that cannot be run: names the key, its value and what is allowed."""


@dataclass(frozen=True, kw_only=True)
class Trainer:
    """What trains the cells of some curves, and where these are kept.

    module: has the function `prepare`. cost: function from cells to the
    `srhm.training.cost.Cost` that each is expected to have. folder: where its cells, checkpoints,
    curves and parts lie. cells, timings: schemas of its rows, by name in `srhm.store.tables`.
    curves: regular expression for the names of its curves. title: for people. priority: of its
    jobs; the highest go first. stacked: whether cells of equal P are trained together, on
    processors too; one job then trains all of them. gpu: whether it trains on a GPU where a run has
    one. arrays: whether each of its cells has arrays, so that one without is trained again.
    seconds: in place of `cost`, function from one cell to the seconds expected of it.
    """

    name: str
    module: str
    folder: str
    cells: str
    title: str
    timings: str = "TIMINGS"
    curves: str = r"[^/]+"
    priority: int = 0
    stacked: bool = False
    gpu: bool = True
    arrays: bool = True
    cost: str = ""
    seconds: str = ""


@dataclass(frozen=True)
class CurveMeasurement:
    """What is measured of each curve of a trainer.

    function: gets the entries of a curve and, by name, `store`, `log`, its options and its inputs;
    returns the rows of each of its tables, in their order or by the table's name. tables: schemas
    by the table's name, of `srhm.store.tables` or "package.module:SCHEMA" (see `schema_of`
    there). options: name of the setting that says how it is measured; empty: its own name. share:
    its expected time over that of training, besides some seconds a cell. gpu: whether it runs on a
    GPU where training does. may_be_empty: whether a curve may have no row in one of its tables, so
    that rows cannot tell if it was measured; it is published with what is measured of it, or not.
    """

    name: str
    trainer: Trainer
    function: str
    tables: Mapping[str, str]
    _: KW_ONLY
    options: str = ""
    share: float = 0.0
    gpu: bool = False
    may_be_empty: bool = False


@dataclass(frozen=True)
class Derived:
    """A table that a function makes of others, in the order of `uses`.

    function, schema: none: those of its name in the study's `analysis`, the schema in capitals.
    settings: names of the values of the preset that it gets (see `Planned.settings`). files:
    further files of the repository, each as a pattern of paths.
    """

    name: str
    function: str = ""
    schema: str = ""
    uses: Sequence[Use] = ()
    _: KW_ONLY
    settings: Sequence[str] = ()
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Figure:
    """A figure that a function draws of tables, in the order of `uses`.

    function: returns a matplotlib figure; none: the function of its name in the study's `figures`.
    It gets the tables by position, all else by name: settings: names of values of the preset (see
    `Planned.settings`). options: further values. files: further files of the repository, each as a
    pattern of paths. shows: columns and the value that all of its rows have there, which its link
    into the explorer chooses. first: values that the cells of the curves which it shows may have,
    by name: these curves are trained first, and it is drawn of tables of them alone. answers: the
    README shows it.
    """

    name: str
    title: str
    uses: Sequence[Use] = ()
    _: KW_ONLY
    function: str = ""
    settings: Sequence[str] = ("preset",)
    options: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    shows: Mapping[str, Any] = field(default_factory=dict)
    first: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    answers: bool = False


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Derivations that curves learn from: grammar parameters, seeds, sizes; name: of the file."""

    name: str
    spec: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Cells that are equal in all but a few coordinates, like P and the seed.

    entries: of each cell its key in the store, the digest of the sources that train it, and its
    coordinates: {"key", "source", "cell"}. sample: name of the derivations that it learns from;
    None where these are no file. measured: names of its measurements. inputs: what the trainer
    needs besides. columns: values that all of its rows have. search: how each seed takes the
    entries, which are candidates then (`srhm.store.paths`); None: all of them. published_in, taken:
    folder and keys of published rows that a search knows besides.
    """

    name: str
    trainer: Trainer
    entries: tuple[Entry, ...]
    sample: str | None = None
    measured: tuple[str, ...] = ()
    inputs: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, Any] = field(default_factory=dict)
    keep_weights: bool = True
    published_in: str = ""
    taken: tuple[str, ...] = ()
    search: Search | None = None

    @property
    def label(self) -> str:
        """One line for people."""
        return self.name.rsplit("-", 1)[0]

    @property
    def cells(self) -> list[Mapping[str, Any]]:
        """Coordinates of its cells."""
        return [entry["cell"] for entry in self.entries]


@dataclass(frozen=True, kw_only=True)
class Planned:
    """What a configuration asks of a study.

    curves, samples: by name. settings: values for measurements, derived tables and figures, by
    name. absent: why a part cannot be planned, for people; empty where all can. published: by the
    name of a curve the keys of its cells whose published rows are taken, so that nobody trains
    them; published_in: folder of these rows; origin: where they are from, for people. missing: by
    the name of a curve that cannot be computed here, why.
    """

    curves: Mapping[str, Curve] = field(default_factory=dict)
    samples: Mapping[str, Sample] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    absent: str = ""
    published: Mapping[str, frozenset[str]] = field(default_factory=dict)
    published_in: str = ""
    origin: str = ""
    missing: Mapping[str, str] = field(default_factory=dict)

    @property
    def computable(self) -> "Planned":
        """Without the curves whose package or data are missing, unless they are published."""
        why = {
            name: self.missing[name]
            for name, curve in self.trained.items()
            if curve.entries and name in self.missing
        }
        if not why:
            return self
        kept = {name: curve for name, curve in self.curves.items() if name not in why}
        words = filter(None, [self.absent, *dict.fromkeys(why.values())])
        return replace(self, curves=kept, absent="\n".join(words))

    @property
    def trained(self) -> dict[str, Curve]:
        """The curves that are trained where this is run, without the cells that are published."""
        trained = {}
        for name, curve in self.curves.items():
            if taken := self.published.get(name):
                left = tuple(entry for entry in curve.entries if entry["key"] not in taken)
                curve = replace(curve, entries=left)
                if curve.search:  # what is known of a seed says which network it trains next
                    known = tuple(sorted(taken))
                    curve = replace(curve, published_in=self.published_in, taken=known)
            if curve.entries:
                trained[name] = curve
        return trained

    @property
    def whole(self) -> set[str]:
        """Names of the curves of which all rows are published ones."""
        return self.published.keys() - self.trained.keys()

    @property
    def archived(self) -> str:
        """How many curves, and cells of others, are archived rows, for people; empty for none."""
        if not self.published:
            return ""
        n_cells = sum(len(self.published[name]) for name in self.published.keys() - self.whole)
        others = f" and {n_cells} cells of others" if n_cells else ""
        return f"{len(self.whole)} of {len(self.curves)} curves{others} are archived rows"


@dataclass(frozen=True, kw_only=True)
class Study:
    """One study.

    config: pydantic model of its section. plan: gets the section and the folder that holds
    results/, and returns what is asked; it raises ConfigError, naming the key within the section.
    claims: module with CLAIMS. claim_uses: tables that these need besides its own, by the name
    under which they know them. page_tables: function from its tables, by name, and its settings to
    the tables that its page shows. headline: module with HEADLINE, statements whose forest plot
    is at the top of its page, and `other_run`, drawn beside. page: name of the page that shows it;
    empty: its own. package: in which names that begin with a dot lie.
    """

    name: str
    title: str
    config: type[Any]
    plan: Callable[[Any, Path], Planned]
    trainer: Trainer | None = None
    measurements: Sequence[CurveMeasurement] = ()
    tables: Sequence[Derived] = ()
    figures: Sequence[Figure] = ()
    claims: str | None = None
    page_tables: str | None = None
    headline: str | None = None
    claim_uses: Mapping[str, Use] = field(default_factory=dict)
    page: str = ""
    priority: int = 0
    package: str | None = ""

    def __post_init__(self) -> None:
        def whole(name: str) -> str:
            return f"{self.package}{name}" if name.startswith(".") else name

        with_whole_names = {
            "measurements": tuple(
                replace(
                    measurement,
                    function=whole(measurement.function),
                    tables={table: whole(schema) for table, schema in measurement.tables.items()},
                )
                for measurement in self.measurements
            ),
            "tables": tuple(
                replace(
                    table,
                    function=whole(table.function or f".analysis:{table.name}"),
                    schema=whole(table.schema or f".analysis:{table.name.upper()}"),
                )
                for table in self.tables
            ),
            "figures": tuple(
                replace(figure, function=whole(figure.function or f".figures:{figure.name}"))
                for figure in self.figures
            ),
            "claims": self.claims and whole(self.claims),
            "page_tables": self.page_tables and whole(self.page_tables),
            "headline": self.headline and whole(self.headline),
        }
        for name, value in with_whole_names.items():
            object.__setattr__(self, name, value)

    @property
    def page_name(self) -> str:
        """Name of the page's file."""
        return self.page or self.name

    @property
    def schemas(self) -> dict[str, str]:
        """Schemas of its tables, by name."""
        schemas: dict[str, str] = {}
        if self.trainer is not None:
            schemas |= {"cells": self.trainer.cells, "timings": self.trainer.timings}
        for measurement in self.measurements:
            schemas |= measurement.tables
        return schemas | {table.name: table.schema for table in self.tables}


def names_in(uses: Sequence[Use] | Mapping[str, Use]) -> Iterator[str]:
    """Names of all tables that are used, as they stand in the declaration."""
    for use in uses.values() if isinstance(uses, Mapping) else uses:
        yield from (use,) if isinstance(use, str) else use


class CellMeasurement(CurveMeasurement):
    """A measurement whose rows of a cell would be the same without the other cells of its curve.

    So published rows of a cell serve a curve with further cells. Each of its tables has keys.
    """
