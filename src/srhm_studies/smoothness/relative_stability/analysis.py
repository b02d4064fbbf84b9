"""Tables of the study, and what claims and figures compute of them.

Letters: P training images, D, G, R of `srhm.images.stability`. Averages over seeds are those of
logarithms, as in the thesis, but for test errors, which can be 0.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srhm.experiments.cells import schema
from srhm.scorecard.claims import Tables

# displacement: in pixels, root mean square; noise_norm: of the noise that G_f is measured with;
# squared_displacement: in pixels squared, mean over fields, beside its exact sum; compression:
# median over fields of the largest Xi; part_above_one: of the fields; n_folded: deformations that
# turn a pixel over. d: inputs of the stripe model; L, v, s0: of the SRHM, m = n_c = v, s = 2;
# alpha_tilde, evaluations: of gradient flow.
CELLS = schema({
    "experiment": str, "data": str, "net": str, "width": int, "P": int, "seed": int,
    "batch_size": int, "learning_rate": float, "schedule": str, "momentum": float,
    "weight_decay": float, "augmentation": bool, "loss_threshold": float, "max_steps": int,
    "n_test": int, "n_points": int, "n_draws": int, "scans": bool, "cutoff": int,
    "displacement": float, "size": int, "times_bound": float, "n_fields": int,
    "n_parameters": int, "test_error": float, "train_loss": float, "epochs": int, "steps": int,
    "noise_norm": float, "n_folded": int, "temperature": float, "temperature_bound": float,
    "squared_displacement": float, "exact_squared_displacement": float, "compression": float,
    "part_above_one": float, "d": int, "L": int, "v": int, "s0": int, "alpha_tilde": float,
    "max_evaluations": int, "evaluations": int,
})  # fmt: skip
# part: output; layers (by depth, on fewer points); displacements (of several sizes). when: start
# (before training), end. layer 1 ... n_layers, the last is the output; depth: (k - 1)/(n - 1).
STABILITY = schema(
    {
        "part": str, "when": str, "layer": int, "n_layers": int, "depth": float, "average": str,
        "interpolation": str, "displacement": float, "noise_norm": float, "D": float, "G": float,
        "R": float,
    },
    long=True,
)  # fmt: skip
# times: norm of the noise over that of the standard deformation.
NOISE = schema({"when": str, "times": float, "noise_norm": float, "G": float}, long=True)


FULLY_CONNECTED = ("fc2", "fc4", "fc6")
# Columns that rows have of their cell, and those that all long tables have.
OF_CELL = ("net", "P", "seed", "test_error", "alpha_tilde", "max_steps")
OF_ROW = ("when", "layer", "depth", "displacement", "interpolation", "noise_norm", "D", "G", "R")
N_RESAMPLES = 20_000
# Resamples with fewer different networks say nothing on a correlation.
LEAST_NETWORKS = 4


def is_deep(net: pd.Series) -> pd.Series:
    """VGG, ResNet, EfficientNet: neither fully connected nor LeNet."""
    return ~net.isin([*FULLY_CONNECTED, "lenet"])


def measured(
    tables: Tables, *, part: str = "output", average: str = "median", data: str = "digits",
    table: str = "stability", when: str = "", kind: str = "", displacement: float | None = None,
    augmented: bool = False,
) -> pd.DataFrame:  # fmt: skip
    """Rows of a long table, with net, P, seed, test_error and alpha_tilde of their cells.

    when: "start", "end", empty: both. kind: "fc", "deep" (see `is_deep`), a net, empty: all.
    augmented: those trained on crops and mirror images instead. Only those of most steps.
    """
    cells, rows = (tables.get(name, pd.DataFrame()) for name in ("cells", table))
    if cells.empty or rows.empty:
        return pd.DataFrame(columns=["key", *OF_CELL, *OF_ROW])
    if table == "stability":
        rows = rows[(rows["part"] == part) & (rows["average"] == average)]
    if when:
        rows = rows[rows["when"] == when]
    if displacement is not None:
        rows = rows[rows["displacement"] == displacement]
    nets = cells[(cells["data"] == data) & (cells["status"] != "diverged")]
    nets = longest(nets[nets["augmentation"].eq(True) == augmented])
    if kind == "fc":
        nets = nets[nets["net"].isin(FULLY_CONNECTED)]
    elif kind:
        nets = nets[is_deep(nets["net"])] if kind == "deep" else nets[nets["net"] == kind]
    return rows.merge(nets[["key", *OF_CELL]], on="key")


def longest(cells: pd.DataFrame) -> pd.DataFrame:
    """Those that may train for most steps, so that no two trainings mix; models have no number."""
    steps = cells["max_steps"].astype(float).fillna(0)
    return cells[steps == steps.max()]


def at_largest(rows: pd.DataFrame) -> pd.DataFrame:
    """Those at the largest P."""
    return rows[rows["P"] == rows["P"].max()]


def pairs(
    rows: pd.DataFrame, column: str, values: Sequence[str | float], *, quantity: str = "R"
) -> pd.Series:
    """log of a quantity where a column has the second value over where it has the first.

    A row for each net and seed that have both.
    """
    chosen = rows[rows[column].isin(values)].astype({quantity: float})
    table = chosen.pivot_table(index=["net", "seed"], columns=column, values=quantity)
    first, second = (table.get(value, pd.Series(dtype=float)) for value in values)
    return pd.Series(np.log(second / first)).dropna()


def by_network(rows: pd.DataFrame) -> pd.DataFrame:
    """D, G, R (geometric means) and test_error (mean) of the trained networks, a row for each net.

    Nets without any test error have no logarithm of it and are left out.
    """
    ended = rows[rows["when"] == "end"]
    if ended.empty:
        return pd.DataFrame(columns=["D", "G", "R", "test_error"])
    logs = pd.DataFrame(np.log(ended[["D", "G", "R"]])).groupby(ended["net"]).mean()
    means = pd.DataFrame(np.exp(logs)).join(ended.groupby("net")["test_error"].mean())
    known = pd.DataFrame(np.isfinite(means)).all(axis=1)
    return means[(means["test_error"] > 0) & known]


def log_correlations(
    networks: pd.DataFrame, quantities: Sequence[str], *, generator: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Correlation of the logarithms of test error and of each quantity, over networks.

    Footnote 3 of the thesis' chapter. networks: of `by_network`. Returns the values
    (n_quantities,) and those of a bootstrap over networks (n_resamples, n_quantities).
    """
    logs = np.log(networks[["test_error", *quantities]].to_numpy(dtype=float))
    chosen = generator.integers(len(logs), size=(N_RESAMPLES, len(logs)))
    different = 1 + (np.diff(np.sort(chosen, axis=1), axis=1) > 0).sum(axis=1)
    return _correlations(logs), _correlations(logs[chosen[different >= LEAST_NETWORKS]])


def interval(resampled: NDArray[np.float64]) -> tuple[float, float]:
    """Ends of the 95 % between percentiles; NaN where no resample has a correlation."""
    known = resampled[np.isfinite(resampled)]
    if not len(known):
        return np.nan, np.nan
    low, high = np.quantile(known, [0.025, 0.975])
    return float(low), float(high)


def _correlations(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of the first column with each other one, (..., n_columns - 1); logs: (..., n, n_columns)."""
    centred = logs - logs.mean(axis=-2, keepdims=True)
    sizes = np.sqrt((centred**2).sum(axis=-2))
    products = (centred[..., :1] * centred[..., 1:]).sum(axis=-2)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(products / (sizes[..., :1] * sizes[..., 1:]))
