"""Numbers of a row of a scorecard as text: rounded by its tolerance, ratios as factors."""

from collections.abc import Mapping, Sequence
from math import exp, floor, inf, isfinite, isinf, isnan, log10
from typing import Any

MOST_DECIMALS = 4
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
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
    """Value and interval of a row; of a ratio as factors. Says so where one is not known.

    What would be all zeros has a power of ten: (9.1 [7.6, 10.6])·10⁻⁷.
    """
    if not isfinite(row["value"]):
        return "not measured"
    bounded = isfinite(row["low"]) and isfinite(row["high"])
    numbers = [_shown(row, row[name]) for name in ("value", "low", "high")[: 3 if bounded else 1]]
    most, places = max(map(abs, numbers)), decimals(row)
    sign = "×" if is_factor(row) else ""
    if 0 < most < 0.5 * 10**-MOST_DECIMALS:
        power = int(f"{abs(numbers[0]) or most:.1e}".partition("e")[2])
        texts = [f"{one / 10**power:z.1f}" for one in numbers]  # z: no -0.0
        return f"{sign}({_bracketed(texts)})·10{str(power).translate(SUPERSCRIPTS)}"
    return sign + _bracketed([_text(row, one, places) for one in numbers])


def _bracketed(texts: Sequence[str]) -> str:
    return f"{texts[0]} [{', '.join(texts[1:]) or 'unknown'}]".replace("-", "−")


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
    """Most decimals of the numbers of a claim: its tolerance to two digits, at least hundredths.

    One more where a number would be rounded onto a bound from which it differs, so that what is
    shown does not contradict the verdict. Where the value would be shown as zero, or both ends of
    the interval alike, two digits of the interval's width, at most MOST_DECIMALS.
    """
    tolerance = row["tolerance"]
    coarse = not isfinite(tolerance) or tolerance <= 0 or is_factor(row)
    found = 2 if coarse else max(2, 1 - floor(log10(tolerance)))
    value, low, high = (_shown(row, row[name]) for name in ("value", "low", "high"))
    found += any(_onto_a_bound(row, number, found) for number in (value, low, high))
    width = high - low
    hidden = not round(value, found) or round(low, found) == round(high, found)
    if isfinite(width) and width > 0 and hidden:
        found = max(found, min(MOST_DECIMALS, 1 - floor(log10(width))))
    return found


def _onto_a_bound(row: Row, number: float, places: int) -> bool:
    """Whether so many decimals would show a number as a bound from which it differs."""
    expected, tolerance = row["expected"], row["tolerance"]
    two_sided = isfinite(tolerance) and tolerance > 0
    ends = [expected - tolerance, expected + tolerance] if two_sided else [expected]
    bounds = [_shown(row, end) for end in ends if isfinite(end)]
    return isfinite(number) and any(
        number != bound and round(number, places) == round(bound, places) for bound in bounds
    )


def _text(row: Row, number: float, places: int) -> str:
    """A number with so many decimals; one from 10 on, none from 100 on, if no bound forbids it."""
    if abs(number) >= 10:
        fewer = min(places, max(0, 2 - floor(log10(abs(number)))))
        places = places if _onto_a_bound(row, number, fewer) else fewer
    return f"{number:z.{places}f}"  # z: no -0.00


def _shown(row: Row, number: float) -> float:
    return exp(number) if is_factor(row) and isfinite(number) else number
