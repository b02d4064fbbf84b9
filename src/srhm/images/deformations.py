"""Smooth deformations of images: maximum-entropy diffeomorphisms, and noise to compare with.

A deformation tau moves the image, [tau x](s) = x(s - tau(s)) (Petrini et al. 2021). With (u, v)
the row and column in units of the side of the image, both components of tau are independent copies
of

    tau(u, v) = sum over i, j >= 1, i^2 + j^2 <= c^2, of C_ij sin(i pi u) sin(j pi v),

C_ij Gaussian of mean 0 and variance T / (i^2 + j^2): T, the temperature, sets the size, c, the
cut-off, the smoothness. The edge of the image does not move. In this module displacements are in
pixels, n times tau, on the centres of the n x n pixels, (k + 1/2) / n.
"""

from math import log, pi
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Interpolation = Literal["bilinear", "gaussian"]
# Standard deviation, in pixels, at which a place between four pixels takes as many into account as
# bilinearly (participation ratio 4, appendix C); how far the Gaussian is followed: 1e-11 is left.
GAUSSIAN_WIDTH, GAUSSIAN_REACH = 0.4715, 3


def modes(cutoff: int) -> NDArray[np.int64]:
    """All (i, j) with i, j >= 1 and i^2 + j^2 <= c^2: array (modes, 2)."""
    i, j = np.meshgrid(np.arange(1, cutoff + 1), np.arange(1, cutoff + 1), indexing="ij")
    kept = i**2 + j**2 <= cutoff**2
    return np.stack([i[kept], j[kept]], axis=1)


def mean_squared_displacement(*, size: int, cutoff: int, temperature: float) -> float:
    """Its average over the image, (n^2 T / 2) sum 1 / (i^2 + j^2), in pixels squared.

    A sine squared is 1/2 on average, and there are two components. The law for large c is
    (pi / 4) n^2 T ln c, 1.7 times as much at c = 3.
    """
    return size**2 * temperature / 2 * float((1 / (modes(cutoff) ** 2).sum(axis=1)).sum())


def mean_squared_displacement_on_pixels(*, size: int, cutoff: int, temperature: float) -> float:
    """The same, averaged over the centres of the n x n pixels alone, as a finite sum.

    Equal to the average over the image as long as c < n: the pixel centres then see every sine
    squared as 1/2.
    """
    i, j = modes(cutoff).T
    centres = (np.arange(size) + 0.5) / size
    squares = (np.sin(pi * np.outer(np.arange(cutoff + 1), centres)) ** 2).mean(axis=1)
    per_component = (temperature / (i**2 + j**2) * squares[i] * squares[j]).sum()
    return float(2 * size**2 * per_component)


def temperature_of(displacement: float, *, size: int, cutoff: int) -> float:
    """Temperature at which the root mean squared displacement is so many pixels."""
    unit = mean_squared_displacement_on_pixels(size=size, cutoff=cutoff, temperature=1.0)
    return displacement**2 / unit


def largest_temperature(cutoff: int) -> float:
    """T below which deformations are typically invertible, 4 / (pi^3 c^2 ln c), c >= 2.

    A law for large c and typical fields: at half of it, of 4000 fields on 24 x 24 pixels those that
    fold somewhere are 0.7 % at c = 3, 0.2 % at c = 5, 0.03 % at c = 10, none at c = 15.
    """
    return 4 / (pi**3 * cutoff**2 * log(cutoff))


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
    """Displacement fields in pixels: array (count, 2, n, n), component 0 along rows' index."""
    i, j = modes(cutoff).T
    centres = (np.arange(size) + 0.5) / size
    along, across = np.sin(pi * np.outer(i, centres)), np.sin(pi * np.outer(j, centres))
    return size * np.einsum("nkm,mu,mv->nkuv", coefficients, along, across, optimize=True)


