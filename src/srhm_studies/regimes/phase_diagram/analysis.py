"""The plane of h and alpha_tilde, and learning curves, from tables.

Letters of the thesis (chapter 3b): h width, alpha_tilde = sqrt(h) alpha, h* the width below which
most networks are jammed, N* the number of their weights, P training points, Theta tangent kernel.
"""

import numpy as np
import pandas as pd

from srhm.statistics.regimes import jamming_line, level_set, wholly_fitted

# Kinds of cells of this study: their data, net and loss.
Kind = tuple[str, str, str]
KIND = ("data", "net", "loss")
PLANE: Kind = ("digits_pca", "fcn", "soft_hinge")
SIZES: Kind = ("digits_pca", "fcn", "quadratic_hinge")
DIGITS: Kind = ("digits", "fcn", "soft_hinge")
PATCHES: Kind = ("digits", "cnn", "soft_hinge")
STRIPE: Kind = ("stripe", "fcn", "soft_hinge")
# Parts of the budget of evaluations at which h* is read off the histories.
PARTS = (1 / 16, 1 / 4, 1.0)
# From this multiple of h* on the crossover line and the error of ensembles are expected flat.
FAR = 2.0


def of_kind(cells: pd.DataFrame, kind: Kind) -> pd.DataFrame:
    """Cells of one kind of data, net and loss."""
    if cells.empty:
        return cells
    return cells[(cells[list(KIND)] == list(kind)).all(axis=1)]


