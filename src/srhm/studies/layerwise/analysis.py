"""P* of networks trained end to end, layer by layer, and of shallow ones, against m and L.

The claim (arXiv 2601.19756, as an article about it reports): layerwise training of deep networks
learns the RHM from m^((1+o(1)) L) points, exponentially fewer than shallow networks need. A network
is shallow here if it has one hidden layer and the grammar more levels.
"""

import numpy as np
import pandas as pd

from srhm.results.coordinates import GRAMMAR
from srhm.statistics.regression import NO_FIT, Fit, SeedNoise, mean, slope_with_group_intercepts

STUDY = "layerwise"
SERIES = ("end_to_end", "layerwise", "shallow")
OPTIONS = ("net", "width", "alpha_tilde", "optimiser", "labels")


def compared(complexity: pd.DataFrame, *, threshold: float) -> pd.DataFrame:
    """P* of the test error at this threshold in the layerwise study, with its `series`."""
    rows = complexity[
        (complexity["study"] == STUDY)
        & (complexity["criterion"] == "test_error")
        & np.isclose(complexity["threshold"].to_numpy(dtype=float), threshold)
    ]
    return rows.assign(series=series_of(rows))


def series_of(rows: pd.DataFrame) -> pd.Series:
    """One of SERIES for each row of a table with L, hidden_layers and training."""
    shallow = (rows["hidden_layers"] == 1) & (rows["L"] > 1)
    return rows["training"].where(~shallow, "shallow")


def slope(rows: pd.DataFrame, *, series: str, depth: int | None = None) -> Fit:
    """Slope of log P* on log m^L (with a depth: on log m), an intercept for each group.

    rows: of `compared`, of which those enter that are `usable`; grammars that differ in m alone
    form a group. The interval is that of the seeds or of the scatter about the lines, as in
    `regression`.
    """
    own = usable(rows, series)
    if depth is not None:
        own = own[own["L"] == depth]
    if own.empty:
        return NO_FIT
    power = own["L"].to_numpy(dtype=float) if depth is None else 1.0
    x = power * np.log(own["m"].to_numpy(dtype=float))
    by = [name for name in (*GRAMMAR, *OPTIONS) if name != "m"]
    group = own.groupby(by, dropna=False).ngroup().to_numpy()
    y = np.log(own["P_star"].to_numpy(dtype=float))
    shared = own["net"].astype(str) + ", L = " + own["L"].astype(str)
    noise = SeedNoise(
        standard_error=own["log_se"].to_numpy(dtype=float),
        dof=own["dof"].to_numpy(dtype=float),
        source=shared.where(own["log_sd_pooled"], own["curve"]).to_numpy(dtype=object),
    )
    return slope_with_group_intercepts(x, y, group, [noise])


def usable(rows: pd.DataFrame, series: str) -> pd.DataFrame:
    """P* of a series that were reached, and are not above a tenth of the distinct data.

    Shallow networks need a part of all data that hardly depends on the grammar: theirs all enter.
    """
    own = rows[(rows["series"] == series) & (rows["status"] == "reached")]
    return own if series == "shallow" else own[~own["small_pool"].astype(bool)]


def log_ratios(rows: pd.DataFrame, *, over: str, under: str) -> pd.DataFrame:
    """log of the P* of one series over that of another, for each grammar that has both.

    Columns GRAMMAR, log_ratio, and `bound`: True where the P* above is not reached, so that the
    ratio is at least this. A grammar whose P* below is censored has no row.
    """
    top = rows[(rows["series"] == over) & rows["status"].isin(["reached", "not_reached"])]
    low = rows[(rows["series"] == under) & (rows["status"] == "reached")]
    keys = list(GRAMMAR)
    both = top.merge(low, on=keys, suffixes=("", "_under"))
    bound = both["status"] == "not_reached"
    above = both["P_star"].where(~bound, both["P_star_low"])
    ratio = np.log(above.to_numpy(dtype=float) / both["P_star_under"].to_numpy(dtype=float))
    return both[keys].assign(log_ratio=ratio, bound=bound)


def n_censored_below(rows: pd.DataFrame, *, over: str, under: str) -> int:
    """Grammars with a P* of the series above, reached or not, that of the one below censored."""
    top = rows[(rows["series"] == over) & rows["status"].isin(["reached", "not_reached"])]
    low = rows[(rows["series"] == under) & (rows["status"] != "reached")]
    return len(top.merge(low, on=list(GRAMMAR)))


def mean_log_ratio(rows: pd.DataFrame, *, over: str, under: str) -> Fit:
    """Mean over grammars of `log_ratios`; bounds enter as they are, which makes it a bound too."""
    found = log_ratios(rows, over=over, under=under)
    return mean(found["log_ratio"].to_numpy(dtype=float), [])
