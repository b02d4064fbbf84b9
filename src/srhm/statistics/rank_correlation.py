"""Spearman's rank correlation with an interval, of points that may come in groups.

Points are averages over the seeds of a network at one P; a group holds those of one network at
several P, whose errors are not independent of each other.
"""

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srhm.statistics.regression import CONFIDENCE

N_RESAMPLES = 2000
TAILS = [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]
# Two pairs are always in order or in the opposite order.
MIN_POINTS = 3
# Of four points in order every resample is in order, and chance orders them in 1 of 24.
MIN_GROUPS = 5


@dataclass(frozen=True, kw_only=True)
class RankCorrelation:
    """Spearman's ρ with its interval, and how often chance alone orders the points as well.

    `n` points in `n_groups` groups. What is not determined is NaN: ρ of fewer than three points or
    where one of both is constant, its interval with fewer than five groups.
    """

    value: float
    low: float
    high: float
    p_value: float
    n: int
    n_groups: int


def rank_correlation(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    groups: NDArray[Any] | None = None,
    *,
    generator: np.random.Generator,
    n_resamples: int = N_RESAMPLES,
) -> RankCorrelation:
    """Spearman's ρ of x and y, shapes (n_points,); equal values share their mean rank.

    The interval is that between percentiles of the bootstrap (Efron and Tibshirani 1993, chapter
    13) over the groups, each point its own group if none are given. Resamples in which one of both
    is constant have no ρ and do not count. Points in perfect order have an interval of no width: it
    says that any selection of them is in order too, and `p_value` what that is worth.

    `p_value` is the part of the permutations of y (within the groups where they are given: the
    order of networks is then no evidence) whose ρ is at least as large. Small: x and y rise
    together.

    Raises:
        ValueError: if a coordinate is not finite.
    """
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("a rank correlation needs finite coordinates")
    member = np.arange(x.size) if groups is None else np.unique(groups, return_inverse=True)[1]
    members = [np.flatnonzero(member == g) for g in range(int(member.max(initial=-1)) + 1)]
    once = np.ones((1, x.size), dtype=np.int64)
    value = float(_spearman(x, y, once)[0])
    known: dict[str, Any] = {"value": value, "n": int(x.size), "n_groups": len(members)}
    if np.isnan(value):
        return RankCorrelation(**known, low=nan, high=nan, p_value=nan)
    low = high = nan
    if len(members) >= MIN_GROUPS:
        times = _resampled(len(members), n_resamples, generator)
        low, high = np.nanquantile(_spearman(x, y, times[:, member]), TAILS)
    ranks = _ranks(y, once)[0]
    permuted = np.tile(ranks, (n_resamples, 1))
    for rows in [np.arange(x.size)] if groups is None else members:
        permuted[:, rows] = generator.permuted(permuted[:, rows], axis=1)
    # Ranks are permuted with y, so that only the sum of products changes.
    centred = _ranks(x, once)[0] - (x.size + 1) / 2
    as_large = int(np.sum(permuted @ centred >= ranks @ centred - 1e-9))
    # The order that was found is one of the permutations.
    p_value = (1 + as_large) / (1 + n_resamples)
    return RankCorrelation(**known, low=low, high=high, p_value=p_value)


def mean_rank_correlation(
    x: NDArray[np.float64], y: NDArray[np.float64], *, generator: np.random.Generator
) -> RankCorrelation:
    """Mean over columns of Spearman's ρ of x and y, shapes (n_points, n_columns), NaN for none.

    A point is one network, which the bootstrap draws with all its columns, so that these do not
    count as independent. Columns without a ρ do not count; there is no `p_value`.
    """
    known = np.isfinite(x) & np.isfinite(y)
    n = int(known.any(axis=1).sum())
    columns = [(x[rows, j], y[rows, j], rows) for j, rows in enumerate(known.T)]

    def averaged(times: NDArray[np.int64]) -> NDArray[np.float64]:
        correlations = np.array([_spearman(a, b, times[:, rows]) for a, b, rows in columns])
        count = np.isfinite(correlations).sum(axis=0)
        return np.where(count > 0, np.nansum(correlations, axis=0) / np.maximum(count, 1), nan)

    value = float(averaged(np.ones((1, len(x)), dtype=np.int64))[0]) if columns else nan
    low = high = nan
    if n >= MIN_GROUPS and not np.isnan(value):
        low, high = np.nanquantile(averaged(_resampled(len(x), N_RESAMPLES, generator)), TAILS)
    return RankCorrelation(value=value, low=low, high=high, p_value=nan, n=n, n_groups=n)


def _resampled(n: int, n_resamples: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """How often each of n points is in each resample, shape (n_resamples, n)."""
    chosen = generator.integers(n, size=(n_resamples, n))
    return np.stack([(chosen == point).sum(axis=1) for point in range(n)], axis=1)


def _spearman(
    x: NDArray[np.float64], y: NDArray[np.float64], times: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Spearman's ρ of samples that hold point i times[b, i] times; shape (n_samples,).

    NaN of fewer than three points or of a constant.
    """
    n = times.sum(axis=1)
    a, b = (_ranks(values, times) - (n[:, None] + 1) / 2 for values in (x, y))
    size = np.sqrt((times * a**2).sum(axis=1) * (times * b**2).sum(axis=1))
    known = (n >= MIN_POINTS) & (size > 0)
    products = (times * a * b).sum(axis=1)
    return np.where(known, products / np.where(known, size, 1.0), nan)


def _ranks(values: NDArray[np.float64], times: NDArray[np.int64]) -> NDArray[np.float64]:
    """Rank of each value in each sample, equal ones at their mean rank; shape of times."""
    different, place = np.unique(values, return_inverse=True)
    counts = times @ (place[:, None] == np.arange(different.size))
    return (np.cumsum(counts, axis=1) - (counts - 1) / 2)[:, place]
