"""Errors of digits against the number of weights N: final, early stopped, of the mean network.

Letters of the thesis (chapters 1 and 2): N weights without biases, N_Delta unsatisfied points, N*
the smallest N that fits P points, h* its width.
"""

import numpy as np
import pandas as pd

from srhm.statistics.jamming import smallest_that_fit

# From this part of N* on networks are looked at for the cusp.
BEFORE = 0.4
# What the curves of one P share.
CURVE = ["data", "hidden_layers", "P"]


def errors(cells: pd.DataFrame, ensembles: pd.DataFrame, histories: pd.DataFrame) -> pd.DataFrame:
    """A row for each data, hidden_layers, P and width of which the history is kept.

    Columns: those, N; final, early: mean over the networks that did not diverge of the test error
    at the end, and of the least one in the history; low, high: of the final ones; ensemble: of the
    mean output, mean over seeds; n networks; N_star (NaN where N* is beyond the widths). Early
    stopping looks at the test set, as in chapter 2a.
    """
    least = histories.groupby("key")["test_error"].min().rename("early").reset_index()
    rows = cells[cells["status"] != "diverged"].merge(least, on="key")
    by = [*CURVE, "width"]
    if rows.empty:
        return pd.DataFrame(columns=[*by, "N", "final", "early", "ensemble", "N_star"])
    means = rows.groupby(by, as_index=False).agg(
        curve=("curve", "first"), N=("n_weights", "first"), final=("test_error", "mean"),
        low=("test_error", "min"), high=("test_error", "max"), early=("early", "mean"),
        n=("key", "size"),
    )  # fmt: skip
    together = ensembles.groupby(["curve", "P"])["ensemble_error"].mean().rename("ensemble")
    means = means.merge(together.reset_index(), on=["curve", "P"], how="left")
    stars = smallest_that_fit(cells)
    if stars.empty:
        return means.assign(N_star=np.nan)
    return means.merge(stars[[*CURVE, "N_star"]], on=CURVE, how="left")


def peaks(table: pd.DataFrame) -> pd.DataFrame:
    """The cusp of each curve of `errors` whose N* is known and whose widest network is beyond it.

    Columns of CURVE; N_star, N_peak: the N of the largest final error from half of N* on;
    is_cusp: whether that is neither the narrowest nor the widest.
    """
    cusps = []
    for values, part in table.dropna(subset=["N_star"]).groupby(CURVE):
        part = part[part["N"] >= part["N_star"] / 2].sort_values("N")
        if len(part) < 3:
            continue
        top = part.iloc[int(np.argmax(part["final"].to_numpy()))]
        inner = part["N"].iloc[0] < top["N"] < part["N"].iloc[-1]
        curve = dict(zip(CURVE, values, strict=True))
        cusps.append({**curve, "N_star": top["N_star"], "N_peak": top["N"], "is_cusp": inner})
    return pd.DataFrame(cusps, columns=[*CURVE, "N_star", "N_peak", "is_cusp"])


def around(cells: pd.DataFrame, histories: pd.DataFrame) -> pd.DataFrame:
    """Networks of which the history is kept and N* known, from BEFORE times N* on.

    Added to their rows: N_star; N; final: test error at the end.
    """
    stars = smallest_that_fit(cells)
    if stars.empty:
        return stars
    stars = stars[stars["status"] == "reached"][[*CURVE, "N_star"]]
    rows = cells[(cells["status"] != "diverged") & cells["key"].isin(histories["key"])]
    rows = rows.merge(stars, on=CURVE)
    rows = rows[rows["n_weights"] >= BEFORE * rows["N_star"]]
    return rows.assign(N=rows["n_weights"], final=rows["test_error"])


def largest(rows: pd.DataFrame) -> pd.DataFrame:
    """Of `around`, the row of largest final error of each member, with `over_star`, its N/N*.

    is_first: whether it is the narrowest of that member.
    """
    by = [*CURVE, "seed", "member"]
    ordered = rows.sort_values("N")
    top = ordered.loc[ordered.groupby(by)["final"].idxmax()]
    narrowest = ordered.groupby(by)["N"].min().rename("N_first").reset_index()
    top = top.merge(narrowest, on=by)
    return top.assign(over_star=top["N"] / top["N_star"], is_first=top["N"] == top["N_first"])
