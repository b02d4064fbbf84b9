"""What the tables of the study say: gaps by kind, N* of each data set, spectra, cusps.

Letters of the thesis (chapter 1): N weights without biases, Delta = 1 - y F, z = Delta/sqrt(Loss),
N_Delta points with Delta > 0, N_c preactivations that are zero, N* the smallest N that fits.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srhm.scorecard.rows import chosen
from srhm.statistics.jamming import smallest_that_fit, with_jamming
from srhm_studies.landscape.power_laws import pooled_gaps

# Of overlaps over the median of their network: below it, so that few large ones do not matter.
TAIL = 0.1
# A loss on its way to zero: its gaps and spectra have no scale yet.
STILL_FALLING = 1e-6
KIND = ["data", "activation", "hidden_layers"]
KINDS = {
    "relu-2": {"data": "random", "activation": "relu", "hidden_layers": 2},
    "relu-3": {"data": "random", "activation": "relu", "hidden_layers": 3},
    "relu-5": {"data": "random", "activation": "relu", "hidden_layers": 5},
    "tanh-3": {"data": "random", "activation": "tanh", "hidden_layers": 3},
    "digits-3": {"data": "digits_pca", "activation": "relu", "hidden_layers": 3},
}
NAMES = {
    **{f"relu-{layers}": f"ReLU, L = {layers}, random data" for layers in (2, 3, 5)},
    **{"tanh-3": "tanh, L = 3, random data", "digits-3": "ReLU, L = 3, digits"},
}
# Preactivations of a smaller modulus are at a cusp; they are as many at a tenth and at ten times
# that, within PLATEAU, where training has converged.
CUSP, PLATEAU = 1e-4, 1.5
ZERO = 1e-9  # an eigenvalue below this part of the largest is zero, as in jamming
QUANTILES = (0.05, 0.25, 0.75, 0.95)
TIMES = (1000, 3000, 10000)
STARS = [
    "P", "hidden_layers", "loss", "budget", "status", "N_low", "N_high", "N_star", "seed", "time",
]  # fmt: skip


def _last_rate_is_small(cells: pd.DataFrame) -> pd.Series:
    """Whether the rate falls to 1e-7, as it does in the trainings at the transition alone."""
    return cells["settings"].str.contains("1e-07", regex=False)


def near_jamming(
    cells: pd.DataFrame, measured: pd.DataFrame, *, longest: bool = True
) -> pd.DataFrame:
    """Rows of `with_jamming` of the cells that another table has, trained at the transition.

    Of each kind only those of the largest budget, or of the smallest. The networks for N_eff are
    trained for 1000 evaluations only: unfinished, they are not jammed.
    """
    rows = cells[cells["key"].isin(measured["key"].unique()) & _last_rate_is_small(cells)]
    budgets = rows.groupby(KIND)["budget"]
    wanted = budgets.transform("max" if longest else "min")
    return with_jamming(rows[rows["budget"] == wanted])


def budgets(cells: pd.DataFrame) -> int:
    """How many budgets the cells trained at the transition have."""
    return int(cells.loc[_last_rate_is_small(cells), "budget"].nunique())


def converged(marked: pd.DataFrame) -> pd.DataFrame:
    """The jammed ones whose loss is not on its way to zero."""
    return marked[marked["jammed"] & (marked["mean_loss"] > STILL_FALLING)]


def gaps_by_seed(
    cells: pd.DataFrame, gaps: pd.DataFrame, *, kind: str, side: str, longest: bool = True
) -> list[NDArray[np.float64]]:
    """`pooled_gaps` of a kind: of the jammed networks; fitted: of those with Delta < 0 alone."""
    marked = near_jamming(chosen(cells, KINDS[kind]), gaps, longest=longest)
    rows = marked[marked["status"] == "fitted"] if side == "fitted" else converged(marked)
    return pooled_gaps(rows, gaps, side=side)


def stars_by_seed(cells: pd.DataFrame) -> pd.DataFrame:
    """N* of each data set: `smallest_that_fit` of the cells of each seed, with their seed."""
    return _together([smallest_that_fit(cells[cells["data"] == "random"], each=["seed"])])


def _together(parts: list[pd.DataFrame]) -> pd.DataFrame:
    full = [part for part in parts if len(part)]
    return pd.concat(full, ignore_index=True) if full else pd.DataFrame(columns=STARS)


def star_cells(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells for N*: random data, trained with rates down to 1e-5."""
    return cells[(cells["data"] == "random") & ~_last_rate_is_small(cells)]


def stars_in_time(
    cells: pd.DataFrame, histories: pd.DataFrame, *, loss: str = "quadratic_hinge"
) -> pd.DataFrame:
    """N* of each data set at each of TIMES, from the states of one training, with `time`.

    A state is the last one up to the time: N_Delta > 0.1 N of it, or of the end that came before.
    """
    kept, stars = star_cells(cells), []
    kept = kept[kept["key"].isin(histories["key"].unique()) & (kept["loss"] == loss)]
    for time in TIMES:
        past = histories[histories["evaluations"] <= time].sort_values("evaluations")
        last = past.groupby("key").last()[["n_unsatisfied", "mean_loss"]]
        rows = kept.drop(columns=["n_unsatisfied", "mean_loss"]).merge(last.reset_index(), on="key")
        status = np.where(rows["n_unsatisfied"] == 0, "fitted", "capped")
        stars.append(stars_by_seed(rows.assign(status=status)).assign(time=time))
    return _together(stars)


