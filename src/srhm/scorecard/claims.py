"""What a claim of the paper is, what a measurement of it, and whether it is reproduced."""

from collections.abc import Callable, Hashable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from math import inf, isnan, nan
from typing import Any, Literal, TypeVar

import pandas as pd

from srhm.scorecard.expectations import Expectation, Verdict

Tables = Mapping[str, pd.DataFrame]
Found = TypeVar("Found")

MIN_POINTS = 3


class RememberedTables(dict[str, pd.DataFrame]):
    """Tables by name, with what several claims compute of them; they do not change meanwhile."""

    def __init__(self, tables: Tables) -> None:
        super().__init__(tables)
        self._known: dict[Hashable, Any] = {}

    def once(self, key: Hashable, computed: Callable[[], Found]) -> Found:
        """A copy of what the function gives, which is called for each key once."""
        if key not in self._known:
            self._known[key] = computed()
        value: Found = deepcopy(self._known[key])
        return value


def once(tables: Tables, key: Hashable, computed: Callable[[], Found]) -> Found:
    """What the function gives; for remembered tables it is called for each key once."""
    return tables.once(key, computed) if isinstance(tables, RememberedTables) else computed()


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """A measured number with its 95 % interval, from `n` points that enter it.

    An end of the interval that is NaN or infinite is not known. authors: value and ends that the
    authors' points give by the same fit. decides: whether there is enough of what is independent
    for a verdict. few_values: of a mean, its values, for `srhm.scorecard.siblings`.
    """

    value: float
    low: float
    high: float
    n: int
    note: str
    authors: tuple[float, float, float] = (nan, nan, nan)
    decides: bool = True
    few_values: Any = None


NOT_MEASURED = Measurement(value=nan, low=nan, high=nan, n=0, note="no such curves in the tables")


@dataclass(frozen=True)
class Claim:
    """A number that a source states, and how the tables give it.

    A study gives topic and figure once, with `functools.partial`. identifier: for links. says: the
    statement, of a line (MAX_STATEMENT). topic: heading of the scorecard. figure: that shows it.
    place: where the source says it. why: reason of the tolerance or of the bound.
    fixed: whether expectation, rows and fit were fixed before or after seeing results.
    measure: NOT_MEASURED where a table is missing, or without any rows. committed: of a prediction
    of this project the date and commit, before its rows; "" of a sentence of a source.
    """

    identifier: str
    says: str
    topic: str = field(kw_only=True)
    figure: str = field(kw_only=True)
    place: str = field(kw_only=True)
    expected: Expectation = field(kw_only=True)
    why: str = field(kw_only=True)
    fixed: Literal["before", "after"] = field(default="before", kw_only=True)
    measure: Callable[[Tables], Measurement] = field(kw_only=True)
    committed: str = field(default="", kw_only=True)


# Letters of a statement.
MAX_STATEMENT = 112


def verdict(claim: Claim, measured: Measurement) -> Verdict:
    """A test of equivalence, by the 95 % interval and the value.

    Reproduced: the interval lies within expected ± tolerance, or keeps a bound. Differs: it
    excludes the expected number and the value lies beyond the tolerance, or all of it lies beyond
    the bound. Inconclusive: all else; an end that is not known is infinitely far, and fewer than
    three points decide nothing.
    """
    low = -inf if isnan(measured.low) else measured.low
    high = inf if isnan(measured.high) else measured.high
    if measured.n < MIN_POINTS or not measured.decides:
        return "inconclusive"
    if claim.expected.keeps(low, high):
        return "reproduced"
    lowest, highest = claim.expected.ends
    beyond = measured.value < lowest or measured.value > highest
    return "differs" if beyond and claim.expected.excludes(low, high) else "inconclusive"
