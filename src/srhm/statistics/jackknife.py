"""Ratios of averages over points, with the standard errors of a delete-one jackknife.

A jackknife over points (Efron and Tibshirani 1993, chapter 11) lets all that belongs to a point go
with it, so that its draws and its pairs do not count as independent.
"""

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

# Pairs nearer than this, relative to the mean squared norm, differ by single-precision rounding.
NEGLIGIBLE = 1e-12


@dataclass(frozen=True)
class JackknifeRatio:
    """A ratio with its standard error, from n points; NaN where it is not defined."""

    value: float
    standard_error: float
    n: int


UNDEFINED = JackknifeRatio(nan, nan, 0)


def ratio_to_pairs(
    distances: NDArray[np.float64],
    squares: NDArray[np.float64],
    overlaps: NDArray[np.float64],
    norm: float,
) -> JackknifeRatio:
    """Mean of the distances over the mean squared distance of two of n points f_i; F = sum_i f_i.

    distances: of each point to its images; squares: ||f_i||^2; overlaps: f_i F; norm: ||F||^2. The
    mean over ordered pairs i != j is 2 (n sum_i ||f_i||^2 - ||F||^2)/(n (n - 1)); without point i,
    the sum lacks ||f_i||^2, and F lacks f_i. NaN where all points are one, an error of NaN where
    all but one are, or with two points.
    """
    n = len(distances)
    pairs = 2 * (n * squares.sum() - norm) / (n * (n - 1))
    if not pairs > NEGLIGIBLE * squares.mean():
        return JackknifeRatio(nan, nan, n)
    value = float(distances.mean() / pairs)
    if n < 3:
        return JackknifeRatio(value, nan, n)
    rest = norm - 2 * overlaps + squares
    pairs_left = 2 * ((n - 1) * (squares.sum() - squares) - rest) / ((n - 1) * (n - 2))
    if (pairs_left <= NEGLIGIBLE * squares.mean()).any():
        return JackknifeRatio(value, nan, n)
    return JackknifeRatio(
        value, jackknife_error((distances.sum() - distances) / (n - 1) / pairs_left), n
    )


def ratio_of_means(
    one: NDArray[np.float64], other: NDArray[np.float64], *, least: float
) -> JackknifeRatio:
    """Ratio of two means over the same n points; NaN where the second is not above `least`."""
    n = len(one)
    if not other.mean() > least:
        return JackknifeRatio(nan, nan, n)
    left = (one.sum() - one) / (other.sum() - other)
    return JackknifeRatio(float(one.mean() / other.mean()), jackknife_error(left), n)


def jackknife_error(left: NDArray[np.float64]) -> float:
    """Standard error from the n values without one point each."""
    n = len(left)
    return float(np.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum()))
