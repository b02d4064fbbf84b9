"""What is measured after a second-order end: how it stopped, modes, cusps, gaps.

Letters of the thesis (chapter 1): Delta = 1 - y F the gap of a point, N_Delta points with
Delta > 0, N_- negative modes of Hp, N_c preactivations that are zero.
"""

import logging
from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from srhm.experiments.cells import schema
from srhm.flow.minima import (
    CUSP,
    SHARPNESS,
    Objective,
    expansion,
    n_negative,
    newton,
    smooth_relu,
    tanh,
)
from srhm.measure.trained import Member, members_of

# Preactivations of a smaller modulus are at a cusp, as in the study `gaps`.
NEAR = 1e-4
# Not all networks have rows: those that diverged have none.
ENDS = schema(
    {
        "end": str, "steps": int, "gradient": float, "own_gradient": float, "n_unsatisfied": int,
        "n_wrong": int, "n_modes": int, "n_negative": int, "n_negative_h": int,
        "n_negative_hp": int, "n_cusps": int, "n_near": int, "n_near_fresh": float,
    },
    long=True,
)  # fmt: skip
GAPS = schema({"gap": float}, long=True)
Rows = list[dict[str, Any]]


def measure(
    entries: Sequence[Mapping[str, Any]], *, store: Path, log: logging.Logger
) -> dict[str, Rows]:
    """Rows of ENDS and GAPS, by name, without the curve, of cells that did not diverge.

    Raises:
        MissingCell: if the store lacks a cell.
    """
    tables: dict[str, Rows] = {"ends": [], "gaps": []}
    for member in members_of(entries, store=store):
        if member.weights["end"] is not None:
            row, gaps = end_of(member)
            tables["ends"].append({"key": member.key, **row})
            tables["gaps"] += [{"key": member.key, "gap": gap} for gap in gaps.tolist()]
    log.info("ends and gaps of %d cells", len(entries))
    return tables


def end_of(member: Member) -> tuple[dict[str, Any], Tensor]:
    """The row of ENDS of a cell, without its key, and Delta of its training points (P,).

    end: status of `srhm.flow.minima.End`; gradient, n_negative: of the smoothed ReLU of the last
    sharpness; own_gradient: of ReLU itself, which does not vanish at cusps; n_negative_h,
    n_negative_hp: negative modes of H and Hp with the slopes of neurons held fixed; n_cusps:
    neurons at a cusp on an unsatisfied point; n_near: preactivations below NEAR, of training points
    and of as many fresh ones.
    """
    network, weights = member.network, member.weights["end"]
    assert weights is not None
    x, y = member.data.x_train[:, 0], member.data.y_train
    relu = network.activation == "relu"
    smooth = Objective(network, x, y, smooth_relu(SHARPNESS[-1]) if relu else tanh)
    sharp = Objective(network, x, y, smooth_relu(inf)) if relu else smooth
    fixed = Objective(network, x, y, smooth_relu(SHARPNESS[-1], bent=False)) if relu else smooth
    vector = smooth.vector(weights)
    here = newton(smooth, vector, max_steps=0)
    status = here.status
    if status == "capped" and newton(smooth, vector, max_steps=1).status in ("stalled", "saddle"):
        status = "stalled"
    gaps, hidden = sharp.gaps(vector)
    at = expansion(fixed, vector)
    cusps = 0
    if relu:
        slopes = torch.sigmoid(SHARPNESS[-1] * torch.cat(hidden, dim=1)[gaps > 0])
        cusps = int(((slopes > CUSP[0]) & (slopes < CUSP[1])).sum())
    fresh = Objective(network, member.data.x_test[:, 0], member.data.y_test, sharp.sigma)
    near = [int((torch.cat(z, dim=1).abs() < NEAR).sum()) for z in (hidden, fresh.gaps(vector)[1])]
    row = {
        "end": status,
        "steps": member.row["evaluations"] - member.cell["optimiser"]["max_evaluations"],
        "gradient": here.gradient,
        "own_gradient": float(expansion(sharp, vector).gradient.norm()),
        "n_unsatisfied": int((gaps > 0).sum()),
        "n_wrong": int((gaps >= 1).sum()),
        "n_modes": len(vector),
        "n_negative": here.n_negative,
        "n_negative_h": n_negative(torch.linalg.eigvalsh(at.h0 + at.hp), at.h0),
        "n_negative_hp": n_negative(torch.linalg.eigvalsh(at.hp), at.h0),
        "n_cusps": cusps,
        "n_near": near[0],
        "n_near_fresh": near[1] * len(x) / len(fresh.x),
    }
    return {**row, "steps": max(row["steps"], 0)}, gaps
