"""What is measured of networks at jamming: gaps, preactivations about zero, the rank of G.

Letters of the thesis (chapter 1): Delta = 1 - y F the gap of a point (the margin is 1 here), N_c
preactivations that are zero, N_eff = rank(G) the number of weights that change the function.
"""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from srhm.experiments.cells import schema
from srhm.flow.losses import QuadraticHinge
from srhm.flow.networks import Network, Weights, flattened, outputs, trace, unflattened
from srhm.measure.trained import WHEN, Member, members_of

# |z| below which preactivations are counted: three for each factor of ten.
THRESHOLDS = tuple(float(10 ** (k / 3)) for k in range(-24, 1))
# Largest network whose G is made, in weights and biases, and the points it is made of.
MOST_PARAMETERS, RANK_POINTS = 300, 600
# A singular value of G below this part of the largest counts as zero.
ZERO = 1e-9
Rows = list[dict[str, Any]]
# Not all networks have rows: those that diverged have none, and few have a rank.
GAPS = schema({"gap": float}, long=True)
CUSPS = schema({"points": str, "threshold": float, "below": int, "n": int}, long=True)
_COUNTS = ("n_parameters", "n_neurons", "n_straight", "rank")
RANKS = schema({"when": str, **dict.fromkeys(_COUNTS, int)}, long=True)


def measure(
    entries: Sequence[Mapping[str, Any]], *, store: Path, log: logging.Logger
) -> dict[str, Rows]:
    """Rows of GAPS, CUSPS and RANKS, by name, without the curve, of cells that did not diverge.

    Raises:
        MissingCell: if the store lacks a cell.
    """
    tables: dict[str, Rows] = {"gaps": [], "cusps": [], "ranks": []}
    for member in members_of(entries, store=store):
        if (weights := member.weights["end"]) is not None:
            name = {"key": member.key}
            tables["gaps"] += [{**name, "gap": gap} for gap in gaps_of(member, weights).tolist()]
            tables["cusps"] += [{**name, **row} for row in cusps_of(member, weights)]
            tables["ranks"] += [{**name, **row} for row in ranks_of(member)]
    log.info("gaps and preactivations of %d cells", len(entries))
    return tables


def gaps_of(member: Member, weights: Weights) -> Tensor:
    """Delta of the training points, (P,); empty without a quadratic hinge."""
    if not isinstance(member.loss, QuadraticHinge):
        return torch.empty(0)
    with torch.no_grad():
        F = member.predictor(weights, member.data.x_train)
    return member.loss.gaps(F, member.data.y_train)[0]


def cusps_of(member: Member, weights: Weights) -> Rows:
    """How many of the n preactivations of training or fresh (test) points are below THRESHOLDS."""
    table: Rows = []
    for points, x in (("training", member.data.x_train), ("fresh", member.data.x_test)):
        sizes = np.sort(preactivations(member.network, weights, x))
        below = np.searchsorted(sizes, THRESHOLDS)
        table += [
            {"points": points, "threshold": t, "below": int(k), "n": len(sizes)}
            for t, k in zip(THRESHOLDS, below, strict=True)
        ]
    return table


def preactivations(network: Network, weights: Weights, x: Tensor) -> np.ndarray:
    """Moduli of all preactivations of one member on points (B, d, v), flat."""
    with torch.no_grad():
        layers = trace(network, weights, x).preactivations
    return np.concatenate([part.abs().flatten().numpy() for part in layers])


def ranks_of(member: Member) -> Rows:
    """The rank of G before and after training, of small ReLU FCN on digits_pca.

    n_straight: hidden neurons that are zero, or linear, on all points of G, which lower it more.
    """
    network, cell = member.network, member.cell
    asked = cell["data"] == "digits_pca" and cell["activation"] == "relu"
    if not asked or network.n_parameters > MOST_PARAMETERS:
        return []
    x, table = torch.cat([member.data.x_train, member.data.x_test])[:RANK_POINTS], []
    for when in WHEN:
        if (weights := member.weights[when]) is not None:
            hidden = [z[0, 0] > 0 for z in trace(network, weights, x).preactivations]
            straight = [on.all(dim=0) | ~on.any(dim=0) for on in hidden]
            table.append(
                {"when": when, "n_parameters": network.n_parameters,
                 "n_neurons": len(network.layers) * network.width,
                 "n_straight": sum(int(layer.sum()) for layer in straight),
                 "rank": rank(tangents(network, weights, x))}
            )  # fmt: skip
    return table


def tangents(network: Network, weights: Weights, x: Tensor) -> Tensor:
    """Columns of G of an FCN: (B (d + 1), N) for points (B, 1, d), N weights and biases.

    Of each point df/dW and, for each input n, df/dW + d(df/dW)/dx_n (thesis, chapter 1, Fig. 11).
    """
    vector = flattened({name: weights[name] for name in network.weight_shapes()})[0].detach()

    def with_slopes(w: Tensor, point: Tensor) -> Tensor:
        """f and f + df/dx_n, (1 + d,)."""

        def f(at: Tensor) -> Tensor:
            return outputs(network, unflattened(network, w[None]), at[None, None])[0, 0, 0]

        slopes, value = torch.func.grad_and_value(f)(point)
        return torch.cat([value[None], value + slopes])

    per_point = torch.func.vmap(torch.func.jacrev(with_slopes), in_dims=(None, 0))
    columns: Tensor = per_point(vector, x[:, 0]).detach()
    return columns.flatten(0, 1)


def rank(matrix: Tensor) -> int:
    """Singular values above ZERO times the largest."""
    values = torch.linalg.svdvals(matrix)
    return int((values > ZERO * values[0]).sum())
