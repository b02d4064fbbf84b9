"""Stabilised steps against exponentials."""

import numpy as np
import pytest

from srhm_studies.beyond.memory.learning import advanced, error_of, longest, stages_for

RATES = np.array([0.5, 3.0, 40.0])
START = np.array([1.0, -2.0, 0.5])


def _decay(state):
    return -RATES * state


@pytest.mark.parametrize("n_stages", [2, 5, 30])
def test_steps_are_of_second_order(n_stages):
    """The error of a step is ~ h^3: a half of it makes it eight times smaller."""
    errors = []
    for length in (2e-3, 1e-3):
        end = advanced(_decay, START, _decay(START), length, n_stages)
        errors.append(np.abs(end - START * np.exp(-RATES * length)).max())
    assert errors[0] / errors[1] == pytest.approx(8, rel=0.1)


def test_error_is_estimated_to_its_order():
    lengths = (4e-3, 2e-3)
    estimates = []
    for length in lengths:
        end = advanced(_decay, START, _decay(START), length, 4)
        estimates.append(error_of(START, end, (_decay(START), _decay(end)), length))
    assert estimates[0] / estimates[1] == pytest.approx(8, rel=0.2)


@pytest.mark.parametrize("length", [1.0, 30.0])
def test_long_steps_are_stable_with_the_stages_that_are_asked_for(length):
    n_stages = stages_for(length, RATES.max())
    stiff = np.array([0.0, 0.0, 1.0])
    end = advanced(_decay, stiff, _decay(stiff), length, n_stages)
    assert abs(end[2]) < 1
    # With half of the stages the same step explodes.
    fewer = advanced(_decay, stiff, _decay(stiff), length, max(2, n_stages // 2))
    assert abs(fewer[2]) > 1
    assert longest(n_stages, RATES.max()) == pytest.approx(length, rel=0.5)
