"""The cells of a curve of experiments: found in the store or computed, by the one loop."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from srhm.declare.names import resolved
from srhm.store import provenance
from srhm.store.cells import read_cell
from srhm.store.tables import LACKING_IS_NULL, OF_SOME_CELLS
from srhm.training.cell import Clock, TrainedCell
from srhm.training.loop import Batch, BatchTrainer, Entry
from srhm.training.protocol import Pause, Snapshot

DONE = "done"
Number = float | int | str | bool | None
Column = Sequence[Any] | NDArray[Any]


class OutcomeError(ValueError):
    """Columns of unequal length; the message names table, column and lengths."""


@dataclass(frozen=True)
class Outcome:
    """Results of one cell.

    row: by column, with `status`: "done", or why there is no value. Without a status it is "done".
    tables: by name, each with its columns, one-dimensional and of equal length: numbers, or texts.

    Raises:
        OutcomeError: if the columns of a table are not of one length.
    """

    row: Mapping[str, Number]
    tables: Mapping[str, Mapping[str, Column]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for table, columns in self.tables.items():
            lengths = {name: len(column) for name, column in columns.items()}
            if len(set(lengths.values())) > 1:
                raise OutcomeError(f"table {table}: columns of unequal length {lengths}")

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The columns of all tables as arrays by "table/column"; texts as their bytes."""
        arrays = {}
        for table, columns in self.tables.items():
            for name, column in columns.items():
                array = np.asarray(column)
                if array.dtype.kind == "U":
                    # The store keeps numbers alone: a text is a row of bytes, with zeros behind.
                    encoded = np.char.encode(array, "utf-8")
                    array = encoded.view(np.uint8).reshape(len(array), encoded.dtype.itemsize)
                arrays[f"{table}/{name}"] = array
        return arrays


def tables_of(arrays: Mapping[str, NDArray[Any]]) -> dict[str, dict[str, list[Any]]]:
    """Columns by table, of what `Outcome.arrays` has made."""
    tables: dict[str, dict[str, list[Any]]] = {}
    for name, array in sorted(arrays.items()):
        table, _, column = name.partition("/")
        texts = array.ndim == 2
        tables.setdefault(table, {})[column] = (
            [bytes(row).rstrip(b"\0").decode("utf-8") for row in array] if texts else array.tolist()
        )
    return tables


PACKAGES = ("numpy", "scipy", "scikit-learn", "torch")


def prepare(
    entries: Sequence[Entry], *, inputs: Mapping[str, Any], device: str, log: logging.Logger
) -> BatchTrainer:
    """What computes the cells of a curve, each in one piece.

    inputs: experiment: its function, "package.module:function". device: without effect.
    """
    function: Callable[[Mapping[str, Any]], Outcome] = resolved(inputs["experiment"])

    def computed(batch: Batch, *, start: Snapshot | None, pause: Pause) -> list[TrainedCell]:
        (entry,) = batch
        clock = Clock(None)
        outcome = function(entry["cell"])
        row = {**entry["cell"], "status": DONE, **outcome.row}
        return [TrainedCell(row, clock.timing(), outcome.arrays())]

    return BatchTrainer(
        train=computed,
        versions=provenance.versions(PACKAGES),
        batches=lambda missing: [[entry] for entry in missing],
        size=lambda cell: 1.0,
        named=lambda batch: f"the cell {_text(batch[0]['cell'])}",
        said=lambda cells: "; ".join(f"{_text(cell.cell)}: {cell.row['status']}" for cell in cells),
    )


def _text(cell: Mapping[str, Any]) -> str:
    """A cell for people."""
    return ", ".join(f"{name} = {value}" for name, value in cell.items())


def long_rows(
    entries: Sequence[Mapping[str, Any]], *, store: Path, log: logging.Logger, experiment: str
) -> dict[str, list[dict[str, Any]]]:
    """Rows by table, each with the key of its cell.

    experiment: its function; without effect.

    Raises:
        FileNotFoundError, DamagedCell: as `store.read_cell`.
    """
    tables = dict[str, list[dict[str, Any]]]()
    for entry in entries:
        for table, columns in tables_of(read_cell(store, entry["key"]).weights).items():
            table_rows = tables.setdefault(table, [])
            for values in zip(*columns.values(), strict=True):
                table_rows.append({"key": entry["key"], **dict(zip(columns, values, strict=True))})
    for table, rows in tables.items():
        log.info("%s: %d rows of %d cells", table, len(rows), len(entries))
    return tables


Kind = type[str] | type[int] | type[float] | type[bool]
_TYPES: Mapping[Kind, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
}


def schema(columns: Mapping[str, Kind], *, long: bool = False) -> pa.Schema:
    """Columns of the cells: curve and key, those given, and how and by what they were computed.

    columns: coordinates and results with their types; what a cell lacks is null.
    long: a table that has several rows of one cell, or none; it has curve and key besides.

    Raises:
        ValueError: if a column is given that all such tables have.
    """
    before: dict[str, Kind] = {"curve": str, "key": str}
    after: dict[str, Kind] = {} if long else {"status": str, "source": str, "versions": str}
    if "seed" not in columns and not long:
        before["seed"] = int
    if twice := (before.keys() | after.keys()) & columns.keys():
        raise ValueError(f"every such table has the columns {', '.join(sorted(twice))}")
    types = [(name, _TYPES[kind]) for name, kind in {**before, **columns, **after}.items()]
    return pa.schema(types, metadata=LACKING_IS_NULL | (OF_SOME_CELLS if long else {}))
