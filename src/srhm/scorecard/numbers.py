"""Numbers of a row of a scorecard as text: rounded by its tolerance, ratios as factors."""

from collections.abc import Mapping
from math import exp, floor, inf, isfinite, isinf, isnan, log10
from typing import Any

MOST_DECIMALS = 4
# A row of a scorecard.
Row = Mapping[Any, Any]


def is_factor(row: Row) -> bool:
    """Whether the numbers of a row are logarithms of a ratio."""
    return bool(row["scale"] == "factor")


def band(row: Row) -> tuple[float, float]:
    """What a row allows around what is expected: in units of the tolerance, or of the bound."""
    if isnan(row["tolerance"]):
        return -inf, 0.0
    return (0.0, inf) if isinf(row["tolerance"]) else (-1.0, 1.0)


def unit(row: Row) -> float:
    """Tolerance of a row, or the size of its bound."""
    return float(row["tolerance"] if isfinite(row["tolerance"]) else abs(row["expected"]))


def measured_text(row: Row) -> str:
    """Value and interval of a row; of a ratio as factors. Says so where one is not known."""
    if not isfinite(row["value"]):
        return "not measured"
    value = f"{'×' if is_factor(row) else ''}{_fixed(row, 'value')}"
    bounded = isfinite(row["low"]) and isfinite(row["high"])
    interval = f"{_fixed(row, 'low')}, {_fixed(row, 'high')}" if bounded else "unknown"
    return f"{value} [{interval}]"


def expected_text(row: Row) -> str:
    """What is expected: a number with its tolerance, a factor with its, or a bound."""
    value, tolerance = row["expected"], row["tolerance"]
    if not isfinite(value):
        return "–"
    if is_factor(row):
        return f"×{exp(value):.3g} within ×{exp(tolerance):.3g}"
    bound = f"{'>' if isinf(tolerance) else '<'} {value:.3g}"
    within = f"{value:.3g} ± {tolerance:.3g}" if isfinite(tolerance) else bound
    return within.replace("-", "−")


def decimals(row: Row) -> int:
    """Decimals of the numbers of a claim: its tolerance to two digits, at least hundredths.

    One more where a number would be rounded onto a bound from which it differs, so that what is
    shown does not contradict the verdict. Where the value would be shown as zero, or both ends of
    the interval alike, two digits of the interval's width, at most MOST_DECIMALS.
    """
    expected, tolerance = row["expected"], row["tolerance"]
    two_sided = isfinite(tolerance) and tolerance > 0
    coarse = not two_sided or is_factor(row)
    found = 2 if coarse else max(2, 1 - floor(log10(tolerance)))
    ends = [expected - tolerance, expected + tolerance] if two_sided else [expected]
    bounds = [_shown(row, end) for end in ends if isfinite(end)]
    value, low, high = (_shown(row, row[name]) for name in ("value", "low", "high"))
    found += any(
        isfinite(number) and number != bound and round(number, found) == round(bound, found)
        for bound in bounds
        for number in (value, low, high)
    )
    width = high - low
    hidden = not round(value, found) or round(low, found) == round(high, found)
    if isfinite(width) and width > 0 and hidden:
        found = max(found, min(MOST_DECIMALS, 1 - floor(log10(width))))
    return found


def _shown(row: Row, number: float) -> float:
    return exp(number) if is_factor(row) and isfinite(number) else number


def _fixed(row: Row, name: str) -> str:
    return f"{_shown(row, row[name]):z.{decimals(row)}f}".replace("-", "−")  # z: no -0.00
