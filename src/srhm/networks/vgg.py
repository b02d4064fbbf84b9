"""VGG11 and VGG16 of Simonyan & Zisserman (2015), in one or two dimensions."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

from torch import Generator, Tensor, nn

from srhm.networks.convolutions import (
    Dimensions,
    Dropout,
    HalvingPool,
    average_pool,
    batch_norm,
    convolution,
)

# Channels of a stage relative to the first.
CHANNELS = (1, 2, 4, 8, 8)
# ImageNet's head: units of its hidden layers relative to the first stage, places a side, dropout.
HIDDEN, PLACES, DROPOUT = 64, 7, 0.5


class Vgg(nn.Module):
    """Five stages of 3-tap convolutions, each ended by a max-pool of two, then a linear readout.

    Args:
        convolutions: in each of the five stages. The name of a net counts three fully connected
            layers besides, of which Table 1 and the nets for small inputs keep one.
        norm: whether batch norm follows each convolution.
        form: "small" for one linear layer on the spatial mean of what the pools leave (one place
            of 36, or of 32 x 32); "imagenet" for 7 places a side, two hidden layers with dropout.
    """

    def __init__(
        self,
        convolutions: Sequence[int],
        *,
        dimensions: Dimensions,
        in_channels: int,
        n_classes: int,
        width: int,
        norm: bool,
        form: Literal["small", "imagenet"],
        generator: Generator,
    ) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        n_in = in_channels
        for n_convolutions, factor in zip(convolutions, CHANNELS, strict=True):
            n_out = factor * width
            for _ in range(n_convolutions):
                layers.append(convolution(dimensions, n_in, n_out, taps=3, bias=True))
                layers += [batch_norm(dimensions, n_out)] if norm else []
                layers.append(nn.ReLU())
                n_in = n_out
            layers.append(HalvingPool())
        self.features = nn.Sequential(*layers)
        if form == "small":
            self.average = average_pool(dimensions)
            self.classifier = nn.Sequential(nn.Linear(n_in, n_classes))
        else:
            self.average = average_pool(dimensions, PLACES)
            hidden = HIDDEN * width
            self.classifier = nn.Sequential(
                nn.Linear(n_in * PLACES**dimensions, hidden),
                nn.ReLU(),
                Dropout(DROPOUT, generator=generator),
                nn.Linear(hidden, hidden),
                nn.ReLU(),
                Dropout(DROPOUT, generator=generator),
                nn.Linear(hidden, n_classes),
            )

    def forward(self, x: Tensor) -> Tensor:
        """Logits (batch, n_classes) of inputs (batch, channels, places ...)."""
        return self.classifier(self.average(self.features(x)).flatten(1))

    def taped(self, tape: Any, x: Any) -> Any:
        """The logits on a tape of hand-written gradients (`training.tape`), of the small form."""
        return tape.readout(self.classifier[0], tape.sequence(self.features, x))


vgg11 = partial(Vgg, (1, 1, 2, 2, 2), norm=False)
vgg11_bn = partial(Vgg, (1, 1, 2, 2, 2), norm=True)
vgg16 = partial(Vgg, (2, 2, 3, 3, 3), norm=False)
vgg16_bn = partial(Vgg, (2, 2, 3, 3, 3), norm=True)
vgg13 = partial(Vgg, (2, 2, 2, 2, 2), norm=False)
vgg13_bn = partial(Vgg, (2, 2, 2, 2, 2), norm=True)
vgg19 = partial(Vgg, (2, 2, 4, 4, 4), norm=False)
vgg19_bn = partial(Vgg, (2, 2, 4, 4, 4), norm=True)
