"""How many points would decide a claim that is undecided."""

from collections.abc import Mapping
from math import ceil, inf, isfinite, nan
from typing import Any

# Beyond this many times the points that are there, the value lies on the edge of what is allowed.
MOST_TIMES = 20


def points_to_decide(row: Mapping[Any, Any]) -> float:
    """Points with which an undecided claim would be decided; NaN if that cannot be said.

    The value is taken to stay and each end of the interval to come nearer to it as 1/√n, as with
    errors of equal size. The whole interval must come to lie on one side of each edge of what is
    allowed; infinite for a value on an edge. row: of a scorecard.
    """
    value, n = row["value"], row["n"]
    ends = {side: abs(row[name] - value) for side, name in ((-1, "low"), (1, "high"))}
    if not isfinite(value) or not all(map(isfinite, ends.values())):
        return nan
    expected, tolerance = row["expected"], row["tolerance"]
    edges = [expected - tolerance, expected + tolerance] if isfinite(tolerance) else [expected]
    shares = [
        abs(edge - value) / ends[1 if edge > value else -1]
        for edge in edges
        if ends[1 if edge > value else -1] > 0
    ]
    # Inside, both ends must come in; outside, the one that faces the nearer edge.
    share = min(shares, default=inf)
    return ceil(n / share**2) if share > 0 else inf


def what_would_decide(row: Mapping[Any, Any]) -> str:
    """A sentence without its end, for an undecided claim; of others empty."""
    if row["verdict"] != "undecided":
        return ""
    points, n = points_to_decide(row), row["n"]
    if not isfinite(row["low"]) or not isfinite(row["high"]):
        return f"an end of the interval is not known of these {n} points"
    if points > MOST_TIMES * n:
        many = MOST_TIMES * n
        return f"its value is on the edge of what is allowed: not even {many} points would decide"
    return f"some {points:.0f} points like these {n} would decide, if the value stays"
