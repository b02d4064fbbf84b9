"""How a fit, or a mean, becomes a measurement with its interval and its note."""

from collections.abc import Mapping, Sequence
from math import exp, isfinite, nan

import numpy as np

from srhm.scorecard.claims import Measurement
from srhm.statistics.regression import CONFIDENCE, Fit, mean


def of_fit(fit: Fit, note: str) -> Measurement:
    """A fit with this note; an infinite end of its interval is unknown."""
    low, high = (end if isfinite(end) else nan for end in (fit.low, fit.high))
    return Measurement(value=fit.slope, low=low, high=high, n=fit.n, note=note)


def of_points(fit: Fit, what: str, note: str = "") -> Measurement:
    """A fit of at least one point, with their number, what they are, and its kind of error."""
    origin = {"seeds": "of the seeds", "scatter": "of their scatter", "nothing": "unknown"}
    text = f"{fit.n} {what}; {100 * CONFIDENCE:.0f} % {origin[fit.error_from]}"
    return of_fit(fit, f"{note}; {text}" if note else text)


def mean_of(values: Sequence[float], what: str) -> Measurement:
    """Mean of the values that are numbers, its error that of their scatter."""
    known = np.array([value for value in values if isfinite(value)])
    if not len(known):
        return no_points(f"nothing to average of {what}")
    return of_fit(mean(known, []), f"{len(known)} {what}; the error is their scatter")


def part_of(count: int, n: int, note: str) -> Measurement:
    """A part of n things with the exact interval of a binomial (Clopper and Pearson)."""
    # Here, since few claims need it: it takes longer to load than all else that a claim needs.
    from scipy import stats

    interval = stats.binomtest(count, n).proportion_ci(CONFIDENCE)
    low, high = float(interval.low), float(interval.high)
    return Measurement(value=count / n, low=low, high=high, n=n, note=note)


def with_note(fit: Fit, note: str, end: str) -> Measurement:
    """A fit of at least one point, with its counts and its kind of error between two notes."""
    origin = {
        "seeds": f"error from the seeds ({fit.dof:.0f} degrees of freedom)",
        "scatter": f"error from the scatter about the fit ({fit.dof:.0f} degrees of freedom)",
        "nothing": "no estimate of the error",
    }[fit.error_from]
    text = f"{number_of_curves(fit)}; {origin}{end}"
    return of_fit(fit, f"{note}; {text}" if note else text)


def no_points(note: str) -> Measurement:
    """What no curve gives, and why."""
    return Measurement(value=nan, low=nan, high=nan, n=0, note=note)


def as_ratio(measured: Measurement) -> Measurement:
    """The mean of a logarithm as the geometric mean, with the interval of the logarithm."""
    return Measurement(
        value=exp(measured.value),
        low=exp(measured.low),
        high=exp(measured.high),
        n=measured.n,
        note=measured.note,
    )


def number_of_curves(fit: Fit) -> str:
    """How many curves determine a fit, in how many groups."""
    points = f"{fit.n} curve{'s' if fit.n > 1 else ''}"
    if not fit.n_groups:
        return f"mean of {points}"
    return f"{points}, {fit.n_groups} intercept{'s' if fit.n_groups > 1 else ''}"


def listed_as_left_out(counts: Mapping[str, int]) -> str:
    """Reasons with their counts as the end of a note, empty if nothing is left out."""
    parts = [f"{count} {reason}" for reason, count in counts.items() if count]
    return f"; left out: {', '.join(parts)}" if parts else ""
