"""Averages over seeds by width, and the fits of chapter 2b.

Letters of the thesis: N weights, h width, N* (h*) where networks begin to fit, f output, fbar mean
output, delta distance of their boundaries, epsilon, epsbar their test errors. With fbar the mean of
M members squares of departures from it are too small by 1 - 1/M, as epsilon - epsbar: corrected.
"""

import json
from math import nan

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srhm.statistics.jamming import smallest_that_fit

FAR = 3.0  # times h*: from there on power laws are fitted, up to there the norm's divergence
FITS = 1.5  # times h*: from there on sums of powers are; no network should err on training points
TIMES = (0.03, 0.1, 1.0)  # parts of the longest training at which the norm is drawn


def of_data(data: str, cells: pd.DataFrame, *tables: pd.DataFrame) -> tuple[pd.DataFrame, ...]:
    """Rows of the curves that learn a data set by Adam: of the cells, and of each other table."""
    if cells.empty:
        return cells, *(table.iloc[:0] for table in tables)
    adam = cells[(cells["data"] == data) & (cells["optimiser"] == "adam")]
    curves = set(adam["curve"])
    return adam, *(table[table["curve"].isin(curves)] if len(table) else table for table in tables)


def by_noise(data: str, cells: pd.DataFrame) -> pd.DataFrame:
    """Networks of SGD on a data set that did not diverge: width, N, seed, member, batch, ...

    norm: mean of f^2 over training and test points; error: on test points. is_noisy: batches are
    smaller than the training set. N_star: of those without noise; near: from their h* to FAR h*.
    """
    names = ["width", "N", "seed", "member", "batch", "is_noisy", "N_star", "near", "norm", "error"]
    sgd = cells[(cells["data"] == data) & (cells["optimiser"] == "sgd")] if len(cells) else cells
    if sgd.empty:
        return pd.DataFrame(columns=names)
    batch = sgd["settings"].map(lambda text: json.loads(text)["batch_size"])
    total = sgd["P"] * sgd["train_norm"] ** 2 + sgd["n_test"] * sgd["test_norm"] ** 2
    sgd = sgd.assign(
        N=sgd["n_weights"], batch=batch, is_noisy=batch < sgd["P"], error=sgd["test_error"],
        norm=total / (sgd["P"] + sgd["n_test"]),
    )  # fmt: skip
    N_star, h_star = threshold(sgd[~sgd["is_noisy"]])
    near = sgd["width"].between(h_star, FAR * h_star)
    return sgd.assign(near=near, N_star=N_star)[sgd["status"] != "diverged"][names]


def threshold(cells: pd.DataFrame) -> tuple[float, float]:
    """N* and h* of the cells, all seeds together; NaN where they are not within the widths.

    Rate and budget of Adam depend on the width: cells that differ in them are put together.
    """
    stars = smallest_that_fit(cells.drop(columns=["settings", "budget"])) if len(cells) else cells
    if len(stars) != 1 or stars["status"].iloc[0] != "reached":
        return nan, nan
    return float(stars["N_star"].iloc[0]), float(stars["h_star"].iloc[0])


def by_seed(
    cells: pd.DataFrame, histories: pd.DataFrame, fluctuations: pd.DataFrame
) -> pd.DataFrame:
    """A row for each width and seed, at the largest P.

    width, seed, N, n; single, early: mean test error at the end and least in its history (early
    stopping looks at the test set, as in the thesis); ensemble: of fbar; excess: single - epsbar;
    train_error; norm: mean of f^2 over training and test points; train, test, noise: |f - fbar| on
    these; gradient: median |grad f|; delta; estimate: |f - fbar|/|grad f|.
    """
    names = ["width", "seed", "N", "n", "single", "early", "ensemble", "excess", "train_error"]
    names += ["norm", "train", "test", "noise", "gradient", "delta", "estimate"]
    if cells.empty or histories.empty or fluctuations.empty:
        return pd.DataFrame(columns=names, dtype=float)
    least = histories.groupby("key")["test_error"].min().rename("early").reset_index()
    single = cells[(cells["P"] == cells["P"].max()) & (cells["status"] != "diverged")]
    single = single.merge(least, on="key")
    total = single["P"] * single["train_norm"] ** 2 + single["n_test"] * single["test_norm"] ** 2
    single = single.assign(norm=total / (single["P"] + single["n_test"]))
    means = single.groupby(["width", "P", "seed"], as_index=False).agg(
        N=("n_weights", "first"), n=("key", "size"), single=("test_error", "mean"),
        early=("early", "mean"), train_error=("train_error", "mean"), norm=("norm", "mean"),
    )  # fmt: skip
    means = means.merge(fluctuations, on=["width", "P", "seed"])
    factor = means["n_members"] / (means["n_members"] - 1)
    return means.assign(
        ensemble=means["ensemble_error"],
        excess=(means["mean_error"] - means["ensemble_error"]) * factor,
        delta=means["delta"] * factor**0.5,
        estimate=means["estimate"] * factor**0.5,
    )[names]


