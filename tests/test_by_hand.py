"""The gradient by hand of the benchmark trains as the dense module beside it does."""

import numpy as np
import pytest
import torch
from by_hand import HandEngine
from dense_module import DenseEngine
from step_time import cell, problem

from srhm.model.seeding import generator
from srhm.networks.geometry import initial_weights


@pytest.mark.parametrize("net", ["lcn", "cnn"])
@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("stack", [1, 3])
def test_steps_by_hand_are_those_of_autograd(net, depth, stack):
    geometry, train, _, choice = problem(cell(net, depth, 1, 8, 100))
    weights = initial_weights(geometry, generator=generator(0, role="initialisation"))
    dense = DenseEngine(geometry, weights, train, **choice)
    hand = HandEngine(geometry, weights, train, **choice, stack=stack)
    before = [w.clone() for w in hand.weights()]
    order = np.random.default_rng(0).integers(100, size=4 * 50)
    dense.steps(order)
    hand.steps(order)
    wanted = [*dense.network.layers, dense.network.readout]
    for member in range(stack):
        for start, own, other in zip(before, hand.weights(member), wanted, strict=True):
            target = other.detach().reshape(own.shape)
            moved = torch.linalg.norm(target - start)
            assert moved > 0
            assert torch.linalg.norm(own - target) < 1e-4 * moved
