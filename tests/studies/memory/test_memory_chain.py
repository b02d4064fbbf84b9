"""The exact chain of two hypotheses against power iteration, autograd and by hand."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from srhm.model.seeding import generator
from srhm_studies.beyond.memory.chain import (
    Memory,
    eliminated,
    memento,
    ram,
    reward_probabilities,
    stationary,
    transitions,
    with_gradient,
    worse_arm,
    worse_arm_exactly,
)
from srhm_studies.beyond.memory.policies import column_of_confidence, probabilities

Array = NDArray[np.float64]
SMALL: dict[str, Memory] = {"ram": ram(3), "memento": memento(2)}


def _policy(memory: Memory, seed: int = 0) -> Array:
    draws = generator(seed, role="initialisation")
    shape = (memory.n_observations + 1, memory.n_decisions)
    return probabilities(2 * draws.standard_normal(shape))


@pytest.mark.parametrize("name", SMALL)
def test_stationary_state_is_that_of_power_iteration(
    name: str, tolerance: Callable[[type], dict[str, float]]
) -> None:
    memory, reset = SMALL[name], 0.02
    moves = transitions(memory, _policy(memory), 0.3)
    assert_allclose(moves.sum(axis=2), 1)
    p = np.full((2, memory.n_observations), 1 / memory.n_observations)
    for _ in range(2000):
        p = reset * moves[:, -1] + (1 - reset) * np.einsum("ho,hon->hn", p, moves[:, :-1])
    assert_allclose(stationary(moves, reset), p, **tolerance(np.float64))
    assert_allclose(eliminated(moves, reset), p, **tolerance(np.float64))


@pytest.mark.parametrize("reset", [1e-6, 1e-10, 1e-12])
def test_linear_solve_keeps_its_digits_at_small_resets(reset: float) -> None:
    """Against elimination, which loses none; the exit rate is that of the best policy."""
    policy = column_of_confidence(8, np.sqrt(2 * reset))
    solved = worse_arm(ram(8), policy, mu=0.1, reset=reset)
    exact = worse_arm_exactly(ram(8), policy, mu=0.1, reset=reset)
    assert abs(solved / exact - 1) < 1e-14 / reset**0.5 + 1e-12


def _slope_of_weights(weights: Array, memory: Memory, mu: float, reset: float) -> Array:
    policy = probabilities(weights.reshape(memory.n_observations + 1, -1))
    _, slope = with_gradient(memory, policy, mu=mu, reset=reset)
    found: Array = (policy * (slope - (policy * slope).sum(axis=1, keepdims=True))).ravel()
    return found


@pytest.mark.parametrize("name", SMALL)
def test_gradient_is_that_of_autograd_through_a_plain_loop(
    name: str, tolerance: Callable[[type], dict[str, float]]
) -> None:
    memory, mu, reset = SMALL[name], 0.3, 1e-3
    start = np.log(_policy(memory))
    weights = torch.tensor(start, requires_grad=True)
    policy = torch.softmax(weights, dim=1)
    n, rewards = memory.n_observations, reward_probabilities(mu)
    q = torch.zeros((), dtype=torch.float64)
    for h in (0, 1):
        moves = torch.zeros((n + 1, n), dtype=torch.float64)
        for o in range(n + 1):
            for d in range(memory.n_decisions):
                for reward in (0, 1):
                    there = int(memory.following[o, d, reward])
                    step = torch.zeros_like(moves)
                    step[o, there] = float(rewards[h, memory.arm[d], reward])
                    moves = moves + step * policy[o, d]
        matrix = torch.eye(n, dtype=torch.float64) - (1 - reset) * moves[:-1].T
        p = torch.linalg.solve(matrix, reset * moves[-1])
        q = q + p[torch.tensor(memory.played != h)].sum() / 2
    (expected,) = torch.autograd.grad(q, weights)
    assert_allclose(
        _slope_of_weights(start.ravel(), memory, mu, reset).reshape(start.shape),
        expected.numpy(),
        **{**tolerance(np.float64), "rtol": 1e-7},
    )
    assert_allclose(worse_arm(memory, policy.detach().numpy(), mu=mu, reset=reset), q.item())


def test_two_states_by_hand_at_a_reset() -> None:
    """M = 1: a step leaves A with probability e (1 - k_A), B with e (1 - k_B); half of resets."""
    mu, reset, e = 0.3, 0.07, 0.6
    k_a, k_b = (1 + mu) / 2, (1 - mu) / 2
    to_b, to_a = (1 - reset) * e * (1 - k_a), (1 - reset) * e * (1 - k_b)
    q = (to_b + reset / 2) / (to_a + to_b + reset)
    found = worse_arm(ram(1), column_of_confidence(1, e), mu=mu, reset=reset)
    assert found == pytest.approx(q, rel=1e-12)
