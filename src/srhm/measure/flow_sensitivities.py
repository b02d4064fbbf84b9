"""How much each layer changes under a transformation of its input, before and after training.

    S_k, D_k, G_k = <|f_k(x) - f_k(x')|^2> / <|f_k(x) - f_k(z)|^2>      R_k = D_k / G_k

x' is x after an exchange of synonyms (S), a discrete diffeomorphism (D), or noise of the norm of
the diffeomorphism's displacement (G); x and z are two points. S and D are the sensitivities of
`srhm.measure.sensitivity` (Eq. 13, 14 of the SRHM paper), G and R those of the thesis (chapter 4,
Eq. 4, 5), with means. Errors are those of a delete-one jackknife over the points x.

Shapes: R draws of each point, n points, d places, v features; B all points given, O outputs.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from srhm.flow.inputs import inputs
from srhm.flow.networks import Network, Predictor, Weights, trace
from srhm.flow.task import n_inputs
from srhm.measure.sensitivity import transform
from srhm.measure.trained import WHEN, Member, members_of
from srhm.model.grammar import parameters_of
from srhm.model.seeding import generator
from srhm.statistics.jackknife import (
    NEGLIGIBLE,
    UNDEFINED,
    JackknifeRatio,
    ratio_of_means,
    ratio_to_pairs,
)

N_POINTS = 500
N_DRAWS = 4
LEVEL = 1
KINDS = ("S", "D", "G")
# Points (n, d, v), and their images by kind, (draws, n, d, v); None: nothing can be changed.
Images = tuple[Tensor, dict[str, Tensor | None]]


def measure_sensitivities(
    entries: Sequence[Mapping[str, Any]],
    *,
    store: Path,
    log: logging.Logger,
    n_points: int = N_POINTS,
    n_draws: int = N_DRAWS,
) -> list[dict[str, Any]]:
    """Rows of FLOW_SENSITIVITIES without the curve.

    Transformations are drawn as in the text, with the numbers of the core's; cells of one seed meet
    the same images. The output is F at the end, and f at initialisation, where F is zero. NaN with
    n = 0 where there is no transformation, as for random data, or where the cell diverged.

    Raises:
        MissingCell: if the store lacks a cell.
    """
    images: dict[int, Images] = {}
    before: dict[tuple[int, int], list[dict[str, Any]]] = {}
    table = []
    for member in members_of(entries, store=store):
        seed = member.cell["seed"]
        if seed not in images:
            images[seed] = images_of(member, n_points=n_points, n_draws=n_draws)
        for when in WHEN:
            weights = member.weights[when]
            if weights is None:
                rows = _rows(member, None, images[seed])
            elif when == "end":
                layers = partial(layers_with_predictor, member.predictor, weights)
                rows = _rows(member, layers, images[seed])
            else:
                if member.start not in before:  # the same for all P and alpha_tilde
                    layers = partial(layers_of, member.network, weights)
                    before[member.start] = _rows(member, layers, images[seed])
                rows = before[member.start]
            table += [{"key": member.key, "when": when, **row} for row in rows]
    log.info(
        "%d sensitivities of %d cells on at most %d points", len(table), len(entries), n_points
    )
    return table


def images_of(member: Member, *, n_points: int, n_draws: int) -> Images:
    """The first test points of a seed and what becomes of them."""
    data, cell = member.data, member.cell
    x = data.x_test[:n_points]
    if data.grammar is None or data.test is None:
        return x, dict.fromkeys(KINDS)
    parameters = parameters_of(cell)
    points = data.test[np.arange(len(x))]
    drawn = transform(points, data.grammar, n_draws=n_draws, seed=cell["seed"], variant="text")
    norm = float(n_inputs(cell)) if cell["squared_norm"] == "inputs" else None
    images: dict[str, Tensor | None] = dict.fromkeys(KINDS)
    for kind, level in drawn:
        image = drawn[kind, level]
        if level == LEVEL and image is not None:
            moved = inputs(image, parameters, squared_norm=norm)
            images[kind] = moved.reshape(n_draws, *x.shape)
    displaced = images["D"]
    if displaced is not None:
        # After the members of the role that `transform` takes.
        stream = generator(cell["seed"], role="transformation", member=2 * parameters.depth)
        images["G"] = noisy(x, displaced, generator=stream)
    return x, images


def _rows(
    member: Member, layers: Callable[[Tensor], list[Tensor]] | None, images: Images
) -> list[dict[str, Any]]:
    """layers: from points to the layers of the network; None: nothing is known of it."""
    x, moved = images
    depth = len(member.network.layers)
    names = [*map(str, range(1, depth + 1)), "output"]
    changes_of = {kind: [UNDEFINED] * len(names) for kind in (*KINDS, "R")}
    if layers is not None:
        at = {kind: None if image is None else map(layers, image) for kind, image in moved.items()}
        changes_of = layer_changes(layers(x), at)
    return [
        {
            "kind": kind,
            "layer": name,
            "k": k,
            "l": LEVEL,
            **asdict(change),
        }
        for kind, changes in changes_of.items()
        for k, (name, change) in enumerate(zip(names, changes, strict=True), start=1)
    ]


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
