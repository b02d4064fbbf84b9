"""What the function of an experiment returns for one cell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
        return {
            f"{table}/{name}": _as_array(column)
            for table, columns in self.tables.items()
            for name, column in columns.items()
        }


def tables_of(arrays: Mapping[str, NDArray[Any]]) -> dict[str, dict[str, list[Any]]]:
    """Columns by table, of what `Outcome.arrays` has made."""
    found: dict[str, dict[str, list[Any]]] = {}
    for name, array in sorted(arrays.items()):
        table, _, column = name.partition("/")
        found.setdefault(table, {})[column] = _texts(array) if array.ndim == 2 else array.tolist()
    return found


def _as_array(column: Column) -> NDArray[Any]:
    array = np.asarray(column)
    if array.dtype.kind != "U":
        return array
    # The store keeps numbers alone: a text is a row of bytes, with zeros behind.
    encoded = np.char.encode(array, "utf-8")
    return encoded.view(np.uint8).reshape(len(array), encoded.dtype.itemsize)


def _texts(array: NDArray[Any]) -> list[str]:
    return [bytes(row).rstrip(b"\0").decode("utf-8") for row in array]
