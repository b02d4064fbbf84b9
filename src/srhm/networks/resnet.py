"""ResNet18 and ResNet34 of He et al. (2016), in one or two dimensions."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

from torch import Generator, Tensor, nn

from srhm.networks.convolutions import Dimensions, average_pool, batch_norm, convolution, max_pool

CHANNELS = (1, 2, 4, 8)  # of the four stages, relative to the first
STRIDES = (1, 2, 2, 2)


class Projection(nn.Sequential):
    """Shortcut of a block that changes channels or places: one-tap convolution, batch norm."""

    def __init__(self, dimensions: Dimensions, n_in: int, n_out: int, *, stride: int) -> None:
        super().__init__(
            convolution(dimensions, n_in, n_out, taps=1, stride=stride),
            batch_norm(dimensions, n_out),
        )


class ResidualBlock(nn.Module):
    """Two 3-tap convolutions beside a shortcut; the second ReLU acts on their sum."""

    def __init__(self, dimensions: Dimensions, n_in: int, n_out: int, *, stride: int) -> None:
        super().__init__()
        self.convolution1 = convolution(dimensions, n_in, n_out, taps=3, stride=stride)
        self.norm1 = batch_norm(dimensions, n_out)
        self.activation1 = nn.ReLU()
        self.convolution2 = convolution(dimensions, n_out, n_out, taps=3)
        self.norm2 = batch_norm(dimensions, n_out)
        self.shortcut: nn.Module = nn.Identity()
        if stride != 1 or n_in != n_out:
            self.shortcut = Projection(dimensions, n_in, n_out, stride=stride)
        self.activation2 = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        """Representation after the block, with 1/stride of the places a side, rounded up."""
        inner = self.activation1(self.norm1(self.convolution1(x)))
        return self.activation2(self.norm2(self.convolution2(inner)) + self.shortcut(x))

    def taped(self, tape: Any, x: Any) -> Any:
        """The block on a tape of hand-written gradients (`training.tape`)."""
        inner = tape.sequence(
            [self.convolution1, self.norm1, self.activation1, self.convolution2, self.norm2], x
        )
        identity = isinstance(self.shortcut, nn.Identity)
        return tape.relu(inner, x if identity else tape.sequence(self.shortcut, x))


class ResNet(nn.Module):
    """A first convolution, four stages of residual blocks, spatial mean, linear readout.

    Args:
        n_blocks: blocks of two convolutions in each of the four stages. The name of a net counts
            its convolutions outside shortcuts, and the readout.
        form: "small" for a 3-tap first convolution that keeps all places; "imagenet" for one of 7
            taps and stride 2, followed by a max-pool of 3 with stride 2.
    """

    def __init__(
        self,
        n_blocks: Sequence[int],
        *,
        dimensions: Dimensions,
        in_channels: int,
        n_classes: int,
        width: int,
        form: Literal["small", "imagenet"],
        generator: Generator | None = None,
    ) -> None:
        super().__init__()
        taps, stride = (3, 1) if form == "small" else (7, 2)
        self.convolution = convolution(dimensions, in_channels, width, taps=taps, stride=stride)
        self.norm = batch_norm(dimensions, width)
        self.activation = nn.ReLU()
        self.pool: nn.Module = nn.Identity()
        if form == "imagenet":
            self.pool = max_pool(dimensions, 3, stride=2, padding=1)
        blocks: list[nn.Module] = []
        n_in = width
        for n, factor, first in zip(n_blocks, CHANNELS, STRIDES, strict=True):
            for place in range(n):
                stride = first if place == 0 else 1
                blocks.append(ResidualBlock(dimensions, n_in, factor * width, stride=stride))
                n_in = factor * width
        self.blocks = nn.Sequential(*blocks)
        self.average = average_pool(dimensions)
        self.classifier = nn.Linear(n_in, n_classes)

    def forward(self, x: Tensor) -> Tensor:
        """Logits (batch, n_classes) of inputs (batch, channels, places ...)."""
        x = self.pool(self.activation(self.norm(self.convolution(x))))
        return self.classifier(self.average(self.blocks(x)).flatten(1))

    def taped(self, tape: Any, x: Any) -> Any:
        """The logits on a tape of hand-written gradients (`training.tape`), of the small form."""
        x = tape.sequence([self.convolution, self.norm, self.activation], x)
        return tape.readout(self.classifier, tape.sequence(self.blocks, x))


resnet18 = partial(ResNet, (2, 2, 2, 2))
resnet34 = partial(ResNet, (3, 4, 6, 3))
