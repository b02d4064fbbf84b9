"""Lattices of theorem 1, against the closed form over Fourier coefficients (Eq. 39)."""

import numpy as np
import pytest

from srhm_studies.smoothness.kernels.experiment import lattice, on_torus, squared_errors_on_lattice
from srhm_studies.smoothness.kernels.methods import gram

FINE = 60


def coefficients(kernel, sigma):
    """Fourier coefficients of the kernel on the torus of d = 2: (FINE, FINE)."""
    turns = lattice(FINE, 2)
    plane = gram(on_torus(turns[:1]), on_torus(turns), kernel=kernel, sigma=sigma)
    return np.maximum(np.fft.fft2(plane.reshape(FINE, FINE)).real / FINE**2, 0)


def folded(values, side):
    """Sum over the frequencies that the lattice cannot tell apart."""
    parts = FINE // side
    return values.reshape(parts, side, parts, side).sum(axis=(0, 2))


@pytest.mark.parametrize("teacher", ["laplace", "gauss"])
def test_the_error_of_a_plane_lattice_is_the_sum_over_its_frequencies(teacher, monkeypatch):
    side, sigma = 5, 2.0
    T, S = coefficients(teacher, sigma), coefficients("laplace", sigma)
    fold_S, fold_T = folded(S, side), folded(T, side)
    error = (
        fold_T - 2 * folded(T * S, side) / fold_S + fold_T * folded(S**2, side) / fold_S**2
    ).sum()

    class EqualSteps:
        """Test points at all places of the fine lattice, in place of random ones."""

        def random(self, shape):
            assert shape == (FINE**2, 2)
            return lattice(FINE, 2)

        def standard_normal(self, shape):
            return np.zeros(shape)

    monkeypatch.setattr(
        "srhm_studies.smoothness.kernels.experiment.generator", lambda *_, **__: EqualSteps()
    )
    cell = {"d": 2, "P": side**2, "n_test": FINE**2, "seed": 0, "n_fields": 1, "jitter": 0.0}
    found = squared_errors_on_lattice(
        {**cell, "teacher": teacher, "kernel": "laplace", "sigma": sigma}
    )
    assert found.row["expected_mse"] == pytest.approx(error, rel=1e-6)
