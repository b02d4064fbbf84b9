"""What a source says of a number: kinds of expectation as types.

In the table of a scorecard each is three columns: `expected` and `tolerance`, of which NaN stands
for what there is not and an infinite tolerance for all above, and `scale`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isfinite, isinf, isnan, log, nan
from typing import Literal, get_args

Verdict = Literal["reproduced", "differs", "inconclusive"]
SIGNS: dict[str, str] = {"reproduced": "✓", "differs": "✗", "inconclusive": "?"}
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


def verdicts_in_words(counts: Mapping[str, int]) -> str:
    """Numbers of claims by verdict, in words: 5 reproduced, 1 differs, 2 inconclusive."""
    return ", ".join(
        f"{count} {'differ' if word == 'differs' and count != 1 else word}"
        for word, count in counts.items()
    )


# What the numbers of a claim are: themselves, or logarithms of a ratio, shown as its factor.
Scale = Literal["plain", "factor"]


class _Judging:
    """What is expected of an interval: that it lies within a range."""

    # Whether a number at the end of the range is within it.
    closed = True
    scale: Scale = "plain"

    @property
    def columns(self) -> tuple[float, float]:
        """Expected number and tolerance in the table."""
        raise NotImplementedError

    @property
    def ends(self) -> tuple[float, float]:
        """Of the range."""
        expected, tolerance = self.columns
        if isnan(tolerance):
            return -inf, expected
        if isinf(tolerance):
            return expected, inf
        return expected - tolerance, expected + tolerance

    def keeps(self, low: float, high: float) -> bool:
        """Whether all of an interval lies in the range."""
        lowest, highest = self.ends
        if self.closed:
            return lowest <= low and high <= highest
        return (lowest < low or isinf(lowest)) and (high < highest or isinf(highest))

    def excludes(self, low: float, high: float) -> bool:
        """Whether an interval excludes the expected number; of a bound, what keeps it."""
        expected, tolerance = self.columns
        lowest, highest = (expected, expected) if isfinite(tolerance) else self.ends
        return low > highest or high < lowest


@dataclass(frozen=True)
class Within(_Judging):
    """A number with a tolerance on either side."""

    value: float
    tolerance: float

    def __post_init__(self) -> None:
        if not (isfinite(self.value) and 0 < self.tolerance < float("inf")):
            raise ValueError(
                f"Within({self.value}, {self.tolerance}): a number is needed, and a positive one"
            )

    @property
    def columns(self) -> tuple[float, float]:
        """Expected number and tolerance in the table."""
        return float(self.value), float(self.tolerance)


@dataclass(frozen=True)
class Factor(_Judging):
    """A ratio within a factor on either side, of a measurement that is the ratio's logarithm."""

    scale = "factor"

    value: float
    within: float

    def __post_init__(self) -> None:
        if not (0 < self.value < float("inf") and 1 < self.within < float("inf")):
            raise ValueError(
                f"Factor({self.value}, {self.within}): a positive number is needed, and one above 1"
            )

    @property
    def columns(self) -> tuple[float, float]:
        """Expected logarithm and its tolerance in the table."""
        return log(self.value), log(self.within)


@dataclass(frozen=True)
class Below(_Judging):
    """An upper bound, which the number does not reach."""

    closed = False

    bound: float

    def __post_init__(self) -> None:
        if not isfinite(self.bound):
            raise ValueError(f"Below({self.bound}): a number is needed")

    @property
    def columns(self) -> tuple[float, float]:
        """The bound, and no tolerance."""
        return float(self.bound), nan


@dataclass(frozen=True)
class Above(_Judging):
    """A lower bound, which the number exceeds."""

    closed = False

    bound: float

    def __post_init__(self) -> None:
        if not isfinite(self.bound):
            raise ValueError(f"Above({self.bound}): a number is needed")

    @property
    def columns(self) -> tuple[float, float]:
        """The bound, and a tolerance without end."""
        return float(self.bound), inf


Expectation = Within | Factor | Below | Above
