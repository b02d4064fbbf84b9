"""Ensembles: members of one seed, which share grammar and data and differ in their initial weights.

Computed from the stored F on the test set. A seed has a grammar and data of its own, so that
members of two seeds are never averaged.
"""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from srhm.flow import losses
from srhm.flow.cell import HISTORY
from srhm.measure.trained import Member, members_of


def average_ensembles(
    entries: Sequence[Mapping[str, Any]], *, store: Path, log: logging.Logger
) -> list[dict[str, Any]]:
    """Rows of ENSEMBLES without study and curve, one for each width, P, alpha_tilde and seed.

    Members that diverged are counted in n_diverged and left out of n_members and of all means.
    mean_error, error_se: mean and standard error over members (NaN for one); ensemble_error: of
    their mean F; variance: Var F (NaN for one); test_norm: mean over members of the root mean
    square of F.

    Raises:
        MissingCell: if the store lacks a cell.
    """
    groups: dict[tuple[int, int, float, int], list[Member]] = {}
    for member in members_of(entries, store=store):
        cell = member.cell
        place = (cell["width"], cell["P"], cell["alpha_tilde"], cell["seed"])
        groups.setdefault(place, []).append(member)
    rows = []
    for place, members in groups.items():
        names = dict(zip(("width", "P", "alpha_tilde", "seed"), place, strict=True))
        rows.append({**names, **_row(members)})
    log.info("%d cells in %d ensembles", len(entries), len(rows))
    return rows


def _row(members: Sequence[Member]) -> dict[str, Any]:
    statuses = [member.row["status"] for member in members]
    counts = {
        "n_capped": statuses.count("capped"),
        "n_diverged": sum(member.weights["end"] is None for member in members),
    }
    kept = [member for member in members if member.weights["end"] is not None]
    unknown = ("mean_error", "error_se", "ensemble_error", "variance", "test_norm")
    if not kept:
        return {"n_members": 0, **dict.fromkeys(unknown, float("nan")), **counts}
    loss, y = kept[0].loss, kept[0].data.y_test
    F = torch.stack([member.test_outputs for member in kept])
    errors = losses.errors(loss, F, y)
    return {
        "n_members": len(kept),
        "mean_error": float(errors.mean()),
        "error_se": float(errors.std() / len(kept) ** 0.5) if len(kept) > 1 else float("nan"),
        "ensemble_error": losses.ensemble_error(loss, F, y),
        "variance": losses.output_variance(F),
        "test_norm": float(losses.output_norm(F).mean()),
        **counts,
    }


WHOLE = ("evaluations", "n_unsatisfied")


def read_histories(
    entries: Sequence[Mapping[str, Any]], *, store: Path, log: logging.Logger
) -> list[dict[str, Any]]:
    """Rows of HISTORIES without the curve, in order of time for each cell that keeps its history.

    The last row of a cell is its end. Of one that diverged the last numbers may be NaN.

    Raises:
        MissingCell: if the store lacks a cell.
    """
    table = []
    for member in members_of(entries, store=store):
        if member.history is None:
            continue
        for numbers in member.history.tolist():
            row = dict(zip(HISTORY, numbers, strict=True))
            table.append({"key": member.key, **row, **{name: int(row[name]) for name in WHOLE}})
    log.info("%d states of %d trainings", len(table), len(entries))
    return table
