"""What figures and claims read off the tables: finished cells, middle layers, singular values.

Source: A. Jacot, talk "Bottleneck structure in large depth networks" (2023), by the titles of its
slides.
"""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from srhm_studies.beyond.representation_cost.configuration import (
    COLUMNS,
    LARGE,
    MAPS,
    SINGULAR_VALUES,
)


def finished(cells: pd.DataFrame, experiment: str) -> pd.DataFrame:
    """Cells of an experiment that have not diverged, whole numbers as such.

    A column of whole numbers is one of floats where another experiment lacks it.
    """
    if cells.empty:
        return cells
    done = cells[(cells["experiment"] == experiment) & (cells["status"] == "done")]
    whole = [name for name, kind in COLUMNS.items() if kind is int and name in done]
    return done.astype({name: int for name in whole if done[name].notna().all()})


def deepest(cells: pd.DataFrame, *, by: str | None = None) -> pd.DataFrame:
    """Those of the largest L, of all or of each value of a column."""
    if cells.empty:
        return cells
    most = cells["L"].max() if by is None else cells.groupby(by)["L"].transform("max")
    return cells[cells["L"] == most]


def fits_its_points(cells: pd.DataFrame) -> pd.Series:
    """Whether C is below a tenth of the variance, for each cell."""
    return cells["loss"] < 0.1 * cells["variance"]


# Gradient descent with the learning rate 1 / (2 L) can stay at minima up to it, times L.
STABLE = 2.0


def stable(cells: pd.DataFrame) -> pd.Series:
    """Whether a cell fits its points, at a minimum where gradient descent of rate 1/(2L) can stay.

    Slide "Minima stability": (2/N) ||J_theta f(x_i)||_op^2 of every point is below one over the
    learning rate, and rates of 1/L are reasonable. Adam, by which these networks are trained, can
    end elsewhere.
    """
    return fits_its_points(cells) & (cells["sharpness"] <= STABLE * cells["L"])


