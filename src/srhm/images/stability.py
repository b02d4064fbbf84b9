"""Stability of a trained function to smooth deformations, relative to noise of the same size.

    D_f = <|f(tau x) - f(x)|^2> / <|f(x) - f(z)|^2>,   G_f the same with x + eta for tau x,
    R_f = D_f / G_f

(Petrini et al. 2021). x and z are test images, tau a deformation drawn for each x, eta noise
uniform on the sphere whose radius is the average of |tau x - x|; <> is the median, as there, or the
mean. R_f is of order 1 where f takes deformations as noise, and small where it has learnt them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

from srhm.images.deformations import (
    Interpolation,
    coefficients,
    deform,
    displacements,
    folded,
    noise,
)

Average = Literal["median", "mean"]
AVERAGES: dict[str, Callable[[NDArray[np.float64]], np.floating]] = {
    "median": np.median,
    "mean": np.mean,
}


@dataclass(frozen=True)
class ImageProbe:
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
    interpolation: Interpolation = "bilinear",
) -> ImageProbe:
    """Deforms each image n_draws times, and adds noise of the same norm as often.

    Gaussian interpolation smooths: all is then relative to the smoothed images.
    """
    n, size = len(images), images.shape[-1]
    amplitudes = coefficients(
        n * n_draws, cutoff=cutoff, temperature=temperature, generator=deformation_generator
    )
    fields = displacements(amplitudes, size=size, cutoff=cutoff)
    repeated = np.tile(images, (n_draws, 1, 1, 1))
    deformed = deform(repeated, fields, interpolation=interpolation)
    if interpolation == "gaussian":
        images = deform(images, np.zeros((n, 2, size, size)), interpolation=interpolation)
        repeated = np.tile(images, (n_draws, 1, 1, 1))
    moved = np.linalg.norm((deformed - repeated).reshape(len(repeated), -1), axis=1)
    norm = float(moved.mean(dtype=np.float64))
    noisy = repeated + noise(repeated.shape, norm=norm, generator=noise_generator)
    draws = (n_draws, *images.shape)
    return ImageProbe(
        images=images,
        deformed=deformed.reshape(draws),
        noisy=noisy.astype(images.dtype).reshape(draws),
        noise_norm=norm,
        n_folded=int(folded(amplitudes, size=size, cutoff=cutoff).sum()),
    )


def stability(
    f: Callable[[NDArray[np.float32]], NDArray[np.floating]],
    probe: ImageProbe,
    *,
    average: Average = "median",
) -> Stability:
    """D_f, G_f, R_f of a function from images (n, channels, size, size) to outputs (n, outputs).

    A function that gives one output for all images has none of them: NaN.
    """
    return stabilities(lambda x: {"": f(x)}, probe, averages=[average])["", average]


def stabilities(
    f: Callable[[NDArray[np.float32]], Mapping[str, NDArray[np.floating]]],
    probe: ImageProbe,
    *,
    averages: Sequence[Average],
) -> dict[tuple[str, Average], Stability]:
    """The same of several functions, layers of a network say, by their name and the average."""
    D, G = sensitivities(f, probe.images, [probe.deformed, probe.noisy], averages=averages)
    ratios = {name: D[name] / G[name] if G[name] > 0 else np.nan for name in D}
    return {name: Stability(D[name], G[name], ratios[name]) for name in D}


def sensitivities(
    f: Callable[[NDArray[np.float32]], Mapping[str, NDArray[np.floating]]],
    x: NDArray[np.float32],
    changes: Sequence[NDArray[np.float32]],
    *,
    averages: Sequence[Average],
) -> list[dict[tuple[str, Average], float]]:
    """<|f(x') - f(x)|^2> / <|f(x) - f(z)|^2> for each kind of change, by name and average.

    f: from data (n, ...) to outputs (n, ...) of each name. changes: of each kind the changed data
    x', (draws, n, ...). What gives one output for all data has no sensitivity: NaN.
    """
    outputs = {name: _flat(values) for name, values in f(x).items()}
    spreads = {
        (name, average): float(AVERAGES[average](pdist(values, "sqeuclidean")))
        for name, values in outputs.items()
        for average in averages
    }
    rows = []
    for versions in changes:
        distances: dict[str, list[NDArray[np.float64]]] = {name: [] for name in outputs}
        for version in versions:
            for name, values in f(version).items():
                distances[name].append(((_flat(values) - outputs[name]) ** 2).sum(axis=1))
        moved = {name: np.concatenate(parts) for name, parts in distances.items()}
        rows.append(
            {
                (name, average): float(AVERAGES[average](moved[name])) / spread
                if spread > 0
                else np.nan
                for (name, average), spread in spreads.items()
            }
        )
    return rows


def _flat(outputs: NDArray[np.floating]) -> NDArray[np.float64]:
    return np.asarray(outputs, dtype=np.float64).reshape(len(outputs), -1)
