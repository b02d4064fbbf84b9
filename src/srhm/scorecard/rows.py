"""From tables to the rows of which a number is measured, for claims and figures alike.

A row function is the science of a study: it says which rows there are and what is computed of
each. Rows that do not count stay in the table and say why in the column LEFT_OUT, so that they are
drawn and counted.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srhm.model.grammar import GRAMMAR
from srhm.scorecard.claims import Tables, once

# Column with the reason why a row does not count, "" of one that does.
LEFT_OUT = "left_out"
# What an exponent of s_0+1 compares at equal values; its rules are drawn from the seed besides.
SHARED_GRAMMAR = [name for name in GRAMMAR if name != "s0"]
# Rows that agree in these have equal production rules, for all nets, s_0, sparsities and L
# (`draw_grammar`; of several L, those of the levels that they have in common). In the rows of
# `grid` residuals of log P* correlate with 0.85 across s_0, 0.87 across nets, 0.52 across L and
# -0.05 across v.
OF_RULES = ("s", "v", "seed")
# A value that a column must have, or a tuple of those that it may have.
Conditions = Mapping[str, Any]


def definition(function: Any) -> Hashable:
    """Equal for functions that one piece of text defines."""
    return getattr(function, "__code__", function)


@dataclass(frozen=True)
class RowFunction:
    """Rows from named tables; see `srhm.scorecard.sheet.rows_of`.

    function: gets what is named by position, tables or the rows of other functions, what may be
    missing last, and the options by name. nothing: what is said where no row is left.
    made: definitions of a chain (`srhm.scorecard.sheet`).
    """

    function: Callable[..., pd.DataFrame]
    names: "tuple[Source, ...]"
    nothing: str
    options: tuple[tuple[str, Any], ...] = ()
    optional: tuple[str, ...] = ()
    made: tuple[Hashable, ...] = ()

    @property
    def kind(self) -> Hashable:
        """Equal for rows that one definition makes, whatever its options."""
        return self.made or definition(self.function)

    def __call__(self, tables: Tables) -> pd.DataFrame:
        """The rows; none where a table is missing or has no rows. Computed once a scorecard."""
        if self.is_missing(tables):
            return pd.DataFrame()
        tables_given = [
            tables.get(source, pd.DataFrame()) if isinstance(source, str) else source(tables)
            for source in (*self.names, *self.optional)
        ]
        return once(tables, self, lambda: self.function(*tables_given, **dict(self.options)))

    def is_missing(self, tables: Tables) -> bool:
        """Whether a table that it needs is missing or has no rows."""
        return any(
            not len(tables.get(source, ()))
            if isinstance(source, str)
            else source.is_missing(tables)
            for source in self.names
        )

    def given(self, **options: Any) -> Self:
        """The same with these options, whose values are hashable."""
        return replace(self, options=tuple(sorted({**dict(self.options), **options}.items())))


Source = str | RowFunction


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


def grammars(table: pd.DataFrame) -> NDArray[Any]:
    """A number for each row, the same for rows of one grammar; shape (n_rows,)."""
    return groups_of(table, [name for name in OF_RULES if name in table])


def groups_of(table: pd.DataFrame, by: Sequence[str]) -> NDArray[Any]:
    """A number for each row, the same for rows that agree in the columns `by`."""
    number = np.zeros(len(table), dtype=np.int64)
    for name in by:  # many times faster than a groupby of few rows
        codes, values = pd.factorize(table[name], use_na_sentinel=False)
        number = pd.factorize(number * len(values) + codes)[0]
    return number
