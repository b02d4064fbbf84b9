"""Deformations by the convention of the thesis's own code, the package "diffeo".

They differ from those of `deformations` in two ways: the modes are those of i, j <= c with
(i^2 + j^2)^(1/2) < c + 1/2, and the outermost pixels lie on the edge of the image, at k/(n - 1),
k = 0 ... n - 1, so that they do not move. R_f of the two are of fields with other spectra: at c = 3
six modes in place of four. The studies have the other convention, that of the text; this one is
`pixels="edges"` of `srhm.deformations`. `deform` of `deformations` moves images by either's fields.
"""

from math import pi

import numpy as np
from numpy.typing import NDArray


def modes(cutoff: int) -> NDArray[np.int64]:
    """All (i, j) with 1 <= i, j <= c and i^2 + j^2 < (c + 1/2)^2: array (modes, 2)."""
    i, j = np.meshgrid(np.arange(1, cutoff + 1), np.arange(1, cutoff + 1), indexing="ij")
    kept = i**2 + j**2 < (cutoff + 0.5) ** 2
    return np.stack([i[kept], j[kept]], axis=1)


def mean_squared_displacement(*, size: int, cutoff: int, temperature: float) -> float:
    """Its average over the n x n pixels, ((n - 1)^2 T / 2) sum 1 / (i^2 + j^2), in pixels squared.

    For c < n - 1. Of n pixels n - 1 see a sine squared as 1/2 on average, since one edge adds none.
    """
    return (size - 1) ** 2 * temperature / 2 * float((1 / (modes(cutoff) ** 2).sum(axis=1)).sum())


def temperature_of(displacement: float, *, size: int, cutoff: int) -> float:
    """Temperature at which the root mean squared displacement is so many pixels."""
    return displacement**2 / mean_squared_displacement(size=size, cutoff=cutoff, temperature=1.0)


def coefficients(
    count: int, *, cutoff: int, temperature: float, generator: np.random.Generator
) -> NDArray[np.float64]:
    """C_ij of so many deformations, for both components: array (count, 2, modes)."""
    wanted = modes(cutoff)
    deviation = np.sqrt(temperature / (wanted**2).sum(axis=1))
    return generator.normal(size=(count, 2, len(wanted))) * deviation


def displacements(
    coefficients: NDArray[np.float64], *, size: int, cutoff: int
) -> NDArray[np.float64]:
    """Displacement fields in pixels, n tau: array (count, 2, n, n)."""
    places = np.linspace(0, 1, size)
    along, across = (np.sin(pi * np.outer(side, places)) for side in modes(cutoff).T)
    return size * np.einsum("nkm,mu,mv->nkuv", coefficients, along, across, optimize=True)
