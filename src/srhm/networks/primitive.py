"""Fully connected networks and LeNet, beside the named nets (thesis, chapter 4, Table 1).

"fc2", "fc4", "fc6" have so many hidden layers of equal width. "lenet" is that of LeCun et al.
(1989) in its form of 1998: two convolutions of 5 taps with max-pools, three linear layers. Its
convolutions are padded, so that images of 16 x 16 keep some places.
"""

import torch
from torch import Generator, nn

from srhm.networks.named import named_network

HIDDEN_LAYERS = {"fc2": 2, "fc4": 4, "fc6": 6}
PRIMITIVE = (*HIDDEN_LAYERS, "lenet")
# Channels of the convolutions, units of the hidden linear layers; taps a side.
LENET_CHANNELS, LENET_HIDDEN, LENET_TAPS = (6, 16), (120, 84), 5


def image_network(
    name: str, *, in_channels: int, size: int, n_classes: int, width: int, generator: Generator
) -> nn.Module:
    """A freshly initialised network for images (batch, in_channels, size, size), training mode.

    name: one of PRIMITIVE or of the named nets. width: units of each hidden layer of an "fc"; of
    the others as in `named_network`; LeNet has one size. Weights of PRIMITIVE are Gaussian of
    variance 2 / fan-in (readout 1 / fan-in), biases are 0. All randomness is the generator's.

    Raises:
        ValueError: if the name is unknown or a number is outside its range.
    """
    if name not in PRIMITIVE:
        return named_network(
            name, dimensions=2, in_channels=in_channels, n_classes=n_classes, width=width,
            generator=generator,
        )  # fmt: skip
    # Without storage: the constructors of torch would draw from its global generator.
    with torch.device("meta"):
        if name == "lenet":
            network = _lenet(in_channels, size, n_classes)
        else:
            hidden = (width,) * HIDDEN_LAYERS[name]
            network = nn.Sequential(nn.Flatten(), *_linear(in_channels * size**2, hidden))
            network.append(nn.Linear(width, n_classes))
    network.to_empty(device=generator.device)
    weighted = [one for one in network if isinstance(one, nn.Conv2d | nn.Linear)]
    for layer in weighted:
        follows = "linear" if layer is weighted[-1] else "relu"
        nn.init.kaiming_normal_(layer.weight, nonlinearity=follows, generator=generator)  # type: ignore[arg-type]
        assert layer.bias is not None  # for the checker of types
        nn.init.zeros_(layer.bias)
    return network


def _lenet(in_channels: int, size: int, n_classes: int) -> nn.Sequential:
    layers: list[nn.Module] = []
    n_in = in_channels
    for n_out in LENET_CHANNELS:
        layers += [nn.Conv2d(n_in, n_out, LENET_TAPS, padding=LENET_TAPS // 2), nn.ReLU(),
                   nn.MaxPool2d(2)]  # fmt: skip
        n_in = n_out
    places = (size // 2 ** len(LENET_CHANNELS)) ** 2
    linear = _linear(n_in * places, LENET_HIDDEN)
    return nn.Sequential(*layers, nn.Flatten(), *linear, nn.Linear(LENET_HIDDEN[-1], n_classes))


def _linear(n_in: int, hidden: tuple[int, ...]) -> list[nn.Module]:
    layers: list[nn.Module] = []
    for n_out in hidden:
        layers += [nn.Linear(n_in, n_out), nn.ReLU()]
        n_in = n_out
    return layers