def by_width(rows: pd.DataFrame) -> pd.DataFrame:
    """Means over seeds of `by_seed`, in order of N; n: all networks."""
    widths = rows.groupby("width")
    return widths.mean().drop(columns="seed").assign(n=widths["n"].sum()).reset_index()


def positive(x: pd.Series, y: pd.Series) -> "pd.Series[bool]":
    """Points that have logarithms, which `exponent` fits; who uses it names the others."""
    return (x > 0) & (y > 0)


def exponent(x: pd.Series, y: pd.Series) -> float:
    """Slope of log y against log x where both are positive; NaN with fewer than three points."""
    used = positive(x, y)
    line = np.polyfit(np.log(x[used]), np.log(y[used]), 1) if used.sum() > 2 else (nan, nan)
    return float(line[0])


def coefficients(N: pd.Series, y: pd.Series, powers: tuple[float, ...]) -> NDArray[np.float64]:
    """Least-squares coefficients of y = sum_k c_k N^power_k; NaN with too few points."""
    if len(N) < len(powers) + 1:
        return np.full(len(powers), nan)
    terms = np.stack([N.to_numpy(dtype=float) ** power for power in powers], axis=1)
    size = np.abs(terms).max(axis=0)  # the powers of N span decades
    scaled = np.linalg.lstsq(terms / size, y.to_numpy(dtype=float), rcond=None)[0]
    return np.asarray(scaled / size, dtype=float)


def divergence(N: pd.Series, norm: pd.Series) -> tuple[float, float]:
    """Slope s and N* of log norm = a + s log(N/N* - 1), of least squares over N* below all N.

    Tried is N_0 (1 - 10^(-k/20)), N_0 the smallest N, k = 1 ... 60. NaN with fewer than 4 points.
    """
    if len(N) < 4:
        return nan, nan
    at, y = N.to_numpy(dtype=float), np.log(norm.to_numpy(dtype=float))
    tried = []
    for star in at.min() * (1 - 10 ** (-np.arange(1, 61) / 20)):
        x = np.log(at / star - 1)
        line = np.polyfit(x, y, 1)
        tried.append((float(np.square(y - np.polyval(line, x)).sum()), float(line[0]), star))
    _, slope, star = min(tried)
    return slope, float(star)


def near(table: pd.DataFrame, column: str, h_star: float) -> pd.DataFrame:
    """Widths of `by_width` from the peak of a column on, up to FAR h*."""
    if table.empty:
        return table
    peak = table["N"].iloc[int(np.argmax(table[column].to_numpy()))]
    return table[(table["N"] >= peak) & (table["width"] <= FAR * h_star)]


def norms_at(cells: pd.DataFrame, histories: pd.DataFrame, part: float) -> pd.DataFrame:
    """Mean square of f on the training points after a part of the longest budget.

    Of each width and seed at the largest P, mean over networks; those that have ended stay.
    """
    if cells.empty or histories.empty:
        return pd.DataFrame(columns=["width", "seed", "N", "norm"], dtype=float)
    limit = part * cells["budget"].max()
    seen = histories[histories["evaluations"] <= limit].sort_values("evaluations")
    last = seen.groupby("key")["train_norm"].last().rename("then").reset_index()
    networks = cells[(cells["P"] == cells["P"].max()) & (cells["status"] != "diverged")]
    networks = networks.merge(last, on="key")
    networks = networks.assign(norm=networks["then"] ** 2).rename(columns={"n_weights": "N"})
    return networks.groupby(["width", "seed", "N"], as_index=False)["norm"].mean()


def ensembles_of(resampled: pd.DataFrame) -> pd.DataFrame:
    """Means over seeds of RESAMPLED by n; excess: error of ensembles of n - that of all members."""
    rows = resampled.assign(excess=resampled["error"] - resampled["population"])
    return rows.groupby("n", as_index=False)[["error", "excess", "delta", "estimate"]].mean()


def quartiles(crossings: pd.DataFrame) -> pd.DataFrame:
    """Quartiles (low, middle, high) of the crossing over its linear estimate by width and seed.

    A line that meets no zero counts as longer than all others.
    """
    rows = crossings.assign(ratio=crossings["ratio"].fillna(np.inf))
    shares = {"low": 0.25, "middle": 0.5, "high": 0.75}
    groups = rows.groupby(["width", "seed"])["ratio"]
    columns = {name: groups.quantile(q, interpolation="nearest") for name, q in shares.items()}
    return pd.DataFrame({**columns, "n": groups.size()}).reset_index()
