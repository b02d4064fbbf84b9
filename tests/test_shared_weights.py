"""Networks between LCN and CNN: which weights are one is up to the geometry, whatever it says.

Each is an LCN whose filters hold some weights several times: its layers are those of that LCN, and
its gradients are that LCN's, summed over what is one weight.
"""

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from srhm.measure.representations import layer_representations
from srhm.model.encoding import one_hot
from srhm.model.grammar import GrammarParameters
from srhm.networks.geometry import (
    Geometry,
    geometry,
    initial_biases,
    initial_weights,
    layers_on_patches,
)
from srhm.networks.hierarchical import HierarchicalNetwork
from srhm.training.dense import DenseEngine
from srhm.training.reference import ReferenceEngine
from srhm.training.sparse import SparseEngine

PARAMETERS = GrammarParameters(
    depth=2, branching=2, n_features=4, n_synonyms=4, n_classes=4, n_empty=2, sparsity="A"
)
W, SPAN = PARAMETERS.patch_size, PARAMETERS.n_empty + 1  # places of a patch, of a feature
WIDTH, RATE, MOMENTUM, BATCH = 6, 0.05, 0.9, 4

RULES = {
    "the first layer": lambda k, z: z % W if k == 1 else z,
    "the last layer": lambda k, z: z % W if k == 2 else z,
    "the places of a feature": lambda k, z: z // SPAN,
    "the features at one place": lambda k, z: z // W * SPAN + z % SPAN,
    "all patches and the places of a feature": lambda k, z: z % W // SPAN,
    "every second patch": lambda k, z: z % (2 * W) if k == 1 else z,
    "all but the places": lambda k, z: z % SPAN,
    "everything": lambda k, z: 0 * z,
}


@pytest.fixture(params=RULES, ids=lambda name: name.replace(" ", "_"))
def shape(request):
    """Geometry of a network that shares these weights."""
    layers = layers_on_patches(PARAMETERS, width=WIDTH, slot=RULES[request.param])
    return Geometry(request.param, PARAMETERS, WIDTH, layers)


LCN = geometry("lcn", PARAMETERS, width=WIDTH)


@pytest.fixture
def samples(make_sample):
    """Grammar, training and test data."""
    sizes = {"depth": 2, "branching": 2, "n_features": 4, "n_synonyms": 4, "n_classes": 4}
    found = make_sample(n_train=40, n_test=30, n_empty=2, sparsity="A", **sizes)
    assert found[0].parameters == PARAMETERS
    return found


def weights_of(shape):
    return initial_weights(shape, generator=np.random.default_rng(0), dtype=np.float64)


def repeated(shape, weights):
    """Weights of the LCN that does the same."""
    layers = enumerate(shape.layers, start=1)
    slots = {f"layer{k}": weights[f"layer{k}"][list(layer.slots)] for k, layer in layers}
    return {**slots, "readout": weights["readout"]}


@pytest.mark.parametrize(("bias", "whitening"), [(False, False), (True, False), (True, True)])
def test_layers_are_those_of_the_lcn_that_holds_weights_several_times(
    shape, samples, bias, whitening
):
    _, _, test = samples
    weights = weights_of(shape)
    biases = initial_biases(shape, generator=np.random.default_rng(1), dtype=np.float64)
    biases = biases if bias else {}
    network = HierarchicalNetwork(LCN, repeated(shape, weights), biases=biases)
    own = HierarchicalNetwork(shape, weights, biases=biases)
    x = torch.from_numpy(one_hot(test, PARAMETERS, whitening=whitening)).double()
    with torch.no_grad():
        expected, found = network.representations(x), own.representations(x)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)
    stored = weights | {f"{name}.bias": value for name, value in biases.items()}
    measured = layer_representations(stored, shape, test, whitening=whitening)
    for layer, other in zip(measured, expected, strict=True):
        dense = np.zeros((len(test), layer.n_places, layer.values.shape[-1]))
        np.put_along_axis(dense, layer.places[..., None], layer.values, axis=1)
        np.testing.assert_allclose(dense.reshape(other.shape), other, rtol=1e-6, atol=1e-7)


def trained_by_sums(shape, weights, training, order):
    """SGD on the LCN of repeated weights, gradients summed over what is one weight: losses too."""
    momenta = {name: np.zeros_like(value) for name, value in weights.items()}
    losses = []
    for start in range(0, len(order), BATCH):
        data = training[order[start : start + BATCH]]
        network = HierarchicalNetwork(LCN, repeated(shape, weights))
        x = torch.from_numpy(one_hot(data, PARAMETERS)).double()
        loss = cross_entropy(network(x), torch.from_numpy(data.labels.astype(np.int64)))
        loss.backward()
        losses.append(loss.item() * len(data))
        for name, parameter in network.weights.items():
            gradient = np.zeros_like(weights[name])
            if name == "readout":
                gradient += parameter.grad.numpy()
            else:
                slots = list(shape.layers[int(name[-1]) - 1].slots)
                np.add.at(gradient, slots, parameter.grad.numpy())
            momenta[name] = MOMENTUM * momenta[name] + gradient
            weights[name] = weights[name] - RATE * WIDTH * momenta[name]
    return weights, sum(losses)


@pytest.mark.parametrize("engine", [ReferenceEngine, DenseEngine, SparseEngine])
def test_every_engine_sums_gradients_over_what_is_one_weight(shape, samples, engine):
    _, training, test = samples
    order = np.random.default_rng(2).integers(len(training), size=30 * BATCH)
    start = weights_of(shape)
    expected, loss = trained_by_sums(shape, dict(start), training, order)
    options = {"batch_size": BATCH, "rate": RATE * WIDTH, "momentum": MOMENTUM}
    made = engine(shape, start, training, test, dtype=np.float64, **options)
    assert made.steps(order) == pytest.approx(loss, rel=1e-9)
    for name, value in made.weights().items():
        assert np.abs(value - start[name]).max() > 1e-3
        np.testing.assert_allclose(value, expected[name], rtol=1e-8, atol=1e-10, err_msg=name)
