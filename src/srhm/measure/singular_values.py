"""Singular values of weights and of representations, of every layer, before and after training."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from torch import Tensor

from srhm.flow.networks import Weights
from srhm.flow.weight_spectra import (
    n_above_half,
    participation_ratio,
    representation_eigenvalues,
    singular_values,
)
from srhm.measure.members import WHEN, Member, members_of

# Held-out points of the covariance of a representation: the first of the test set.
N_POINTS = 300
Rows = list[dict[str, Any]]


def measure_singular_values(
    entries: Sequence[Mapping[str, Any]],
    *,
    store: Path,
    log: logging.Logger,
    n_points: int = N_POINTS,
) -> tuple[Rows, Rows]:
    """Rows of SINGULAR_VALUES and of SINGULAR_SUMMARIES, without the curve.

    kind "weights": singular values of a layer's linear map with its scale, of each filter; kind
    "representation": those of the covariance over test points, its eigenvalues. layer "1" ... "L"
    and "output": the readout, and the network's own f. Summaries are means over filters. A cell
    that diverged has its initial values only, and NaN as summaries of its end.

    Raises:
        MissingMember: if the store lacks a cell.
    """
    before: dict[tuple[int, int], tuple[Rows, Rows]] = {}
    table: Rows = []
    summaries: Rows = []
    for member in members_of(entries, store=store):
        for when in WHEN:
            weights = member.weights[when]
            if when == "initial":
                if member.start not in before:  # the same for all P and alpha_tilde
                    before[member.start] = _rows(member, weights, n_points)
                found = before[member.start]
            elif weights is None:
                _, start = before[member.start]
                unknown = {"participation_ratio": float("nan"), "n_above_half": float("nan")}
                found = [], [{**row, **unknown, "n_values": 0} for row in start]
            else:
                found = _rows(member, weights, n_points)
            name = {"key": member.key, "when": when}
            table += [{**name, **row} for row in found[0]]
            summaries += [{**name, **row} for row in found[1]]
    log.info("singular values of %d cells, %d values", len(entries), len(table))
    return table, summaries


def _rows(member: Member, weights: Weights | None, n_points: int) -> tuple[Rows, Rows]:
    assert weights is not None
    table: Rows = []
    summaries: Rows = []
    for name, values_FR, eigenvalues_FR in _spectra(member, weights, n_points):
        table += [
            {**name, "filter": filter_, "rank": rank, "value": value}
            for filter_, row in enumerate(values_FR.tolist(), start=1)
            for rank, value in enumerate(row, start=1)
        ]
        summaries.append(
            {
                **name,
                "participation_ratio": float(participation_ratio(eigenvalues_FR).mean()),
                "n_above_half": float(n_above_half(values_FR).double().mean()),
                "n_values": values_FR.shape[1],
            }
        )
    return table, summaries


def _spectra(
    member: Member, weights: Weights, n_points: int
) -> Iterator[tuple[dict[str, Any], Tensor, Tensor]]:
    """Layer and kind; values (filters, r); eigenvalues that give the participation ratio."""
    weight_values = singular_values(member.network, weights)
    x = member.data.x_test[:n_points]
    layer_values = representation_eigenvalues(member.network, weights, x)
    for k, (w, r) in enumerate(
        zip(weight_values.values(), layer_values.values(), strict=True), start=1
    ):
        layer = {"layer": str(k) if k <= len(member.network.layers) else "output", "k": k}
        yield {**layer, "kind": "weights"}, w[0], w[0].square()
        yield {**layer, "kind": "representation"}, r, r
