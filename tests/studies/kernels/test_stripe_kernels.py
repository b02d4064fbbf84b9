"""Support vector machines in the stripe model."""

import numpy as np
import pytest

from srhm_studies.smoothness.kernels.experiment import stripe_error, tangent

CELL = {"d": 5, "P": 128, "n_test": 500, "seed": 0, "sigma": 5.0}


def test_the_tangent_kernel_is_that_of_many_neurons_with_biases():
    generator = np.random.default_rng(0)
    x = generator.standard_normal((4, 3))
    neurons, bias = 400_000, 0.7
    w, b, a = (generator.standard_normal(size) for size in ((neurons, 3), neurons, neurons))
    before = (x @ w.T + bias * b) / 2  # 4 inputs with that of the bias
    slopes = (before > 0) * a
    inputs = (x @ x.T + bias**2) / 4
    of_outer = np.maximum(before, 0) @ np.maximum(before, 0).T
    found = (of_outer + inputs * (slopes @ slopes.T)) / neurons
    np.testing.assert_allclose(tangent(x, x, bias=bias), found, rtol=0.02)


@pytest.mark.parametrize("kernel", ["laplace", "tangent"])
def test_compressed_inputs_are_learnt_better(kernel):
    errors = [
        np.mean([stripe_error({**CELL, "seed": seed, "data": data, "kernel": kernel}).row["error"]
                 for seed in range(3)])
        for data in ("stripe_compressed", "stripe")
    ]  # fmt: skip
    assert 0 < errors[0] < errors[1] < 0.5
