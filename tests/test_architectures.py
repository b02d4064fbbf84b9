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


def evaluate(shape, weights, x, *, biases=None):
    """f_1 ... f_L and logits of inputs (n, d, v)."""
    network = HierarchicalNetwork(shape, weights, biases=biases)
    with torch.no_grad():
        return [f.numpy() for f in network.representations(torch.tensor(x))]


@pytest.fixture(
    params=list(product(NETS, (1, 2, 3), (2, 3))), ids=lambda case: "{} L{} s{}".format(*case)
)
def case(request, make_sample):
    """A geometry, and the dense input of data."""
    net, depth, branching = request.param
    n_empty = 0 if (depth, branching) == (3, 3) else 1
    grammar, data, _ = make_sample(
        n_train=3, n_test=1, depth=depth, branching=branching, n_empty=n_empty
    )
    x = one_hot(data, grammar.parameters).astype(np.float64)
    return geometry(net, grammar.parameters, width=WIDTH), x


@pytest.mark.parametrize("biased", [False, True])
def test_every_layer_is_the_sum_over_places_and_channels(case, tolerance, biased):
    shape, x = case
    stream = np.random.default_rng(0)
    weights = initial_weights(shape, generator=stream, dtype=np.float64)
    biases = initial_biases(shape, generator=stream, dtype=np.float64) if biased else None
    found = evaluate(shape, weights, x, biases=biases)
    for i, datum in enumerate(x):
        expected = forward_by_loops(shape, weights, datum, biases=biases)
        for layer, by_loops in zip(found, expected, strict=True):
            np.testing.assert_allclose(layer[i], by_loops, **tolerance(np.float64))


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
