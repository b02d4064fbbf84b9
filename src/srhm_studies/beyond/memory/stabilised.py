"""Stabilised explicit steps for stiff flows whose Jacobian is symmetric, like gradient flows.

The Runge-Kutta-Chebyshev method of second order (Sommeijer, Shampine and Verwer, RKC, J. Comput.
Appl. Math. 88, 1997, equations 2.2 to 2.8 and 3.1). A step h with s stages is stable for real
eigenvalues down to -0.65 s^2/h: s gradients do what s^2/3 Euler steps would. scipy has none.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Field = Callable[[Array], Array]

DAMPING = 2 / 13
STABILITY = 0.653
# The difference quotient that stands for a derivative along a direction of this length.
PROBE = 1e-6
# The largest eigenvalue is underestimated by an iteration that has not converged.
SAFETY = 1.2


@dataclass(frozen=True)
class Coefficients:
    """Of a stage j = 2 ... s from the start and the two stages before, shape (s + 1,) each."""

    first: float
    mu: Array
    nu: Array
    mu_slope: Array
    gamma_slope: Array


@lru_cache(maxsize=256)
def coefficients(n_stages: int) -> Coefficients:
    """Coefficients of s >= 2 stages, from the Chebyshev polynomials at w_0 = 1 + damping/s^2."""
    w0 = 1 + DAMPING / n_stages**2
    T, d, dd = (np.zeros(n_stages + 1) for _ in range(3))
    T[:2], d[1] = (1.0, w0), 1.0
    for j in range(2, n_stages + 1):
        T[j] = 2 * w0 * T[j - 1] - T[j - 2]
        d[j] = 2 * w0 * d[j - 1] - d[j - 2] + 2 * T[j - 1]
        dd[j] = 2 * w0 * dd[j - 1] - dd[j - 2] + 4 * d[j - 1]
    w1 = d[-1] / dd[-1]
    b = np.zeros(n_stages + 1)
    b[2:] = dd[2:] / d[2:] ** 2
    b[:2] = b[2]
    a = 1 - b * T
    mu, nu, mu_slope, gamma_slope = (np.zeros(n_stages + 1) for _ in range(4))
    mu[2:] = 2 * b[2:] * w0 / b[1:-1]
    nu[2:] = -b[2:] / b[:-2]
    mu_slope[2:] = 2 * b[2:] * w1 / b[1:-1]
    gamma_slope[2:] = -a[1:-1] * mu_slope[2:]
    return Coefficients(b[1] * w1, mu, nu, mu_slope, gamma_slope)


def stages_for(length: float, radius: float) -> int:
    """Stages with which a step is stable; radius: largest modulus of the Jacobian's eigenvalues."""
    return max(2, int(sqrt(1 + length * radius / STABILITY)) + 1)


def longest(n_stages: int, radius: float) -> float:
    """The longest step that is stable with so many stages."""
    return float(STABILITY * ((n_stages - 1) ** 2 - 1) / max(radius, 1e-300))


def advanced(field: Field, start: Array, slope: Array, length: float, n_stages: int) -> Array:
    """The state after a step of this length; slope: field(start)."""
    c = coefficients(n_stages)
    before, now = start, start + c.first * length * slope
    for j in range(2, n_stages + 1):
        ahead = (
            (1 - c.mu[j] - c.nu[j]) * start
            + c.mu[j] * now
            + c.nu[j] * before
            + length * (c.mu_slope[j] * field(now) + c.gamma_slope[j] * slope)
        )
        before, now = now, ahead
    return now


def error_of(start: Array, end: Array, slopes: tuple[Array, Array], length: float) -> float:
    """Root mean square of the estimated error of a step, from its ends and the slopes there."""
    estimate = 0.8 * (start - end) + 0.4 * length * (slopes[0] + slopes[1])
    return float(np.sqrt(np.mean(estimate**2)))


def radius_along(
    field: Field, start: Array, slope: Array, direction: Array, *, rounds: int
) -> tuple[float, Array]:
    """Largest modulus of the Jacobian's eigenvalues, times SAFETY, by power iteration.

    direction: where the iteration begins, of any length but zero. Returns where it ends, too.
    """
    found = 0.0
    for _ in range(rounds):
        direction = direction / np.linalg.norm(direction)
        change = (field(start + PROBE * direction) - slope) / PROBE
        found = float(np.linalg.norm(change))
        if found == 0:
            break
        direction = change
    return SAFETY * found, direction