def in_middle(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of the middle half of the layers; columns k and L. As `spectra.middle_layers`."""
    quarter = rows["L"] // 4
    return rows[(rows["k"] > quarter) & (rows["k"] <= rows["L"] - quarter)]


def of_cells(rows: pd.DataFrame, cells: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Rows of a long table that belong to the cells, with L, seed and further columns of these."""
    return rows.merge(cells[["curve", "key", "L", "seed", *columns]], on=["curve", "key"])


def large_by_frequency(values: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """Number of singular values near 1 of each frequency, mean over middle layers.

    A row for each cell and frequency: key, seed, frequency, n_large.
    """
    middle = in_middle(of_cells(values, cells))
    large = middle.assign(n_large=middle["value"] > LARGE)
    by_layer = large.groupby(["key", "seed", "frequency", "k"])["n_large"].sum()
    return by_layer.groupby(["key", "seed", "frequency"]).mean().reset_index()


def bottleneck_ranks(cells: pd.DataFrame) -> pd.Series:
    """Rank_BN of each cell's map, as a number."""
    ranks = {name: float(target.bottleneck_rank) for name, target in MAPS.items()}
    return cells["map"].map(ranks).astype(float)


def two_parts(layers: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """Linear networks cut after each layer but the last: norms, and the R of each part's own map.

    Slide "Representation geodesics": R^(1)(f) = R^(1)(id -> K_p) + R^(1)(K_p -> f). The map below
    layer l has the singular values s^(l/L), of which l layers cost l sum s^(2/L); that above has
    s^(1-l/L), of which L - l layers cost (L - l) sum s^(2/L).

    Returns:
        key, L, k (layers below the cut), norm_below, norm_above, cost_below, cost_above; a row
        for each layer of each cell below the last.
    """
    rows = layers.merge(cells[["key", "L", "rank"]], on="key").sort_values(["key", "k"])
    norms = rows.groupby("key")["squared_parameters"]
    rows["norm_below"] = norms.cumsum()
    rows["norm_above"] = norms.transform("sum") - rows["norm_below"]
    rows = rows[rows["k"] < rows["L"]]
    below, above = rows["k"], rows["L"] - rows["k"]
    cost_below, cost_above = np.zeros(len(rows)), np.zeros(len(rows))
    for place, value in enumerate(SINGULAR_VALUES):
        present = (rows["rank"] > place).to_numpy()
        cost_below += present * below * (value ** (below / rows["L"])) ** (2 / below)
        cost_above += present * above * (value ** (above / rows["L"])) ** (2 / above)
    parts = rows[["key", "L", "k", "norm_below", "norm_above"]]
    return parts.assign(cost_below=cost_below, cost_above=cost_above)


# Singular values near 1 of a fit of rank 1, mean over middle layers: at most.
ONE_DIRECTION = 1.5


def underestimating(cells: pd.DataFrame) -> pd.DataFrame:
    """Fits of rank 1 to points of maps of k* = 2, over the bound on their ||J_theta f||^2.

    Slide "Minima stability": at some point ||J_theta f||_F^2 >= c'' L e^(-c_1) N^(4 - 4/k*), with
    c_1 = ||theta||^2 - L. The largest operator norm of the training points stands for the left
    side, which is not below it.

    Returns:
        The cells with log_over_bound, the logarithm of the left side over the right one without
        c''.
    """
    if cells.empty:
        return cells
    fits = pd.concat([finished(cells, name) for name in ("maps", "few_points")])
    if fits.empty:
        return fits
    fits = fits[fits_its_points(fits) & fits["map"].isin(PLANE_MAPS)]
    fits = fits[fits["weight_rank"].between(1 / ONE_DIRECTION, ONE_DIRECTION)]
    excess = fits["squared_parameters"] - fits["L"]
    left = np.log(fits["sharpness"] * fits["n"] / 2)
    right = np.log(fits["L"].astype(float)) - excess + (4 - 4 / TRUE_RANK) * np.log(fits["n"])
    return fits.assign(log_over_bound=left - right)


# Of Rank_J = 2, which the theorem on fits of rank 1 is about here.
TRUE_RANK = 2
PLANE_MAPS = [name for name, target in MAPS.items() if target.jacobian_rank == TRUE_RANK]


# R^(0) and R^(1) of maps: the limit of ||theta||^2 / L and its first correction. Slides "Infinite
# Depth Limit" and "First correction": R(f; L) = L R^(0) + R^(1) + ...
LIMITS = pa.schema([
    ("map", pa.string()), ("seed", pa.int64()),
    *((name, pa.float64()) for name in ("R0", "R1")), ("L", pa.int64()),
])  # fmt: skip
# What comes after R^(1) falls as 1 / L and is left out of the fit: so are small L.
FIRST_DEPTH = 6
LEAST_DEPTHS = 3


def limit_rows(cells: pd.DataFrame) -> list[dict[str, Any]]:
    """A row for each map and seed with stable networks (`stable`) at LEAST_DEPTHS depths.

    R0 is the intercept and R1 the slope of ||theta||^2 / L against 1 / L from FIRST_DEPTH on, by
    least squares. L: the largest.
    """
    rows = []
    networks = cells[(cells["experiment"] == "maps") & (cells["status"] == "done")]
    networks = networks[(networks["L"] >= FIRST_DEPTH) & stable(networks)]
    groups: Any = networks.groupby(["map", "seed"])
    for (name, seed), group in groups:
        if group["L"].nunique() < LEAST_DEPTHS:
            continue
        inverse = 1 / group["L"].to_numpy(dtype=float)
        heights = group["squared_parameters"].to_numpy(dtype=float) * inverse
        slope, intercept = np.polyfit(inverse, heights, 1)
        rows.append({"map": name, "seed": int(seed), "R0": float(intercept), "R1": float(slope),
                     "L": int(group["L"].max())})  # fmt: skip
    return rows


def level_directions(
    level: int, *, depth: int, branching: int, n_features: int, n_classes: int
) -> int:
    """Directions of all latents of a level, centred one-hot: s^(L+1-l) (v - 1), or n_c - 1.

    L, s, v, n_c are those of the grammar. level: 1 is the input, L + 1 the class: `srhm.data`.
    """
    if level == depth + 1:
        return n_classes - 1
    return branching ** (depth + 1 - level) * (n_features - 1)
