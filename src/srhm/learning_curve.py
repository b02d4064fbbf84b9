"""Sample complexity P* of any learning curve, with its interval.

>>> errors = [[0.5, 0.4], [0.2, 0.3], [0.05, 0.02]]  # a row for each P, a column for each seed
>>> found = sample_complexity([100, 200, 400], errors, threshold=0.1)
>>> round(found.P_star), round(found.low), round(found.high)
(299, 278, 320)
"""

import warnings
from dataclasses import dataclass
from math import exp, isfinite, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from srhm.declare.names import extra


@dataclass(frozen=True, kw_only=True)
class SampleComplexity:
    """P* in training points, and its bounds; NaN where nothing is known.

    status: "reached"; "not_reached": above `low`, the largest P; "below_range": below `high`, the
    smallest P. n_seeds: seeds whose own curves reach the threshold.
    """

    P_star: float
    low: float
    high: float
    status: str
    n_seeds: int


def sample_complexity(
    sizes: ArrayLike, errors: ArrayLike, *, threshold: float = 0.1, confidence: float = 0.95
) -> SampleComplexity:
    """P*, from which on the error stays at or below the threshold: geometric mean of the seeds.

    Between two P the root of the error is linear in log P. The interval is log P* ± t sd/√n_seeds,
    sd of the seeds' log P*, as in the tables of the workflow from 8 seeds on. Seeds whose curves do
    not cross the threshold between the sizes enter P* by their bounds (`mean_of_seeds`) and are
    left out of the interval, and a warning says how many.

    Args:
        sizes: (n,), numbers of training points P, in any order.
        errors: (n,) or (n, seeds), test errors or sensitivities, NaN where there is none.
        threshold: error that defines P*.
        confidence: of the interval.

    Returns:
        P* in training points with its interval; NaN bounds with fewer than two seeds.

    Raises:
        ValueError: if a size is below 1 or twice there, the shapes do not fit, the threshold is not
            finite, or the confidence is not between 0 and 1.
    """
    if not isfinite(threshold):
        raise ValueError(f"threshold = {threshold}: allowed are finite numbers")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence = {confidence}: allowed are numbers between 0 and 1")
    # These take half a second to load.
    with extra("analysis"):
        from scipy.special import stdtrit

        from srhm.statistics.sample_complexity import crossing, mean_of_seeds

    P, values = np.asarray(sizes, dtype=float), np.asarray(errors, dtype=float)
    values = values[:, None] if values.ndim == 1 else values
    if P.ndim != 1 or values.ndim != 2 or len(values) != len(P):
        raise ValueError(
            f"sizes of shape {P.shape} with errors of shape {np.shape(errors)}:"
            " allowed are (n,) with (n,) or (n, seeds)"
        )
    order = np.argsort(P)
    P, values = P[order], values[order]
    if not (P >= 1).all() or not (np.diff(P) > 0).all():
        raise ValueError(f"sizes = {P.tolist()}: allowed are 1 or more, each once")
    stars = [crossing(P, seed, threshold) for seed in values.T]
    mean = mean_of_seeds(stars)
    logs = [star.log_size for star in stars if star.status == "reached"]
    if mean.status == "reached" and len(logs) < len(stars):
        below = sum(star.status == "below_range" for star in stars)
        above = len(stars) - len(logs) - below
        warnings.warn(
            f"of {len(stars)} seeds the interval leaves out {below} that are at or below threshold"
            f" at the smallest P already, and {above} that never are: widen the sizes",
            stacklevel=2,
        )
    low, high = mean.low, mean.high
    if mean.status == "reached":
        half = nan
        if len(logs) > 1:
            half = stdtrit(len(logs) - 1, (1 + confidence) / 2) * np.std(logs, ddof=1)
            half /= sqrt(len(logs))
        low, high = exp(mean.log_size - half), exp(mean.log_size + half)
    return SampleComplexity(
        P_star=exp(mean.log_size),
        low=low,
        high=high,
        status=mean.status,
        n_seeds=len(logs),
    )
