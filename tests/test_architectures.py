"""Networks are Eq. 9 and 10, term by term, and have the symmetries of their weights."""

from itertools import product

import numpy as np
import pytest
import torch
from assertions import FALSE_ALARM, forward_by_loops
from scipy import stats

from srhm.model.encoding import one_hot
from srhm.networks.geometry import geometry, initial_biases, initial_weights
from srhm.networks.hierarchical import HierarchicalNetwork

NETS = ("lcn", "cnn", "fcn")
WIDTH = 4


def random_weights(shape, *, dtype=np.float64, seed=0):
    return initial_weights(shape, generator=np.random.default_rng(seed), dtype=dtype)


def evaluate(shape, weights, x, *, biases=None):
    """f_1 ... f_L and logits of inputs (n, d, v)."""
    network = HierarchicalNetwork(shape, weights, biases=biases)
    with torch.no_grad():
        return [f.numpy() for f in network.representations(torch.tensor(x))]


@pytest.fixture(
    params=list(product(NETS, (1, 2, 3), (2, 3))), ids=lambda case: "{} L{} s{}".format(*case)
)
def case(request, make_sample):
    """A geometry, data, and their dense input."""
    net, depth, branching = request.param
    n_empty = 0 if (depth, branching) == (3, 3) else 1
    grammar, data, _ = make_sample(
        n_train=3, n_test=1, depth=depth, branching=branching, n_empty=n_empty
    )
    x = one_hot(data, grammar.parameters).astype(np.float64)
    return geometry(net, grammar.parameters, width=WIDTH), data, x


def test_every_layer_is_the_sum_over_places_and_channels(case, tolerance):
    shape, _, x = case
    weights = random_weights(shape)
    found = evaluate(shape, weights, x)
    for i, datum in enumerate(x):
        for layer, expected in zip(found, forward_by_loops(shape, weights, datum), strict=True):
            np.testing.assert_allclose(layer[i], expected, **tolerance(np.float64))


def test_biases_add_a_tenth_of_a_gaussian_to_each_place(case, tolerance):
    shape, _, x = case
    weights = random_weights(shape)
    biases = initial_biases(shape, generator=np.random.default_rng(1), dtype=np.float64)
    found = evaluate(shape, weights, x[:1], biases=biases)
    expected = forward_by_loops(shape, weights, x[0], biases=biases)
    for layer, by_loops in zip(found, expected, strict=True):
        np.testing.assert_allclose(layer[0], by_loops, **tolerance(np.float64))


def test_the_slots_of_the_informative_places_alone_give_the_dense_output(case, tolerance):
    shape, data, x = case
    weights = random_weights(shape)
    logits = []
    slots = shape.slots(data.positions)
    for n in range(len(data)):
        active = np.eye(shape.layers[0].n_inputs)[data.features[n]]
        for k, layer in enumerate(shape.layers, start=1):
            assert len(slots[k - 1][n]) == len(active)
            terms = [
                z @ weights[f"layer{k}"][slot]
                for z, slot in zip(active, slots[k - 1][n], strict=True)
            ]
            groups = [terms[i : i + layer.arity] for i in range(0, len(terms), layer.arity)]
            active = np.array([np.maximum(sum(group) * layer.scale, 0) for group in groups])
        assert len(active) == 1
        logits.append(active[0] @ weights["readout"] / shape.width)
    np.testing.assert_allclose(logits, evaluate(shape, weights, x)[-1], **tolerance(np.float64))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_cnn_is_an_lcn_with_repeated_weights(make_sample, tolerance, depth, dtype):
    grammar, data, _ = make_sample(n_train=20, n_test=1, depth=depth, sparsity="B")
    cnn, lcn = (geometry(net, grammar.parameters, width=6) for net in ("cnn", "lcn"))
    shared = random_weights(cnn, dtype=dtype)
    w, d = grammar.parameters.patch_size, grammar.parameters.input_length
    repeated = {"readout": shared["readout"]} | {
        f"layer{k}": np.tile(shared[f"layer{k}"], (d // w**k, 1, 1)) for k in range(1, depth + 1)
    }
    x = one_hot(data, grammar.parameters).astype(dtype)
    for of_cnn, of_lcn in zip(evaluate(cnn, shared, x), evaluate(lcn, repeated, x), strict=True):
        np.testing.assert_allclose(of_cnn, of_lcn, **tolerance(dtype))


@pytest.mark.parametrize("net", NETS)
def test_an_empty_patch_gives_exactly_zero_at_every_layer(make_sample, net):
    grammar, data, _ = make_sample(n_train=30, depth=3, n_empty=2)
    shape = geometry(net, grammar.parameters, width=5)
    x = one_hot(data, grammar.parameters)
    found = evaluate(shape, random_weights(shape, dtype=np.float32), x)
    w = grammar.parameters.patch_size
    for k, f in enumerate(found[:-1], start=1):
        empty = ~x.any(axis=2).reshape(30, f.shape[1], -1).any(axis=2)
        assert (f[empty] == 0).all()
        if net != "fcn":
            assert empty.sum() == 30 * (f.shape[1] - 2 ** (3 - k))
            assert f.shape[1] == w ** (3 - k)


@pytest.mark.parametrize("net", NETS)
def test_logits_at_initialisation_have_the_variance_of_the_scaling(make_sample, net):
    # A layer halves the second moment of a pre-activation, which sums over s informative inputs:
    # var = n/H with n = s^L/(v 2^L) for LCN and CNN, s^L/(d v 2^L) for the FCN (Eq. 9, 10).
    # The CNN's places share weights, so that its moments are those of one place: not tested here.
    # False-alarm rate about 1e-5: 4.5 standard errors over 400 networks of 3 logits that share f_L.
    grammar, data, _ = make_sample(n_train=1, n_test=1)
    parameters = grammar.parameters
    x = one_hot(data, parameters).astype(np.float64)
    shape = geometry(net, parameters, width=32)
    logits = np.array(
        [evaluate(shape, random_weights(shape, seed=i), x)[-1][0] for i in range(400)]
    )
    if net == "cnn":
        assert abs(logits.mean()) < 4.5 * logits.std() / np.sqrt(logits.size)
        return
    n = 4 / (3 * 4) / (1 if net == "lcn" else parameters.input_length)
    squares = logits**2 / (n / 32)
    assert abs(squares.mean() - 1) < 4.5 * squares.std() / np.sqrt(squares.size / 3)


def test_initial_weights_and_biases_are_standard_gaussian(make_parameters):
    shape = geometry("lcn", make_parameters(), width=16)
    stream = np.random.default_rng(0)
    weights = initial_weights(shape, generator=stream, dtype=np.float64)
    biases = initial_biases(shape, generator=stream, dtype=np.float64)
    for array in (*weights.values(), *biases.values()):
        assert stats.kstest(array.ravel(), "norm").pvalue > FALSE_ALARM


@pytest.mark.parametrize(
    ("net", "width", "message"),
    [("vgg", 8, "net = 'vgg': allowed are lcn, cnn"), ("lcn", 0, "width = 0: allowed are 1")],
)
def test_networks_that_do_not_exist_are_refused(make_parameters, net, width, message):
    with pytest.raises(ValueError, match=message):
        geometry(net, make_parameters(), width=width)
