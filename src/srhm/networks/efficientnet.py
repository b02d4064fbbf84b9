"""EfficientNetB0, B1 and B2 of Tan & Le (2019), in one or two dimensions."""

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any, Literal

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from srhm.networks.convolutions import (
    Dimensions,
    DropConnect,
    Dropout,
    average_pool,
    batch_norm,
    convolution,
)


@dataclass(frozen=True)
class BlockStage:
    """Blocks of equal taps: the first has the stride, the others keep places and channels."""

    expansion: int
    n_out: int
    n_blocks: int
    taps: int
    stride: int


# B0 (Tan & Le, Table 1; strides as in the released code).
STAGES = (
    BlockStage(1, 16, 1, 3, 1),
    BlockStage(6, 24, 2, 3, 2),
    BlockStage(6, 40, 2, 5, 2),
    BlockStage(6, 80, 3, 3, 2),
    BlockStage(6, 112, 3, 5, 1),
    BlockStage(6, 192, 4, 5, 2),
    BlockStage(6, 320, 1, 3, 1),
)
FIRST, LAST = 32, 1280  # channels of the first and of the last convolution of B0
DROP_CONNECT = 0.2  # times the fraction of blocks that come before a block is its rate
MULTIPLE = 8  # channels are rounded to multiples of it
PUBLISHED_WIDTH = 64  # `width` of the published nets, as VGG and ResNet count it


