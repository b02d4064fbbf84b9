"""Networks of many members: loops over places, scales, and members among themselves."""

from math import log, sqrt

import numpy as np
import pytest
import torch
from assertions import forward_by_loops
from scipy.integrate import quad

from srhm.flow import networks
from srhm.flow.inputs import inputs
from srhm.flow.networks import (
    Predictor,
    alpha_from_tilde,
    fully_connected_network,
    hierarchical_network,
    image_network,
    initial_weights,
    outputs,
    quarters,
    trace,
)
from srhm.model.encoding import one_hot
from srhm.networks import geometry as shapes

NETS = ("lcn", "cnn", "fcn")


def streams(n):
    return [np.random.default_rng(seed) for seed in range(n)]


@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("net", NETS)
def test_the_paper_network_is_the_mean_field_one(make_sample, tolerance, net, depth, biased):
    grammar, data, _ = make_sample(
        n_train=2, n_test=1, depth=depth, n_features=2, n_synonyms=2, n_classes=2
    )
    network = hierarchical_network(
        net,
        grammar.parameters,
        width=3,
        n_outputs=2,
        parametrisation="mean_field",
        biased=biased,
    )
    weights = initial_weights(network, generators=streams(2))
    for name in weights:
        if name.endswith("bias") and name != "readout.bias":
            weights[name] += torch.tensor(streams(1)[0].standard_normal(weights[name].shape))
    found = trace(network, weights, inputs(data, grammar.parameters))
    shape = shapes.geometry(net, grammar.parameters, width=3)
    x = one_hot(data, grammar.parameters).astype(np.float64)
    for member in range(2):
        own = {name: array[member].numpy() for name, array in weights.items()}
        # The loops add 0.1 b at every place.
        biases = {
            f"layer{k}": np.broadcast_to(10 * own[f"layer{k}.bias"], (layer.n_places, 3))
            for k, layer in enumerate(shape.layers, start=1)
            if biased
        }
        for point in range(2):
            *hidden, logits = forward_by_loops(shape, own, x[point], biases=biases)
            got = found.outputs[member, point].numpy()
            np.testing.assert_allclose(got, logits, **tolerance(np.float64))
            for layer, expected in zip(found.hidden, hidden, strict=True):
                got = layer[member, :, point].numpy()
                np.testing.assert_allclose(got, expected, **tolerance(np.float64))


def test_a_fully_connected_network_is_plain_matrix_products(tolerance):
    network = fully_connected_network(5, depth=2, width=4, n_outputs=1, activation="tanh")
    weights = initial_weights(network, generators=streams(2))
    x = torch.tensor(np.random.default_rng(9).standard_normal((3, 1, 5)))
    for e in range(2):
        w = {name: array[e].numpy() for name, array in weights.items()}
        z = np.tanh(x[:, 0].numpy() @ w["layer1"][0] / sqrt(5))
        z = np.tanh(z @ w["layer2"][0] / sqrt(4))
        expected = z @ w["readout"] / sqrt(4)
        np.testing.assert_allclose(
            outputs(network, weights, x)[e], expected, **tolerance(np.float64)
        )


@pytest.mark.parametrize("biased", [False, True])
def test_the_cnn_of_images_is_torchs_convolution(tolerance, biased):
    network = image_network(64, width=3, n_outputs=1, activation="tanh", biased=biased)
    weights = initial_weights(network, generators=streams(2))
    if biased:  # they start at zero
        weights = {name: w + 0.3 * name.endswith("bias") for name, w in weights.items()}
    pixels = torch.tensor(np.random.default_rng(9).standard_normal((5, 8, 8)))
    found = outputs(network, weights, pixels.flatten(1)[:, quarters(64), None])
    for e in range(2):
        z = pixels[:, None]
        for k, fan in ((1, 4), (2, 12), (3, 12)):
            w = weights[f"layer{k}"][e].reshape(2, 2, -1, 3).permute(3, 2, 0, 1) / sqrt(fan)
            bias = weights[f"layer{k}.bias"][e, 0] if biased else None
            z = torch.tanh(torch.nn.functional.conv2d(z, w, bias, stride=2))
        expected = z[:, :, 0, 0] @ weights["readout"][e] / sqrt(3)
        if biased:
            expected = expected + weights["readout.bias"][e]
        np.testing.assert_allclose(found[e], expected, **tolerance(np.float64))


