"""P* of single grammars as rows: of LCN, CNN and FCN, of pairs of curves, of the authors.

A row has the coordinates of its curve, the seed, which draws a grammar, its P*, and where it does
not count the reason. Several studies use them.
"""

from collections.abc import Mapping, Sequence
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from srhm.model import theory
from srhm.model.grammar import NET_AND_DATA, parameters_of
from srhm.scorecard.rows import left_out
from srhm.scorecard.sheet import rows_of
from srhm.statistics.sample_complexity import (
    SMALL_POOL,
    crossings,
    is_dead,
    lasting_crossing,
    of_dead,
)
from srhm.training.configuration import published_rate

THRESHOLD = 0.10  # test error that defines P*, section 4
OPTIONS = ("whitening", "bias", "batch", "alpha", "width", "engine")
NO_CURVES = "no such curves in the tables"


@rows_of("sample_complexity", optional=("cells",), nothing=NO_CURVES, what="P*")
def main_curves(
    table: pd.DataFrame,
    cells: pd.DataFrame,
    *,
    threshold: float = THRESHOLD,
    sparsity: str = "A",
    every_grammar: bool = False,
    every_rate: bool = False,
) -> pd.DataFrame:
    """P* of the test error of each curve and seed at one sparsity, with the main options, all nets.

    Of the paper's grammars alone, n_c = v and m = v^(s-1), which it keeps throughout (section 4),
    unless `every_grammar`. The main options are what most of these curves have: batch, whitening,
    biases and alpha over the table; width and engine for each net, L and s (ties: those of the
    paper's text, the wider net). So a check with a wider net or with another option does not enter
    the fits. Of a grammar that was learnt at several rates the one counts that most curves of this
    net, L and s have, unless `every_rate`.

    Added: `of_seeds`; places, s_0+1; constant, P* divided by Eq. 3 or 4; rate, the learning rate,
    NaN where unknown. A P* that is censored, or above a tenth of the distinct data, is left out.
    """
    if not every_grammar:
        table = table[of_the_paper(table)]
    table = table[(table["criterion"] == "test_error") & (table["sparsity"] == sparsity)]
    table = table[np.isclose(table["threshold"].to_numpy(dtype=float), threshold)]
    options = {"whitening": True, "bias": True, "batch": False, "alpha": True}
    table = table.merge(_most_common(table, by=[], ascending=options))
    widths = {"width": False, "engine": True}
    table = table.merge(_most_common(table, by=["net", "L", "s"], ascending=widths))
    table = with_rates(table, cells)
    table = of_seeds(table if every_rate else _at_usual_rates(table), cells, threshold=threshold)
    constant = table["P_star"] / table["prediction"]
    return known_stars(table.assign(places=table["s0"] + 1, constant=constant))


def known_stars(table: pd.DataFrame) -> pd.DataFrame:
    """The table without P* that are censored, or above a tenth of the distinct data."""
    return left_out(
        table,
        {
            "with P* above the measured range": table["status"] == "not_reached",
            "with P* below the measured range": table["status"] == "below_range",
            "with P* above a tenth of the data": table["small_pool"].astype(bool),
        },
    )


def of_seeds(
    table: pd.DataFrame,
    cells: pd.DataFrame,
    *,
    by: Sequence[str] = ("curve",),
    threshold: float = THRESHOLD,
) -> pd.DataFrame:
    """The curves with a row for each seed: seed, P_star, status, bound, small_pool.

    by: columns of both tables that tell curves apart. bound: P*, of a censored one (P_star is NaN)
    its bound. Cells without a training loss are of no dead network. Without any cells a curve is
    that of one seed, 0.
    """
    if cells.empty:
        return table.assign(seed=0, bound=table["P_star"])
    cells = cells.merge(table[list(by)].drop_duplicates(), on=list(by))
    cells = cells[~is_dead(cells)] if "train_loss" in cells else cells
    read = crossings(cells, threshold, by=[*by, "seed"])
    stars = table.drop(columns=["P_star", "status"]).merge(read, on=list(by))
    if "n_distinct" not in stars:
        return stars
    most = SMALL_POOL * stars["n_distinct"]
    return stars.assign(small_pool=stars["bound"] > most)


