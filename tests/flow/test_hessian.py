"""The Hessian and its two parts, against autograd of the loss, differences, kernels and Lanczos."""

import numpy as np
import pytest
import torch

from srhm.flow import hessian
from srhm.flow.descents import NetworkSystem
from srhm.flow.hessian import LossAt, exact_h0, exact_hp, h0_spectrum_from_kernel
from srhm.flow.inputs import inputs, parity
from srhm.flow.kernels import tangent_kernel
from srhm.flow.losses import CrossEntropy, QuadraticHinge, SoftHinge
from srhm.flow.networks import (
    Predictor,
    hierarchical_network,
    initial_weights,
)

CASES = [
    # net, activation, parametrisation, loss, whether f0 is subtracted
    ("lcn", "tanh", "ntk", QuadraticHinge(), False),
    ("cnn", "relu", "ntk", QuadraticHinge(), False),
    ("cnn", "softplus", "mean_field", SoftHinge(), True),
    ("fcn", "relu", "ntk", CrossEntropy(), True),
]
# Eigenvalues and matrices by two routes agree so well, in float64.
RELATIVE = 1e-8


def at_some_weights(make_sample, net, activation, parametrisation, loss, centred):
    """The loss of the second of two members, away from where they started; and the weights."""
    grammar, data, _ = make_sample(n_train=14)
    network = hierarchical_network(
        net,
        grammar.parameters,
        width=3,
        n_outputs=3 if isinstance(loss, CrossEntropy) else 1,
        parametrisation=parametrisation,
        activation=activation,
    )
    streams = [np.random.default_rng(seed) for seed in range(4)]
    start = initial_weights(network, generators=streams[:2])
    weights = initial_weights(network, generators=streams[2:])
    alpha = torch.tensor([0.3, 2.5], dtype=torch.float64)
    predictor = Predictor(network, alpha, start if centred else None)
    x = inputs(data, grammar.parameters)
    y = parity(data.labels)
    if isinstance(loss, CrossEntropy):
        y = torch.from_numpy(data.labels.astype(np.int64))
    at = LossAt.of(predictor, weights, x, y, loss, member=1)
    return at, NetworkSystem.of(predictor, x, y, loss), weights


def assert_close(found, expected):
    scale = float(torch.as_tensor(expected).abs().max())
    np.testing.assert_allclose(found, expected, rtol=0, atol=RELATIVE * scale)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_h_is_h0_plus_hp(make_sample, case):
    at, _, _ = at_some_weights(make_sample, *case)
    whole = torch.autograd.functional.hessian(at.total, at.vector)
    h0, hp = exact_h0(at), exact_hp(at)
    assert float(hp.abs().max()) > 0
    assert_close(h0 + hp, whole)
    assert float(torch.linalg.eigvalsh(h0).min()) > -1e-12 * float(h0.abs().max())


@pytest.mark.parametrize("case", CASES, ids=str)
def test_products_are_those_of_the_matrices(make_sample, case):
    at, _, _ = at_some_weights(make_sample, *case)
    v = torch.tensor(np.random.default_rng(5).standard_normal(len(at.vector)))
    h0, hp = exact_h0(at), exact_hp(at)
    for part, matrix in (("H0", h0), ("Hp", hp), ("H", h0 + hp)):
        assert_close(hessian.product(at, part)(v), matrix @ v)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_spectrum_of_h0_is_that_of_the_tangent_kernel(make_sample, case):
    at, system, weights = at_some_weights(make_sample, *case)
    theta = tangent_kernel(system.predictor.network, weights, system.x)[1]
    expected = torch.linalg.eigvalsh(exact_h0(at)).flip(0)
    found = h0_spectrum_from_kernel(theta, at)
    # Of both the smaller has fewer zeros.
    n = min(len(found), len(expected))
    assert_close(found[:n], expected[:n])
    scale = float(expected[0])
    assert float(torch.cat([found[n:], expected[n:]]).abs().sum()) < RELATIVE * scale
    assert scale > 0


@pytest.mark.parametrize("part", ["H", "H0", "Hp"])
def test_lanczos_finds_the_ends_of_the_exact_spectrum(make_sample, part):
    at, _, _ = at_some_weights(make_sample, *CASES[0])
    h0, hp = exact_h0(at), exact_hp(at)
    exact = torch.linalg.eigvalsh({"H": h0 + hp, "H0": h0, "Hp": hp}[part])
    for which, expected in (("LA", exact[-4:]), ("SA", exact[:4])):
        if part == "H0" and which == "SA":
            continue  # zeros of high multiplicity
        found = hessian.lanczos(
            at, part, n_eigenvalues=4, which=which, generator=np.random.default_rng(0)
        )
        assert_close(found, expected)
