"""Four classes in the plane, learnt at two depths: where three of their regions meet.

Source: A. Jacot, talk "Bottleneck structure in large depth networks" (2023), slide "Implications:
Classification": a classifier of rank 1 has no tripoints. The slide does not describe its data. Here
each class is a curve, bent like an S, and the four curves are shifted along the first axis.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import ndimage
from torch import Tensor

from srhm.experiments.cells import Outcome
from srhm.model import seeding
from srhm_studies.beyond.representation_cost.fitting import fit
from srhm_studies.beyond.representation_cost.networks import Architecture, activations, concatenated
from srhm_studies.beyond.representation_cost.outcomes import layer_tables, numbers

N_CLASSES = 4
SHIFT, BENT, NOISE = 0.9, 0.6, 0.04
HALF = 1.8  # the regions are drawn, and tripoints counted, in the square [-HALF, HALF]^2


def points_of(cell: Mapping[str, Any]) -> tuple[Tensor, NDArray[np.int64]]:
    """Points (n, 2) and their classes (n,), in equal numbers. cell: n, seed."""
    generator = seeding.generator(int(cell["seed"]), role="train")
    classes = np.arange(int(cell["n"])) % N_CLASSES
    height = generator.uniform(-1.4, 1.4, size=len(classes))
    x = (classes - (N_CLASSES - 1) / 2) * SHIFT - BENT * np.sin(2.2 * height)
    x += NOISE * generator.normal(size=len(classes))
    return torch.from_numpy(np.column_stack([x, height])), classes


def targets_of(classes: NDArray[np.int64]) -> Tensor:
    """Centred one-hot rows (n, 4), of unit variance in sum."""
    rows = np.eye(N_CLASSES)[classes]
    centred = rows - rows.mean(0)
    return torch.from_numpy(centred / np.sqrt(centred.var(0).sum()))


def square(size: int) -> Tensor:
    """Points (size^2, 2) of a grid on the square, row by row from below."""
    ticks = np.linspace(-HALF, HALF, size)
    return torch.from_numpy(np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2))


def n_tripoints(regions: NDArray[np.integer]) -> int:
    """Places on a grid of classes where three or more meet.

    A square of four neighbours that holds three classes, squares that touch counted once.
    """
    corners = np.stack([regions[:-1, :-1], regions[1:, :-1], regions[:-1, 1:], regions[1:, 1:]])
    ordered = np.sort(corners, axis=0)
    meeting = (np.diff(ordered, axis=0) > 0).sum(0) >= 2
    return int(ndimage.label(meeting, structure=np.ones((3, 3)))[1])


def run(cell: Mapping[str, Any]) -> Outcome:
    """One network that learns the classes; see `learnt`."""
    return learnt(cell, *points_of(cell))


def learnt(cell: Mapping[str, Any], x: Tensor, classes: NDArray[np.int64]) -> Outcome:
    """One network that learns points (n, 2) of N_CLASSES classes (n,).

    cell: L, width, n, grid (points along a side of the square), and what `fitting.fit` reads. Row:
    besides `outcomes.numbers` the training error and the number of tripoints. Table `regions`: the
    class at each grid point of seed 0.
    """
    channels = concatenated((2, N_CLASSES), int(cell["L"]), int(cell["width"]))
    fitted = fit(Architecture(channels=channels), x, targets_of(classes), cell)
    row = {**numbers(fitted), "variance": 1.0}
    if not fitted.finite:
        return Outcome(row)
    dtype, size = fitted.parameters.theta.dtype, int(cell["grid"])
    grid = activations(fitted.parameters, square(size).to(dtype))[-1].argmax(1).numpy()
    guessed = activations(fitted.parameters, x.to(dtype))[-1].argmax(1).numpy()
    row["tripoints"] = float(n_tripoints(grid.reshape(size, size)))
    row["train_error"] = float(np.mean(guessed != classes))
    tables = dict(layer_tables(fitted, x))
    if int(cell["seed"]) == 0:
        place = np.arange(size * size)
        tables["regions"] = {"row": place // size, "column": place % size, "class": grid}
    return Outcome(row, tables)
