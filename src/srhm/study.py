"""What a study declares: its configuration, trainer, measurements, tables, figures, claims, page.

A study is one folder of `srhm.studies` and one line of `srhm.studies.registry`. What computes is
named by dotted strings, "package.module" or "package.module:function", so that reading a
declaration loads neither torch nor matplotlib. The rules of the workflow and the commands are made
of these declarations alone.

A table is named by the study that asks for it ("cells") or with its own study before it
("double_descent/cells"). Several names together stand for the rows of all of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Entry = Mapping[str, Any]
# A table, or several whose rows are put together.
Use = str | tuple[str, ...]


class ConfigError(Exception):
    """A configuration that cannot be run: names the key, its value and what is allowed."""


@dataclass(frozen=True, kw_only=True)
class Trainer:
    """What trains the cells of some curves, and where these are kept.

    module: has `train_entries`. cost: function from cells to their expected
    `srhm.training.cost.Cost`. folder: of cells, checkpoints, curves and parts. cells,
    timings: schemas of its rows (`srhm.results.tables`). curves: pattern of the names of its
    curves. title: for people. priority: of its jobs. stacked: whether cells of equal P are trained
    at once, also on processors; they are then never divided between jobs.
    """

    name: str
    module: str
    cost: str
    folder: str
    cells: str
    timings: str
    curves: str
    title: str
    priority: int = 0
    stacked: bool = False


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """What is measured of each curve of a trainer.

    function: from the entries of a curve, named `store`, `log`, and its options and inputs, to the
    rows of each of its tables, in their order. tables: schemas by the table's name, of
    `srhm.results.tables` or "package.module:SCHEMA" (see `schema_of` there).
    options: the setting that says how it is measured; empty: that of its name. share: part of the
    expected time of training that it takes on top of some seconds a cell. gpu: whether it asks for
    a GPU where training does.
    """

    name: str
    trainer: Trainer
    function: str
    tables: Mapping[str, str]
    options: str = ""
    share: float = 0.0
    gpu: bool = False


@dataclass(frozen=True, kw_only=True)
class Derived:
    """A table that a function makes of others, in the order of `uses`.

    settings: what it gets by name (see `Planned.settings`).
    """

    name: str
    function: str
    schema: str
    uses: Sequence[Use] = ()
    settings: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure that a function draws of tables, in the order of `uses`.

    function: returns a matplotlib figure. settings: what it gets by name (see `Planned.settings`);
    options: further values; files: further files of the repository, by name, each a pattern.
    """

    name: str
    title: str
    function: str
    uses: Sequence[Use] = ()
    settings: Sequence[str] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Derivations that a curve needs: grammar parameters, seeds, sizes; `name` is its file's."""

    name: str
    spec: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Cells that are equal in all but a few coordinates, {"key", "source", "cell"} each.

    sample: name of the derivations that its cells learn from, if these are a file. measured: names
    of its measurements. inputs: what the trainer needs besides. columns: values that all of its
    rows have.
    """

    name: str
    trainer: Trainer
    entries: tuple[Entry, ...]
    sample: str | None = None
    measured: tuple[str, ...] = ()
    inputs: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, Any] = field(default_factory=dict)
    keep_weights: bool = True

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

    settings: values for measurements, derived tables and figures, by name. absent: why some of it
    cannot be planned, for people; empty where all can.
    """

    curves: Mapping[str, Curve] = field(default_factory=dict)
    samples: Mapping[str, Sample] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    absent: str = ""


@dataclass(frozen=True, kw_only=True)
class Study:
    """One study. page: the page that shows it, of its own name unless it is a part of another's.

    config: pydantic model of its section. plan: from the section and the folder that holds results/
    to what is asked; it raises ConfigError, naming the key within the section. claims: module with
    CLAIMS; claim_uses: tables that these need beside its own, by the name under which they know
    them. page_tables: function from its tables, by name, and its settings to what its page shows of
    them as tables.
    """

    name: str
    title: str
    config: type[Any]
    plan: Callable[[Any, Path], Planned]
    trainer: Trainer | None = None
    measurements: Sequence[Measurement] = ()
    tables: Sequence[Derived] = ()
    figures: Sequence[Figure] = ()
    claims: str | None = None
    page_tables: str | None = None
    claim_uses: Mapping[str, Use] = field(default_factory=dict)
    page: str = ""
    priority: int = 0

    @property
    def page_name(self) -> str:
        """Name of the page's file."""
        return self.page or self.name

    @property
    def schemas(self) -> dict[str, str]:
        """Schemas of its tables, by name."""
        found: dict[str, str] = {}
        if self.trainer is not None:
            found |= {"cells": self.trainer.cells, "timings": self.trainer.timings}
        for measurement in self.measurements:
            found |= measurement.tables
        return found | {table.name: table.schema for table in self.tables}


def names_in(uses: Sequence[Use] | Mapping[str, Use]) -> Iterator[str]:
    """Every table that is used, by the name given."""
    for use in uses.values() if isinstance(uses, Mapping) else uses:
        yield from (use,) if isinstance(use, str) else use