def plane_of(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells of the whole plane, at the smallest budget: some have others with a longer one."""
    plane = of_kind(cells, PLANE)
    return plane[plane["budget"] == plane["budget"].min()] if len(plane) else plane


def at_longest(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells of the plane after its longest budget, at the alpha_tilde that were trained so long.

    A network that has fitted before would take the same steps. Wider ones than those trained so
    long count as at their own budget, narrower ones are left out.
    """
    plane = of_kind(cells, PLANE)
    if plane.empty or plane["budget"].nunique() == 1:
        return plane
    long = plane[plane["budget"] == plane["budget"].max()]
    same = plane["alpha_tilde"].isin(long["alpha_tilde"]) & (plane["width"] >= long["width"].min())
    last = (
        plane[same]
        .sort_values("budget")
        .drop_duplicates(["seed", "alpha_tilde", "width", "member"], keep="last")
    )
    return last.assign(budget=long["budget"].iloc[0], settings=long["settings"].iloc[0])


def longest_line(cells: pd.DataFrame) -> pd.DataFrame:
    """h* after the longest budget: columns of `jamming_line`, and budget; seeds together."""
    longest = at_longest(cells)
    return jamming_line(longest).assign(budget=longest["budget"].max())


def with_cells(rows: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """Rows of another table with the coordinates of their cells, of which there are some."""
    columns = [name for name in cells.columns if name == "key" or name not in rows.columns]
    return rows.merge(cells[columns], on="key")


def at_budget(cells: pd.DataFrame, histories: pd.DataFrame, budget: float) -> pd.DataFrame:
    """The cells as they would be if their training had ended at a smaller budget.

    n_unsatisfied, mean_loss and the status are those of the last record of the history within it.
    """
    within = histories[histories["evaluations"] <= budget].sort_values("evaluations")
    last = within.groupby("key")[["n_unsatisfied", "mean_loss"]].last().reset_index()
    rows = cells.drop(columns=["n_unsatisfied", "mean_loss"]).merge(last, on="key")
    ended = np.where(rows["n_unsatisfied"] == 0, "fitted", "capped")
    return rows.assign(status=np.where(rows["status"] == "diverged", "diverged", ended))


def jamming_lines(cells: pd.DataFrame, histories: pd.DataFrame) -> pd.DataFrame:
    """h* at each alpha_tilde for each of PARTS of the budget; seeds together.

    Columns part, budget, alpha_tilde, h_low, h_star, h_high.
    """
    lines = []
    for part in PARTS:
        budget = part * float(cells["budget"].max())
        line = jamming_line(at_budget(cells, histories, budget)).astype(float)
        lines.append(line.assign(part=part, budget=round(budget)))
    return pd.concat(lines, ignore_index=True)


def by_seed(cells: pd.DataFrame, histories: pd.DataFrame) -> pd.DataFrame:
    """`jamming_lines` of each seed of the data alone, with a column seed."""
    parts = [jamming_lines(rows, histories).assign(seed=seed)
             for seed, rows in cells.groupby("seed")]  # fmt: skip
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def crossovers(cells: pd.DataFrame, lines: pd.DataFrame) -> pd.DataFrame:
    """alpha_tilde at which the kernel change is 1: width, alpha_tilde, seed, times = h/h*.

    Of pairs (h, alpha_tilde) whose networks all fitted; h* is the largest of the line at the whole
    budget, NaN if no width is jammed.
    """
    crossings = []
    for seed, rows in cells.groupby("seed"):
        line = lines[(lines["seed"] == seed) & (lines["part"] == 1)]
        star = float(line["h_star"].max()) if len(line) else np.nan
        crossed = level_set(wholly_fitted(rows), 1.0)
        crossings.append(crossed.assign(seed=seed, times=crossed["width"] / star))
    return pd.concat(crossings, ignore_index=True).astype(float)


def on_the_line(cells: pd.DataFrame) -> pd.DataFrame:
    """Networks of the widest jammed width of each seed and alpha_tilde, after the longest budget.

    Those that did not diverge.
    """
    jammed = []
    for seed, rows in at_longest(cells).groupby("seed"):
        line = jamming_line(rows).rename(columns={"h_low": "width"}).assign(seed=seed)
        line = line[["seed", "alpha_tilde", "width"]]
        kept = rows[rows["status"] != "diverged"]
        jammed.append(kept.merge(line, on=["seed", "alpha_tilde", "width"]))
    return pd.concat(jammed, ignore_index=True) if jammed else of_kind(cells, PLANE)


def gains(ensembles: pd.DataFrame, lines: pd.DataFrame) -> pd.DataFrame:
    """For each width, alpha_tilde and seed the errors of single networks and of their mean.

    Columns those of ENSEMBLES, gain = mean_error - ensemble_error, h_star at the whole budget.
    """
    star = lines[lines["part"] == 1][["seed", "alpha_tilde", "h_star"]]
    rows = ensembles.merge(star, on=["seed", "alpha_tilde"])
    return rows.assign(gain=rows["mean_error"] - rows["ensemble_error"])


def closed_gap(cells: pd.DataFrame, compressed: pd.DataFrame) -> pd.DataFrame:
    """How much of the gap between lazy and feature learning compression closes, by P and seed.

    Columns P, seed; lazy, squeezed, feature: errors of the frozen kernel on whole and compressed
    inputs, and of the network; part = log(lazy/squeezed)/log(lazy/feature) of their geometric
    means over P, the same for all rows of a seed. Seeds need a fitted network.
    """
    good = cells[cells["status"] == "fitted"][["key", "P", "seed", "member", "test_error"]]
    wide = compressed.pivot_table(index="key", columns="inputs", values="test_error")
    rows = good.rename(columns={"test_error": "feature"}).merge(wide.reset_index(), on="key")
    rows = rows.rename(columns={"whole": "lazy", "compressed": "squeezed"})
    rows = rows[(rows[["feature", "lazy", "squeezed"]] > 0).all(axis=1)]
    names = ["feature", "lazy", "squeezed"]
    logs = rows[names].transform("log").groupby(rows["seed"]).transform("mean")
    part = (logs["lazy"] - logs["squeezed"]) / (logs["lazy"] - logs["feature"])
    return rows.assign(part=part)


def aligned(alignment: pd.DataFrame) -> pd.DataFrame:
    """For each cell what its first eigenvectors have of the labels, before and after training.

    Columns of the cell; omega_initial, omega_end, eigenvalue_initial, eigenvalue_end: sums over the
    eigenvectors kept; information_initial, information_end: the largest among them.
    """
    cells = alignment.drop_duplicates("key")
    cells = cells[["key", "data", "alpha_tilde", "P", "seed", "member", "status"]]
    for when, rows in alignment.groupby("when"):
        kept = rows.groupby("key").agg(
            omega=("omega", "sum"),
            eigenvalue=("eigenvalue", "sum"),
            information=("information", "max"),
        )
        cells = cells.merge(kept.add_suffix(f"_{when}").reset_index(), on="key")
    return cells
