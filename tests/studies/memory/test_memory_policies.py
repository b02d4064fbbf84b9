"""Columns and necklaces against closed forms; starts and the flow."""

from itertools import pairwise

import numpy as np
import pytest

from srhm.model.seeding import generator
from srhm_studies.beyond.memory import analysis, cells
from srhm_studies.beyond.memory.chain import (
    memento,
    ram,
    with_gradient,
    worse_arm,
    worse_arm_exactly,
)
from srhm_studies.beyond.memory.learning import flow
from srhm_studies.beyond.memory.policies import (
    STARTS,
    column_of_confidence,
    exit_word,
    gray_order,
    necklace_of,
    necklace_policy,
    necklaces,
    probabilities,
    weights_near,
)

LIMIT = {"mu": 0.2, "reset": 1e-60}


@pytest.mark.parametrize("n_states", [1, 2, 5])
def test_columns_without_exits_reach_their_limit(n_states: int) -> None:
    q = worse_arm_exactly(ram(n_states), column_of_confidence(n_states, 1e-9), **LIMIT)
    assert q == pytest.approx(analysis.column_of_confidence(n_states, LIMIT["mu"]), rel=1e-6)


def test_exit_rate_is_where_q_is_least_and_tends_to_that_of_many_states() -> None:
    reset = 1e-8
    rate, q = cells.best_column_rate(4, 0.1, reset)
    tried = np.exp(np.linspace(-0.2, 0.2, 401)) * rate
    found = [
        worse_arm_exactly(ram(4), column_of_confidence(4, e), mu=0.1, reset=reset)
        for e in tried[::50]
    ]
    assert min(found) >= q * (1 - 1e-9)
    assert analysis.exit_rate(4, 0.1, reset) == pytest.approx(rate, rel=0.01)
    many = analysis.exit_rate_of_many(0.1, reset)
    assert analysis.exit_rate(80, 0.1, reset) == pytest.approx(many, rel=1e-5)


@pytest.mark.parametrize("m", [2, 3, 5, 7])
def test_primes_have_a_gray_order_of_all_necklaces(m: int) -> None:
    chain = gray_order(m)
    assert len(set(chain)) == len(chain) == len(necklaces(m)) == analysis.n_necklaces_of_prime(m)
    assert chain[0] == (0,) * m
    assert chain[-1] == (1,) * m
    for here, there in pairwise(chain):
        word = exit_word(here, there)
        assert necklace_of(word) == here
        assert necklace_of((*word[1:], 1 - word[0])) == there


@pytest.mark.parametrize("m", [2, 3, 5])
def test_necklace_policy_reaches_its_limit_from_above(m: int) -> None:
    q = [
        worse_arm_exactly(
            memento(m), necklace_policy(m, exit_ends=e**4, exit_inside=e), mu=0.2, reset=1e-60
        )
        / analysis.necklace(m, 0.2)
        for e in (0.1, 1e-3)
    ]
    assert q[0] > q[1] > 1
    assert q[1] == pytest.approx(1, abs=0.02)


def test_flow_goes_where_small_euler_steps_go() -> None:
    weights = STARTS["memento"]["random"](2, generator(3, role="initialisation"))
    memory, mu, reset, step = memento(2), 0.5, 1e-2, 0.1
    times = [1.0, 10.0, 100.0, 300.0]
    found = flow(memory, weights, mu=mu, reset=reset, times=times, max_evaluations=20000)
    assert found.status == "done"
    assert found.times == times
    expected = []
    for taken in range(1, round(times[-1] / step) + 1):
        policy = probabilities(weights)
        _, slope = with_gradient(memory, policy, mu=mu, reset=reset)
        slope -= (policy * slope).sum(axis=1, keepdims=True)
        weights = weights - step * 2 * mu * policy * slope
        if any(abs(taken * step - t) < step / 2 for t in times):
            expected.append(worse_arm(memory, probabilities(weights), mu=mu, reset=reset))
    np.testing.assert_allclose(found.worse_arm, expected, atol=1e-3)
    assert expected[0] - expected[-1] > 0.05


def test_learning_near_the_columns_finds_nothing_better() -> None:
    mu, reset = 0.2, 1e-3
    rate, best = cells.best_column_rate(3, mu, reset)
    start = weights_near(column_of_confidence(3, rate))
    found = flow(ram(3), start, mu=mu, reset=reset, times=[1e6], max_evaluations=20000)
    assert found.worse_arm[-1] == pytest.approx(best, rel=0.01)