def scaled_channels(n_channels: int, factor: Fraction) -> int:
    """Channels times a factor, to the nearest multiple of 8 that is not below 90 % of them.

    The rounding of Tan & Le, at least 8; it is exact here where floating point might not be.
    """
    wanted = n_channels * factor
    rounded = max(MULTIPLE, int(wanted + Fraction(MULTIPLE, 2)) // MULTIPLE * MULTIPLE)
    return rounded + MULTIPLE if rounded < Fraction(9, 10) * wanted else rounded


class SqueezeExcitation(nn.Module):
    """Channels times gates in (0, 1) that two linear maps make of their spatial means.

    Its swish and sigmoid gate a side branch and are no layers of the representation.
    """

    def __init__(self, dimensions: Dimensions, n_channels: int, n_squeezed: int) -> None:
        super().__init__()
        self.average = average_pool(dimensions)
        self.squeeze = convolution(dimensions, n_channels, n_squeezed, taps=1, bias=True)
        self.excite = convolution(dimensions, n_squeezed, n_channels, taps=1, bias=True)

    def forward(self, x: Tensor) -> Tensor:
        """Input with each channel of each datum scaled."""
        squeezed = functional.silu(self.squeeze(self.average(x)))
        return x * torch.sigmoid(self.excite(squeezed))

    def taped(self, tape: Any, x: Any) -> Any:
        """The same on a tape of hand-written gradients (`training.tape`)."""
        return tape.gate(self.squeeze, self.excite, x)


class InvertedResidualBlock(nn.Module):
    """Expansion, depthwise convolution, squeeze-and-excitation, projection; a skip if shapes allow.

    Nothing follows the projection: the layers of the block are its swish outputs.
    """

    def __init__(
        self,
        dimensions: Dimensions,
        n_in: int,
        n_out: int,
        *,
        expansion: int,
        taps: int,
        stride: int,
        drop_connect: float,
        generator: Generator,
    ) -> None:
        super().__init__()
        hidden = n_in * expansion
        self.expansion = nn.Sequential()
        if expansion != 1:
            self.expansion = nn.Sequential(
                convolution(dimensions, n_in, hidden, taps=1),
                batch_norm(dimensions, hidden),
                nn.SiLU(),
            )
        self.depthwise = nn.Sequential(
            convolution(dimensions, hidden, hidden, taps=taps, stride=stride, groups=hidden),
            batch_norm(dimensions, hidden),
            nn.SiLU(),
        )
        # A quarter of the block's input, not of its expanded channels.
        self.gate = SqueezeExcitation(dimensions, hidden, max(1, n_in // 4))
        self.projection = nn.Sequential(
            convolution(dimensions, hidden, n_out, taps=1), batch_norm(dimensions, n_out)
        )
        self.skip = stride == 1 and n_in == n_out
        self.drop_connect = DropConnect(drop_connect, generator=generator)

    def forward(self, x: Tensor) -> Tensor:
        """Representation after the block, with 1/stride of the places a side, rounded up."""
        inner = self.projection(self.gate(self.depthwise(self.expansion(x))))
        return self.drop_connect(inner) + x if self.skip else inner

    def taped(self, tape: Any, x: Any) -> Any:
        """The block on a tape of hand-written gradients (`training.tape`)."""
        modules = [*self.expansion, *self.depthwise, self.gate, *self.projection]
        inner = tape.sequence(modules, x)
        return tape.skip(inner, x, self.drop_connect) if self.skip else inner


class EfficientNet(nn.Module):
    """A first convolution, seven stages of inverted residuals, a last convolution, a readout.

    channels_last: on a processor convolutions of one channel each take half the time so, and none
    longer.

    Args:
        wider, deeper: factors on channels and on blocks.
        dropout: before the readout.
        width: 64 is the published net; all channels are multiplied by width / 64.
        form: "small" for a first convolution that keeps all places, "imagenet" for stride 2.
        drop_connect: times the fraction of blocks before it, the rate at which a block is dropped;
            the practice on the SRHM has 0.
    """

    channels_last = True

    def __init__(
        self,
        *,
        wider: Fraction,
        deeper: Fraction,
        dropout: float,
        dimensions: Dimensions,
        in_channels: int,
        n_classes: int,
        width: int,
        form: Literal["small", "imagenet"],
        generator: Generator,
        drop_connect: float = DROP_CONNECT,
    ) -> None:
        super().__init__()
        factor = wider * Fraction(width, PUBLISHED_WIDTH)
        n_in = scaled_channels(FIRST, factor)
        self.first = nn.Sequential(
            convolution(dimensions, in_channels, n_in, taps=3, stride=1 if form == "small" else 2),
            batch_norm(dimensions, n_in),
            nn.SiLU(),
        )
        plan = [
            (stage, stage.stride if place == 0 else 1)
            for stage in STAGES
            for place in range(ceil(deeper * stage.n_blocks))
        ]
        blocks: list[nn.Module] = []
        for place, (stage, stride) in enumerate(plan):
            n_out = scaled_channels(stage.n_out, factor)
            blocks.append(
                InvertedResidualBlock(
                    dimensions,
                    n_in,
                    n_out,
                    expansion=stage.expansion,
                    taps=stage.taps,
                    stride=stride,
                    drop_connect=drop_connect * place / len(plan),
                    generator=generator,
                )
            )
            n_in = n_out
        self.blocks = nn.Sequential(*blocks)
        n_last = scaled_channels(LAST, factor)
        self.last = nn.Sequential(
            convolution(dimensions, n_in, n_last, taps=1),
            batch_norm(dimensions, n_last),
            nn.SiLU(),
        )
        self.average = average_pool(dimensions)
        self.dropout = Dropout(dropout, generator=generator)
        self.classifier = nn.Linear(n_last, n_classes)

    def forward(self, x: Tensor) -> Tensor:
        """Logits (batch, n_classes) of inputs (batch, channels, places ...)."""
        x = self.average(self.last(self.blocks(self.first(x)))).flatten(1)
        return self.classifier(self.dropout(x))

    def taped(self, tape: Any, x: Any) -> Any:
        """The logits on a tape of hand-written gradients (`training.tape`), of the small form."""
        end = tape.sequence([*self.first, *self.blocks, *self.last], x)
        return tape.readout(self.classifier, end, self.dropout)


efficientnetb0 = partial(EfficientNet, wider=Fraction(1), deeper=Fraction(1), dropout=0.2)
efficientnetb1 = partial(EfficientNet, wider=Fraction(1), deeper=Fraction(11, 10), dropout=0.2)
efficientnetb2 = partial(EfficientNet, wider=Fraction(11, 10), deeper=Fraction(12, 10), dropout=0.3)
