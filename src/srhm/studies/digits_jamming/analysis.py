"""Errors of digits against the number of weights N: final, early stopped, of the mean network.

Letters of the thesis (chapters 1 and 2): N weights without biases, N_Delta unsatisfied points, N*
the smallest N that fits P points, h* its width.
"""

from math import nan

import numpy as np
import pandas as pd

from srhm.statistics.jamming import smallest_that_fit

# From this multiple of h* on the power laws of chapter 2b are fitted.
FAR = 3.0
# From this part of N* on networks count as just before the cusp.
BEFORE = 0.4
# What the curves of one P share.
CURVE = ["data", "hidden_layers", "P"]


def errors(cells: pd.DataFrame, ensembles: pd.DataFrame, histories: pd.DataFrame) -> pd.DataFrame:
    """A row for each data, hidden_layers, P and width of which the history is kept.

    Columns: those, N; final, early: mean over the networks that did not diverge of the test error
    at the end, and of the least one in the history; low, high: of the final ones; mean_error,
    ensemble, variance: of ENSEMBLES, means over seeds; n networks; N_star, h_star, h_high (NaN
    where N* is beyond the widths). Early stopping looks at the test set, as in chapter 2a.
    """
    least = histories.groupby("key")["test_error"].min().rename("early").reset_index()
    rows = cells[cells["status"] != "diverged"].merge(least, on="key")
    by = [*CURVE, "width"]
    if rows.empty:
        return pd.DataFrame(columns=[*by, "N", "final", "early", "ensemble", "N_star"])
    found = rows.groupby(by, as_index=False).agg(
        curve=("curve", "first"),
        N=("n_weights", "first"),
        final=("test_error", "mean"),
        low=("test_error", "min"),
        high=("test_error", "max"),
        early=("early", "mean"),
        n=("key", "size"),
    )
    together = ensembles.groupby(["curve", "P"], as_index=False).agg(
        mean_error=("mean_error", "mean"),
        ensemble=("ensemble_error", "mean"),
        variance=("variance", "mean"),
    )
    found = found.merge(together, on=["curve", "P"], how="left")
    stars = smallest_that_fit(cells)
    columns = ["N_star", "h_star", "h_high"]
    if stars.empty:
        return found.assign(**dict.fromkeys(columns, np.nan))
    return found.merge(stars[[*CURVE, *columns]], on=CURVE, how="left")


def peaks(table: pd.DataFrame) -> pd.DataFrame:
    """The cusp of each curve of `errors` whose N* is known and whose widest network is beyond it.

    Columns of CURVE; N_star, N_peak: the N of the largest final error from half of N* on;
    is_cusp: whether that is neither the narrowest nor the widest; final, early: error there minus
    that of the widest network; kept: early minus half of final; n_widths; waits: what the widest
    loses in time, its error at the end minus its least one, less what that nearest to N* does.
    """
    found = []
    for values, part in table.dropna(subset=["N_star"]).groupby(CURVE):
        part = part[part["N"] >= part["N_star"] / 2].sort_values("N")
        if len(part) < 3:
            continue
        top, last = part.iloc[int(np.argmax(part["final"].to_numpy()))], part.iloc[-1]
        heights = {name: float(top[name] - last[name]) for name in ("final", "early")}
        heights["kept"] = heights["early"] - heights["final"] / 2
        lost = part["final"] - part["early"]
        nearest = int(np.argmin(np.abs(np.log(part["N"] / part["N_star"]))))
        waits = lost.iloc[-1] - lost.iloc[nearest]
        inner = part["N"].iloc[0] < top["N"] < last["N"]
        found.append({**dict(zip(CURVE, values, strict=True)), "N_star": top["N_star"],
                      "N_peak": top["N"], "is_cusp": inner, **heights, "n_widths": len(part),
                      "waits": waits})  # fmt: skip
    columns = [*CURVE, "N_star", "N_peak", "is_cusp", "final", "early", "kept", "n_widths", "waits"]
    return pd.DataFrame(found, columns=columns)


def beyond(table: pd.DataFrame, *, factor: float) -> pd.DataFrame:
    """Rows of `errors` at widths of at least so many h* that have an ensemble.

    Added: gain, ensemble minus mean error; excess, the opposite.
    """
    known = table.dropna(subset=["N_star", "ensemble"]) if len(table) else table
    known = known[known["width"] >= factor * known["h_star"]] if len(known) else known
    gain = known["ensemble"] - known["mean_error"] if len(known) else nan
    return known.assign(gain=gain, excess=-gain)


def around(cells: pd.DataFrame, histories: pd.DataFrame) -> pd.DataFrame:
    """Networks of which the history is kept and N* known, from BEFORE times N* on.

    Added to their rows: N_star; N; final, early: test error at the end, and the least in the
    history; lost: the difference; side: "at" of the two widths between which N* lies, "before" and
    "beyond"; is_at: 1 of "at", else 0.
    """
    least = histories.groupby("key")["test_error"].min().rename("early").reset_index()
    stars = smallest_that_fit(cells)
    if stars.empty:
        return stars
    stars = stars[stars["status"] == "reached"][[*CURVE, "h_low", "h_high", "N_star"]]
    rows = cells[cells["status"] != "diverged"].merge(least, on="key").merge(stars, on=CURVE)
    rows = rows[rows["n_weights"] >= BEFORE * rows["N_star"]]
    side = np.select(
        [rows["width"] < rows["h_low"], rows["width"] > rows["h_high"]], ["before", "beyond"], "at"
    )
    return rows.assign(
        N=rows["n_weights"],
        final=rows["test_error"],
        lost=rows["test_error"] - rows["early"],
        side=side,
        is_at=(side == "at").astype(float),
    )


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
