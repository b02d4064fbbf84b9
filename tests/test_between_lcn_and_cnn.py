"""Networks between LCN and CNN: the ends are both, bit for bit."""

from dataclasses import replace

import numpy as np
import pytest

from srhm.model.sampling import derive
from srhm.networks.geometry import geometry, initial_weights
from srhm.networks.slots import layers_that_know
from srhm.training.sparse import SparseEngine

WIDTH = 6
OPTIONS = {"batch_size": 4, "rate": 0.05 * WIDTH, "momentum": 0.9, "dtype": np.float64}
SHARED = {
    "cnn_first": {1}, "cnn_second": {2}, "cnn_third": {3}, "cnn_first_second": {1, 2},
    "cnn_first_third": {1, 3}, "cnn_second_third": {2, 3},
}  # fmt: skip


def layers_of(net, parameters):
    return geometry(net, parameters, width=WIDTH).layers


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_filters_that_know_all_are_an_lcn_and_those_that_know_nothing_a_cnn(make_parameters, depth):
    parameters = make_parameters(depth=depth, n_empty=2)
    for net, known in (("lcn", True), ("cnn", False)):
        layers = layers_that_know(
            parameters, width=WIDTH, features=lambda k, known=known: known,
            places=lambda k, known=known: known,
        )  # fmt: skip
        assert layers == layers_of(net, parameters)


@pytest.mark.parametrize("depth", [3, 4])
def test_nets_that_share_whole_layers_have_these_layers_of_the_cnn(make_parameters, depth):
    parameters = make_parameters(depth=depth, n_empty=2)
    lcn, cnn = (layers_of(net, parameters) for net in ("lcn", "cnn"))
    for net, shared in SHARED.items():
        expected = [(cnn if k in shared else lcn)[k - 1] for k in range(1, depth + 1)]
        assert list(layers_of(net, parameters)) == expected
    assert (layers_of("cnn_first_second", parameters) == cnn) == (depth == 3)


def trained(net, parameters, training, test):
    shape = geometry(net, parameters, width=WIDTH)
    start = initial_weights(shape, generator=np.random.default_rng(0), dtype=np.float64)
    engine = SparseEngine(shape, start, training, test, **OPTIONS)
    engine.steps(np.random.default_rng(1).integers(len(training), size=160))
    return engine.weights(), engine.test_error()


def test_pooled_at_any_s0_is_the_cnn_at_s0_0_bit_for_bit(make_sample):
    """Of the same derivations; another network with places is not."""
    sizes = {"depth": 2, "branching": 2, "n_features": 4, "n_synonyms": 4, "n_classes": 4}
    grammar, *samples = make_sample(n_train=40, n_test=30, n_empty=2, sparsity="A", **sizes)
    dense = replace(grammar, parameters=replace(grammar.parameters, n_empty=0))
    without = [
        derive(dense, one.labels, one.choices, np.zeros_like(one.placements)) for one in samples
    ]
    expected, error = trained("cnn", dense.parameters, *without)
    found, own_error = trained("cnn_pooled", grammar.parameters, *samples)
    assert own_error == error
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value)
    other, _ = trained("cnn_pooled_first", grammar.parameters, *samples)
    assert not np.array_equal(other["readout"], expected["readout"])
