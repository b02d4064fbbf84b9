"""Tangent kernel on held-out points: eigenvalues, and labels and latents along its eigenvectors.

The kernel is the mean over outputs, (1/O) sum_o Theta_oo. Eigenvalues are those of the Gram matrix,
not divided by the number of points.
"""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from srhm.flow.inputs import indicators, latents
from srhm.flow.kernels import Gradients, linearised_flow, mean_kernel, projections, spectrum
from srhm.flow.networks import Weights
from srhm.measure.trained import WHEN, Member, members_of

# Held-out points of a Gram matrix: the first of the test set.
N_POINTS = 300


def measure_kernels(
    entries: Sequence[Mapping[str, Any]], *, store: Path, log: logging.Logger
) -> list[dict[str, Any]]:
    """Rows of KERNELS without the curve.

    quantity "eigenvalue", largest first, and "projection" of a target on each eigenvector, part of
    its squared norm: "labels" (parities, or centred one-hot classes) and, for data with a grammar,
    "level2" (centred one-hot latents of all nodes). A cell that diverged has its initial kernel
    only.

    Raises:
        MissingCell: if the store lacks a cell.
    """
    before: dict[tuple[int, int], list[dict[str, Any]]] = {}
    table = []
    for member in members_of(entries, store=store):
        for when in WHEN:
            weights = member.weights[when]
            if weights is None:
                continue
            if when == "end":
                rows = _rows(member, weights)
            else:
                if member.start not in before:  # the same for all P and alpha_tilde
                    before[member.start] = _rows(member, weights)
                rows = before[member.start]
            table += [{"key": member.key, "when": when, **row} for row in rows]
    log.info("kernels of %d cells on at most %d points", len(entries), N_POINTS)
    return table


def _rows(member: Member, weights: Weights) -> list[dict[str, Any]]:
    x = member.data.x_test[:N_POINTS]
    values, vectors = spectrum(mean_kernel(member.network, weights, x))
    columns = [("eigenvalue", "", values[0])]
    for name, target in targets_of(member).items():
        columns.append(("projection", name, projections(vectors, target)[0]))
    return [
        {"quantity": quantity, "target": target, "rank": rank, "value": value}
        for quantity, target, numbers in columns
        for rank, value in enumerate(numbers.tolist(), start=1)
    ]


def targets_of(member: Member) -> dict[str, Tensor]:
    """Targets (n, columns) on the first test points, by name."""
    data, cell = member.data, member.cell
    labels = data.y_test[:N_POINTS]
    if cell["labels"] == "classes":
        targets = {"labels": indicators(labels.numpy(), n_values=cell["n_c"])}
    else:
        targets = {"labels": labels[:, None].to(torch.float64)}
    if data.grammar is not None and data.test is not None:
        level2: Any = latents(data.grammar, data.test[np.arange(len(labels))], level=2)
        n_values = cell["v"] if cell["L"] > 1 else cell["n_c"]
        targets["level2"] = indicators(level2, n_values=n_values)
    return targets


# Evaluations of a flow of the cross-entropy, at most, and never more than the budget of the cell.
# On twelve kernels of CNN (h = 32, four classes, P = 144 to 512, alpha_tilde = 0.1 and 100, initial
# and end) the test errors after 300 and after 1000 evaluations were within 0.02: what comes later
# moves F far, but hardly its signs. A hinge has an end, all points satisfied, which on digits takes
# up to thousands (h = 10, P = 256): there the budget is the cell's.
MAX_EVALUATIONS = 300
POINTS_AT_ONCE = 250


def measure_frozen_kernels(
    entries: Sequence[Mapping[str, Any]], *, store: Path, log: logging.Logger
) -> list[dict[str, Any]]:
    """Rows of FROZEN_KERNELS without the curve.

    The kernel of f does not know alpha: one training with the initial kernel is that of all
    alpha_tilde. Where a cell diverged, its final kernel has the status "diverged" and no errors.
    The flow of the cross-entropy has MAX_EVALUATIONS at most, that of others the cell's budget.

    Raises:
        MissingCell: if the store lacks a cell.
    """
    before: dict[tuple[int, int, int], dict[str, Any]] = {}
    table: list[dict[str, Any]] = []
    for member in members_of(entries, store=store):
        place = (member.cell["P"], *member.start)
        for when in WHEN:
            weights = member.weights[when]
            if weights is None:
                nothing = {"test_error": float("nan"), "train_error": float("nan")}
                row = {"status": "diverged", "evaluations": 0, **nothing}
            elif when == "end":
                row = _row(member, weights)
            else:
                if place not in before:
                    before[place] = _row(member, weights)
                row = before[place]
            table.append({"key": member.key, "kernel": when, **row})
    counts = dict(Counter(row["status"] for row in table))
    log.info("%d rows of learning with frozen kernels: %s", len(table), counts)
    return table


def _row(member: Member, weights: Weights) -> dict[str, Any]:
    network, data, loss = member.network, member.data, member.loss
    budget = member.cell["optimiser"]["max_evaluations"]
    if member.cell["loss"] == "cross_entropy":
        budget = min(MAX_EVALUATIONS, budget)
    gradients = Gradients.at(network, weights, data.x_train)
    trained = linearised_flow(gradients, data.y_train, loss, max_evaluations=budget)

    wrong = loss.wrong(gradients.along(trained.state), data.y_train)
    test_wrong = 0
    for x, y in zip(
        data.x_test.split(POINTS_AT_ONCE), data.y_test.split(POINTS_AT_ONCE), strict=True
    ):
        F = Gradients.at(network, weights, x).along(trained.state)
        test_wrong += int(loss.wrong(F, y).sum())
    return {
        "status": str(trained.status[0]),
        "evaluations": int(trained.evaluations[0]),
        "test_error": test_wrong / len(data.y_test),
        "train_error": float(wrong.double().mean()),
    }
