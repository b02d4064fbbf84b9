"""Layers of one or two dimensions by one argument, and masks drawn from a given generator.

Inputs are (batch, channels, places) in one dimension, (batch, channels, rows, columns) in two.
"""

from typing import Literal

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

Dimensions = Literal[1, 2]

_CONVOLUTION: dict[int, type[nn.Conv1d] | type[nn.Conv2d]] = {1: nn.Conv1d, 2: nn.Conv2d}
_BATCH_NORM: dict[int, type[nn.BatchNorm1d] | type[nn.BatchNorm2d]] = {
    1: nn.BatchNorm1d,
    2: nn.BatchNorm2d,
}
_MAX_POOL: dict[int, type[nn.MaxPool1d] | type[nn.MaxPool2d]] = {1: nn.MaxPool1d, 2: nn.MaxPool2d}
_AVERAGE: dict[int, type[nn.AdaptiveAvgPool1d] | type[nn.AdaptiveAvgPool2d]] = {
    1: nn.AdaptiveAvgPool1d,
    2: nn.AdaptiveAvgPool2d,
}


def convolution(
    dimensions: Dimensions,
    n_in: int,
    n_out: int,
    *,
    taps: int,
    stride: int = 1,
    groups: int = 1,
    bias: bool = False,
) -> nn.Conv1d | nn.Conv2d:
    """Convolution with an odd number of taps a side, padded so that stride 1 keeps all places."""
    return _CONVOLUTION[dimensions](
        n_in, n_out, taps, stride=stride, padding=taps // 2, groups=groups, bias=bias
    )


def batch_norm(dimensions: Dimensions, n_channels: int) -> nn.BatchNorm1d | nn.BatchNorm2d:
    """Batch normalisation of each channel over the batch and all places."""
    return _BATCH_NORM[dimensions](n_channels)


def max_pool(
    dimensions: Dimensions, size: int, *, stride: int, padding: int = 0
) -> nn.MaxPool1d | nn.MaxPool2d:
    """Maximum over `size` places a side, every `stride` places."""
    return _MAX_POOL[dimensions](size, stride=stride, padding=padding)


def average_pool(
    dimensions: Dimensions, places: int = 1
) -> nn.AdaptiveAvgPool1d | nn.AdaptiveAvgPool2d:
    """Mean over space, leaving `places` places a side."""
    return _AVERAGE[dimensions](places)


class HalvingPool(nn.Module):
    """Maximum over two places a side, which halves them; a side of one place is left as it is.

    An odd last place is dropped: 36 places become 18, 9, 4, 2, 1. Inputs shorter than 32 reach a
    single place before the fifth pool of a VGG, which then does nothing.
    """

    def forward(self, x: Tensor) -> Tensor:
        """Input with half as many places a side, rounded down, at least one."""
        sides = [min(2, places) for places in x.shape[2:]]
        pool = functional.max_pool1d if len(sides) == 1 else functional.max_pool2d
        return pool(x, sides)


class Dropout(nn.Module):
    """In training, each value is zero at a rate and else divided by 1 - rate; nothing in eval.

    Masks come from the generator that was given, so that a run can be repeated and resumed.
    """

    def __init__(self, rate: float, *, generator: Generator) -> None:
        super().__init__()
        if not 0 <= rate < 1:
            raise ValueError(f"rate {rate} of zeros: allowed is 0 <= rate < 1")
        self.rate = rate
        self.generator = generator

    def mask_shape(self, x: Tensor) -> tuple[int, ...]:
        """Shape of the mask: one choice for each value."""
        return tuple(x.shape)

    def forward(self, x: Tensor) -> Tensor:
        """Input, masked in training mode."""
        if not self.training or self.rate == 0:
            return x
        drawn = torch.rand(
            self.mask_shape(x), generator=self.generator, device=self.generator.device
        )
        kept = (drawn >= self.rate).to(device=x.device, dtype=x.dtype)
        return x * kept / (1 - self.rate)

    def extra_repr(self) -> str:
        """The rate, for print(network)."""
        return f"rate={self.rate:g}"


class DropConnect(Dropout):
    """Dropout of a whole residual branch, one choice for each datum (stochastic depth)."""

    def mask_shape(self, x: Tensor) -> tuple[int, ...]:
        """Shape of the mask: one choice for each datum."""
        return (x.shape[0],) + (1,) * (x.ndim - 1)
