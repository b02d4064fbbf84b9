"""Deformations of images by fields on pixel centres, with PyTorch.

`srhm.deformations` makes a transform of them. Definitions: `srhm.images.deformations`, in NumPy,
which measures with the same fields.
"""

from math import pi

from srhm.declare.names import extra
from srhm.images.deformations import largest_temperature, temperature_of

with extra("torch"):
    import torch
    from torch import Tensor
    from torch.nn.functional import grid_sample

# Pixels that an image moves by at least, as a root mean square, where no temperature is given.
VISIBLE = 0.5

Range = tuple[float, float]


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
