"""Which cell is for what, and numbers of each data set, from tables.

Letters of the thesis (chapter 3a): h width, alpha scale of F, alpha_tilde = sqrt(h) alpha = t1 the
time up to which training is expected linear, f_t output at time t, P training points.
"""

import json
from collections.abc import Sequence

import numpy as np
import pandas as pd

from srhm.statistics.regimes import all_fitted, at_least, at_most, averages, log_of

# Part of t1 up to which the output should grow linearly; alpha_tilde up to which this is asked.
EARLY, DEEP = 0.1, 0.1
# The linear law has ended where the output is this factor away from it.
BEND = 1.5
# Windows of alpha_tilde of ReLU: the third regime, and where no preactivation changes sign.
BETWEEN, SMOOTH = (1e2, 1e4), 1e6
# Tolerances of the squared change of the gradient: this package, the thesis, a hundredth of it.
OURS, THESIS, FINE = 1e-2, 1e-4, 1e-6
# Times of the momentum over alpha_tilde: that of the thesis's code, and ten times that.
MOMENTA = (1e-3, 1e-2)
# alpha_tilde at which steps of the flow are shorter than these times.
SHORT_STEPS = (0.01, 1000)
# Largest alpha_tilde of the trainings that are compared; those of the variance have a larger one.
VARIANCE = 1e5
NETWORK = ["width", "alpha_tilde", "P", "seed", "member"]


