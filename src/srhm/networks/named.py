"""Networks by name, as VGG, ResNet and EfficientNet, in one or two dimensions.

Two forms of each: "small" for the inputs of the paper (the SRHM's d places, images of 32 x 32),
"imagenet" for the published nets of large images, whose parameters are counted in the tests.
"""

from math import sqrt
from typing import Literal

import torch
from torch import Generator, nn

from srhm.declare.names import resolved
from srhm.networks.convolutions import Dimensions
from srhm.networks.registry import NAMED, PRIMITIVE, function_of

Form = Literal["small", "imagenet"]


def named_network(
    name: str,
    *,
    dimensions: Dimensions,
    in_channels: int,
    n_classes: int,
    generator: Generator,
    width: int = 64,
    form: Form = "small",
) -> nn.Module:
    """A freshly initialised network in training mode.

    It maps (batch, in_channels, places) or (batch, in_channels, rows, columns) to logits
    (batch, n_classes). All its randomness is the generator's, which it keeps: the initial weights
    are drawn from it, then, in training mode, the masks of dropout and drop-connect. Whoever
    resumes a training restores the state of the generator with the weights.

    Weights of convolutions and hidden layers are Gaussian of variance 2 / fan-in (He et al. 2015),
    those of the readout of variance 1 / fan-in; biases are 0, batch norm is the identity with
    running mean 0 and variance 1. In eval mode running moments replace those of the batch, and
    nothing is masked.

    Args:
        name: one of `registry.NAMED`.
        dimensions: 1 or 2, of all convolutions, pools and batch norms.
        width: channels of the stage that has 64 in the published VGG and ResNet: 64 is the
            published size, 16 a quarter of it. EfficientNet's channels are multiplied by
            width / 64 and rounded to multiples of 8.
        form: "small" or "imagenet", as the families' modules describe it.

    Raises:
        ValueError: if the name is unknown, or a number is outside its range.
    """
    if name not in NAMED:
        raise ValueError(f"network {name!r} is unknown; names are {', '.join(NAMED)}")
    if dimensions not in (1, 2):
        raise ValueError(f"dimensions = {dimensions}: allowed are 1 and 2")
    if form not in ("small", "imagenet"):
        raise ValueError(f"form {form!r} is unknown; forms are small, imagenet")
    sizes = {"in_channels": in_channels, "n_classes": n_classes, "width": width}
    for what, size in sizes.items():
        if size < 1:
            raise ValueError(f"{what} = {size}: allowed is 1 or more")
    make = resolved(function_of(name))
    # Without storage: the constructors of torch would draw from its global generator.
    with torch.device("meta"):
        network: nn.Module = make(
            dimensions=dimensions,
            in_channels=in_channels,
            n_classes=n_classes,
            width=width,
            form=form,
            generator=generator,
        )
    network.to_empty(device=generator.device)
    _initialise(network, generator)
    return network


@torch.no_grad()
def _initialise(network: nn.Module, generator: Generator) -> None:
    """Give every parameter and buffer its initial value."""
    modules = [m for m in network.modules() if not list(m.children())]
    linear = [m for m in modules if isinstance(m, nn.Linear)]
    for module in modules:
        if isinstance(module, nn.Conv1d | nn.Conv2d | nn.Linear):
            fan_in = module.weight[0].numel()  # of one output, so that groups are counted right
            gain = 1 if module is linear[-1] else 2  # no ReLU follows the readout
            module.weight.normal_(0, sqrt(gain / fan_in), generator=generator)
            if module.bias is not None:
                module.bias.zero_()
        elif isinstance(module, nn.BatchNorm1d | nn.BatchNorm2d):
            module.reset_running_stats()
            nn.init.ones_(module.weight)
            nn.init.zeros_(module.bias)


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
    weighted = [layer for layer in network if isinstance(layer, nn.Conv2d | nn.Linear)]
    for layer in weighted:
        follows = "linear" if layer is weighted[-1] else "relu"
        nn.init.kaiming_normal_(layer.weight, nonlinearity=follows, generator=generator)  # type: ignore[arg-type]
        assert layer.bias is not None  # for the checker of types
        nn.init.zeros_(layer.bias)
    return network
