"""The scorecard as a person reads it: numbers rounded by their tolerance, nothing hidden."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, nan
from typing import Any

import pandas as pd

from srhm.scorecard.numbers import (
    authors_text,
    band,
    differs_like_authors,
    distances_text,
    expected_text,
    measured_text,
    unit,
    value_text,
)


@dataclass(frozen=True)
class Strip:
    """Where value and interval lie, in tolerances from what is expected, cut at ±EXTENT.

    band: what the claim allows. Of a bound the unit is the bound, and the band all on its side.
    """

    value: float
    low: float
    high: float
    cut_low: bool
    cut_high: bool
    band: tuple[float, float] = (-1.0, 1.0)

    EXTENT = 3.0


def scorecard_by_verdict(
    scorecard: pd.DataFrame, order: Sequence[str]
) -> list[tuple[str, list[dict[str, Any]]]]:
    """Verdicts with their rows, in an order of verdicts, others at the end."""
    found: dict[str, list[dict[str, Any]]] = {word: [] for word in order}
    for row in scorecard_rows(scorecard):
        found.setdefault(row["verdict"], []).append(row)
    return [(word, rows) for word, rows in found.items() if rows]


def scorecard_rows(scorecard: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of the scorecard, with numbers as text and, where one can be drawn, `strip`."""
    rows: list[dict[Any, Any]] = []
    for row in scorecard.to_dict("records"):
        expected, tolerance = row["expected"], unit(row)
        has_strip = isfinite(row["value"]) and isfinite(expected) and tolerance > 0
        numbers = ((row[name] - expected) / (tolerance or nan) for name in ("value", "low", "high"))
        rows.append(
            {
                **row,
                "expected_text": expected_text(row),
                "measured_text": measured_text(row),
                "value_text": value_text(row),
                "authors_text": authors_text(row),
                "like_authors": differs_like_authors(row),
                "distances": distances_text(row),
                "strip": _strip(*numbers, allowed=band(row)) if has_strip else None,
            }
        )
    return rows


def _strip(value: float, low: float, high: float, *, allowed: tuple[float, float]) -> Strip:
    low = low if isfinite(low) else -inf
    high = high if isfinite(high) else inf
    low_end, value, high_end = (
        max(-Strip.EXTENT, min(Strip.EXTENT, x)) for x in (low, value, high)
    )
    start, end = (max(-Strip.EXTENT, min(Strip.EXTENT, x)) for x in allowed)
    return Strip(value, low_end, high_end, low < low_end, high > high_end, (start, end))
