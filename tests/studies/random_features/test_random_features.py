"""Random features against other routes."""

import numpy as np
import pytest
from scipy.integrate import quad
from sklearn.linear_model import Ridge

from srhm.model.seeding import generator
from srhm_studies.landscape.random_features.experiment import (
    effective_ridge,
    errors_of_features,
    features,
    kernel,
    least_norm,
    task_of,
)

CELL = {
    **{"data": "sphere", "P": 60, "N": 240, "N_over_P": 4, "members": 40, "n_test": 200},
    **{"d": 8, "noise": 0.2, "seed": 0},
}


def test_the_kernel_is_the_mean_of_many_features() -> None:
    task = task_of({**CELL, "P": 5})
    directions = generator(1, role="initialisation").standard_normal((8, 400_000))
    shown = features(task.x, directions)
    np.testing.assert_allclose(shown @ shown.T, kernel(task.x, task.x), atol=0.01)


@pytest.mark.parametrize("angle", [0.0, 0.3, 1.7, np.pi])
def test_the_kernel_of_two_inputs_at_an_angle_is_an_integral_over_the_plane(angle: float) -> None:
    def both(turn: float) -> float:
        return max(0.0, np.cos(turn)) * max(0.0, np.cos(turn - angle))

    # 2 E[r^2] = 4 over the uniform direction of w in the plane of both.
    integral = 4 * quad(both, -np.pi, np.pi, limit=200)[0] / (2 * np.pi)
    pair = np.array([[1.0, 0.0], [np.cos(angle), np.sin(angle)]])
    assert kernel(pair, pair)[0, 1] == pytest.approx(integral, abs=1e-6)


@pytest.mark.parametrize("n_features", [20, 60, 150])
def test_the_readout_is_the_limit_of_small_ridge(n_features: int) -> None:
    task = task_of(CELL)
    shown = features(task.x, generator(1, role="initialisation").standard_normal((8, n_features)))
    ridged = Ridge(alpha=1e-9, fit_intercept=False, solver="svd").fit(shown, task.y)
    np.testing.assert_allclose(least_norm(shown, task.y), ridged.coef_, rtol=1e-2, atol=1e-3)


def test_the_effective_ridge_solves_its_equation_and_vanishes_with_enough_features() -> None:
    eigenvalues = np.linalg.eigvalsh(kernel(*[task_of(CELL).x] * 2))
    ridge = effective_ridge(eigenvalues, 20)
    assert np.sum(eigenvalues / (eigenvalues + ridge)) == pytest.approx(20)
    assert effective_ridge(eigenvalues, 60) == 0


def test_an_infinite_ensemble_is_the_kernel_and_a_member_is_not() -> None:
    row = errors_of_features(CELL).row
    assert row["mse_limit"] == pytest.approx(row["mse_kernel"], rel=0.1)
    assert row["mse"] > 1.3 * row["mse_kernel"]
    assert row["training_mse"] < 1e-16
    few = errors_of_features({**CELL, "N": 20}).row
    assert few["training_mse"] > 0.01
    assert few["mse_limit"] == pytest.approx(few["mse_ridge"], rel=0.25)
    assert few["mse_limit"] != pytest.approx(few["mse_kernel"], rel=0.1)
