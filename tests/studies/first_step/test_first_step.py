"""The first step of gradient descent from equal weights: appendix C, at finite width and beyond.

All hidden weights are 1/sqrt(H), the readout is Gaussian. By hand: every informative datum has the
same positive activations, the readout enters through its mean over channels abar alone, and

    grad_z = 1/(P H sqrt(v)) sum_k sum_alpha (softmax_alpha(x_k) - y_alpha(x_k)) abar_alpha x_k,z

for L >= 2, at every place z and for every channel.
"""

import numpy as np
import pytest
import torch
from assertions import all_data
from torch.nn.functional import cross_entropy

from srhm.model.encoding import one_hot
from srhm.networks.geometry import geometry
from srhm.networks.hierarchical import HierarchicalNetwork


def readout_with_mean(scaled_mean, *, width, seed=0):
    """Gaussian readout (H, n_c) whose mean over channels is scaled_mean/sqrt(H).

    The mean of a Gaussian sample is Gaussian and independent of the rest, so that with Gaussian
    scaled_mean this is a Gaussian sample, and two widths can share their scaled_mean.
    """
    drawn = np.random.default_rng(seed).standard_normal((width, len(scaled_mean)))
    return drawn - drawn.mean(axis=0) + np.asarray(scaled_mean) / np.sqrt(width)


def gradient(grammar, data, *, width, readout):
    """Gradient of the mean loss in the first layer (d, v, H) by autograd, and the logits."""
    shape = geometry("lcn", grammar.parameters, width=width)
    weights = {
        name: np.full(size, 1 / np.sqrt(width)) for name, size in shape.weight_shapes().items()
    }
    network = HierarchicalNetwork(shape, weights | {"readout": readout})
    x = torch.tensor(one_hot(data, grammar.parameters), dtype=torch.float64)
    logits = network(x)
    loss = cross_entropy(logits, torch.tensor(data.labels, dtype=torch.int64))
    (found,) = torch.autograd.grad(loss, [network.weights["layer1"]])
    return found.numpy(), logits.detach().numpy()


def closed_form(grammar, data, *, width, readout, softmax):
    """The formula above with the given softmax (P, n_c): the gradient (d, v) of any channel."""
    v, n_classes = grammar.parameters.n_features, grammar.parameters.n_classes
    residual = softmax - np.eye(n_classes)[data.labels]
    x = one_hot(data, grammar.parameters).astype(np.float64)
    factors = residual @ readout.mean(axis=0)
    return np.einsum("k,kzc->zc", factors, x) / (len(data) * width * np.sqrt(v))


def softmax(logits):
    exponentials = np.exp(logits)
    return exponentials / exponentials.sum(axis=1, keepdims=True)


CASES = [
    # L, s, s_0, H, sparsity
    (2, 2, 0, 5, "A"),
    (2, 2, 1, 16, "A"),
    (2, 2, 2, 7, "B"),
    (2, 3, 1, 6, "A"),
    (3, 2, 1, 8, "A"),
    (3, 2, 1, 8, "B"),
]


@pytest.mark.parametrize(("depth", "branching", "n_empty", "width", "sparsity"), CASES)
def test_the_gradient_is_the_closed_form_at_finite_width(
    make_sample, tolerance, depth, branching, n_empty, width, sparsity
):
    grammar, data, _ = make_sample(
        n_train=30, n_test=1, depth=depth, branching=branching, n_empty=n_empty, sparsity=sparsity
    )
    readout = np.random.default_rng(0).standard_normal((width, 3))
    found, logits = gradient(grammar, data, width=width, readout=readout)
    expected = closed_form(grammar, data, width=width, readout=readout, softmax=softmax(logits))
    for channel in range(width):
        np.testing.assert_allclose(found[:, :, channel], expected, **tolerance(np.float64))


@pytest.mark.parametrize(("depth", "branching", "n_empty", "width", "sparsity"), CASES)
def test_the_output_is_the_mean_readout_times_the_number_of_leaves(
    make_sample, tolerance, depth, branching, n_empty, width, sparsity
):
    # f = abar s^L/sqrt(v H): goes to zero with the width, for every datum alike
    grammar, data, _ = make_sample(
        n_train=5, n_test=1, depth=depth, branching=branching, n_empty=n_empty, sparsity=sparsity
    )
    readout = np.random.default_rng(0).standard_normal((width, 3))
    _, logits = gradient(grammar, data, width=width, readout=readout)
    expected = readout.mean(axis=0) * branching**depth / np.sqrt(3 * width)
    np.testing.assert_allclose(logits, np.tile(expected, (5, 1)), **tolerance(np.float64))


@pytest.mark.parametrize("depth", [2, 3])
def test_the_gradient_tends_to_equation_12_as_one_over_the_width(make_sample, depth):
    # 1/n_c in place of the softmax errs by the logits, abar s^L/sqrt(v H) = O(1/H) relatively.
    grammar, data, _ = make_sample(n_train=200, n_test=1, depth=depth)
    scaled_mean = np.random.default_rng(3).standard_normal(3)
    widths = (32, 256)
    differences = []
    for width in widths:
        readout = readout_with_mean(scaled_mean, width=width)
        found, _ = gradient(grammar, data, width=width, readout=readout)
        limit = closed_form(
            grammar, data, width=width, readout=readout, softmax=np.full((200, 3), 1 / 3)
        )
        distance = np.linalg.norm(found - limit[:, :, None])
        differences.append(distance / (np.linalg.norm(limit) * np.sqrt(width)))
    power = np.log(differences[0] / differences[1]) / np.log(widths[1] / widths[0])
    assert power == pytest.approx(1, abs=0.05)
    assert differences[1] < 0.1


@pytest.mark.parametrize(
    ("depth", "n_empty"), [(1, 0), (1, 2), (2, 0), (2, 1), (2, 2)], ids=lambda n: str(n)
)
def test_a_place_is_informative_in_a_fraction_of_all_data(make_grammar, depth, n_empty):
    # (s_0+1)^-L, the factor by which the sample complexity of the LCN grows
    grammar = make_grammar(depth=depth, n_empty=n_empty, n_features=2, n_synonyms=2, n_classes=2)
    informative = one_hot(all_data(grammar), grammar.parameters).any(axis=2)
    assert (informative.mean(axis=0) == 1 / (n_empty + 1) ** depth).all()


def test_the_update_at_a_place_averages_over_the_points_that_are_informative_there(
    make_grammar, tolerance
):
    grammar = make_grammar(n_features=2, n_synonyms=2, n_classes=2)
    data = all_data(grammar)
    informative = one_hot(data, grammar.parameters).any(axis=2)
    readout = np.random.default_rng(0).standard_normal((6, 2))
    whole, _ = gradient(grammar, data, width=6, readout=readout)
    for place in range(grammar.parameters.input_length):
        seen = data[np.flatnonzero(informative[:, place])]
        assert len(seen) * (1 + 1) ** 2 == len(data)
        part, _ = gradient(grammar, seen, width=6, readout=readout)
        fraction = len(seen) / len(data)
        np.testing.assert_allclose(whole[place], fraction * part[place], **tolerance(np.float64))
