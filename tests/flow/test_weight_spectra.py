"""Singular values of weights and representations; errors and variances of ensembles."""

from math import sqrt

import numpy as np
import pytest
import torch

from srhm.flow import losses
from srhm.flow.inputs import inputs
from srhm.flow.losses import CrossEntropy, SoftHinge
from srhm.flow.networks import hierarchical_network, initial_weights, trace
from srhm.measure import singular_values


@pytest.mark.parametrize("net", ["lcn", "cnn", "fcn"])
def test_singular_values_are_those_of_the_map_of_each_filter(make_sample, tolerance, net):
    grammar, _, _ = make_sample(n_train=1)
    network = hierarchical_network(net, grammar.parameters, width=5, n_outputs=2)
    weights = initial_weights(network, generators=[np.random.default_rng(e) for e in range(2)])
    found = singular_values.singular_values(network, weights)
    assert list(found) == ["layer1", "layer2", "readout"]
    n_filters = {"lcn": [4, 1, 1], "cnn": [1, 1, 1], "fcn": [1, 1, 1]}[net]
    assert [values.shape[1] for values in found.values()] == n_filters
    # The first filter of the first layer sees 4 places of 3 channels; that of the FCN all 16.
    places = 16 if net == "fcn" else 4
    scale = sqrt(16 * 3) if net == "fcn" else sqrt(3)
    matrix = weights["layer1"][1, :places].reshape(-1, 5).numpy() / scale
    expected = np.linalg.svd(matrix, compute_uv=False)
    np.testing.assert_allclose(found["layer1"][1, 0], expected, **tolerance(np.float64))
    readout = np.linalg.svd(weights["readout"][0].numpy(), compute_uv=False) / sqrt(5)
    np.testing.assert_allclose(found["readout"][0, 0], readout, **tolerance(np.float64))


def test_representation_eigenvalues_are_those_of_the_covariance(make_sample, tolerance):
    grammar, data, _ = make_sample(n_train=30)
    network = hierarchical_network("cnn", grammar.parameters, width=3, n_outputs=2)
    weights = initial_weights(network, generators=[np.random.default_rng(e) for e in range(2)])
    x = inputs(data, grammar.parameters)
    found = singular_values.representation_eigenvalues(network, weights, x)
    assert list(found) == ["layer1", "layer2", "output"]
    hidden = trace(network, weights, x).hidden[0][1]
    flat = hidden.transpose(0, 1).reshape(30, -1).numpy()
    expected = np.linalg.eigvalsh(np.cov(flat.T, bias=True))[::-1]
    np.testing.assert_allclose(found["layer1"][1], expected, **tolerance(np.float64))


def test_an_ensemble_errs_less_than_its_members():
    y = torch.tensor([1.0, -1.0, 1.0, -1.0])
    F = torch.tensor([[3.0, -1, 1, 1], [-1, -2, 1, -4], [1, 1, 1, -1]])[..., None]
    assert losses.errors(SoftHinge(), F, y).tolist() == [0.25, 0.25, 0.25]
    assert losses.ensemble_error(SoftHinge(), F, y) == 0
    ties = torch.zeros(2, 4, 3)
    assert losses.ensemble_error(CrossEntropy(), ties, torch.tensor([0, 1, 2, 0])) == 1


def test_the_variance_is_unbiased_whatever_the_size_of_the_ensemble():
    stream = np.random.default_rng(0)
    draws = [
        losses.output_variance(torch.tensor(3 * stream.standard_normal((n, 400, 2))))
        for n in (2, 3, 10)
        for _ in range(10)
    ]
    # Two outputs of variance 9; the mean of 30 draws has a standard error below 0.25.
    assert np.mean(draws) == pytest.approx(18, abs=1)
    assert np.isnan(losses.output_variance(torch.zeros(1, 4, 1)))
    F = torch.tensor([[[3.0], [-4.0]]])
    assert losses.output_norm(F).item() == pytest.approx(sqrt(12.5))
