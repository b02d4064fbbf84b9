"""S_k, D_k, G_k and R_k of every layer, at level 1, before and after training."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from srhm.flow.inputs import inputs
from srhm.flow.layer_changes import layer_changes, layers_of, layers_with_predictor, noisy
from srhm.flow.task import n_inputs
from srhm.measure.sensitivity import transform
from srhm.measure.trained import WHEN, Member, members_of
from srhm.model.grammar import parameters_of
from srhm.model.seeding import generator
from srhm.statistics.jackknife import UNDEFINED

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
        MissingMember: if the store lacks a cell.
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
