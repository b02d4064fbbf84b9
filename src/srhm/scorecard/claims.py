"""What a claim of the paper is, what a measurement of it, and whether it holds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite, isnan, nan
from typing import Literal

import pandas as pd

Verdict = Literal["holds", "does not hold", "not enough data", "reported"]
Tables = Mapping[str, pd.DataFrame]

MIN_POINTS = 3


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """A measured number with its 95 % interval, from `n` points that enter it."""

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


# What fits beside the other columns of the text into a terminal of 150 columns.
MAX_STATEMENT = 78


def verdict(claim: Claim, measured: Measurement) -> Verdict:
    """Whether a claim holds.

    Not enough data when fewer than three points enter. A number with a tolerance: not enough data
    also when half the interval is wider than the tolerance (an infinite or unknown one is); else
    whether the value is within the tolerance. An upper bound: holds when the whole interval is
    below it, does not hold when the whole interval is above it, else not enough data. Nothing
    expected: reported, or not enough data without a value.
    """
    if isnan(claim.expected):
        return "reported" if isfinite(measured.value) else "not enough data"
    if measured.n < MIN_POINTS:
        return "not enough data"
    if isnan(claim.tolerance):
        if not (isfinite(measured.low) and isfinite(measured.high)):
            return "not enough data"
        if measured.high < claim.expected:
            return "holds"
        return "does not hold" if measured.low > claim.expected else "not enough data"
    if not (measured.high - measured.low) / 2 <= claim.tolerance:
        return "not enough data"
    if abs(measured.value - claim.expected) <= claim.tolerance:
        return "holds"
    return "does not hold"
