"""Singular values of weights and of representations, of every layer, before and after training."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from srhm.flow.networks import Network, Weights, trace
from srhm.measure.trained import WHEN, Member, members_of


def singular_values(network: Network, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Singular values of every layer's linear map, scales included, largest first.

    layer1 ... layerL: (E, filters, r), one filter matrix (K C, H) for each place of an LCN and one
    for all places of a CNN or FCN; readout: (E, 1, r) of the matrix (H, O).
    """
    values = {}
    for k, (layer, shared) in enumerate(zip(network.layers, network.shared, strict=True), 1):
        w = weights[f"layer{k}"]
        filters = w.reshape(len(w), 1 if shared else layer.n_places, -1, network.width)
        values[f"layer{k}"] = torch.linalg.svdvals(filters * layer.scale)
    values["readout"] = torch.linalg.svdvals(weights["readout"] * network.output_scale)[:, None]
    return values


def representation_eigenvalues(
    network: Network, weights: Mapping[str, Tensor], x: Tensor
) -> dict[str, Tensor]:
    """Eigenvalues of the covariance over the data of each hidden layer and of the output.

    layer1 ... layerL, output: (E, r), largest first, r the smaller of the number of data and of
    values (places times H); covariance divided by the number of data. x: (B, d, v) or (E, B, d, v).
    """
    with torch.no_grad():
        traced = trace(network, weights, x)
    spectra = {}
    for k, hidden_EDBH in enumerate(traced.hidden, start=1):
        members, _, batch, _ = hidden_EDBH.shape
        spectra[f"layer{k}"] = hidden_EDBH.transpose(1, 2).reshape(members, batch, -1)
    spectra["output"] = traced.outputs
    centred = {name: z_EBF - z_EBF.mean(dim=1, keepdim=True) for name, z_EBF in spectra.items()}
    return {
        name: torch.linalg.svdvals(z_EBF).square() / z_EBF.shape[1]
        for name, z_EBF in centred.items()
    }


def participation_ratio(eigenvalues: Tensor) -> Tensor:
    """(sum lambda)^2/sum lambda^2 over the last axis: n for n equal ones; NaN if all are zero.

    For singular values s, lambda = s^2.
    """
    return eigenvalues.sum(dim=-1).square() / eigenvalues.square().sum(dim=-1)


def n_above_half(values: Tensor) -> Tensor:
    """How many are above half of the largest, over the last axis."""
    return (values > values.amax(dim=-1, keepdim=True) / 2).sum(dim=-1)


# Held-out points of the covariance of a representation: the first of the test set.
N_POINTS = 300
Rows = list[dict[str, Any]]


def measure_singular_values(
    entries: Sequence[Mapping[str, Any]], *, store: Path, log: logging.Logger
) -> tuple[Rows, Rows]:
    """Rows of SINGULAR_VALUES and of SINGULAR_SUMMARIES, without the curve.

    kind "weights": singular values of a layer's linear map with its scale, of each filter; kind
    "representation": those of the covariance over test points, its eigenvalues. layer "1" ... "L"
    and "output": the readout, and the network's own f. Summaries are means over filters. A cell
    that diverged has its initial values only, and NaN as summaries of its end.

    Raises:
        MissingCell: if the store lacks a cell.
    """
    before: dict[tuple[int, int], tuple[Rows, Rows]] = {}
    table: Rows = []
    summaries: Rows = []
    for member in members_of(entries, store=store):
        for when in WHEN:
            weights = member.weights[when]
            if when == "initial":
                if member.start not in before:  # the same for all P and alpha_tilde
                    before[member.start] = _rows(member, weights)
                tables = before[member.start]
            elif weights is None:
                _, start = before[member.start]
                unknown = {"participation_ratio": float("nan"), "n_above_half": float("nan")}
                tables = [], [{**row, **unknown, "n_values": 0} for row in start]
            else:
                tables = _rows(member, weights)
            name = {"key": member.key, "when": when}
            table += [{**name, **row} for row in tables[0]]
            summaries += [{**name, **row} for row in tables[1]]
    log.info("singular values of %d cells, %d values", len(entries), len(table))
    return table, summaries


def _rows(member: Member, weights: Weights | None) -> tuple[Rows, Rows]:
    assert weights is not None
    table: Rows = []
    summaries: Rows = []
    for name, values_FR, eigenvalues_FR in _spectra(member, weights):
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


def _spectra(member: Member, weights: Weights) -> Iterator[tuple[dict[str, Any], Tensor, Tensor]]:
    """Layer and kind; values (filters, r); eigenvalues that give the participation ratio."""
    weight_values = singular_values(member.network, weights)
    x = member.data.x_test[:N_POINTS]
    layer_values = representation_eigenvalues(member.network, weights, x)
    for k, (w, r) in enumerate(
        zip(weight_values.values(), layer_values.values(), strict=True), start=1
    ):
        layer = {"layer": str(k) if k <= len(member.network.layers) else "output", "k": k}
        yield {**layer, "kind": "weights"}, w[0], w[0].square()
        yield {**layer, "kind": "representation"}, r, r
