"""The paper's own P* beside ours, learnt and read as the published figures were.

Their practice: balanced batches with the table of learning rates, the best test error of a
training, and as P* the point of the grid of P whose error is nearest to 10 %, one seed. What one
such reading of another grammar would give is predicted from the spread of our seeds, each of which
draws a grammar, and from the steps of the authors' grid of P.
"""

from math import log, nan

import numpy as np
import pandas as pd
from scipy import special

from srhm.model.grammar import GRAMMAR, NET_AND_DATA
from srhm.scorecard.grammars import grammars
from srhm.statistics.regression import CONFIDENCE, Fit, mean
from srhm.training.configuration import published_rate

CRITERION, THRESHOLD = "best_test_error", 0.10
# Largest step of the authors' grid of P (reference/README.md): a reading is uniform within a step.
STEP = 1.9
GRID_SD = log(STEP) / 12**0.5
# Of the mean ratio: half of the largest step.
TOLERANCE = 1.4
OF_A_LAW = ["net", "L", "s"]
COLUMNS = (*OF_A_LAW, "v", "s0", "width", "n_seeds", "ours", "published", "log_ratio",
           "low", "high", "inside")  # fmt: skip


def practice_points(
    sample_complexity: pd.DataFrame, cells: pd.DataFrame, published: pd.DataFrame
) -> pd.DataFrame:
    """A row (COLUMNS) for each point of the paper on whose grammar we have a curve of the practice.

    ours: geometric mean over the seeds of the P nearest to the threshold. log_ratio: logarithm of
    published over ours. low, high: the 95 % prediction interval of one reading (Student t, from
    the seeds' standard deviation of log P* and GRID_SD in squares), NaN where that is unknown, and
    inside: whether the published point lies in it. Curves whose P* is censored are left out.
    """
    if sample_complexity.empty or published.empty:
        return pd.DataFrame(columns=list(COLUMNS))
    # The practice has rates of the paper's nets alone.
    known_nets = sample_complexity["net"].isin(published["net"])
    curves = practice_curves(sample_complexity[known_nets], cells)
    if curves.empty:
        return pd.DataFrame(columns=list(COLUMNS))
    readings = nearest_sizes(cells[cells["curve"].isin(curves["curve"])])
    found = readings.groupby("curve")["log_size"].agg(["mean", "size"])
    curves = curves.assign(
        log_ours=curves["curve"].map(found["mean"]), n_read=curves["curve"].map(found["size"])
    )
    known = published[["net", *GRAMMAR, "P_star"]].rename(columns={"P_star": "published"})
    both = curves.merge(known, on=["net", *GRAMMAR])
    variance = both["log_sd"] ** 2 * (1 + 1 / both["n_read"]) + GRID_SD**2
    dof = both["dof"].to_numpy(dtype=float)
    quantile = special.stdtrit(np.where(dof > 0, dof, nan), (1 + CONFIDENCE) / 2)
    half = quantile * np.sqrt(variance)
    log_ratio = np.log(both["published"]) - both["log_ours"]
    both = both.assign(
        n_seeds=both["n_read"],
        ours=np.exp(both["log_ours"]),
        log_ratio=log_ratio,
        low=np.exp(both["log_ours"] - half),
        high=np.exp(both["log_ours"] + half),
        inside=log_ratio.abs() <= half,
    )
    return both.sort_values([*OF_A_LAW, "s0", "v"])[list(COLUMNS)].reset_index(drop=True)


def nearest_sizes(cells: pd.DataFrame) -> pd.DataFrame:
    """log P of the cell whose best test error is nearest to the threshold, by curve and seed.

    The smaller P of two that are equally near. Columns: curve, seed, log_size.
    """
    known = cells[cells[CRITERION].notna()].sort_values("P", kind="stable")
    distance = (known[CRITERION] - THRESHOLD).abs()
    nearest = known.loc[distance.groupby([known["curve"], known["seed"]]).idxmin()]
    return nearest[["curve", "seed"]].assign(log_size=np.log(nearest["P"].astype(float)))


def published_over_ours(points: pd.DataFrame) -> Fit:
    """Mean of log_ratio over points, its error that of their scatter, in clusters that share rules.

    This holds the spread of the paper's grammars and of its grid, which our seeds do not know.
    """
    ratios = points["log_ratio"].to_numpy(dtype=float)
    return mean(ratios, clusters=grammars(points))


def practice_curves(table: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """Curves of the practice of the paper's kind: reached, of the usual width of net, L and s."""
    if table.empty or cells.empty:
        return pd.DataFrame()
    chosen = (table["criterion"] == CRITERION) & np.isclose(table["threshold"], THRESHOLD)
    chosen &= (table["batch"] == "balanced") & (table["status"] == "reached")
    chosen &= ~table["whitening"].astype(bool) & ~table["bias"].astype(bool)
    chosen &= (table["sparsity"] == "A") & (table["n_c"] == table["v"])
    chosen &= table["m"] == table["v"] ** (table["s"] - 1)
    curves = table[chosen]
    if curves.empty:
        return curves
    rates = cells.drop_duplicates("curve").set_index("curve")["learning_rate"]
    by_table = [
        published_rate(dict(zip(NET_AND_DATA, row, strict=True)))
        for row in curves[list(NET_AND_DATA)].itertuples(index=False)
    ]
    curves = curves[np.isclose(curves["curve"].map(rates).astype(float), by_table)]
    sizes = curves.groupby([*OF_A_LAW, "width"]).size().rename("n").reset_index()
    usual = sizes.sort_values(["n", "width"]).drop_duplicates(OF_A_LAW, keep="last")
    return curves.merge(usual[[*OF_A_LAW, "width"]], on=[*OF_A_LAW, "width"])
