"""Tangent kernel on held-out points: eigenvalues, and labels and latents along its eigenvectors.

The kernel is the mean over outputs, (1/O) sum_o Theta_oo. Eigenvalues are those of the Gram matrix,
not divided by the number of points.
"""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from srhm.flow.networks import Weights
from srhm.flow.tangent_kernel import mean_kernel, projections, spectrum
from srhm.flow.targets import indicators, latents
from srhm.measure.members import WHEN, Member, members_of

# Held-out points of a Gram matrix: the first of the test set.
N_POINTS = 300


def measure_kernels(
    entries: Sequence[Mapping[str, Any]],
    *,
    store: Path,
    log: logging.Logger,
    n_points: int = N_POINTS,
) -> list[dict[str, Any]]:
    """Rows of KERNELS without the curve.

    quantity "eigenvalue", largest first, and "projection" of a target on each eigenvector, part of
    its squared norm: "labels" (parities, or centred one-hot classes) and, for data with a grammar,
    "level2" (centred one-hot latents of all nodes). A cell that diverged has its initial kernel
    only.

    Raises:
        MissingMember: if the store lacks a cell.
    """
    before: dict[tuple[int, int], list[dict[str, Any]]] = {}
    table = []
    for member in members_of(entries, store=store):
        for when in WHEN:
            weights = member.weights[when]
            if weights is None:
                continue
            if when == "end":
                rows = _rows(member, weights, n_points)
            else:
                if member.start not in before:  # the same for all P and alpha_tilde
                    before[member.start] = _rows(member, weights, n_points)
                rows = before[member.start]
            table += [{"key": member.key, "when": when, **row} for row in rows]
    log.info("kernels of %d cells on at most %d points", len(entries), n_points)
    return table


def _rows(member: Member, weights: Weights, n_points: int) -> list[dict[str, Any]]:
    x = member.data.x_test[:n_points]
    values, vectors = spectrum(mean_kernel(member.network, weights, x))
    columns = [("eigenvalue", "", values[0])]
    for name, target in targets_of(member, n_points=n_points).items():
        columns.append(("projection", name, projections(vectors, target)[0]))
    return [
        {"quantity": quantity, "target": target, "rank": rank, "value": value}
        for quantity, target, numbers in columns
        for rank, value in enumerate(numbers.tolist(), start=1)
    ]


def targets_of(member: Member, *, n_points: int) -> dict[str, Tensor]:
    """Targets (n, columns) on the first test points, by name."""
    data, cell = member.data, member.cell
    labels = data.y_test[:n_points]
    if cell["labels"] == "classes":
        found = {"labels": indicators(labels.numpy(), n_values=cell["n_c"])}
    else:
        found = {"labels": labels[:, None].to(torch.float64)}
    if data.grammar is not None and data.test is not None:
        level2: Any = latents(data.grammar, data.test[np.arange(len(labels))], level=2)
        n_values = cell["v"] if cell["L"] > 1 else cell["n_c"]
        found["level2"] = indicators(level2, n_values=n_values)
    return found
