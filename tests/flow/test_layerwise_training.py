"""Layerwise training: each stage is a network of one layer on the frozen one before it."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from srhm.flow.descents import FlowStep, gradient_flow
from srhm.flow.inputs import inputs, parity
from srhm.flow.layerwise import train_layerwise
from srhm.flow.losses import SoftHinge
from srhm.flow.networks import hierarchical_network, initial_weights


def through_stages(stages, x):
    """F of the last stage of a layerwise training, (E, B, O): the predictor of the whole."""
    for stage in stages[:-1]:
        x = stage.activations(x)
    last = stages[-1]
    return last.predictor(last.trained.state, x).detach()


@pytest.mark.parametrize("net", ["lcn", "cnn", "fcn"])
def test_each_stage_sees_the_frozen_layer_before_it(make_sample, tolerance, net):
    grammar, data, test = make_sample(n_train=12)
    network = hierarchical_network(
        net, grammar.parameters, width=6, n_outputs=1, activation="softplus"
    )

    # The first stage has the places of the first layer under its readout, the last has one.
    streams = [np.random.default_rng(e) for e in range(2)]
    stages = [replace(network, layers=(layer,)) for layer in network.layers]
    starts = [initial_weights(stage, generators=streams) for stage in stages]
    x, y = inputs(data, grammar.parameters), parity(data.labels)
    stages = train_layerwise(
        network,
        x,
        y,
        SoftHinge(),
        alpha=torch.ones(2, dtype=torch.float64),
        starts=starts,
        optimise=partial(
            gradient_flow, max_evaluations=3000, step=FlowStep(max_gradient_change=1e-2)
        ),
    )
    assert len(stages) == 2
    F = through_stages(stages, x)
    assert [stage.trained.status.tolist() for stage in stages] == [["fitted"] * 2] * 2
    assert (F[..., 0] * y > 1).all()
    # By hand: frozen first layer, trained second, minus the second as it started.
    first, last = stages
    held_out = inputs(test, grammar.parameters)
    places = {"lcn": 4, "cnn": 4, "fcn": 1}[net]
    assert first.trained.state["readout"].shape == (2, places * 6, 1)
    assert last.trained.state["readout"].shape == (2, 6, 1)
    for e in range(2):
        z = first.activations(held_out)[e]
        assert z.shape == (50, places, 6)
        outputs = []
        for weights in (last.trained.state, last.predictor.initial):
            w = weights["layer1"][e].reshape(-1, 6)
            pre = z.reshape(50, -1) @ w / 6**0.5
            hidden = 1.4043833 * torch.log1p(torch.exp(5 * pre)) / 5
            outputs.append(hidden @ weights["readout"][e] / 6**0.5)
        expected = outputs[0] - outputs[1]
        found = through_stages(stages, held_out)[e]
        np.testing.assert_allclose(found, expected, **tolerance(np.float64))
