"""Stability of a trained function to smooth deformations, relative to noise of the same size.

    D_f = <|f(tau x) - f(x)|^2> / <|f(x) - f(z)|^2>,   G_f the same with x + eta for tau x,
    R_f = D_f / G_f

(Petrini et al. 2021). x and z are test images, tau a deformation drawn for each x, eta noise
uniform on the sphere whose radius is the average of |tau x - x|; <> is the median, as there, or the
mean. R_f is of order 1 where f takes deformations as noise, and small where it has learnt them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from srhm.images.deformations import coefficients, deform, displacements, folded, noise

Average = Literal["median", "mean"]
AVERAGES: dict[str, Callable[[NDArray[np.float64]], np.floating]] = {
    "median": np.median,
    "mean": np.mean,
}


@dataclass(frozen=True)
class Probe:
    """Images, their deformed and their noisy versions: what all networks of a seed are asked.

    images: (n, channels, size, size); deformed, noisy: (draws, n, channels, size, size);
    noise_norm: the norm of each noise; n_folded: deformations that are not invertible.
    """

    images: NDArray[np.float32]
    deformed: NDArray[np.float32]
    noisy: NDArray[np.float32]
    noise_norm: float
    n_folded: int


@dataclass(frozen=True)
class Stability:
    """D_f, G_f and R_f = D_f / G_f."""

    D: float
    G: float
    R: float


def probe(
    images: NDArray[np.float32],
    *,
    cutoff: int,
    temperature: float,
    n_draws: int,
    deformation_generator: np.random.Generator,
    noise_generator: np.random.Generator,
) -> Probe:
    """Deforms each image n_draws times, and adds noise of the same norm as often."""
    n, size = len(images), images.shape[-1]
    amplitudes = coefficients(
        n * n_draws, cutoff=cutoff, temperature=temperature, generator=deformation_generator
    )
    repeated = np.tile(images, (n_draws, 1, 1, 1))
    deformed = deform(repeated, displacements(amplitudes, size=size, cutoff=cutoff))
    moved = np.linalg.norm((deformed - repeated).reshape(len(repeated), -1), axis=1)
    norm = float(moved.mean(dtype=np.float64))
    noisy = repeated + noise(repeated.shape, norm=norm, generator=noise_generator)
    draws = (n_draws, *images.shape)
    return Probe(
        images=images,
        deformed=deformed.reshape(draws),
        noisy=noisy.astype(images.dtype).reshape(draws),
        noise_norm=norm,
        n_folded=int(folded(amplitudes, size=size, cutoff=cutoff).sum()),
    )


def stability(
    f: Callable[[NDArray[np.float32]], NDArray[np.floating]],
    probe: Probe,
    *,
    average: Average = "median",
) -> Stability:
    """D_f, G_f, R_f of a function from images (n, channels, size, size) to outputs (n, outputs).

    A function that gives one output for all images has none of them: NaN.
    """
    mean = AVERAGES[average]
    outputs = np.asarray(f(probe.images), dtype=np.float64)
    first, second = np.triu_indices(len(outputs), k=1)  # x and z are two images
    spread = float(mean(_squared_distances(outputs[first], outputs[second])))

    def moved(versions: NDArray[np.float32]) -> float:
        distances = [_squared_distances(np.asarray(f(x), np.float64), outputs) for x in versions]
        return float(mean(np.concatenate(distances)))

    by_deformation, by_noise = moved(probe.deformed), moved(probe.noisy)
    if not spread > 0:
        return Stability(np.nan, np.nan, np.nan)
    ratio = by_deformation / by_noise if by_noise > 0 else np.nan
    return Stability(by_deformation / spread, by_noise / spread, ratio)


def _squared_distances(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """|a - b|^2 of each pair of rows; sums over outputs."""
    return ((one - other) ** 2).reshape(len(one), -1).sum(axis=1)
