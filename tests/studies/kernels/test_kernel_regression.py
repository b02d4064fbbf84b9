"""Kernels, regression without ridge and teachers: against scikit-learn, formulas and loops."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Matern

from srhm_studies.smoothness.kernels.methods import (
    draw_fields,
    draw_points,
    expected_error,
    gram,
    regression_weights,
)


@pytest.fixture
def points():
    return draw_points("sphere", 2, 60, generator=np.random.default_rng(0))


def test_laplace_and_gauss_are_their_formulas(points):
    r = cdist(points[:20], points[20:])
    for kernel, formula in (
        ("laplace", np.exp(-r / 0.7)),
        ("gauss", np.exp(-(r**2) / (2 * 0.49))),
        ("matern-3/2", (1 + 3**0.5 * r / 0.7) * np.exp(-(3**0.5) * r / 0.7)),
    ):
        found = gram(points[:20], points[20:], kernel=kernel, sigma=0.7)
        np.testing.assert_allclose(found, formula, rtol=1e-12)


def test_expected_error_is_the_posterior_variance_where_the_student_is_the_teacher(points):
    kernel = Matern(length_scale=0.5, nu=1.5)
    process = GaussianProcessRegressor(kernel, alpha=1e-13, optimizer=None)
    process.fit(points[:40], np.zeros(40))
    _, deviation = process.predict(points[40:], return_std=True)
    whole = gram(points, kernel="matern-3/2", sigma=0.5)
    weights = regression_weights(whole[:40, :40], whole[:40, 40:])
    np.testing.assert_allclose(expected_error(weights, whole), deviation**2, rtol=1e-5)


def test_expected_error_is_the_mean_over_drawn_fields_of_another_teacher(points):
    student = gram(points, kernel="laplace", sigma=0.5)
    teacher = gram(points, kernel="gauss", sigma=0.5)
    weights = regression_weights(student[:40, :40], student[:40, 40:])
    fields = draw_fields(teacher, 20_000, generator=np.random.default_rng(1))
    drawn = ((fields[40:] - weights.T @ fields[:40]) ** 2).mean()
    # 20 test points of 20,000 fields: the mean is known to 1 %; a wrong sign moves it by far more.
    assert drawn == pytest.approx(expected_error(weights, teacher).mean(), rel=0.05)


def test_fields_have_the_covariance_though_the_matrix_is_singular(points):
    smooth = gram(points, kernel="gauss", sigma=3.0)
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.cholesky(smooth)
    fields = draw_fields(smooth, 40_000, generator=np.random.default_rng(2))
    np.testing.assert_allclose(fields @ fields.T / 40_000, smooth, atol=0.04)
    # Their differences are smooth, too: no white noise is on them.
    near = np.argsort(cdist(points, points)[0])[:3]
    change = (fields[near[1]] - fields[near[0]]).var()
    assert change == pytest.approx(2 * (1 - smooth[near[0], near[1]]), rel=0.05)


def test_a_singular_student_is_refused_and_jitter_mends_it(points):
    smooth = gram(points, kernel="gauss", sigma=3.0)
    with pytest.raises(np.linalg.LinAlgError):
        regression_weights(smooth, smooth[:, :2])
    weights = regression_weights(smooth, smooth[:, :2], jitter=1e-8)
    np.testing.assert_allclose(smooth @ weights, smooth[:, :2], atol=1e-6)
