"""Tangent kernels by gradients of single outputs; frozen kernels by closed forms."""

from itertools import product

import numpy as np
import pytest
import torch
from assertions import parsed

from srhm.flow import kernels
from srhm.flow.inputs import indicators, inputs, latents, parity
from srhm.flow.networks import (
    hierarchical_network,
    initial_weights,
    outputs,
)

STREAMS = [0, 1]


def network_and_weights(parameters, net, *, n_outputs=1, width=4, **options):
    network = hierarchical_network(net, parameters, width=width, n_outputs=n_outputs, **options)
    streams = [np.random.default_rng(seed) for seed in STREAMS]
    return network, initial_weights(network, generators=streams)


def kernel_by_loop(network, weights, x, other):
    """Gradients of every output of every member at every point, one at a time."""

    def gradients(points):
        found = {}
        leaves = {name: array.clone().requires_grad_() for name, array in weights.items()}
        f = outputs(network, leaves, points)
        for index in product(*map(range, f.shape)):
            parts = torch.autograd.grad(f[index], list(leaves.values()), retain_graph=True)
            found[index] = torch.cat([part[index[0]].flatten() for part in parts])
        return found

    one, two = gradients(x), gradients(other)
    shape = (len(STREAMS), len(x), network.n_outputs, len(other), network.n_outputs)
    theta = torch.empty(shape, dtype=torch.float64)
    for e, b, o, a, q in product(*map(range, shape)):
        theta[e, b, o, a, q] = one[e, b, o] @ two[e, a, q]
    return theta


@pytest.mark.parametrize(
    ("net", "depth", "n_outputs", "options"),
    [
        ("lcn", 2, 3, {}),
        ("cnn", 2, 3, {}),
        ("cnn", 3, 1, {"activation": "tanh"}),
        ("fcn", 2, 3, {"activation": "softplus"}),
        ("cnn", 2, 2, {"biased": True, "activation": "softplus"}),
        ("lcn", 2, 2, {"biased": True, "parametrisation": "mean_field"}),
    ],
)
def test_the_tangent_kernel_is_the_product_of_gradients(
    make_sample, tolerance, net, depth, n_outputs, options
):
    grammar, data, _ = make_sample(n_train=5, depth=depth)
    network, weights = network_and_weights(grammar.parameters, net, n_outputs=n_outputs, **options)
    x = inputs(data, grammar.parameters)
    found = kernels.tangent_kernel(network, weights, x[:3], x[2:])
    expected = kernel_by_loop(network, weights, x[:3], x[2:])
    np.testing.assert_allclose(found, expected, **tolerance(np.float64))
    alone = kernels.tangent_kernel(network, weights, x[:3])
    np.testing.assert_allclose(alone[:, :, :, 2], found[:, :, :, 0], **tolerance(np.float64))
    gram = kernels.gram_matrix(alone)
    np.testing.assert_allclose(gram, gram.transpose(1, 2), **tolerance(np.float64))


def test_the_spectrum_rebuilds_the_kernel_and_projections_sum_to_one(make_sample, tolerance):
    grammar, data, _ = make_sample(n_train=20)
    network, weights = network_and_weights(grammar.parameters, "cnn")
    x = inputs(data, grammar.parameters)
    gram = kernels.gram_matrix(kernels.tangent_kernel(network, weights, x))
    values, vectors = kernels.spectrum(gram)
    assert (values.diff(dim=1) <= 0).all()
    rebuilt = vectors @ torch.diag_embed(values) @ vectors.transpose(1, 2)
    np.testing.assert_allclose(rebuilt, gram, **tolerance(np.float64))
    for targets in (
        parity(data.labels)[:, None],
        indicators(latents(grammar, data, level=2), n_values=3),
    ):
        parts = kernels.projections(vectors, targets)
        assert parts.shape == (2, 20)
        np.testing.assert_allclose(parts.sum(dim=1), 1, **tolerance(np.float64))
    own = kernels.projections(vectors, vectors[:, :, 3:4])
    np.testing.assert_allclose(own, np.eye(20)[[3, 3]], **tolerance(np.float64))


@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_latents_are_those_that_the_parser_reads(make_sample, level):
    grammar, data, _ = make_sample(n_train=8, depth=3, seed=2)
    found = latents(grammar, data, level=level)
    assert found.shape == (8, 2 ** (4 - level))
    if level == 1:
        np.testing.assert_array_equal(found, data.features)
    elif level == 4:
        np.testing.assert_array_equal(found[:, 0], data.labels)
    else:
        # The parser gives the synonym that each latent chose: with it, the features below.
        below = latents(grammar, data, level=level - 1).reshape(8, -1, 2)
        for row, datum in enumerate(parsed(data, grammar)):
            chosen = datum.choices[level - 2]
            rules = grammar.rules[level - 2][found[row], chosen]
            np.testing.assert_array_equal(rules, below[row])
    with pytest.raises(ValueError, match="level = 0"):
        latents(grammar, data, level=0)
