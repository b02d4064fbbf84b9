"""How a fit, or a mean, becomes a measurement with its interval and its note."""

from collections.abc import Mapping
from dataclasses import replace
from math import exp, isfinite, nan

from scipy import special

from srhm.scorecard.claims import Measurement
from srhm.statistics.regression import CONFIDENCE, Fit


def of_fit(fit: Fit, note: str) -> Measurement:
    """A fit with this note; an infinite end of its interval is unknown."""
    low, high = (end if isfinite(end) else nan for end in (fit.low, fit.high))
    return Measurement(value=fit.slope, low=low, high=high, n=fit.n, note=note)


def part_of(count: int, n: int, note: str, *, independent: int | None = None) -> Measurement:
    """A part of n things with the exact interval of a binomial (Clopper and Pearson).

    independent: how many of the n things are; the interval is then that of an equal part of these.
    """
    trials = n if independent is None else independent
    hits = count * trials / n
    tail = (1 - CONFIDENCE) / 2
    low = float(special.betaincinv(hits, trials - hits + 1, tail)) if count else 0.0
    high = float(special.betaincinv(hits + 1, trials - hits, 1 - tail)) if count < n else 1.0
    return Measurement(value=count / n, low=low, high=high, n=n, note=note)


def no_points(note: str) -> Measurement:
    """What no curve gives, and why."""
    return Measurement(value=nan, low=nan, high=nan, n=0, note=note)


def as_ratio(measured: Measurement) -> Measurement:
    """The mean of a logarithm as the geometric mean, with the interval of the logarithm."""
    value, low, high = (exp(one) for one in (measured.value, measured.low, measured.high))
    return replace(measured, value=value, low=low, high=high)


def listed_as_left_out(counts: Mapping[str, int]) -> str:
    """Reasons with their counts as the end of a note, empty if nothing is left out."""
    parts = [f"{count} {reason}" for reason, count in counts.items() if count]
    return f"; left out: {', '.join(parts)}" if parts else ""
