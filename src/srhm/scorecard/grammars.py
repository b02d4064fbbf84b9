"""Which rows are of one grammar: it is what is replicated."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srhm.model.grammar import GRAMMAR

# What an exponent of s_0+1 compares at equal values; its rules are drawn from the seed besides.
SHARED_GRAMMAR = [name for name in GRAMMAR if name != "s0"]
# Rows that agree in these have equal production rules, for all nets, s_0, sparsities and L
# (`draw_grammar`; of several L, those of the levels that they have in common). In the rows of
# `grid` residuals of log P* correlate with 0.85 across s_0, 0.87 across nets, 0.52 across L and
# -0.05 across v.
OF_RULES = ("s", "v", "seed")


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
