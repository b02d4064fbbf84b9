"""Exponents, stretching and pseudo-values on curves whose answers are known."""

import numpy as np
import pytest

from srhm_studies.smoothness.kernels.analysis import power_law, pseudo_values, stretching

SIZES = np.array([64.0, 128, 256, 512, 1024])


def test_a_power_law_and_a_stretched_exponential_are_found():
    assert power_law(SIZES, 3 * SIZES**-0.7) == pytest.approx(0.7)
    assert stretching(SIZES, 5 * np.exp(-2 * SIZES**0.4)) == pytest.approx(0.4, abs=1e-3)


def test_pseudo_values_are_those_of_curves_without_one_run_each():
    rng = np.random.default_rng(0)
    runs = SIZES[:, None] ** -0.5 * np.exp(0.2 * rng.standard_normal((5, 3)))
    found = pseudo_values(SIZES, runs, power_law)
    whole = power_law(SIZES, runs.mean(axis=1))
    for i in range(3):
        left = power_law(SIZES, np.delete(runs, i, axis=1).mean(axis=1))
        assert found[i] == pytest.approx(3 * whole - 2 * left)
    assert pseudo_values(SIZES, runs[:, :1], power_law)[0] == power_law(SIZES, runs[:, 0])