def with_kinds(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells with `tolerance` and `momentum_time` (0: none), of the training, and `kind`.

    times: histories at L = 2; rates: the start at L = 5; kinks: ReLU; sizes: variance of lazy
    learning at several P; whole: F = alpha f; biased: with biases; plain: those that they are
    compared with; finer: these with a smaller tolerance; moving: these with momentum.
    """
    if cells.empty:
        return cells
    settings = cells["settings"].map(json.loads)
    marked = cells.assign(
        tolerance=[setting.get("max_gradient_change") for setting in settings],
        momentum_time=[setting.get("momentum_time", 0.0) for setting in settings],
    )
    rules = {
        "times": marked["hidden_layers"] == 2,
        "rates": (marked["hidden_layers"] == 5) & (marked["activation"] != "relu"),
        "kinks": marked["activation"] == "relu",
        "sizes": marked["alpha_tilde"] > VARIANCE,
        "whole": ~marked["subtract_initial"].astype(bool),
        "biased": marked["bias"].astype(bool),
        "finer": marked["tolerance"] < OURS,
        "moving": marked["momentum_time"] > 0,
    }
    return marked.assign(kind=np.select(list(rules.values()), list(rules), default="plain"))


def of_kind(cells: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Cells of one kind of `with_kinds`; empty without any."""
    return cells if cells.empty else with_kinds(cells).query("kind == @kind")


def beginnings(cells: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """States of the trainings with histories after t = 0: norm = |f_t - f_0|, x = t/t1.

    rows: of HISTORIES. Columns of the cell, too. Norm: root mean square over the training points.
    """
    cells = of_kind(cells, "times")
    if cells.empty or rows.empty:
        return pd.DataFrame()
    trainings = cells[["key", "width", "alpha_tilde", "alpha", "seed", "member"]]
    states = rows[["key", "time", "train_norm"]].merge(trainings, on="key")
    states = states[states["time"] > 0]
    norm, x = states["train_norm"] / states["alpha"], states["time"] / states["alpha_tilde"]
    return states.assign(norm=norm, x=x).sort_values(["key", "time"])


def scales(states: pd.DataFrame) -> pd.DataFrame:
    """Of each training: end = t/t1 at which it leaves the linear law by BEND, norm at t = t1.

    The linear law is that of the first step. Linear in logarithms between states; NaN where a
    training does not come so far.
    """
    rows = []
    for _, training in states.groupby("key"):
        x, norm = log_of(training, "x"), log_of(training, "norm")
        away = np.abs(norm - x - (norm[0] - x[0])) - np.log(BEND)
        (beyond,) = np.nonzero(away >= 0)
        end = np.nan
        if len(beyond):
            i = beyond[0]
            end = x[i - 1] + (x[i] - x[i - 1]) * away[i - 1] / (away[i - 1] - away[i])
        at_t1 = np.interp(0.0, x, norm, right=np.nan)
        place = training.iloc[0][["width", "alpha_tilde", "alpha", "seed"]].to_dict()
        rows.append({**place, "end": np.exp(end), "norm": np.exp(at_t1)})
    columns = ["width", "alpha_tilde", "alpha", "seed", "end", "norm"]
    return pd.DataFrame(rows, columns=columns)


def varying(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """Rows at that h, or alpha_tilde, at which the other one, `column`, has the most values."""
    (fixed,) = {"width", "alpha_tilde"} - {column}
    return rows[rows[fixed] == rows.groupby(fixed)[column].nunique().idxmax()]


def inside(rows: pd.DataFrame, low: float, high: float) -> pd.DataFrame:
    """Rows with low <= alpha_tilde <= high."""
    return rows[at_least(rows["alpha_tilde"], low) & at_most(rows["alpha_tilde"], high)]


def variances(cells: pd.DataFrame, ensembles: pd.DataFrame) -> pd.DataFrame:
    """Rows of ENSEMBLES of at least two networks, with their kind and alpha."""
    if cells.empty or ensembles.empty:
        return pd.DataFrame(columns=["kind"])
    complete = ensembles[(ensembles["n_members"] > 1) & (ensembles["n_diverged"] == 0)]
    place = ["curve", "alpha_tilde"]
    kinds = with_kinds(cells)[[*place, "kind", "alpha"]].drop_duplicates([*place, "kind"])
    return complete.merge(kinds, on=place)


def lazy_variances(cells: pd.DataFrame, ensembles: pd.DataFrame) -> pd.DataFrame:
    """The same of lazy learning at several P, of ensembles that all fitted."""
    lazy = variances(cells, ensembles).query("kind == 'sizes'")
    return lazy if lazy.empty else all_fitted(lazy)


def tolerance_pairs(
    cells: pd.DataFrame, outputs: pd.DataFrame, *, coarse: float, fine: float
) -> pd.DataFrame:
    """Two trainings that differ in their tolerance: one row each.

    Columns of NETWORK; difference = |F - F'|/|F'| on the test points kept, F' of the finer one;
    evaluations: of the finer over those of the coarser. Of pairs that both fitted.
    """
    both = with_kinds(cells).query("kind in ('plain', 'finer')")
    both = both[both["key"].isin(set(outputs["key"])) & (both["status"] == "fitted")]
    wide = outputs.pivot_table(index="key", columns="point", values="F")
    ends = [
        both[np.isclose(both["tolerance"], end, rtol=1e-6)][[*NETWORK, "key", "evaluations"]]
        for end in (coarse, fine)
    ]
    pairs = ends[0].merge(ends[1], on=NETWORK, suffixes=("_coarse", "_fine"))
    F_coarse, F_fine = (wide.loc[pairs[f"key_{word}"]].to_numpy() for word in ("coarse", "fine"))
    difference = np.linalg.norm(F_coarse - F_fine, axis=1) / np.linalg.norm(F_fine, axis=1)
    ratio = pairs["evaluations_fine"] / pairs["evaluations_coarse"]
    return pairs[NETWORK].assign(difference=difference, evaluations=ratio)


def momentum_pairs(cells: pd.DataFrame, outputs: pd.DataFrame) -> pd.DataFrame:
    """Networks trained with momentum beside those without: one row each, of pairs that both fitted.

    Columns of NETWORK, momentum_time; error: test error with minus that without; kernel_change,
    evaluations: with over without; difference = |F - F'|/|F'|, F' without; NaN if no F is kept.
    """
    both = with_kinds(cells)
    if both.empty:
        return both
    both = both[both["status"] == "fitted"]
    columns = [*NETWORK, "key", "test_error", "kernel_change", "evaluations"]
    pairs = both.loc[both["kind"] == "moving", [*columns, "momentum_time"]].merge(
        both.loc[both["kind"] == "plain", columns], on=NETWORK, suffixes=("", "_without")
    )
    wide = outputs.pivot_table(index="key", columns="point", values="F") if len(outputs) else None
    difference = np.full(len(pairs), np.nan)
    if wide is not None:
        moving, plain = (wide.reindex(pairs[key]).to_numpy() for key in ("key", "key_without"))
        difference = np.linalg.norm(moving - plain, axis=1) / np.linalg.norm(plain, axis=1)
    return pairs[[*NETWORK, "momentum_time"]].assign(
        error=pairs["test_error"] - pairs["test_error_without"],
        kernel_change=pairs["kernel_change"] / pairs["kernel_change_without"],
        evaluations=pairs["evaluations"] / pairs["evaluations_without"],
        difference=difference,
    )


def over_data_sets(
    rows: pd.DataFrame, column: str, *, by: Sequence[str], logarithmic: bool = False
) -> pd.DataFrame:
    """`averages` over data sets, each the mean of its networks; n_capped counts data sets."""
    capped = rows["status"] == "capped" if "status" in rows else rows["n_capped"] > 0
    marked = rows.assign(capped=capped)
    data_sets = marked.groupby([*by, "seed"], as_index=False).agg(
        **{column: (column, "mean"), "capped": ("capped", "any")}
    )
    data_sets = data_sets.assign(status=np.where(data_sets["capped"], "capped", "fitted"))
    return averages(data_sets, column, by=by, logarithmic=logarithmic)
