"""Gradient flow of a policy's weights on the expected reward (thesis, chapter 7, section 2.2).

Stabilised explicit steps for stiff flows whose Jacobian is symmetric, like gradient flows: the
Runge-Kutta-Chebyshev method of second order (Sommeijer, Shampine and Verwer, RKC, J. Comput. Appl.
Math. 88, 1997, equations 2.2 to 2.8 and 3.1). A step h with s stages is stable for real eigenvalues
down to -0.65 s^2/h: s gradients do what s^2/3 Euler steps would. scipy has none.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from srhm_studies.beyond.memory.chain import Memory, with_gradient
from srhm_studies.beyond.memory.policies import probabilities

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
    radius = 0.0
    for _ in range(rounds):
        direction = direction / np.linalg.norm(direction)
        change = (field(start + PROBE * direction) - slope) / PROBE
        radius = float(np.linalg.norm(change))
        if radius == 0:
            break
        direction = change
    return SAFETY * radius, direction


# Root mean square error of the weights in a step; weights are of the order of 1 to 10.
TOLERANCE = 1e-2
MOST_STAGES = 400
# By this part q may grow in a step: rounding of the solve.
ROUNDING = 1e-10
FIRST_STEP = 0.1
ROUNDS_AT_FIRST, ROUNDS = 20, 3


@dataclass(frozen=True, kw_only=True)
class Flow:
    """Where a flow went: q at each time that it reached, where it ended, and why.

    t, q: at the end; slope: the largest entry of its gradient. status: "done" at the last
    time; "capped" after `evaluations` gradients.
    """

    times: list[float]
    worse_arm: list[float]
    t: float
    q: float
    evaluations: int
    slope: float
    status: str


class _Counted:
    """The gradient of mu (1 - 2 q) with respect to the weights; remembers q, counts calls."""

    def __init__(self, memory: Memory, mu: float, reset: float) -> None:
        self.memory, self.mu, self.reset = memory, mu, reset
        self.calls, self.q = 0, 0.5

    def __call__(self, weights: Array) -> Array:
        self.calls += 1
        policy = probabilities(weights)
        self.q, slope = with_gradient(self.memory, policy, mu=self.mu, reset=self.reset)
        centred = slope - (policy * slope).sum(axis=1, keepdims=True)
        velocity: Array = -2 * self.mu * policy * centred
        return velocity


def flow(
    memory: Memory, weights: Array, *, mu: float, reset: float, times: Sequence[float],
    max_evaluations: int, tolerance: float = TOLERANCE,
) -> Flow:  # fmt: skip
    """Follows dw/dt = grad mu (1 - 2 q) through rising times, from t = 0.

    t is r times that of Eq. 3, where the gain G = mu (1 - 2 q)/r stands in place of the reward of
    a play. Steps are as long as their estimated error allows; one in which q grows, as it never
    does in the flow, is taken again with a better estimate of the largest eigenvalue.
    """
    field = _Counted(memory, mu, reset)
    slope = field(weights)
    q = field.q
    direction = slope + 1e-3 * np.cos(np.arange(slope.size)).reshape(slope.shape)
    t, step, rounds = 0.0, FIRST_STEP, ROUNDS_AT_FIRST
    history: list[float] = []
    for goal in times:
        while t < goal and field.calls < max_evaluations:
            radius, direction = radius_along(field, weights, slope, direction, rounds=rounds)
            length = min(step, goal - t, longest(MOST_STAGES, radius))
            n_stages = stages_for(length, radius)
            ahead = advanced(field, weights, slope, length, n_stages)
            new_slope = field(ahead)
            error = error_of(weights, ahead, (slope, new_slope), length) / tolerance
            if error > 1 or field.q > q * (1 + ROUNDING):
                step, rounds = length * max(0.1, 0.8 / max(error, 1.6) ** (1 / 3)), ROUNDS_AT_FIRST
                continue
            t = goal if length == goal - t else t + length
            weights, slope, q, rounds = ahead, new_slope, field.q, ROUNDS
            proposed = length * min(5.0, 0.8 / max(error, 1e-9) ** (1 / 3))
            step = max(step, proposed) if length < step else proposed
        if t < goal:
            break
        history.append(q)
    return Flow(
        times=list(times[: len(history)]), worse_arm=history, t=t, q=q,
        evaluations=field.calls, slope=float(abs(slope).max()),
        status="done" if len(history) == len(times) else "capped",
    )  # fmt: skip
