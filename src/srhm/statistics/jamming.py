"""Jamming: which cells are jammed, and the smallest network that fits (thesis, chapters 1 and 2a).

From rows of FLOW_CELLS. N counts weights without biases.

    jammed      N_Delta > 0.1 N, the rule of chapter 2a, and a loss above LEAST_LOSS; with the
                logistic loss, whose N_Delta does not jump, any misclassified point
    N*          at fixed P from the widest network down: between the first width at which most
                members are jammed and the next wider one

A cell that is capped with a few unsatisfied points (a point that no neuron sees, for one) is not
jammed, but with the logistic loss. N* depends on the budget of the training, which the rows keep.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan, sqrt
from typing import Literal

import numpy as np
import pandas as pd

from srhm.model.grammar import NET_AND_DATA

# Part of N that the unsatisfied points of a jammed network exceed, chapter 2a.
JAMMED = 0.1
# A mean loss below it is zero within the last steps of the training: overlaps below 1e-4 of the
# margin, which Adam shakes at a rate of 1e-5. Chapter 2a leaves out such runs as unconverged.
LEAST_LOSS = 1e-9
# What members of one N*(P) share: all but the width, and what follows from it.
SHARED = ("study", "data", *NET_AND_DATA, "n_inputs", "hidden_layers", "P", "labels", "loss",
          "activation", "bias", "initialisation", "subtract_initial", "squared_norm", "training",
          "optimiser", "settings", "budget", "weight_decay")  # fmt: skip
Status = Literal["reached", "below_range", "above_range"]


def with_jamming(cells: pd.DataFrame) -> pd.DataFrame:
    """Rows of FLOW_CELLS that did not diverge, with columns that say whether they are jammed.

    Added columns: load P/N, unsatisfied N_Delta/N, fits (or a loss below LEAST_LOSS), jammed.
    """
    rows = cells[cells["status"] != "diverged"]
    unsatisfied = rows["n_unsatisfied"] / rows["n_weights"]
    fits = (rows["status"] == "fitted") | (rows["mean_loss"] <= LEAST_LOSS)
    return rows.assign(
        load=rows["P"] / rows["n_weights"],
        unsatisfied=unsatisfied,
        fits=fits,
        jammed=~fits & (unsatisfied > np.where(rows["loss"] == "logistic", 0.0, JAMMED)),
    )


def smallest_that_fit(cells: pd.DataFrame, *, each: Sequence[str] = ()) -> pd.DataFrame:
    """N* and h* of each P, where there are two widths or more.

    each: columns by which cells are told apart besides: ("seed",) gives N* of each data set.

    Returns a row for each set of cells that differ in width, seed and member only: the
    columns of `each` and of SHARED that the cells have, n_widths, n_members (of all widths),
    n_capped; h_low and N_low, the widest network of which most members are jammed, h_high and
    N_high, the next wider one (NaN where there is none); h_star and N_star, their geometric means;
    status: reached, below_range (no width is jammed: N* is below N_high) or above_range (N* is
    above N_low).
    """
    shared = [*each, *(name for name in SHARED if name in cells.columns)]
    rows = []
    for values, part in with_jamming(cells).groupby(shared, sort=True, dropna=False):
        widths, first, member = np.unique(part["width"], return_index=True, return_inverse=True)
        if len(widths) < 2:
            continue
        jammed = np.bincount(member, part["jammed"]) / np.bincount(member)
        weights = part["n_weights"].to_numpy(float)[first]
        # The widest width at which most members are jammed, and the next wider one.
        below = int(np.flatnonzero(jammed > 0.5).max(initial=-1))
        status: Status = "reached"
        if below < 0 or below + 1 == len(widths):
            status = "below_range" if below < 0 else "above_range"
        h, N = ([nan, *sizes, nan][below + 1 : below + 3] for sizes in (widths, weights))
        rows.append(
            {
                **dict(zip(shared, values, strict=True)),
                "n_widths": len(widths),
                "n_members": len(part),
                "n_capped": int((part["status"] == "capped").sum()),
                "h_low": float(h[0]),
                "h_high": float(h[1]),
                "N_low": float(N[0]),
                "N_high": float(N[1]),
                "h_star": sqrt(h[0] * h[1]),
                "N_star": sqrt(N[0] * N[1]),
                "status": status,
            }
        )
    return pd.DataFrame(rows)


def at_jamming(cells: pd.DataFrame) -> pd.DataFrame:
    """The jammed cell of smallest loss of each activation, start, and kind of data and labels.

    There N_Delta jumps from zero to a part of N of order one: these spectra show jamming. With the
    columns of `with_jamming`.
    """
    marked = with_jamming(cells)
    marked = marked[marked["jammed"]].sort_values("mean_loss", kind="stable")
    kind = ["data", "labels", "activation", "initialisation"]
    return marked.drop_duplicates(kind).reset_index(drop=True)


def first_jammed(cells: pd.DataFrame) -> pd.DataFrame:
    """The smallest P/N at which most members of a size are jammed, and their N_Delta/N there.

    Returns a row for each width, activation and number of hidden layers of the cells: load, N,
    unsatisfied (mean over the jammed members at this P), n_jammed, n_members; no row where no P has
    a jammed majority.
    """
    marked = with_jamming(cells)
    rows = []
    by = ["activation", "hidden_layers", "width"]
    for values, part in marked.groupby(by, sort=True, dropna=False):
        parts = part.groupby("P")["jammed"].mean()
        sizes = parts.index[parts > 0.5]
        if len(sizes):
            there = part[part["P"] == sizes.min()]
            jammed = there[there["jammed"]]
            rows.append(
                {
                    **dict(zip(by, values, strict=True)),
                    "P": int(sizes.min()),
                    "N": int(jammed["n_weights"].iloc[0]),
                    "load": float(jammed["load"].mean()),
                    "unsatisfied": float(jammed["unsatisfied"].mean()),
                    "n_jammed": len(jammed),
                    "n_members": len(there),
                }
            )
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class Modes:
    """Zero and negative modes of the Hessian of one cell at the end of training.

    n: eigenvalues, of weights and biases; zero: those of H0 that are zero; predicted: N - N_Delta,
    the least that the rank of H0 allows (0 where N_Delta exceeds N); negative_h, negative_hp: part
    of the nonzero eigenvalues of H and of Hp that is negative.
    """

    n: int
    zero: int
    predicted: int
    negative_h: float
    negative_hp: float


def hessian_modes(cell: pd.Series, summaries: pd.DataFrame) -> Modes | None:
    """What HESSIAN_SUMMARIES say of a row of FLOW_CELLS; None without exact spectra."""
    match = (summaries["curve"] == cell["curve"]) & (summaries["key"] == cell["key"])
    match &= (summaries["when"] == "end") & (summaries["method"] == "exact")
    modes = summaries[match].set_index("part")
    if not {"H", "H0", "Hp"} <= set(modes.index):
        return None
    n = int(modes.loc["H0", "N"])
    return Modes(
        n=n,
        zero=int(modes.loc["H0", "n_zero"]),
        predicted=max(n - int(cell["n_unsatisfied"]), 0),
        negative_h=float(modes.loc["H", "negative_fraction"]),
        negative_hp=float(modes.loc["Hp", "negative_fraction"]),
    )
