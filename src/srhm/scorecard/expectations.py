"""What a source says of a number: that it is within a tolerance or factor, below or above a bound.

In the table of a scorecard an expectation is three columns: `expected`, `tolerance` and `scale`.
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


@dataclass(frozen=True)
class Expectation:
    """A range for a number: around what is expected, or on one side of a bound.

    tolerance: NaN where `expected` is an upper bound, infinite where it is a lower one; the number
    does not reach a bound.
    """

    expected: float
    tolerance: float
    scale: Scale = "plain"

    def __post_init__(self) -> None:
        if not isfinite(self.expected) or self.tolerance <= 0:
            raise ValueError(f"{self}: a number is needed, and a positive tolerance")

    @property
    def ends(self) -> tuple[float, float]:
        """Of the range."""
        if isnan(self.tolerance):
            return -inf, self.expected
        if isinf(self.tolerance):
            return self.expected, inf
        return self.expected - self.tolerance, self.expected + self.tolerance

    def keeps(self, low: float, high: float) -> bool:
        """Whether all of an interval lies in the range."""
        lowest, highest = self.ends
        if isfinite(self.tolerance):
            return lowest <= low and high <= highest
        return (lowest < low or isinf(lowest)) and (high < highest or isinf(highest))

    def excludes(self, low: float, high: float) -> bool:
        """Whether an interval excludes the expected number; of a bound, what keeps it."""
        number = (self.expected, self.expected)
        lowest, highest = number if isfinite(self.tolerance) else self.ends
        return low > highest or high < lowest


# With capitals, as kinds of expectation in the sheets of claims.
def Within(value: float, tolerance: float) -> Expectation:
    """A number with a tolerance on either side."""
    return Expectation(float(value), float(tolerance))


def Factor(value: float, within: float) -> Expectation:
    """A ratio within a factor on either side, of a measurement that is the ratio's logarithm."""
    return Expectation(log(value), log(within), scale="factor")


def Below(bound: float) -> Expectation:
    """An upper bound, which the number does not reach."""
    return Expectation(float(bound), nan)


def Above(bound: float) -> Expectation:
    """A lower bound, which the number exceeds."""
    return Expectation(float(bound), inf)
