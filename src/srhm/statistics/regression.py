"""A slope common to several groups of points, or a mean, with an interval and where it comes from.

Points are learning curves: y is a logarithm of a measured sample complexity P*, x a logarithm of
what the paper says it depends on.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, nan, sqrt
from typing import Any, Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from srhm.statistics.cluster_robust import clustered_error

CONFIDENCE = 0.95
# Scatter about the line is called misfit when seed noise alone gives as much in 1 fit of 20.
MISFIT_LEVEL = 0.05
# Of fewer clusters no error is estimated.
MIN_CLUSTERS = 3

ErrorFrom = Literal["seeds", "scatter", "clusters", "nothing"]


@dataclass(frozen=True, kw_only=True)
class SeedNoise:
    """Standard errors of the points that stem from their seeds, shape (n_points,) each.

    Points with the same `source` share one estimate of a standard deviation, known with `dof`
    degrees of freedom; their errors themselves are taken as independent.
    """

    standard_error: NDArray[np.float64]
    dof: NDArray[np.float64]
    source: NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class PairedSeeds:
    """The points as each of their seeds alone gives them, shape (n_points, n_seeds), NaN for none.

    Points of one `family`, shape (n_points,), share what a seed draws (a grammar), so that their
    errors are not independent: what a seed shifts alike in all of them moves no slope.
    """

    values: NDArray[np.float64]
    family: NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class Fit:
    """A slope with its Student t interval; `n` points in `n_groups` groups determine it.

    Without a determined slope it is NaN and n = 0; without a determined error the interval is
    infinite. `error_from` says whether the standard error is propagated from the seeds, that of the
    scatter about the lines, or that of the scatter of `n_clusters` clusters of points.
    """

    slope: float
    standard_error: float
    dof: float
    low: float
    high: float
    n: int
    n_groups: int
    error_from: ErrorFrom
    n_clusters: int = 0


NO_FIT = Fit(
    slope=nan,
    standard_error=inf,
    dof=0.0,
    low=-inf,
    high=inf,
    n=0,
    n_groups=0,
    error_from="nothing",
)


def slope_with_group_intercepts(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    groups: NDArray[Any],
    noise: Sequence[SeedNoise],
    *,
    paired: PairedSeeds | None = None,
    clusters: NDArray[Any] | None = None,
    confidence: float = CONFIDENCE,
) -> Fit:
    """Least-squares slope b of y = a_group + b x, one intercept for each group; shapes (n_points,).

    Groups in which x does not vary say nothing on the slope and are not counted. `noise` holds the
    independent parts of each point's error (two for a ratio of sample complexities). `paired`
    takes its place where each family has two seeds or more with a value at all of its points.
    `clusters`: points with the same value, shape (n_points,), have errors that are not independent;
    of MIN_CLUSTERS or more the error is that of `clustered_error`, whatever the seeds say. Of fewer
    it is that of the case without, but unknown without an error of the seeds.

    Else the standard error is the larger of two. (a) The seeds' errors propagated through the
    least-squares weights, with Welch-Satterthwaite degrees of freedom: it does not see that the
    points may not lie on a line. (b) The residual standard error: it sees this, but three points
    about a line are hardly an estimate, and are as often too close to it as too far. The degrees
    of freedom are those of (a), or of (b) if these are more, unless (b) exceeds (a) significantly
    (F test, 5 %) or (a) is unknown: then the scatter is no seed noise, and those of (b) count.
    Taking them whenever (b) is larger would multiply the interval by six in a third of the fits of
    three points to a true line.
    """
    if not x.size:
        return NO_FIT
    member = np.unique(groups, return_inverse=True)[1]
    sizes = np.bincount(member)
    x_centred = x - (np.bincount(member, x) / sizes)[member]
    y_centred = y - (np.bincount(member, y) / sizes)[member]
    spread = np.bincount(member, x_centred**2)
    varies = spread > 1e-12 * np.bincount(member, x**2)  # else rounding of equal values
    used = varies[member]
    if not used.any():
        return NO_FIT
    weights = np.where(used, x_centred, 0.0) / spread[varies].sum()
    slope = float(weights @ y_centred)
    n, n_groups = int(used.sum()), int(varies.sum())

    residuals = (y_centred - slope * x_centred)[used]
    scatter_dof = n - n_groups - 1
    scatter = nan
    if scatter_dof >= 1:
        scatter = sqrt(float(residuals @ residuals) / scatter_dof / float(spread[varies].sum()))
    if clusters is not None and len(np.unique(clusters[used])) >= MIN_CLUSTERS:
        own, centred = member[used], x_centred[used]
        hat = (own[:, None] == own) / sizes[own] + np.outer(centred, centred) / (centred @ centred)
        error, dof = clustered_error(weights[used], hat, y[used], clusters[used])
        return _of_clusters(slope, (error, dof), (n, n_groups), clusters[used], confidence)
    seeds = _propagated(weights, used, noise, paired)
    if clusters is not None and not isfinite(seeds[0]):
        scatter = nan
    return _with_larger_error(slope, seeds, (scatter, scatter_dof), (n, n_groups), confidence)


def mean(
    y: NDArray[np.float64],
    noise: Sequence[SeedNoise],
    *,
    paired: PairedSeeds | None = None,
    clusters: NDArray[Any] | None = None,
    confidence: float = CONFIDENCE,
) -> Fit:
    """Mean of the points y, shape (n_points,), as the slope on a constant of 1: `n_groups` is 0.

    Its error is chosen as in `slope_with_group_intercepts`. Without `noise` it is that of the
    scatter, which alone is right where the points' errors are not known or not independent.
    """
    n = y.size
    if not n:
        return NO_FIT
    weights, used = np.full(n, 1 / n), np.ones(n, dtype=bool)
    if clusters is not None and len(np.unique(clusters)) >= MIN_CLUSTERS:
        found = clustered_error(weights, np.full((n, n), 1 / n), y, clusters)
        return _of_clusters(float(y.mean()), found, (n, 0), clusters, confidence)
    seeds = _propagated(weights, used, noise, paired)
    unknown = n < 2 or (clusters is not None and not isfinite(seeds[0]))
    scatter = nan if unknown else float(np.std(y, ddof=1)) / sqrt(n)
    return _with_larger_error(float(y.mean()), seeds, (scatter, n - 1), (n, 0), confidence)


def _of_clusters(
    slope: float,
    error: tuple[float, float],
    counts: tuple[int, int],
    clusters: NDArray[Any],
    confidence: float,
) -> Fit:
    """The fit with the (standard error, degrees of freedom) of its clusters."""
    fit = _fit(slope, *error, *counts, "clusters", confidence)
    return replace(fit, n_clusters=len(np.unique(clusters)))


def _with_larger_error(
    slope: float,
    from_seeds: tuple[float, float],
    from_scatter: tuple[float, int],
    counts: tuple[int, int],
    confidence: float,
) -> Fit:
    """The fit with one of two (standard error, degrees of freedom); counts are n and n_groups."""
    (seeds, seeds_dof), (scatter, scatter_dof), (n, n_groups) = from_seeds, from_scatter, counts
    if not isfinite(seeds):
        if not isfinite(scatter):
            return _fit(slope, inf, 0.0, n, n_groups, "nothing", confidence)
        return _fit(slope, scatter, scatter_dof, n, n_groups, "scatter", confidence)
    if not scatter > seeds:
        return _fit(slope, seeds, seeds_dof, n, n_groups, "seeds", confidence)
    too_far = (
        scipy.special.fdtri(scatter_dof, seeds_dof, 1 - MISFIT_LEVEL) if seeds_dof > 0 else 0.0
    )
    is_misfit = scatter**2 > too_far * seeds**2
    dof = scatter_dof if is_misfit else max(seeds_dof, scatter_dof)
    return _fit(slope, scatter, dof, n, n_groups, "scatter", confidence)


def _fit(
    slope: float,
    error: float,
    dof: float,
    n: int,
    n_groups: int,
    error_from: ErrorFrom,
    confidence: float,
) -> Fit:
    half_width = inf
    if isfinite(error) and dof > 0:
        half_width = float(scipy.special.stdtrit(dof, (1 + confidence) / 2)) * error
    return Fit(
        slope=slope,
        standard_error=error,
        dof=float(dof),
        low=slope - half_width,
        high=slope + half_width,
        n=n,
        n_groups=n_groups,
        error_from=error_from,
    )


def _propagated(
    weights: NDArray[np.float64],
    used: NDArray[np.bool_],
    noise: Sequence[SeedNoise],
    paired: PairedSeeds | None,
) -> tuple[float, float]:
    """Standard error of the weighted sum of points, and its degrees of freedom."""
    if paired is not None:
        error, dof = _of_pairs(weights, used, paired)
        if isfinite(error):
            return error, dof
    variances: dict[Any, float] = {}
    dofs: dict[Any, float] = {}
    for part in noise:  # two parts may share a source: its estimate is no better known for that
        for source in np.unique(part.source[used]):
            rows = used & (part.source == source)
            variance = float(np.sum((weights * part.standard_error)[rows] ** 2))
            variances[source] = variances.get(source, 0.0) + variance
            dofs[source] = min(dofs.get(source, inf), float(part.dof[rows].min()))
    return _welch(list(variances.values()), list(dofs.values()))


def _of_pairs(
    weights: NDArray[np.float64], used: NDArray[np.bool_], paired: PairedSeeds
) -> tuple[float, float]:
    """The same from the seeds' own sums; the error is infinite where a family has no two seeds."""
    variances, dofs = [], []
    for family in np.unique(paired.family[used]):
        rows = used & (paired.family == family)
        sums = weights[rows] @ paired.values[rows]  # NaN of a seed that lacks one of the points
        sums = sums[np.isfinite(sums)]
        if sums.size < 2:
            return inf, 0.0
        variances.append(float(np.var(sums, ddof=1)) / sums.size)
        dofs.append(sums.size - 1.0)
    return _welch(variances, dofs)


def _welch(variances: Sequence[float], dofs: Sequence[float]) -> tuple[float, float]:
    """Standard error and degrees of freedom of a sum of independent terms (Satterthwaite)."""
    total = sum(variances)
    if not variances or not isfinite(total) or min(dofs) <= 0:
        return inf, 0.0
    if total == 0:
        return 0.0, min(dofs)
    shares = sum(v**2 / dof for v, dof in zip(variances, dofs, strict=True))
    # none: every term's error is known, not estimated
    return sqrt(total), total**2 / shares if shares else inf
