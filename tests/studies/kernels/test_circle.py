"""The circle at equal steps: spectrum, error and exponent from exact Fourier coefficients."""

import numpy as np
import pytest

from srhm_studies.smoothness.kernels.experiment import kernel_pca
from srhm_studies.smoothness.kernels.methods import expected_error, gram, regression_weights

FINE = 2**13


def on_circle(n, shift=0.0):
    angles = 2 * np.pi * (np.arange(n) / n + shift)
    return np.column_stack([np.cos(angles), np.sin(angles)])


def coefficients(kernel, sigma=1.0):
    """Fourier coefficients of the kernel along the circle, by frequency as of `fft`: (FINE,)."""
    line = gram(on_circle(1), on_circle(FINE), kernel=kernel, sigma=sigma)[0]
    return np.maximum(np.fft.fft(line).real / FINE, 0)


def folded(values, n):
    """Sum over the frequencies that n equal steps cannot tell apart: F* of Eq. 36."""
    return values.reshape(FINE // n, n).sum(axis=0)


def error_on_lattice(teacher, student, n):
    """E MSE of Eq. 39."""
    T, S = coefficients(teacher), coefficients(student)
    folded_S, folded_T = folded(S, n), folded(T, n)
    return (
        folded_T - 2 * folded(T * S, n) / folded_S + folded_T * folded(S**2, n) / folded_S**2
    ).sum()


@pytest.mark.parametrize("kernel", ["laplace", "matern-3/2"])
def test_gram_eigenvalues_are_the_folded_fourier_coefficients(kernel):
    n = 64
    eigenvalues, _ = kernel_pca(gram(on_circle(n), kernel=kernel, sigma=1.0), np.ones(n))
    exact = np.sort(folded(coefficients(kernel), n))[::-1]
    np.testing.assert_allclose(eigenvalues, exact, rtol=1e-6)


@pytest.mark.parametrize(
    ("teacher", "student"), [("laplace", "laplace"), ("matern-3/2", "laplace")]
)
def test_expected_error_at_equal_steps_is_equation_39(teacher, student):
    n = 32
    train = on_circle(n)
    # All shifts within a step, evenly: the mean over uniform test points.
    test = np.concatenate([on_circle(1, shift=(k + 0.5) / 64 / n) for k in range(64)])
    points = np.concatenate([train, test])
    S = gram(points, kernel=student, sigma=1.0)
    weights = regression_weights(S[:n, :n], S[:n, n:])
    found = expected_error(weights, gram(points, kernel=teacher, sigma=1.0)).mean()
    assert found == pytest.approx(error_on_lattice(teacher, student, n), rel=0.01)
