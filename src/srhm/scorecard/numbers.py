"""Numbers of a row of a scorecard as text: rounded by its tolerance, ratios as factors."""

from collections.abc import Mapping, Sequence
from math import exp, floor, inf, isfinite, isinf, isnan, log10, nan
from typing import Any

MOST_DECIMALS = 4
# Half the 95 % interval of a normal distribution, in standard errors.
NORMAL = 1.96
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


def error(row: Row) -> float:
    """Standard error of a normal distribution with the 95 % interval of a row; NaN: not known."""
    half = (row["high"] - row["low"]) / 2
    return float(half / NORMAL) if isfinite(half) else nan


def in_errors(row: Row) -> float:
    """Distance of the value from the expected number, or from the bound, in errors."""
    return float(row["value"] - row["expected"]) / (error(row) or nan)


def in_tolerances(row: Row) -> float:
    """The same in tolerances; NaN where the claim is a bound."""
    tolerance = row["tolerance"]
    return float(row["value"] - row["expected"]) / (tolerance if isfinite(tolerance) else nan)


def differs_like_authors(row: Row) -> bool:
    """Whether a row differs, and the authors' value lies beyond the tolerance on the same side."""
    if row["verdict"] != "differs":
        return False
    reach = row["tolerance"] if isfinite(row["tolerance"]) else 0.0
    beyond = [row[name] - row["expected"] for name in ("authors_value", "value")]
    return all(one < -reach for one in beyond) or all(one > reach for one in beyond)


def texts(row: Row) -> dict[str, Any]:
    """What is shown of a row, as text, and whether it differs like the authors' points."""
    return {
        "measured": measured_text(row),
        "value": value_text(row),
        "expected": expected_text(row),
        "theirs": authors_text(row),
        "distances": distances_text(row),
        "like_authors": differs_like_authors(row),
    }


def value_text(row: Row) -> str:
    """Value ± standard error of a row, to one digit of the error, two where the first is 1.

    Of a ratio as a factor. Says so where one is not known.
    """
    if not isfinite(row["value"]):
        return "not measured"
    value, size = _shown(row, row["value"]), error(row)
    sign = "×" if is_factor(row) else ""
    if not isfinite(size) or size == 0:
        known = "unknown" if isnan(size) else "0"
        return f"{sign}{_text(row, value, decimals(row))} ± {known}".replace("-", "−")
    size *= value if is_factor(row) else 1.0
    power = floor(log10(size))
    places = -power + (size < 1.95 * 10**power)
    places = max(places, 2 if abs(value) < 10 else 0)
    scale = "" if places <= MOST_DECIMALS else f"·10{str(power).translate(SUPERSCRIPTS)}"
    ends = [end / 10**power if scale else end for end in (value, size)]
    text = " ± ".join(f"{end:z.{max(0, 1 if scale else places)}f}" for end in ends)
    return f"{sign}({text}){scale}".replace("-", "−") if scale else (sign + text).replace("-", "−")


def distances_text(row: Row) -> tuple[str, str]:
    """Distance from what is expected in errors and in tolerances; "–": not known, or no number."""
    distances = in_errors(row), in_tolerances(row)
    return (
        f"{distances[0]:+.1f}".replace("-", "−") if isfinite(distances[0]) else "–",
        f"{distances[1]:+.2f}".replace("-", "−") if isfinite(distances[1]) else "–",
    )


def authors_row(row: Row) -> Row:
    """The row with what the authors' points give by the same fit in place of ours."""
    return {**row, **{name: row[f"authors_{name}"] for name in ("value", "low", "high")}}


def authors_text(row: Row) -> str:
    """What the authors' points give by the same fit; empty where they give nothing."""
    return measured_text(authors_row(row)) if isfinite(row["authors_value"]) else ""


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
        texts = [f"{number / 10**power:z.1f}" for number in numbers]  # z: no -0.0
        return f"{sign}({_bracketed(texts)})·10{str(power).translate(SUPERSCRIPTS)}"
    return sign + _bracketed([_text(row, number, places) for number in numbers])


def _bracketed(texts: Sequence[str]) -> str:
    return f"{texts[0]} [{', '.join(texts[1:]) or 'unknown'}]".replace("-", "−")


def expected_text(row: Row) -> str:
    """What is expected: a number with its tolerance, a factor with its, or a bound."""
    value, tolerance = row["expected"], row["tolerance"]
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
    digits = 2 if coarse else max(2, 1 - floor(log10(tolerance)))
    value, low, high = (_shown(row, row[name]) for name in ("value", "low", "high"))
    digits += any(_onto_a_bound(row, number, digits) for number in (value, low, high))
    width = high - low
    hidden = not round(value, digits) or round(low, digits) == round(high, digits)
    if isfinite(width) and width > 0 and hidden:
        digits = max(digits, min(MOST_DECIMALS, 1 - floor(log10(width))))
    return digits


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
