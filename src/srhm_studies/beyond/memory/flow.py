"""Gradient flow of a policy's weights on the expected reward (thesis, chapter 7, section 2.2)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from srhm_studies.beyond.memory.chain import with_gradient
from srhm_studies.beyond.memory.memories import Memory
from srhm_studies.beyond.memory.policies import probabilities
from srhm_studies.beyond.memory.stabilised import (
    advanced,
    error_of,
    longest,
    radius_along,
    stages_for,
)

Array = NDArray[np.float64]

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

    t, q, weights: at the end; slope: the largest entry of its gradient. status: "done" at the last
    time; "capped" after `evaluations` gradients.
    """

    times: list[float]
    worse_arm: list[float]
    t: float
    q: float
    weights: Array
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
        found: Array = -2 * self.mu * policy * centred
        return found


def flow(
    memory: Memory,
    weights: Array,
    *,
    mu: float,
    reset: float,
    times: Sequence[float],
    max_evaluations: int,
    tolerance: float = TOLERANCE,
) -> Flow:
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
    found: list[float] = []
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
        found.append(q)
    return Flow(
        times=list(times[: len(found)]),
        worse_arm=found,
        t=t,
        q=q,
        weights=weights,
        evaluations=field.calls,
        slope=float(abs(slope).max()),
        status="done" if len(found) == len(times) else "capped",
    )