def scales_of_hp(cells: pd.DataFrame, hessians: pd.DataFrame, *, activation: str) -> pd.DataFrame:
    """A row for each converged jammed network with its spectrum of Hp at the end.

    Columns: key, seed, mean_loss, scale: root mean square eigenvalue; q0.05, ...: log of the
    modulus of each of QUANTILES of the eigenvalues.
    """
    rows = converged(near_jamming(cells, hessians))
    rows = rows[(rows["activation"] == activation) & (rows["data"] == "random")]
    spectra = hessians[(hessians["when"] == "end") & (hessians["part"] == "Hp")]
    groups, table = dict(list(spectra.groupby("key")["eigenvalue"])), []
    for key, seed, loss in zip(rows["key"], rows["seed"], rows["mean_loss"], strict=True):
        values = groups[key].to_numpy(dtype=float)
        logs = {f"q{q:g}": np.log(abs(np.quantile(values, q))) for q in QUANTILES}
        scale = (values**2).mean() ** 0.5
        table.append({"key": key, "seed": seed, "mean_loss": loss, "scale": scale, **logs})
    return pd.DataFrame(table, columns=["key", "seed", "mean_loss", "scale"] if not table else None)


def gaps_of_h0(cells: pd.DataFrame, hessians: pd.DataFrame) -> pd.DataFrame:
    """Gap of sp(H0) of each converged jammed network with N_Delta below its number of weights.

    Columns: key, activation, ratio: N_Delta over weights and biases; gap: the eigenvalue of rank
    N_Delta over the mean of the N_Delta largest, NaN where it is zero.
    """
    rows = converged(near_jamming(cells, hessians))
    spectra = hessians[(hessians["when"] == "end") & (hessians["part"] == "H0")]
    groups, gaps = dict(list(spectra.groupby("key")["eigenvalue"])), []
    for _, row in rows.iterrows():
        values = np.sort(groups[row["key"]].to_numpy(dtype=float))[::-1]
        rank = int(row["n_unsatisfied"])
        if rank < len(values):
            least = values[rank - 1] if values[rank - 1] > ZERO * values[0] else np.nan
            gap = {"ratio": rank / len(values), "gap": least / values[:rank].mean()}
            gaps.append({**row[["key", "activation"]], **gap})
    return pd.DataFrame(gaps, columns=["key", "activation", "ratio", "gap"])


def cusps_by_network(cells: pd.DataFrame, cusps: pd.DataFrame, *, kind: str) -> pd.DataFrame:
    """N_c/N of each jammed network of a kind, with what is counted at random taken off.

    Columns: key, seed; training, fresh: preactivations of modulus below CUSP, for as many points as
    there are in training, over N; plateau: those below ten times CUSP over those below a tenth.
    """
    rows = converged(near_jamming(chosen(cells, KINDS[kind]), cusps))
    table = []
    for key, seed, N in zip(rows["key"], rows["seed"], rows["n_weights"], strict=True):
        counts = cusps[cusps["key"] == key].set_index(["points", "threshold"]).sort_index()
        training, fresh = counts.loc["training"], counts.loc["fresh"]
        share = training["n"].iloc[0] / fresh["n"].iloc[0]
        places = [int(np.argmin(np.abs(np.log(training.index / CUSP / f)))) for f in (0.1, 1, 10)]
        least, there, most = (int(training["below"].iloc[k]) for k in places)
        at_random = [share * fresh["below"].iloc[k] for k in places]
        table.append({"key": key, "seed": seed, "training": (there - at_random[1]) / N,
                      "fresh": at_random[1] / N,
                      "plateau": (most - at_random[2]) / max(least, 1)})  # fmt: skip
    return pd.DataFrame(table, columns=["key", "seed", "training", "fresh", "plateau"])


def negative_modes(
    cells: pd.DataFrame, hessians: pd.DataFrame, cusps: pd.DataFrame
) -> pd.DataFrame:
    """A row for each converged jammed network on random data with its spectra at the end.

    Columns: key, seed, activation, unsatisfied; part: negative modes of H over the number of all;
    over: the bound of chapter 1 on the unsatisfied points, over N_Delta. It is the number of
    negative modes of Hp, without the cusps N_c of a ReLU network, along which the loss rises though
    Hp says otherwise. negative_hp: negative modes of Hp over those that are not zero.
    """
    rows = converged(near_jamming(cells, hessians))
    rows = rows[rows["data"] == "random"]
    spectra = hessians[hessians["when"] == "end"]
    groups = dict(list(spectra.groupby(["key", "part"])["eigenvalue"]))
    these = cusps[cusps["key"].isin(rows["key"])]
    at_cusps = pd.concat([cusps_by_network(cells, these, kind=kind) for kind in KINDS])
    n_cusps = dict(zip(at_cusps["key"], at_cusps["training"], strict=True))
    names, modes = ["key", "seed", "activation", "unsatisfied"], []
    for _, row in rows.iterrows():
        n_negative, n_positive = {}, {}
        for part in ("H", "Hp"):
            values = groups[row["key"], part].to_numpy(dtype=float)
            least = ZERO * abs(values).max()
            n_negative[part] = int((values < -least).sum())
            n_positive[part] = int((values > least).sum())
        cusp = row["n_weights"] * n_cusps[row["key"]] if row["activation"] == "relu" else 0
        modes.append({
            **row[names], "part": n_negative["H"] / len(groups[row["key"], "H"]),
            "over": (n_negative["Hp"] - cusp) / row["n_unsatisfied"],
            "negative_hp": n_negative["Hp"] / (n_negative["Hp"] + n_positive["Hp"]),
        })  # fmt: skip
    return pd.DataFrame(modes, columns=[*names, "part", "over", "negative_hp"])


def hierarchical(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells of the SRHM with the columns of `with_jamming`."""
    return with_jamming(cells[cells["data"] == "srhm"])
