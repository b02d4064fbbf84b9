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


@pytest.mark.parametrize("net", NETS)
def test_sensitivities_see_all_layers_in_eval_mode(make_engine, data, net):
    """What is made of them: tests/test_sensitivity.py."""
    grammar, _, test = data
    engine = make_engine(net, dtype=np.float32)
    engine.steps(np.arange(24))
    names = [*activation_layers(engine.network), OUTPUT]
    x = plain_input(test, grammar.parameters).float()
    expected = record_activations(engine.network, x, names)
    engine.network.train()  # measuring must not depend on it
    probe = network_probe(engine.network, grammar.parameters)
    assert list(probe.layers) == names
    for found, name in zip(probe.represent(test), names, strict=True):
        assert found.values.shape[:2] == (len(test), found.n_places) == (40, 1)
        values = expected[name].reshape(len(test), -1).numpy()
        assert_allclose(found.values[:, 0], values, rtol=1e-4, atol=1e-6)
