"""A coefficient common to several groups of points, or a mean, with its interval.

Points are P* of single grammars: y is a logarithm of a measured sample complexity P*, x a logarithm
of what the paper says it depends on.
"""

from dataclasses import dataclass, replace
from math import inf, nan, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

# Of fits of censored values: least standard deviation, of theirs (two or three may be equal by
# chance); steps, and the change at which they end.
LEAST_SPREAD, STEPS, PRECISION = 0.05, 200, 1e-6
# Variances below it, of 1, are rounding: a direction that the fit takes up wholly.
ROUNDED_EIGENVALUE = 1e-9


def clustered_error(
    weights: NDArray[np.float64],
    hat: NDArray[np.float64],
    y: NDArray[np.float64],
    clusters: NDArray[Any],
) -> tuple[float, float]:
    """Standard error of the estimate weights @ y, and its degrees of freedom.

    hat: the projection on all that is fitted, shape (n_points, n_points); weights, y, clusters:
    (n_points,). NaN and 0 where the residuals say nothing of any cluster.
    """
    residual = np.eye(len(y)) - hat
    forms = []
    for cluster in np.unique(clusters):
        members = clusters == cluster
        # The residuals of a cluster have this covariance where points are independent.
        values, vectors = np.linalg.eigh(residual[np.ix_(members, members)])
        kept = values > ROUNDED_EIGENVALUE
        directions = vectors[:, kept]
        adjusted = directions @ ((directions.T @ weights[members]) / np.sqrt(values[kept]))
        forms.append(residual[:, members] @ adjusted)
    of_points = np.array(forms)
    products = of_points @ of_points.T
    if not np.trace(products) > 0:
        return nan, 0.0
    dof = float(np.trace(products) ** 2 / np.square(products).sum())
    return sqrt(float(np.square(of_points @ y).sum())), dof


CONFIDENCE = 0.95
# Error of log P* that all grammars of a curve share, as they share its P: of crossings that are
# linear in the root of the error, at steps of 1.6 or less (tests/test_floor.py).
FLOOR = 0.03
# Of the variance of x within its group: rounding of equal values.
ROUNDING = 1e-12
# Of a variance: with a smaller part that is estimated it is known.
KNOWN = 1e-4

ErrorFrom = Literal["scatter", "clusters", "nothing"]