@pytest.mark.parametrize("n_inputs", [3, 5, 8])
def test_orthogonal_layers_keep_lengths(n_inputs):
    network = fully_connected_network(n_inputs, depth=2, width=5, n_outputs=1, biased=True)
    weights = initial_weights(network, generators=streams(2), initialisation="orthogonal")
    scaled = [weights["layer1"] / sqrt(n_inputs), weights["layer2"] / sqrt(5)]
    for W_EKH in (*(array[:, 0] for array in scaled), weights["readout"] / sqrt(5)):
        tall = W_EKH if W_EKH.shape[1] >= W_EKH.shape[2] else W_EKH.mT
        expected = torch.eye(tall.shape[2], dtype=torch.float64).expand(2, -1, -1)
        torch.testing.assert_close(tall.mT @ tall, expected, rtol=0, atol=1e-12)
    assert not torch.equal(*scaled[1])
    for k in (1, 2):
        assert not weights[f"layer{k}.bias"].any()


def test_orthogonal_matrices_are_uniform():
    # Of an element of a random orthogonal matrix of n columns: mean 0, square 1/n, fourth power
    # 3/(n (n + 2)); without the signs of the factorisation the diagonal would have one sign.
    stream = np.random.default_rng(4)
    found = np.stack([networks.orthogonal(stream.standard_normal((3, 3))) for _ in range(4000)])
    elements = found / sqrt(3)
    np.testing.assert_allclose(elements.mean(axis=0), 0, atol=5 / sqrt(3 * 4000))
    np.testing.assert_allclose((elements**2).mean(axis=0), 1 / 3, atol=0.03)
    np.testing.assert_allclose((elements**4).mean(axis=0), 1 / 5, atol=0.03)
    assert np.linalg.det(elements).min() < 0 < np.linalg.det(elements).max()


def test_the_softplus_has_unit_second_moment():
    def integrand(z):
        return (log(1 + np.exp(5 * z)) / 5) ** 2 * np.exp(-(z**2) / 2) / sqrt(2 * np.pi)

    factor = quad(integrand, -12, 12, epsabs=1e-13)[0] ** -0.5
    assert pytest.approx(factor, abs=1e-7) == networks.SOFTPLUS_FACTOR
    assert factor == pytest.approx(1.40438, abs=1e-4)
    zero = networks.scaled_softplus(torch.zeros(1))
    assert zero.item() == pytest.approx(0.195, abs=5e-4)


def test_both_parametrisations_give_one_predictor_at_one_alpha_tilde(make_sample, tolerance):
    grammar, data, _ = make_sample(n_train=4)
    x, found = inputs(data, grammar.parameters), []
    for parametrisation in ("ntk", "mean_field"):
        network = hierarchical_network(
            "cnn", grammar.parameters, width=9, n_outputs=1, parametrisation=parametrisation
        )
        start = initial_weights(network, generators=streams(2))
        alpha = torch.tensor([alpha_from_tilde(t, width=9) for t in (0.3, 30.0)])
        predictor = Predictor(network, alpha.double(), start)
        assert (predictor(start, x) == 0).all()
        found.append(predictor({name: 1.1 * array for name, array in start.items()}, x))
    np.testing.assert_allclose(found[0], found[1], **tolerance(np.float64))
    # f is homogeneous of degree 3 in three layers of weights: F = alpha (1.1^3 - 1) f(w0).
    ntk = hierarchical_network("cnn", grammar.parameters, width=9, n_outputs=1)
    expected = 10 * (1.1**3 - 1) * outputs(ntk, start, x)[1]
    np.testing.assert_allclose(found[0][1], expected, **tolerance(np.float32))
    assert alpha_from_tilde(30.0, width=9) == pytest.approx(10)
