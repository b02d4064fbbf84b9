"""Networks for images: fully connected ones, LeNet and the named nets (thesis, chapter 4)."""

import torch
from torch import Generator, nn

from srhm.names import resolved
from srhm.networks.named import named_network
from srhm.networks.registry import PRIMITIVE, function_of


def image_network(
    name: str, *, in_channels: int, size: int, n_classes: int, width: int, generator: Generator
) -> nn.Module:
    """A freshly initialised network for images (batch, in_channels, size, size), training mode.

    name: one of `registry.PRIMITIVE` or of the named nets. width: units of each hidden layer of an
    "fc"; of the others as in `named_network`; LeNet has one size. Weights of PRIMITIVE are Gaussian
    of variance 2 / fan-in (readout 1 / fan-in), biases are 0. All randomness is the generator's.

    Raises:
        ValueError: if the name is unknown or a number is outside its range.
    """
    if name not in PRIMITIVE:
        return named_network(
            name, dimensions=2, in_channels=in_channels, n_classes=n_classes, width=width,
            generator=generator,
        )  # fmt: skip
    make = resolved(function_of(name))
    # Without storage: the constructors of torch would draw from its global generator.
    with torch.device("meta"):
        layers = make(in_channels=in_channels, size=size, n_classes=n_classes, width=width)
        network = nn.Sequential(*layers)
    network.to_empty(device=generator.device)
    weighted = [one for one in network if isinstance(one, nn.Conv2d | nn.Linear)]
    for layer in weighted:
        follows = "linear" if layer is weighted[-1] else "relu"
        nn.init.kaiming_normal_(layer.weight, nonlinearity=follows, generator=generator)  # type: ignore[arg-type]
        assert layer.bias is not None  # for the checker of types
        nn.init.zeros_(layer.bias)
    return network
