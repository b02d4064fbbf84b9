"""Which layers a network has, in which order, at which relative depth, and their recording."""

import numpy as np
import pytest
import torch
from test_named_networks import gaussian, make
from torch import nn

from srhm.networks.activations import OUTPUT, activation_layers, record_activations
from srhm.networks.registry import NAMED
from srhm.networks.relative_depth import layer_at

N_LAYERS = {
    "vgg11": 8,
    "vgg11_bn": 8,
    "vgg16": 13,
    "vgg16_bn": 13,
    "resnet18": 1 + 2 * 8,
    "resnet34": 1 + 2 * 16,
    # first and last convolution, two in each block, one in the blocks without expansion
    "efficientnetb0": 2 + 2 * 16 - 1,
    "efficientnetb1": 2 + 2 * 23 - 2,
    "efficientnetb2": 2 + 2 * 23 - 2,
}


def executed(network, x):
    """Names of ReLU and swish modules as they are called, by hooks on every module."""
    names = []
    for name, module in network.named_modules():
        if isinstance(module, nn.ReLU | nn.SiLU):
            module.register_forward_hook(lambda *_, name=name: names.append(name))
    network(x)
    return names


@pytest.mark.parametrize("name", N_LAYERS)
def test_layers_are_those_that_are_executed_in_that_order(name):
    network = make(name)
    layers = activation_layers(network)
    assert len(layers) == N_LAYERS[name]
    assert executed(network, gaussian(4, 4, 36)) == layers


@pytest.mark.parametrize(
    ("relative_depth", "n_layers", "layer"),
    [
        (0.8, 2, 2),  # the second layer of LCN and CNN, as the caption of Figure 17 says
        (0.2, 8, 2),
        (0.5, 13, 7),
        (0.8, 33, 27),
        (0.0, 5, 1),
        (0.99, 5, 5),
        (0.29, 100, 30),  # 0.29 * 100 is 28.99... in binary
        (0.8, 1, 1),
    ],
)
def test_a_layer_lies_at_the_integer_part_of_relative_depth_times_layers(
    relative_depth, n_layers, layer
):
    assert layer_at(relative_depth, n_layers) == layer


@pytest.mark.parametrize("name", NAMED)
def test_logits_are_the_rest_of_the_network_applied_to_what_is_recorded(name):
    network = make(name)
    network(gaussian(8, 4, 36))  # moves the running moments
    frozen = [*network.modules()][-1].eval()
    x = gaussian(3, 4, 36, seed=1)
    found = record_activations(network, x, [*activation_layers(network), OUTPUT])
    assert [m for m in network.modules() if not m.training] == [frozen]
    assert list(found) == [*activation_layers(network), OUTPUT]
    assert torch.equal(found[OUTPUT], network.eval()(x))
    last = found[activation_layers(network)[-1]]
    if name.startswith("vgg"):  # a max-pool follows
        last = last.amax(dim=2, keepdim=True)
    readout = [m for m in network.modules() if isinstance(m, nn.Linear)][-1]
    np.testing.assert_allclose(readout(last.mean(2)).detach(), found[OUTPUT], rtol=1e-4, atol=1e-5)
