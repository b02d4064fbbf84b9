"""Gradient flow of a policy's weights on the expected reward (thesis, chapter 7, section 2.2)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from srhm.studies.memory.chain import with_gradient
from srhm.studies.memory.memories import Memory
from srhm.studies.memory.policies import probabilities

Array = NDArray[np.float64]

# Of the public code of chapter 7: the largest change of an entry of the gradient in a step.
LARGEST_CHANGE = 1e-4
GROWTH, DAMPING = 1.1, 10.0
# A step shorter than this part of the time says that rounding alone decides.
SHORTEST = 1e-13


@dataclass(frozen=True, kw_only=True)
class Flow:
    """Where a flow went: q at each time that it reached, the last weights, and why it ended.

    status: "done" at the last time; "capped" after `evaluations` gradients; "stuck" where q does
    not fall within rounding, its gradient is `slope` at most.
    """

    times: list[float]
    worse_arm: list[float]
    weights: Array
    evaluations: int
    slope: float
    status: str


def flow(
    memory: Memory,
    weights: Array,
    *,
    mu: float,
    reset: float,
    times: Sequence[float],
    max_evaluations: int,
) -> Flow:
    """Follows dw/dt = grad mu (1 - 2 q) through rising times, from t = 0.

    t is r times that of Eq. 3, where the gain G = mu (1 - 2 q)/r stands in place of the reward of
    a play. Euler steps: one is taken again, ten times shorter, if q grows in it or if an entry of
    the gradient changes by more than LARGEST_CHANGE; the next is 1.1 times longer if it changes by
    less than half of that.
    """
    t, step, done = 0.0, 1.0, 1
    q, uphill = _at(memory, weights, mu, reset)
    reached: list[float] = []
    found: list[float] = []
    status = "done"
    for goal in times:
        while t < goal and status == "done":
            whole = goal - t <= step
            length = goal - t if whole else step
            ahead = weights + length * uphill
            new_q, new_uphill = _at(memory, ahead, mu, reset)
            done += 1
            change = float(abs(new_uphill - uphill).max()) / LARGEST_CHANGE
            if new_q <= q and change < 1:
                weights, q, uphill = ahead, new_q, new_uphill
                t = goal if whole else t + length
                if change < 0.5 and not whole:
                    step *= GROWTH
            else:
                step = length / DAMPING
                if step < SHORTEST * max(t, 1.0):
                    status = "stuck"
            if done >= max_evaluations and status == "done":
                status = "capped"
        if t < goal:
            break
        reached.append(goal)
        found.append(q)
    return Flow(
        times=reached,
        worse_arm=found,
        weights=weights,
        evaluations=done,
        slope=float(abs(uphill).max()),
        status=status,
    )


def _at(memory: Memory, weights: Array, mu: float, reset: float) -> tuple[float, Array]:
    """q and the gradient of mu (1 - 2 q) with respect to the weights."""
    policy = probabilities(weights)
    q, slope = with_gradient(memory, policy, mu=mu, reset=reset)
    centred = slope - (policy * slope).sum(axis=1, keepdims=True)
    return q, -2 * mu * policy * centred
