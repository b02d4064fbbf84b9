"""Named nets in training and in measuring: against plain autograd and plain NumPy.

Both engines, with PyTorch's autograd and with gradients by hand.
"""

from functools import partial

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from small_tasks import named_engine

from srhm.measure.network_representations import network_probe
from srhm.measure.sensitivity import measure, transform
from srhm.model.encoding import one_hot
from srhm.networks.activations import OUTPUT, activation_layers, record_activations
from srhm.training.autograd import NetworkEngine
from srhm.training.tape_engine import TapedEngine

# One of each family; the last with dropout and drop-connect.
NETS = ["vgg11", "vgg11_bn", "resnet18", "efficientnetb0"]
BATCH, RATE, MOMENTUM = 8, 0.02, 0.9


@pytest.fixture
def data(make_sample):
    """Grammar, 29 training points and 40 test points."""
    return make_sample(n_train=29, n_test=40)


@pytest.fixture(params=[NetworkEngine, TapedEngine])
def make_engine(data, request):
    """Function that makes either engine of named nets on the data."""
    return partial(named_engine, request.param, data, batch_size=BATCH, rate=RATE)


def plain_input(data, parameters, *, whitening=False):
    """Places as the last axis, in double precision."""
    x = one_hot(data, parameters, whitening=whitening).astype(np.float64)
    return torch.tensor(np.moveaxis(x, 1, 2))


def plain_training(network, x, y, order):
    """SGD with momentum written out: returns the summed loss."""
    parameters = list(network.parameters())
    momenta = [torch.zeros_like(p) for p in parameters]
    summed = 0.0
    network.train()
    for start in range(0, len(order), BATCH):
        points = order[start : start + BATCH]
        logits = network(x[points])
        own = logits[torch.arange(len(points)), y[points]]
        losses = torch.logsumexp(logits, dim=1) - own
        gradients = torch.autograd.grad(losses.mean(), parameters)
        summed += float(losses.detach().sum())
        with torch.no_grad():
            for p, momentum, gradient in zip(parameters, momenta, gradients, strict=True):
                momentum.mul_(MOMENTUM).add_(gradient)
                p -= RATE * momentum
    return summed


@pytest.mark.parametrize("whitening", [False, True])
@pytest.mark.parametrize("net", NETS)
def test_steps_are_those_of_plain_autograd(make_engine, data, tolerance, net, whitening):
    grammar, training, _ = data
    engine, other = (make_engine(net, whitening=whitening) for _ in range(2))
    order = np.random.default_rng(0).permutation(len(training))[:24]
    x = plain_input(training, grammar.parameters, whitening=whitening)
    y = torch.tensor(training.labels.astype(np.int64))
    expected = plain_training(other.network, x, y, torch.tensor(order))
    before = engine.weights()
    assert_allclose(engine.steps(order[:8]) + engine.steps(order[8:]), expected, rtol=1e-7)
    moved = 0.0
    for name, value in other.network.state_dict().items():
        assert_allclose(engine.weights()[name], value.numpy(), rtol=1e-6, atol=1e-9, err_msg=name)
        moved = max(moved, np.abs(before[name] - value.numpy()).max())
    assert moved > 0.01


def plain_sensitivities(network, parameters, points, images, n_draws):
    """Eq. 13 and 14 and their jackknife, term by term, from all layers at once."""
    names = [*activation_layers(network), OUTPUT]

    def layers(data):
        found = record_activations(network, plain_input(data, parameters).float(), names)
        return [found[name].reshape(len(data), -1).double().numpy() for name in names]

    n, f_KN = len(points), layers(points)
    rows = {}
    for (kind, level), image in images.items():
        g_KN = layers(image)
        for k, (f, g) in enumerate(zip(f_KN, g_KN, strict=True), start=1):
            moved = ((f - g.reshape(n_draws, n, -1)) ** 2).sum(axis=2).mean(axis=0)
            apart = ((f[:, None] - f[None]) ** 2).sum(axis=2)

            def ratio(kept, moved=moved, apart=apart):
                pairs = apart[np.ix_(kept, kept)].sum() / (len(kept) * (len(kept) - 1))
                return moved[kept].mean() / pairs

            left = [ratio(np.delete(np.arange(n), i)) for i in range(n)]
            error = np.sqrt((n - 1) / n * ((left - np.mean(left)) ** 2).sum())
            rows[kind, k, level] = (names[k - 1], ratio(np.arange(n)), error)
    return rows


@pytest.mark.parametrize("net", NETS)
def test_sensitivities_are_those_of_plain_numpy(make_engine, data, net):
    grammar, _, test = data
    engine = make_engine(net, dtype=np.float32)
    engine.steps(np.arange(24))
    network = engine.network  # left in training mode: measuring must not depend on it
    n_draws = 2
    images = transform(test, grammar, n_draws=n_draws, seed=3, variant="text")
    expected = plain_sensitivities(network, grammar.parameters, test, images, n_draws)
    network.train()
    probe = network_probe(network, grammar.parameters)
    rows = measure(probe, grammar, test, seed=3, n_points=40, n_draws=n_draws)
    assert len(rows) == len(expected) == 4 * len(probe.layers)
    for row in rows:
        layer, value, error = expected[row["kind"], row["k"], row["l"]]
        assert row["layer"] == layer
        assert_allclose(row["value"], value, rtol=1e-4)
        assert_allclose(row["standard_error"], error, rtol=1e-3)
    assert row["layer"] == OUTPUT
