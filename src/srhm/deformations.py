"""Maximum-entropy deformations of images as a transform of PyTorch (Petrini et al. 2021).

>>> import numpy as np, torch
>>> images = torch.linspace(0, 1, 2 * 3 * 32 * 32).reshape(2, 3, 32, 32)
>>> deform = Deformation(cutoff=(3, 8), generator=np.random.default_rng(0))
>>> moved = deform(images)
>>> tuple(moved.shape), moved.dtype, bool((moved == images).all())
((2, 3, 32, 32), torch.float32, False)

With the modes and pixels of the package "diffeo" the outermost pixels rest:

>>> deform = Deformation(cutoff=(3, 8), pixels="edges", generator=np.random.default_rng(0))
>>> change = deform(images) - images
>>> bool(change[..., [0, -1], [0, -1]].abs().max() < 1e-6), bool(change.abs().max() > 0.01)
(True, True)

Definitions: `srhm.images.deformations` and `srhm.images.edge_deformations`, in NumPy.
"""

from collections.abc import Sequence
from math import exp, inf, log, pi
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from srhm.declare.names import extra
from srhm.images import deformations, edge_deformations
from srhm.images.deformations import largest_temperature
from srhm.images.torch_deformations import (
    VISIBLE,
    Range,
    deformed,
    displacement_fields,
    visible_temperatures,
)
from srhm.model.grammar import whole

with extra("torch"):
    import torch
    from torch import Tensor

    from srhm.model.streams import Stream

__all__ = [
    "Deformation",
    "deformed",
    "displacement_fields",
    "edge_fields",
    "visible_edge_temperatures",
    "visible_temperatures",
]

Pixels = Literal["centres", "edges"]


class Deformation:
    """Moves each image by a field of its own, with (T, c) of its own: a transform.

        [tau x](s) = x(s - tau(s)), tau = sum over i, j of C_ij sin(i pi u) sin(j pi v),

    C_ij Gaussian of variance T / (i^2 + j^2); between four pixels bilinear. Called with images
    (channels, n, n) or (..., channels, n, n) of any floating type, on any device, it returns other
    ones of the same shape, through which gradients flow.

    Args:
        cutoff: c, or (least, most): drawn uniformly from these integers.
        temperature: T, or (least, most): drawn uniformly in log T. Without one it is between the T
            that moves by half a pixel (root mean square) and `largest_temperature(c)`, below which
            fields typically do not fold.
        pixels: "centres", the convention of the text: i^2 + j^2 <= c^2, pixels at (k + 1/2)/n; or
            "edges", that of the package "diffeo": i, j <= c with (i^2 + j^2)^(1/2) < c + 1/2,
            pixels at k/(n - 1), k = 0 ... n - 1, of which the outermost do not move. Half a pixel
            is that of its own fields ("diffeo" has the law for large c); at
            `largest_temperature(c)` they fold more often: at c = 3 a third, of "centres" a tenth.
        generator: of all draws; a worker of a `DataLoader` has one of its own.

    Raises:
        TypeError: if a cutoff is no whole number.
        ValueError: if a range is empty, a number in it is not allowed or pixels are others; when it
            is called, if images are not square or not of a floating type, or so small that half a
            pixel folds.
    """

    def __init__(
        self,
        *,
        cutoff: int | tuple[int, int],
        temperature: float | Range | None = None,
        pixels: Pixels = "centres",
        generator: np.random.Generator,
    ) -> None:
        if pixels not in get_args(Pixels):
            raise ValueError(f"pixels = {pixels!r}: allowed are {', '.join(get_args(Pixels))}")
        least, most = cutoff if isinstance(cutoff, Sequence) else (cutoff, cutoff)
        least, most = (whole(end, "cutoff", least=1) for end in (least, most))
        # Of c = 1 no temperature is the largest.
        lowest = 2 if temperature is None else 1
        if not lowest <= least <= most:
            raise ValueError(f"cutoff = {cutoff}: allowed are {lowest} or more, the least first")
        self.temperature: Range | None = None
        if temperature is not None:
            low, high = temperature if isinstance(temperature, Sequence) else (temperature,) * 2
            if not 0 < low <= high < inf:
                raise ValueError(
                    f"temperature = {temperature}: allowed are finite T > 0, the least first"
                )
            self.temperature = (float(low), float(high))
        self.cutoff, self.stream, self.pixels = (least, most), Stream(generator), pixels

    def __call__(self, images: Tensor) -> Tensor:
        if images.ndim < 3 or images.shape[-1] != images.shape[-2]:
            raise ValueError(f"images {tuple(images.shape)}: allowed are (..., channels, n, n)")
        if not images.is_floating_point():
            raise ValueError(f"images of {images.dtype}: allowed are those of images.float()")
        size = images.shape[-1]
        batch = images.reshape(-1, *images.shape[-3:])
        table = torch.from_numpy(self.drawn(len(batch), size=size)).to(batch)
        fields_of = displacement_fields if self.pixels == "centres" else edge_fields
        return deformed(batch, fields_of(table, size=size)).reshape(images.shape)

    def drawn(self, count: int, *, size: int) -> NDArray[np.float64]:
        """Draws the coefficients C_ij of fields.

        Args:
            count: number of fields.
            size: n, pixels of a side of the images.

        Returns:
            (count, 2, C, C), C the largest of the cut-offs; of each field those beyond its own
            cut-off are 0.
        """
        centres = self.pixels == "centres"
        convention: Any = deformations if centres else edge_deformations
        visible = visible_temperatures if centres else visible_edge_temperatures
        stream, (least, most) = self.stream.here(), self.cutoff
        coefficients = np.zeros((count, 2, most, most))
        for table in coefficients:
            cutoff = int(stream.integers(least, most, endpoint=True))
            low, high = self.temperature or visible(cutoff, size=size)
            temperature = exp(stream.uniform(log(low), log(high)))
            i, j = convention.modes(cutoff).T - 1
            (table[:, i, j],) = convention.coefficients(
                1, cutoff=cutoff, temperature=temperature, generator=stream
            )
        return coefficients


def visible_edge_temperatures(cutoff: int, *, size: int) -> Range:
    """Range of T as `visible_temperatures` has it, with fields up to the edges.

    Args:
        cutoff: c.
        size: n, pixels of a side of the images.

    Returns:
        The T that moves by half a pixel (root mean square), and `largest_temperature(c)`.

    Raises:
        TypeError: if cutoff or size is no whole number.
        ValueError: if the first is larger than the second.
    """
    cutoff, size = whole(cutoff, "cutoff", least=2), whole(size, "size", least=2)
    low = edge_deformations.temperature_of(VISIBLE, size=size, cutoff=cutoff)
    high = largest_temperature(cutoff)
    if low > high:
        raise ValueError(
            f"images of {size} x {size} pixels: at cutoff {cutoff} fields fold where they move by"
            f" {VISIBLE} pixels; give a temperature, or a smaller cutoff"
        )
    return low, high


def edge_fields(amplitudes: Tensor, *, size: int) -> Tensor:
    """Displacement fields at the pixels k/(n - 1).

    Args:
        amplitudes: C_ij, (B, 2, C, C).
        size: n, pixels of a side of the images.

    Returns:
        n tau in pixels, (B, 2, n, n).
    """
    places = torch.linspace(0, 1, size, dtype=torch.float64)
    numbers = torch.arange(1, amplitudes.shape[-1] + 1)
    waves = torch.sin(pi * torch.outer(numbers.double(), places)).to(amplitudes)
    return size * (waves.T @ amplitudes @ waves)
