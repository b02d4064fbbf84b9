"""Why a claim is open, and how many points would decide it."""

import re
from collections.abc import Mapping
from math import inf, isfinite, nan, sqrt
from typing import Any

import scipy

from srhm.scorecard.expectations import holds_expected
from srhm.scorecard.numbers import unit
from srhm.statistics.regression import CONFIDENCE

# Numbers of points beyond this many times those that are there are not looked for.
MOST_TIMES = 20
# A value nearer to an edge of what is allowed than this part of the tolerance lies on the edge.
NEAR = 0.1
# Student's t of this many degrees of freedom is 1.4 times that of many: more seeds lower it first.
FEW = 4
# What stands beside a measurement at the end of its note: what the source's own numbers give.
BESIDE = "beside it: "
# Where the interval of an open claim lies, beside a number with a tolerance.
HOLDS = "the interval holds the expected number and reaches beyond the tolerance"
EXCLUDES = "the interval excludes the expected number and reaches into the tolerance"
SEEDS = re.compile(r"error from the seeds \((\d+) degrees? of freedom\)")
VOCABULARIES = re.compile(r"(?:error from|jackknife over) (\d+) vocabularies")


def why_open(row: Mapping[Any, Any]) -> str:
    """Where the interval of an open claim lies, a sentence without its end; of others empty.

    Open says two things of a number with a tolerance. The interval may be too wide to tell: it
    holds the expected number. Or it may tell the measured number from the expected one, and not on
    which side of the edge of the tolerance it lies. row: of a scorecard.
    """
    if row["verdict"] != "open":
        return ""
    expected, tolerance, low, high = (
        row[name] for name in ("expected", "tolerance", "low", "high")
    )
    if not (isfinite(low) and isfinite(high)):
        return "an end of the interval is not known"
    if not isfinite(tolerance):
        return "the interval holds the bound"
    return HOLDS if holds_expected(low, high, expected=expected, tolerance=tolerance) else EXCLUDES


def points_to_decide(row: Mapping[Any, Any]) -> float:
    """Fewest points with which an open claim would be decided, if value and scatter stay.

    Each end of the interval comes nearer to the value as t/√n, with Student's t of n - 1 degrees of
    freedom, as for a mean; for a fit of more numbers this is a guess. The whole interval must come
    to lie on one side of each edge of what is allowed. Infinite if MOST_TIMES as many points do
    not do; NaN if an end is not known. Points are vocabularies where the error is theirs. row: of a
    scorecard.
    """
    value, (n, _) = row["value"], _independent(row)
    share = min((abs(edge - value) / _end_towards(row, edge) for edge in _edges(row)), default=nan)
    if not isfinite(share):
        return nan
    now = _t_over_root(n)
    wanted = (k for k in range(n + 1, MOST_TIMES * n + 1) if _t_over_root(k) / now < share)
    return next(wanted, inf)


def what_would_decide(row: Mapping[Any, Any]) -> str:
    """A sentence without its end, for an open claim; of others empty."""
    if row["verdict"] != "open":
        return ""
    known = SEEDS.search(str(row["note"]))
    if known and int(known[1]) <= FEW:
        return f"more seeds come before more points: its error has {known[1]} degrees of freedom"
    points, (n, units) = points_to_decide(row), _independent(row)
    if isfinite(points):
        return f"some {points:.0f} {units} instead of {n} would decide, if value and scatter stay"
    if points != inf:
        return "the reason stands in its note"
    if min(abs(edge - row["value"]) for edge in _edges(row)) < NEAR * unit(row):
        return f"the value lies on the edge of what is allowed, where more {units} hardly decide"
    return f"more than {MOST_TIMES * n} {units} instead of {n} would be needed"


def open_text(row: Mapping[Any, Any]) -> str:
    """Why a claim is open, what would decide it, what stands beside it; of others empty."""
    why = why_open(row)
    parts = (why, what_would_decide(row), beside(row))
    return "; ".join(filter(None, parts)) if why else ""


def beside(row: Mapping[Any, Any]) -> str:
    """What stands beside the measurement in the note of a claim; empty where nothing does."""
    return str(row["note"]).partition(BESIDE)[2]


def _independent(row: Mapping[Any, Any]) -> tuple[int, str]:
    """How many of what is independent of each other the measurement has, and its name."""
    known = VOCABULARIES.search(str(row["note"]))
    return (int(known[1]), "vocabularies") if known else (int(row["n"]), "points")


def _edges(row: Mapping[Any, Any]) -> list[float]:
    """Bounds of what a claim allows."""
    expected, tolerance = row["expected"], row["tolerance"]
    return [expected - tolerance, expected + tolerance] if isfinite(tolerance) else [expected]


def _end_towards(row: Mapping[Any, Any], edge: float) -> float:
    """Distance of the value from the end of its interval on the side of an edge; NaN: not known.

    Of a value on the edge, from the farther end.
    """
    below, above = row["value"] - row["low"], row["high"] - row["value"]
    if not (isfinite(below) and isfinite(above)):
        return nan
    if edge == row["value"]:
        return float(max(below, above)) or nan
    return float(above if edge > row["value"] else below) or inf


def _t_over_root(n: int) -> float:
    """Half the width of the interval of a mean of n points, in standard deviations."""
    return float(scipy.special.stdtrit(n - 1, (1 + CONFIDENCE) / 2)) / sqrt(n)
