"""Deformations of images by fields on pixel centres, with PyTorch.

`srhm.deformations` is this with one option more. It is a module of its own since a study trains
with `deformed`: what stands here is in the names of that study's networks, an option is not.
Definitions: `srhm.images.deformations`, in NumPy, which measures with the same fields.
"""

from collections.abc import Sequence
from math import exp, log, pi

import numpy as np
from numpy.typing import NDArray

from srhm.declare.names import extra
from srhm.images.deformations import coefficients, largest_temperature, modes, temperature_of

with extra("torch"):
    import torch
    from torch import Tensor
    from torch.nn.functional import grid_sample

    from srhm.model.streams import Stream

# Pixels that an image moves by at least, as a root mean square, where no temperature is given.
VISIBLE = 0.5

Range = tuple[float, float]


class Deformation:
    """A transform as `srhm.deformations.Deformation`, of pixels "centres"."""

    def __init__(
        self,
        *,
        cutoff: int | tuple[int, int],
        temperature: float | Range | None = None,
        generator: np.random.Generator,
    ) -> None:
        least, most = cutoff if isinstance(cutoff, Sequence) else (cutoff, cutoff)
        # Of c = 1 no temperature is the largest.
        lowest = 2 if temperature is None else 1
        if not lowest <= least <= most:
            raise ValueError(f"cutoff = {cutoff}: allowed are {lowest} or more, the least first")
        if temperature is not None:
            ends = temperature if isinstance(temperature, Sequence) else (temperature, temperature)
            if not 0 < ends[0] <= ends[1]:
                raise ValueError(f"temperature = {temperature}: allowed are T > 0, the least first")
            self.temperature: Range | None = (float(ends[0]), float(ends[1]))
        else:
            self.temperature = None
        self.cutoff, self.stream = (int(least), int(most)), Stream(generator)

    def __call__(self, images: Tensor) -> Tensor:
        if images.ndim < 3 or images.shape[-1] != images.shape[-2]:
            raise ValueError(f"images {tuple(images.shape)}: allowed are (..., channels, n, n)")
        if not images.is_floating_point():
            raise ValueError(f"images of {images.dtype}: allowed are those of images.float()")
        size = images.shape[-1]
        batch = images.reshape(-1, *images.shape[-3:])
        amplitudes = self.drawn(len(batch), size=size)
        table = torch.from_numpy(amplitudes).to(images.device, images.dtype)
        return deformed(batch, displacement_fields(table, size=size)).reshape(images.shape)

    def drawn(self, count: int, *, size: int) -> NDArray[np.float64]:
        """C_ij of fields for images of size n: (count, 2, C, C), C the largest of the cut-offs.

        Of each field those beyond its own cut-off are 0.
        """
        stream, (least, most) = self.stream.here(), self.cutoff
        tables = np.zeros((count, 2, most, most))
        for table in tables:
            cutoff = int(stream.integers(least, most, endpoint=True))
            low, high = self.temperature or visible_temperatures(cutoff, size=size)
            temperature = exp(stream.uniform(log(low), log(high)))
            i, j = modes(cutoff).T - 1
            table[:, i, j] = coefficients(
                1, cutoff=cutoff, temperature=temperature, generator=stream
            )[0]
        return tables


def visible_temperatures(cutoff: int, *, size: int) -> Range:
    """Least and largest T for images of size n: what moves by VISIBLE pixels, what seldom folds.

    Raises:
        ValueError: if the first is larger than the second.
    """
    low, high = temperature_of(VISIBLE, size=size, cutoff=cutoff), largest_temperature(cutoff)
    if low > high:
        raise ValueError(
            f"images of {size} x {size} pixels: at cutoff {cutoff} fields fold where they move by"
            f" {VISIBLE} pixels; give a temperature, or a smaller cutoff"
        )
    return low, high


def displacement_fields(amplitudes: Tensor, *, size: int) -> Tensor:
    """Displacements n tau in pixels, (B, 2, n, n), of C_ij (B, 2, C, C), i and j from 1 to C."""
    centres, numbers = torch.arange(size) + 0.5, torch.arange(1, amplitudes.shape[-1] + 1)
    waves = torch.sin(pi / size * numbers[:, None].double() * centres).to(amplitudes)
    return size * (waves.T @ amplitudes @ waves)


def deformed(images: Tensor, fields: Tensor) -> Tensor:
    """Each image (B, channels, n, n) moved by its field (B, 2, n, n) in pixels, rows first.

    Between the outermost centres and the edge an image has the value of the nearest centre.
    """
    size = images.shape[-1]
    grid = torch.arange(size, device=fields.device, dtype=fields.dtype)
    row, column = grid[:, None] - fields[:, 0], grid - fields[:, 1]
    # In units in which the outermost centres lie at -1 and 1, columns first.
    places = torch.stack([column, row], dim=-1) * (2 / (size - 1)) - 1
    return grid_sample(images, places, padding_mode="border", align_corners=True)
