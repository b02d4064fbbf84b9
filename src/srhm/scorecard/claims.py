"""What a claim of the paper is, what a measurement of it, and whether it holds."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from math import inf, isfinite, isnan, nan
from typing import Any, Literal, TypeVar

import pandas as pd

from srhm.scorecard.expectations import Expectation

Verdict = Literal["holds", "does not hold", "undecided", "not enough data", "reported"]
Tables = Mapping[str, pd.DataFrame]
Found = TypeVar("Found")

MIN_POINTS = 3


class RememberedTables(Mapping[str, pd.DataFrame]):
    """Tables by name, with what several claims compute of them; they do not change meanwhile."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._known: dict[Hashable, Any] = {}

    def __getitem__(self, name: str) -> pd.DataFrame:
        return self._tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def once(self, key: Hashable, computed: Callable[[], Found]) -> Found:
        """A copy of what the function gives, which is called for each key once."""
        if key not in self._known:
            self._known[key] = computed()
        found: Found = deepcopy(self._known[key])
        return found


def once(tables: Tables, key: Hashable, computed: Callable[[], Found]) -> Found:
    """What the function gives; for remembered tables it is called for each key once."""
    return tables.once(key, computed) if isinstance(tables, RememberedTables) else computed()


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """A measured number with its 95 % interval, from `n` points that enter it.

    An end of the interval that is NaN or infinite is not known.
    """

    value: float
    low: float
    high: float
    n: int
    note: str


NOT_MEASURED = Measurement(value=nan, low=nan, high=nan, n=0, note="no such curves in the tables")


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A number that the paper states, and how the tables give it.

    Of three kinds, told apart by what is a number and what is NaN, in the table too:
    expected ± tolerance; expected alone, an upper bound, which `tolerance_reason` explains; neither
    (the paper says nothing of this number, it is reported beside those of which it does).

    `measure` returns NOT_MEASURED when a table is missing or has no such rows. `statement` fits
    into a line (MAX_STATEMENT); `topic` is the heading under which the claim is listed.
    """

    identifier: str
    topic: str
    figure: str
    statement: str
    place: str
    expected: float
    tolerance: float
    tolerance_reason: str
    measure: Callable[[Tables], Measurement]

    def __post_init__(self) -> None:
        number_and_tolerance = isfinite(self.expected) and 0 < self.tolerance < float("inf")
        bound = isfinite(self.expected) and isnan(self.tolerance)
        nothing = isnan(self.expected) and isnan(self.tolerance)
        if not (number_and_tolerance or bound or nothing):
            raise ValueError(
                f"claim {self.identifier!r}: expected = {self.expected}, tolerance ="
                f" {self.tolerance}; allowed are a number and a positive one, a number and NaN"
                " (an upper bound), or NaN twice (reported without verdict)"
            )


# Of a table of claims: identifier, statement, place, what is expected, its reason, measure.
Line = tuple[str, str, str, Expectation, str, Callable[[Tables], Measurement]]


def claim(
    identifier: str,
    says: str,
    *,
    topic: str,
    figure: str,
    place: str,
    expected: Expectation,
    why: str,
    measure: Callable[[Tables], Measurement],
) -> Claim:
    """A claim; a study gives topic and figure once, with `functools.partial`.

    identifier: for links. topic: heading of the scorecard. figure: that shows it. says: the
    statement, of a line (MAX_STATEMENT). place: where the source says it. why: reason of the
    tolerance, of the bound, or why nothing is expected. measure: NOT_MEASURED where a table is
    missing, or without any rows.
    """
    number, tolerance = expected.columns
    return Claim(
        identifier=identifier,
        topic=topic,
        figure=figure,
        statement=says,
        place=place,
        expected=number,
        tolerance=tolerance,
        tolerance_reason=why,
        measure=measure,
    )


# What fits beside the other columns of the text into a terminal of 150 columns.
MAX_STATEMENT = 78


def verdict(claim: Claim, measured: Measurement) -> Verdict:
    """Whether a claim holds, which the interval decides and the value does not.

    Holds: the whole interval lies within expected ± tolerance, or below the upper bound. Does not
    hold: it lies wholly outside. Undecided: it sticks out; an end that is not known sticks out.
    Fewer than three points are not enough data. Nothing expected: reported, or not enough data
    without a value.
    """
    if isnan(claim.expected):
        return "reported" if isfinite(measured.value) else "not enough data"
    if measured.n < MIN_POINTS:
        return "not enough data"
    lowest, highest = -inf, claim.expected
    if not isnan(claim.tolerance):
        lowest, highest = claim.expected - claim.tolerance, claim.expected + claim.tolerance
    low = -inf if isnan(measured.low) else measured.low
    high = inf if isnan(measured.high) else measured.high
    if low > highest or high < lowest:
        return "does not hold"
    # A number at its upper bound is not below it.
    inside = lowest <= low and (high < highest if isnan(claim.tolerance) else high <= highest)
    return "holds" if inside else "undecided"
