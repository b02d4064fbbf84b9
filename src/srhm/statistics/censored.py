"""Means and lines of values of which some are known by a bound alone (Tobit)."""

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

# Of the values' standard deviation: two or three values may be equal by chance.
LEAST_SPREAD = 0.05
STEPS, PRECISION = 200, 1e-6


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