@dataclass(frozen=True, kw_only=True)
class Fit:
    """A coefficient with its Student t interval; `n` points in `n_groups` groups determine it.

    Without a determined coefficient it is NaN and n = 0; without a determined error the interval is
    infinite. `error_from` says whether the error is that of the scatter of the points or that of
    `n_clusters` clusters of points.
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

    def differs_from_zero(self, level: float) -> bool:
        """Whether a two-sided t test of this level says so."""
        if not self.dof > 0:
            return False
        quantile = float(special.stdtrit(self.dof, 1 - level / 2))
        return abs(self.slope) > quantile * self.standard_error


NO_FIT = Fit(slope=nan, standard_error=inf, dof=0.0, low=-inf, high=inf, n=0, n_groups=0,
             error_from="nothing")  # fmt: skip


def slope_with_group_intercepts(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    groups: NDArray[Any],
    **errors: Any,
) -> Fit:
    """Least-squares slope b of y = a_group + b x, one intercept for each group.

    x: shape (n_points,), or (n_points, n_columns), of which the slope on the first is given.
    groups, (n_points,): where the first x does not vary they say nothing on the slope and are not
    counted. errors: clusters, curves, read as in `coefficient`.
    """
    columns = x[:, None] if x.ndim == 1 else x
    member = np.unique(groups, return_inverse=True)[1]
    first = columns[:, 0]
    sizes = np.bincount(member)
    centred = first - (np.bincount(member, first) / sizes)[member] if len(first) else first
    varies = np.bincount(member, centred**2) > ROUNDING * np.bincount(member, first**2)
    used = varies[member]
    if not used.any():
        return NO_FIT
    member = np.unique(member[used], return_inverse=True)[1]
    same = (member[:, None] == member) / np.bincount(member)[member]
    columns = columns[used] - same @ columns[used]
    inverse = np.linalg.pinv(columns)
    return _fit(
        inverse[0],
        same + columns @ inverse,
        y[used],
        n_groups=int(varies.sum()),
        n_fitted=int(varies.sum()) + columns.shape[1],
        **{name: np.broadcast_to(each, y.shape)[used] for name, each in errors.items()},
    )


def mean(y: NDArray[np.float64], **errors: Any) -> Fit:
    """Mean of the points y, shape (n_points,), as the coefficient of a constant of 1."""
    return coefficient(np.ones((len(y), 1)), y, **errors)


def coefficient(
    columns: NDArray[np.float64],
    y: NDArray[np.float64],
    *,
    clusters: NDArray[Any] | None = None,
    curves: NDArray[Any] | None = None,
    read: ArrayLike = 1.0,
) -> Fit:
    """Least-squares coefficient of the first of the columns, shape (n_points, n_columns).

    Shapes (n_points,) else. clusters: points with the same value have errors that are not
    independent, and the error is that of `clustered_error`; without them it is that of the scatter.
    curves, with clusters: points with the same value share an error of FLOOR times `read` (a
    number, or one a point) besides. `n_groups` of the fit is 0.
    """
    if not y.size:
        return NO_FIT
    inverse = np.linalg.pinv(columns)
    return _fit(inverse[0], columns @ inverse, y, n_groups=0, n_fitted=columns.shape[1],
                clusters=clusters, curves=curves, read=read)  # fmt: skip


def shared_variance(weights: NDArray[np.float64], curves: NDArray[Any], read: ArrayLike) -> float:
    """Variance of weights @ y that is due to the error that points of one curve share."""
    number = np.unique(curves, return_inverse=True)[1]
    return FLOOR**2 * float(np.square(np.bincount(number, weights * np.asarray(read))).sum())


def with_shared(error: float, dof: float, shared: float) -> tuple[float, float]:
    """Standard error and degrees of freedom (Satterthwaite) with a further variance, known."""
    if not dof > 0:
        return nan, 0.0
    variance = error**2 + shared
    return sqrt(variance), dof / max(error**2 / variance, KNOWN) ** 2 if variance else dof


def _fit(
    weights: NDArray[np.float64],
    hat: NDArray[np.float64],
    y: NDArray[np.float64],
    *,
    n_groups: int,
    n_fitted: int,
    clusters: NDArray[Any] | None = None,
    curves: NDArray[Any] | None = None,
    read: ArrayLike = 1.0,
) -> Fit:
    """weights @ y; hat: projection on all that is fitted, of n_fitted numbers."""
    slope, n_clusters = float(weights @ y), 0
    if clusters is None:
        residuals, dof = y - hat @ y, float(len(y) - n_fitted)
        error = nan
        if dof > 0:
            error = sqrt(float(residuals @ residuals) / dof * float(weights @ weights))
    else:
        n_clusters = len(np.unique(clusters))
        error, dof = clustered_error(weights, hat, y, clusters)
        if curves is not None:
            error, dof = with_shared(error, dof, shared_variance(weights, curves, read))
    unknown = replace(NO_FIT, n=len(y), n_groups=n_groups, n_clusters=n_clusters)
    return of_error(unknown, slope, error, dof)


def of_error(fit: Fit, slope: float, error: float, dof: float) -> Fit:
    """The fit with another coefficient, its standard error and the degrees of freedom of this."""
    known = dof > 0
    half = float(special.stdtrit(dof, (1 + CONFIDENCE) / 2)) * error if known else inf
    return replace(
        fit,
        slope=slope,
        standard_error=error if known else inf,
        dof=dof if known else 0.0,
        low=slope - half,
        high=slope + half,
        error_from="nothing" if not known else "clusters" if fit.n_clusters else "scatter",
    )


def censored_mean(values: ArrayLike, side: ArrayLike) -> float:
    """Mean of a normal sample, of which some values are bounds (`censored_fit`)."""
    numbers = np.asarray(values, dtype=float)
    return float(censored_fit(np.ones((len(numbers), 1)), numbers, np.asarray(side))[0])


def censored_fit(
    columns: NDArray[np.float64], values: NDArray[np.float64], side: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Coefficients of columns (n, k) of a normal linear model; expectation maximisation.

    values, shape (n,): numbers, or bounds of those that are censored. side, shape (n,): 0 of a
    known number, 1 where it lies above its bound, -1 below. Without censored ones the least-squares
    fit. Leaving them out moves the mean of log P*_S/P* by -0.07 at 18 % censored, by -0.12 at 34 %.
    """
    inverse, known = np.linalg.pinv(columns), values[side == 0]
    coefficients = np.asarray(inverse @ values, dtype=np.float64)
    if known.size == values.size:
        return coefficients
    spread = max(known.std() if known.size else 0.0, LEAST_SPREAD)
    for _ in range(STEPS):
        # Mean and variance of a normal variable beyond its bound.
        centre = columns @ coefficients
        z = side * (values - centre) / spread
        hazard = np.exp(-(z**2) / 2 - special.log_ndtr(-z)) / sqrt(2 * np.pi)
        expected = np.where(side, centre + side * spread * hazard, values)
        variance = np.where(side, spread**2 * (1 + z * hazard - hazard**2), 0)
        last, coefficients = coefficients, np.asarray(inverse @ expected, dtype=np.float64)
        squares = np.square(expected - columns @ coefficients) + variance
        spread = max(sqrt(squares.mean()), LEAST_SPREAD)
        if np.abs(coefficients - last).max() < PRECISION:
            break
    return coefficients
