"""How much each layer changes under a transformation of its input: S, D, and G, R of noise.

    S_k, D_k, G_k = <|f_k(x) - f_k(x')|^2> / <|f_k(x) - f_k(z)|^2>      R_k = D_k / G_k

x' is x after an exchange of synonyms (S), a discrete diffeomorphism (D), or noise of the norm of
the diffeomorphism's displacement (G); x and z are two points. S and D are the sensitivities of
`srhm.measure.sensitivity` (Eq. 13, 14 of the SRHM paper), G and R those of the thesis (chapter 4,
Eq. 4, 5), with means. Errors are those of a delete-one jackknife over the points x.

Shapes: R draws of each point, n points, d places, v features; B all points given, O outputs.
"""

from collections.abc import Iterable, Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from srhm.flow.networks import Network, Predictor, Weights, trace
from srhm.statistics.jackknife import (
    NEGLIGIBLE,
    UNDEFINED,
    JackknifeRatio,
    ratio_of_means,
    ratio_to_pairs,
)


def layers_of(network: Network, weights: Weights, x: Tensor) -> list[Tensor]:
    """Hidden layers after their activation, then f, of one member: (B, values) each."""
    with torch.no_grad():
        traced = trace(network, weights, x)
    hidden = [z_EDBH[0].transpose(0, 1).flatten(1) for z_EDBH in traced.hidden]
    return [*hidden, traced.outputs[0]]


def layers_with_predictor(predictor: Predictor, weights: Weights, x: Tensor) -> list[Tensor]:
    """As `layers_of`, with F = alpha (f - f(w0)) for the output."""
    *hidden, _ = layers_of(predictor.network, weights, x)
    with torch.no_grad():
        return [*hidden, predictor(weights, x)[0]]


def noisy(x: Tensor, moved: Tensor, *, generator: np.random.Generator) -> Tensor:
    """x with noise: of the mean norm of moved - x, its direction uniform, (R, n, d, v).

    x: (n, d, v); moved: (R, n, d, v).
    """
    norm = (moved - x).flatten(2).norm(dim=2).mean()
    noise = torch.from_numpy(generator.standard_normal(moved.shape)).to(x.dtype)
    length = noise.flatten(2).norm(dim=2)[:, :, None, None]
    return x + noise / length * norm


def squared_changes(
    layers: list[Tensor], moved: Iterable[list[Tensor]]
) -> list[NDArray[np.float64]]:
    """|f_k(x) - f_k(x')|^2, mean over draws, (n,) for each layer; moved: by draw, then layer."""
    draws = [
        [(g - f).square().sum(dim=1) for f, g in zip(layers, draw, strict=True)] for draw in moved
    ]
    return [torch.stack(by_draw).mean(dim=0).numpy() for by_draw in zip(*draws, strict=True)]


def relative_change(f_BX: Tensor, distances: NDArray[np.float64]) -> JackknifeRatio:
    """Mean of the squared changes over the mean squared distance of two of the n points."""
    total = f_BX.sum(dim=0)
    squares, overlaps = f_BX.square().sum(dim=1).numpy(), (f_BX @ total).numpy()
    return ratio_to_pairs(distances, squares, overlaps, float(total.square().sum()))


def layer_changes(
    layers: list[Tensor], moved: Mapping[str, Iterable[list[Tensor]] | None]
) -> dict[str, list[JackknifeRatio]]:
    """S, D, G and R of every layer.

    layers: at the points; moved: at their images by kind S, D, G, then draw, one at a time; None:
    there are none.
    """
    changes: dict[str, list[JackknifeRatio]] = {}
    distances = {}
    for kind, images in moved.items():
        changes[kind] = [UNDEFINED] * len(layers)
        if images is not None:
            distances[kind] = squared_changes(layers, images)
            changes[kind] = [
                relative_change(f, d) for f, d in zip(layers, distances[kind], strict=True)
            ]
    changes["R"] = [UNDEFINED] * len(layers)
    if "D" in distances and "G" in distances:
        changes["R"] = [
            ratio_of_means(d, g, least=NEGLIGIBLE * float(f.square().sum(dim=1).mean()))
            for f, d, g in zip(layers, distances["D"], distances["G"], strict=True)
        ]
    return changes