@rows_of("sensitivities", optional=("cells",), nothing=NO_CURVES)
def of_living(sensitivities: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """Sensitivities of networks that are not dead."""
    return sensitivities if cells.empty else sensitivities[~of_dead(sensitivities, cells)]


def _at_usual_rates(table: pd.DataFrame) -> pd.DataFrame:
    """Of curves that differ in the rate alone the one at the rate of most, the higher of equal."""
    n = table.groupby(["net", "L", "s", "rate"], dropna=False)["curve"].transform("size")
    rank = n + table["rate"].rank(method="dense", pct=True).fillna(0) / 2
    most = rank.groupby([table[name] for name in NET_AND_DATA], dropna=False).transform("max")
    return table[rank == most]


def of_the_paper(table: pd.DataFrame) -> Any:
    """Mask of the rows with n_c = v classes and m = v^(s-1) synonyms, the largest number."""
    return (table["n_c"] == table["v"]) & (table["m"] == table["v"] ** (table["s"] - 1))


def with_rates(table: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """The curves with their learning rate, `rate`, from the table of cells; NaN where unknown.

    A rate that they have is kept.
    """
    if "rate" in table:
        return table
    known = cells.drop_duplicates("curve").set_index("curve") if len(cells) else cells
    return table.assign(rate=table["curve"].map(known.get("learning_rate", {})).astype(float))


def _most_common(
    table: pd.DataFrame, *, by: list[str], ascending: Mapping[str, bool]
) -> pd.DataFrame:
    """For each value of `by` the combination of the options' columns that most curves have."""
    columns = [*by, *ascending]
    counts = table.groupby(columns, dropna=False, sort=False)["curve"].nunique().reset_index()
    counts = counts.sort_values(
        ["curve", *ascending], ascending=[False, *ascending.values()], kind="stable"
    )
    counts = counts[columns]
    return counts.drop_duplicates(by) if by else counts.head(1)


# A curve shows a fall of its sensitivities if its test error falls in the measured window from
# above the first to below the second: before and after the task is learnt.
UNLEARNT, LEARNT = 0.30, 0.10
# A sensitivity that falls by less has no half-way that would stand out of its noise.
MIN_FALL = 1.5
# A sensitivity of zero, of a network that is exactly invariant, has no logarithm.
LEAST_RATIO = 1e-6
# Why claims expect a fall to below one half.
FALL_REASON = (
    "0.5: the paper gives no number for 'significantly lower'; the smallest fall that its own"
    " thresholds require is that to S_2 = 50 % from the 100 % of an insensible representation"
)


def log_half_way(sizes: Any, values: Any) -> float:
    """log P at which a sensitivity has fallen to the geometric mean of its first and last value.

    sizes, values: shape (n,), by P. NaN where it falls by less than MIN_FALL.
    """
    finite = np.isfinite(values)
    sizes, values = sizes[finite], values[finite]
    if not values.size or values[0] <= 0 or values[-1] * MIN_FALL > values[0]:
        return nan
    last = max(values[-1], LEAST_RATIO * values[0])
    return lasting_crossing(sizes, values, float(np.sqrt(values[0] * last))).log_size


# One seed, no error that is known. The options must only be equal: nothing is chosen by them.
OF_ANY_POINT: dict[str, Any] = {
    "criterion": "test_error",
    "threshold": THRESHOLD,
    "sparsity": "A",
    "status": "reached",
    "whitening": False,
    "bias": False,
    "batch": "practice",
    "alpha": 1.0,
    "width": 512,
    "engine": "paper",
}


def as_sample_complexities(points: pd.DataFrame) -> pd.DataFrame:
    """The paper's points (`published_values`) with the columns that claims read of our curves.

    Added are the prediction of Eq. 3 or 4, `small_pool`, as for our own P*, and the `rate` of the
    practice.
    """
    rows: list[dict[str, Any]] = points.to_dict("records")  # type: ignore[assignment]
    pools = [SMALL_POOL * float(parameters_of(row).n_distinct) for row in rows]
    return points.assign(
        **OF_ANY_POINT,
        curve=[f"point {number}" for number in range(len(points))],
        prediction=[theory.predicted(row) for row in rows],
        rate=[published_rate(row) for row in rows],
        small_pool=points["P_star"].to_numpy(dtype=float) > pools,
    )
