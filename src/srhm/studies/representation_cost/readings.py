"""What figures and claims read off the tables: finished cells, middle layers, singular values."""

import pandas as pd

from srhm.studies.representation_cost.known import LARGE, MAPS
from srhm.studies.representation_cost.tables import COORDINATES


def finished(cells: pd.DataFrame, experiment: str) -> pd.DataFrame:
    """Cells of an experiment that have not diverged, whole numbers as such.

    A column of whole numbers is one of floats where another experiment lacks it.
    """
    if cells.empty:
        return cells
    own = cells[(cells["experiment"] == experiment) & (cells["status"] == "done")]
    whole = [name for name, kind in COORDINATES.items() if kind is int and name in own]
    return own.astype({name: int for name in whole if own[name].notna().all()})


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
    own = in_middle(of_cells(values, cells))
    large = own.assign(n_large=own["value"] > LARGE)
    by_layer = large.groupby(["key", "seed", "frequency", "k"])["n_large"].sum()
    return by_layer.groupby(["key", "seed", "frequency"]).mean().reset_index()


def bottleneck_ranks(cells: pd.DataFrame) -> pd.Series:
    """Rank_BN of each cell's map, as a number."""
    return cells["map"].map({name: float(one.bottleneck_rank) for name, one in MAPS.items()})
