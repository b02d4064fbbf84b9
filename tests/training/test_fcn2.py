"""The practice's FCN: its shape, and steps against autograd."""

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from srhm.measure.representations import probe_of_cell
from srhm.model.encoding import one_hot
from srhm.model.grammar import GrammarParameters
from srhm.model.sampling import draw_samples
from srhm.model.seeding import generator
from srhm.networks.fcn2 import connected_weights
from srhm.training.fcn2 import Fcn2Engine

WIDTH = 5
RATE = 0.05


def parameters(depth=2):
    return GrammarParameters(
        depth=depth, branching=2, n_features=3, n_synonyms=3, n_classes=3, n_empty=1, sparsity="A"
    )


def made(*, depth=2, bias=True, whitening=True, dtype=np.float64, rate=RATE):
    own = parameters(depth)
    samples = draw_samples(own, [0], n_train=60, n_test=80)
    weights = connected_weights(
        own, width=WIDTH, bias=bias, generator=generator(0, role="initialisation"), dtype=dtype
    )
    data = samples[0, "train"], samples[0, "test"]
    options = {"rate": rate, "momentum": 0.9, "dtype": dtype, "whitening": whitening}
    return Fcn2Engine(own, weights, *data, batch_size=7, **options), weights, *data


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
def test_steps_are_those_of_autograd(depth, whitening, bias):
    engine, initial, train, test = made(depth=depth, bias=bias, whitening=whitening)
    own = parameters(depth)
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


def test_sensitivities_see_all_units_of_its_layers_and_the_output():
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