def gradients(coefficients: NDArray[np.float64], *, size: int, cutoff: int) -> NDArray[np.float64]:
    """Derivatives of tau at the pixel centres: (count, 2, 2, n, n), component, then direction."""
    i, j = modes(cutoff).T
    centres = (np.arange(size) + 0.5) / size
    phase_u, phase_v = pi * np.outer(i, centres), pi * np.outer(j, centres)
    by_u = np.einsum("nkm,mu,mv->nkuv", coefficients * i * pi, np.cos(phase_u), np.sin(phase_v),
                     optimize=True)  # fmt: skip
    by_v = np.einsum("nkm,mu,mv->nkuv", coefficients * j * pi, np.sin(phase_u), np.cos(phase_v),
                     optimize=True)  # fmt: skip
    return np.stack([by_u, by_v], axis=2)


def folded(coefficients: NDArray[np.float64], *, size: int, cutoff: int) -> NDArray[np.bool_]:
    """Whether s -> s - tau(s) turns a pixel over: det(1 - grad tau) <= 0 at a centre; (count,)."""
    slope = gradients(coefficients, size=size, cutoff=cutoff)
    determinant = (1 - slope[:, 0, 0]) * (1 - slope[:, 1, 1]) - slope[:, 0, 1] * slope[:, 1, 0]
    return (determinant <= 0).any(axis=(1, 2))  # type: ignore[return-value]


def largest_compression(
    coefficients: NDArray[np.float64], *, size: int, cutoff: int
) -> NDArray[np.float64]:
    """Largest Xi of each field over the pixel centres (count,), Eq. 12.

    Below 1 no direction is turned round, so that the deformation is a diffeomorphism.
    """
    slope = gradients(coefficients, size=size, cutoff=cutoff)
    (xx, xy), (yx, yy) = (slope[:, k].swapaxes(0, 1) for k in range(2))
    return ((np.hypot(xx - yy, xy + yx) - xx - yy) / 2).max(axis=(1, 2))


def deform(
    images: NDArray[np.floating],
    fields: NDArray[np.float64],
    *,
    interpolation: Interpolation = "bilinear",
) -> NDArray[np.floating]:
    """Each image (n, channels, size, size) moved by its own field, x(s - tau(s)).

    bilinear: between the outermost centres and the edge the image has the value of the nearest
    centre. gaussian: a mean over pixels with Gaussian weights, Eq. 16, which smooths the image even
    where nothing moves.
    """
    count, _, size, _ = images.shape
    grid = np.arange(size, dtype=np.float64)
    row = np.clip(grid[:, None] - fields[:, 0], 0, size - 1)
    column = np.clip(grid[None, :] - fields[:, 1], 0, size - 1)
    which = np.arange(count)[:, None, None]
    moved = np.zeros((count, size, size, images.shape[1]))  # indexed dimensions come first
    columns = list(_taps(column, size, interpolation))
    for i, weight_u in _taps(row, size, interpolation):
        for j, weight_v in columns:
            moved += (weight_u * weight_v)[..., None] * images[which, :, i, j]
    return np.moveaxis(moved, -1, 1).astype(images.dtype)


def _taps(
    place: NDArray[np.float64], size: int, interpolation: Interpolation
) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Pixels that make up the value at a place along one side, with their weights, of sum 1."""
    if interpolation == "bilinear":
        first = np.minimum(place.astype(np.int64), size - 2)
        return [(first, 1 - (place - first)), (first + 1, place - first)]
    nearest = np.rint(place).astype(np.int64)
    pixels = [nearest + k for k in range(-GAUSSIAN_REACH, GAUSSIAN_REACH + 1)]
    weights = [np.exp(-(((place - at) / GAUSSIAN_WIDTH) ** 2) / 2) * ((at >= 0) & (at < size))
               for at in pixels]  # fmt: skip
    total = sum(weights)
    return [(at.clip(0, size - 1), w / total) for at, w in zip(pixels, weights, strict=True)]


def noise(
    shape: tuple[int, ...], *, norm: float, generator: np.random.Generator
) -> NDArray[np.float64]:
    """For each of shape[0] images noise of exactly this norm, uniform on the sphere."""
    gaussian = generator.normal(size=(shape[0], int(np.prod(shape[1:]))))
    return (norm * gaussian / np.linalg.norm(gaussian, axis=1, keepdims=True)).reshape(shape)
