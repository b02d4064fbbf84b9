"""Two gradient steps of autograd are those of the formulas; noise equals signal where they say."""

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from srhm.model.correlations import class_correlations, expected_class_correlations
from srhm.model.encoding import one_hot
from srhm.model.seeding import generator
from srhm.networks.geometry import geometry
from srhm_studies.learning_curves.tokens import independent
from srhm_studies.learning_curves.weight_sharing.two_steps import (
    noise_of_points,
    points_of_two_steps,
    steps,
)

NETS = ("lcn", "cnn_features", "cnn_places", "cnn", "cnn_pooled_first", "cnn_pooled")


def answers(x, W1, W2, lower, layer, activation):
    """Sum over places of what two layers without a readout say, (n, n_c)."""
    x = x.reshape(len(x), lower.n_places, lower.filter_size, -1)
    h = activation(torch.einsum("njzc,fjzcb->njb", x, over_places(W1, lower)))
    h = h.reshape(len(h), layer.n_places, layer.filter_size, -1)
    return activation(torch.einsum("nikb,fikba->nia", h, over_places(W2, layer))).sum(dim=1)


def over_places(weights, layer):
    """Weights (slots, inputs, outputs) as each place sees them, (1, places, K, inputs, outputs)."""
    filters = layer.filters(weights)
    return filters.expand(layer.n_places, *filters.shape[1:])[None]


def gradient(weights, loss):
    """Of the loss, full batch."""
    return torch.autograd.grad(loss, [weights])[0]


def two_steps_of_autograd(x, y, lower, layer, *, rate=0.1):
    """What each step adds to the weights of its layer, over rates; ReLU, cross-entropy, double.

    Layer 1 starts from equal weights, with a channel for each class above. Layer 2 then does so,
    too. What all channels of layer 1 share, that a patch is not empty, is left out.
    """
    n_classes, shape = int(y.max()) + 1, (lower.n_slots, x.shape[2])
    equal = torch.ones((*shape, n_classes), dtype=x.dtype, requires_grad=True)
    above = torch.eye(n_classes, dtype=x.dtype).expand(layer.n_slots, -1, -1)
    first = -gradient(equal, cross_entropy(answers(x, equal, above, lower, layer, torch.relu), y))
    moved = (equal + rate * first).detach()
    equal = torch.ones((layer.n_slots, n_classes, n_classes), dtype=x.dtype, requires_grad=True)
    logits = answers(x, moved, equal, lower, layer, torch.relu)
    second = -gradient(equal, cross_entropy(logits, y)) / rate
    return first, second - second.mean(dim=1, keepdim=True)


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("net", NETS)
def test_two_steps_are_those_of_autograd(make_sample, tolerance, net, depth):
    grammar, data, _ = make_sample(n_train=30, n_test=1, depth=depth, n_synonyms=2)
    parameters = grammar.parameters
    lower, layer = geometry(net, parameters, width=1).layers[:2]
    x = torch.tensor(one_hot(data, parameters), dtype=torch.float64)
    y = torch.tensor(data.labels, dtype=torch.int64)
    first, second = two_steps_of_autograd(x, y, lower, layer)
    found = steps(class_correlations(data, parameters)[None], lower, layer)
    np.testing.assert_allclose(found.second[0], second, **tolerance(np.float64))
    said = answers(x, first, second, lower, layer, lambda one: one)
    output = found.output[0].reshape(*x.shape[1:], -1)
    by_formula = np.einsum("nzc,zca->na", x.numpy(), output)
    np.testing.assert_allclose(by_formula, said.numpy(), **tolerance(np.float64))


@pytest.mark.parametrize("net", ["lcn", "cnn"])
def test_noise_equals_signal_at_the_points_found_in_other_data(make_sample, monkeypatch, net):
    # All data are the population; the second step is that of autograd. 200 samples: 6 %.
    monkeypatch.setattr("srhm_studies.learning_curves.weight_sharing.two_steps.N_SAMPLES", 256)
    grammar, data, last = make_sample(n_train=5183, n_test=1)
    parameters = grammar.parameters
    lower, layer = geometry(net, parameters, width=1).layers
    D = class_correlations(data, parameters) * 5183 + class_correlations(last, parameters)
    wanted = steps(D[None] / 5184, lower, layer)
    expected = expected_class_correlations(grammar)
    points = points_of_two_steps(expected, noise_of_points(grammar, expected, 0), lower, layer)

    signal, noise = (wanted.second**2).sum(), []
    for seed in range(200):
        own = independent(grammar, round(points[0]), generator(seed, role="train"))
        x = torch.tensor(one_hot(own, parameters), dtype=torch.float64)
        y = torch.tensor(own.labels, dtype=torch.int64)
        _, second = two_steps_of_autograd(x, y, lower, layer)
        noise.append(((second.numpy() - wanted.second) ** 2).sum())
    assert np.mean(noise) / signal == pytest.approx(1, rel=0.15)

    along, rest = [], []
    whole = wanted.output[0] / np.linalg.norm(wanted.output)
    for seed in range(200):
        own = independent(grammar, round(points[1]), generator(seed, role="train"))
        output = steps(class_correlations(own, parameters)[None], lower, layer).output[0]
        along.append((output * whole).sum() ** 2)
        rest.append(((output - (output * whole).sum() * whole) ** 2).sum())
    assert np.mean(rest) / np.mean(along) == pytest.approx(1, rel=0.15)
