"""From tables to the rows of which a number is measured, for claims and figures alike.

A row function is the science of a study: it says which rows there are and what is computed of
each. Rows that do not count stay in the table and say why in the column LEFT_OUT, so that they are
drawn and counted.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import pandas as pd

from srhm.scorecard.claims import Tables, once

# Column with the reason why a row does not count, "" of one that does.
LEFT_OUT = "left_out"
# A value that a column must have, or a tuple of those that it may have.
Conditions = Mapping[str, Any]


def definition(function: Any) -> Hashable:
    """Equal for functions that one piece of text defines."""
    return getattr(function, "__code__", function)


@dataclass(frozen=True)
class RowFunction:
    """Rows from named tables; see `rows_of`.

    function: gets what is named by position, tables or the rows of other functions, what may be
    missing last, and the options by name. nothing: what is said where no row is left.
    made: definitions of a chain (`srhm.scorecard.sheet`).
    """

    function: Callable[..., pd.DataFrame]
    names: "tuple[Source, ...]"
    nothing: str
    options: tuple[tuple[str, Any], ...] = field(default=())
    optional: tuple[str, ...] = field(default=())
    made: tuple[Hashable, ...] = field(default=())

    @property
    def kind(self) -> Hashable:
        """Equal for rows that one definition makes, whatever its options."""
        return self.made or definition(self.function)

    def __call__(self, tables: Tables) -> pd.DataFrame:
        """The rows; none where a table is missing or has no rows. Computed once a scorecard."""
        if self.is_missing(tables):
            return pd.DataFrame()
        given = [
            tables.get(source, pd.DataFrame()) if isinstance(source, str) else source(tables)
            for source in (*self.names, *self.optional)
        ]
        return once(tables, self, lambda: self.function(*given, **dict(self.options)))

    def is_missing(self, tables: Tables) -> bool:
        """Whether a table that it needs is missing or has no rows."""
        return any(
            not len(tables.get(source, ()))
            if isinstance(source, str)
            else source.is_missing(tables)
            for source in self.names
        )

    def of_tables(self, *names: str) -> Self:
        """The same from other tables."""
        return replace(self, names=names)

    def given(self, **options: Any) -> Self:
        """The same with these options, whose values are hashable."""
        return replace(self, options=tuple(sorted({**dict(self.options), **options}.items())))


Source = str | RowFunction


def rows_of(
    *names: "Source", nothing: str = "no such rows in the tables", optional: tuple[str, ...] = ()
) -> Callable[[Callable[..., pd.DataFrame]], RowFunction]:
    """Decorates a function from these tables, or rows of other functions, by position, to rows.

    optional: tables, after the others, that are empty where they are missing.
    """

    def wrapped(function: Callable[..., pd.DataFrame]) -> RowFunction:
        return RowFunction(function, names, nothing, optional=optional)

    return wrapped


def chosen(table: pd.DataFrame, conditions: Conditions) -> pd.DataFrame:
    """Rows in which each named column has the value, or one of the values if it is a tuple."""
    for column, wanted in conditions.items():
        if table.empty:
            break
        values = wanted if isinstance(wanted, tuple) else (wanted,)
        table = table[table[column].isin(values)]
    return table


def counted(table: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, int]]:
    """The rows that count, and how many others there are for each reason."""
    if LEFT_OUT not in table:
        return table, {}
    why = table[LEFT_OUT].fillna("")
    reasons = why[why != ""].value_counts(sort=False)
    return table[why == ""], {str(reason): int(n) for reason, n in reasons.items()}


def left_out(table: pd.DataFrame, reasons: Mapping[str, Any]) -> pd.DataFrame:
    """The table with a reason for the rows of each mask; the first that is true counts."""
    words = pd.Series("", index=table.index)
    for reason, mask in reasons.items():
        words = words.mask((words == "") & mask, reason)
    return table.assign(**{LEFT_OUT: words})
