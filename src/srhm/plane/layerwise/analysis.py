"""P* of networks trained end to end, layer by layer, and of shallow ones, against m and L.

The claim (arXiv 2601.19756, as an article about it reports): layerwise training of deep networks
learns the RHM from m^((1+o(1)) L) points, exponentially fewer than shallow networks need. A network
is shallow here if it has one hidden layer and the grammar more levels.
"""

from functools import partial

import pandas as pd

from srhm.figures.selection import at_threshold
from srhm.model.grammar import GRAMMAR
from srhm.scorecard.complexity_rows import THRESHOLD, of_seeds
from srhm.scorecard.estimators import Slope
from srhm.scorecard.rows import left_out
from srhm.scorecard.sheet import rows_of

STUDY = "layerwise"
SERIES = ("end_to_end", "layerwise", "shallow")
OPEN = "bounds, or beside a censored P*"
OPTIONS = ("net", "width", "alpha_tilde", "optimiser", "labels")


def compared(
    complexity: pd.DataFrame, cells: pd.DataFrame | None = None, *, threshold: float = THRESHOLD
) -> pd.DataFrame:
    """P* of the test error at this threshold, with its `series` and `power`, m^L.

    cells: P* of each seed are read of them, in place of those of the curves. Left out are those
    that are not reached, and of deep networks those above a tenth of the distinct data. Shallow
    ones need a part of all data that hardly depends on the grammar.
    """
    rows = at_threshold(complexity[complexity["study"] == STUDY], threshold)
    rows = rows.assign(series=series_of(rows), power=rows["m"].astype(float) ** rows["L"])
    rows = rows if cells is None else of_seeds(rows, cells, by=("curve", *OPTIONS))
    small_pool = rows["small_pool"].astype(bool) & (rows["series"] != "shallow")
    censored = rows["status"] != "reached"
    reasons = {"censored": censored, "above a tenth of the distinct data": small_pool}
    return left_out(rows, reasons)


def series_of(rows: pd.DataFrame) -> pd.Series:
    """One of SERIES for each row of a table with L, hidden_layers and training."""
    shallow = (rows["hidden_layers"] == 1) & (rows["L"] > 1)
    return rows["training"].where(~shallow, "shallow")


# Growth of P* with m or with m^L, of grammars that differ in m alone.
GROWTH = partial(
    Slope, "P_star", within=tuple(name for name in (*GRAMMAR, *OPTIONS) if name != "m"),
    error="clusters", rows=rows_of("sample_complexity", optional=("cells",))(compared),
    what="curves",
)  # fmt: skip


@rows_of("sample_complexity", nothing="no grammar with a P* of both")
def ratios(complexity: pd.DataFrame, *, over: str, under: str) -> pd.DataFrame:
    """P* of one series over that of another: `ratio` and `inverse` for each grammar that has both.

    For a P* above that is not reached its lower bound is taken. OPEN: whether the interval is
    unknown: where a P* below is censored, since the scatter of the others is not that of all.
    """
    rows = compared(complexity)
    top = rows[(rows["series"] == over) & rows["status"].isin(["reached", "not_reached"])]
    low = rows[rows["series"] == under]
    both = top.merge(low, on=list(GRAMMAR), suffixes=("", "_under"))
    bound, censored = both["status"] == "not_reached", both["status_under"] != "reached"
    ratio = both["P_star"].where(~bound, both["P_star_low"]) / both["P_star_under"]
    n = int((bound & ~censored).sum())
    pairs = both.assign(ratio=ratio, inverse=1 / ratio, **{"lower bounds": n})
    pairs[OPEN] = bool(censored.any())
    return left_out(pairs, {"whose lower P* is censored": censored})
