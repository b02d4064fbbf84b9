"""The scorecard as a person reads it: numbers rounded by their tolerance, nothing hidden."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor, inf, isfinite, log10
from typing import Any

import pandas as pd

from srhm.report.page_table import NONE


@dataclass(frozen=True)
class Strip:
    """Where value and interval lie, in tolerances from what is expected, cut at ±EXTENT."""

    value: float
    low: float
    high: float
    cut_low: bool
    cut_high: bool

    EXTENT = 3.0


def scorecard_topics(
    scorecard: pd.DataFrame, topics: Mapping[str, str]
) -> list[tuple[str, list[dict[str, Any]]]]:
    """Headings with the rows below them, in the order of the scorecard; "" for other claims."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in scorecard_rows(scorecard):
        found.setdefault(topics.get(row["claim"], ""), []).append(row)
    return list(found.items())


def scorecard_rows(scorecard: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of the scorecard, with numbers as text and, where one can be drawn, `strip`."""
    return [_scored(row) for row in scorecard.to_dict("records")]


def _scored(row: dict[Any, Any]) -> dict[str, Any]:
    expected, tolerance, value = row["expected"], row["tolerance"], row["value"]
    low, high = row["low"], row["high"]
    known = tolerance if isfinite(tolerance) and tolerance > 0 else 1.0
    digits = max(2, 1 - floor(log10(known)))  # the tolerance to two digits, at least hundredths
    interval = ""
    if isfinite(value):
        bounded = isfinite(low) and isfinite(high)
        interval = f"{_fixed(low, digits)} to {_fixed(high, digits)}" if bounded else "unknown"
    has_strip = isfinite(value) and isfinite(expected) and isfinite(tolerance)
    return {
        **row,
        "expected_text": _expected(expected, one_sided=not isfinite(tolerance)),
        "tolerance_text": f"{tolerance:g}" if isfinite(tolerance) else "",
        "measured_text": _fixed(value, digits) if isfinite(value) else "not measured",
        "interval_text": interval,
        "strip": _strip(*((x - expected) / tolerance for x in (value, low, high)))
        if has_strip
        else None,
    }


def _expected(expected: float, *, one_sided: bool) -> str:
    if not isfinite(expected):
        return NONE
    return f"< {expected:g}" if one_sided else f"{expected:g}"


def _strip(value: float, low: float, high: float) -> Strip:
    low = low if isfinite(low) else -inf
    high = high if isfinite(high) else inf
    low_end, value, high_end = (
        max(-Strip.EXTENT, min(Strip.EXTENT, x)) for x in (low, value, high)
    )
    return Strip(value, low_end, high_end, low < low_end, high > high_end)


def _fixed(number: float, digits: int) -> str:
    return f"{number:.{digits}f}".replace("-", "−")
