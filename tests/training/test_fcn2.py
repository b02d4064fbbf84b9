"""The practice's FCN: its shape, and steps against autograd."""

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from srhm.measure.representations import probe_of_cell
from srhm.model.encoding import one_hot
from srhm.model.seeding import generator
from srhm.networks.fcn2 import connected_weights
from srhm.training.fcn2 import Fcn2Engine

WIDTH = 5
RATE = 0.05


@pytest.fixture
def made(make_sample):
    """Function that makes an engine: with it, its initial weights and its data."""

    def make(*, depth=2, bias, whitening, dtype=np.float64):
        grammar, *data = make_sample(n_train=60, n_test=80, depth=depth)
        stream = generator(0, role="initialisation")
        weights = connected_weights(
            grammar.parameters, width=WIDTH, bias=bias, generator=stream, dtype=dtype
        )
        options = {"rate": RATE, "momentum": 0.9, "dtype": dtype, "whitening": whitening}
        engine = Fcn2Engine(grammar.parameters, weights, *data, batch_size=7, **options)
        return engine, weights, *data

    return make


def by_autograd(weights, own, x):
    """Logits, written out: units of layer k over all of layer k - 1."""
    for k in range(1, own.depth + 1):
        channels = own.n_features if k == 1 else WIDTH
        x = x @ weights[f"layer{k}"] / channels**0.5
        if f"layer{k}.bias" in weights:
            x = x + 0.1 * weights[f"layer{k}.bias"]
        x = torch.relu(x)
    return x @ weights["readout"] / WIDTH


ORDER = np.arange(200) * 7 % 60


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("whitening", [False, True])
@pytest.mark.parametrize("depth", [2, 3])
def test_steps_are_those_of_autograd(made, make_parameters, depth, whitening, bias):
    engine, initial, train, test = made(depth=depth, bias=bias, whitening=whitening)
    own = make_parameters(depth=depth)
    weights = {name: torch.from_numpy(w.copy()).requires_grad_() for name, w in initial.items()}
    optimiser = torch.optim.SGD(weights.values(), lr=RATE, momentum=0.9)

    def inputs(data):
        x = one_hot(data, own, whitening=whitening).reshape(len(data), -1)
        return torch.from_numpy(x.astype(float)), torch.from_numpy(data.labels.astype(int))

    for start in range(0, len(ORDER), 50):
        order, summed = ORDER[start : start + 50], 0.0
        for first in range(0, len(order), 7):
            x, y = inputs(train[order[first : first + 7]])
            loss = cross_entropy(by_autograd(weights, own, x), y)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            summed += loss.item() * len(y)
        assert engine.steps(order) == pytest.approx(summed, rel=1e-9)
    for name, w in weights.items():
        np.testing.assert_allclose(
            engine.weights()[name], w.detach(), rtol=1e-8, atol=1e-10, err_msg=name
        )
        assert np.abs(engine.weights()[name] - initial[name]).max() > 0
    x, y = inputs(test)
    logits = by_autograd(weights, own, x)
    right = (logits >= logits.gather(1, y[:, None])).sum(dim=1) == 1  # a tie is an error
    assert engine.test_error() == pytest.approx(1 - right.double().mean().item())


def test_sensitivities_see_all_units_of_its_layers_and_the_output(made):
    engine, weights, _, test = made(dtype=np.float32, bias=False, whitening=False)
    coordinates = {"L": 2, "s": 2, "v": 3, "m": 3, "n_c": 3, "s0": 1, "sparsity": "A"}
    probe = probe_of_cell(
        {**coordinates, "net": "fcn2", "width": WIDTH, "whitening": False}, weights
    )
    seen = probe.represent(test)
    assert probe.layers == ("1", "2", "output")
    assert [one.values.shape for one in seen] == [(80, 1, 4 * WIDTH), (80, 1, WIDTH), (80, 1, 3)]
    right = seen[-1].values[:, 0].argmax(axis=1) == test.labels
    assert engine.test_error() == pytest.approx(1 - right.mean(), abs=0.03)  # ties are errors
