"""Learning curves of LCN, CNN and FCN as rows: of each P*, of pairs of curves, with their seeds.

A row has the coordinates of its curve, P*, what the seeds say of its error
(`srhm.scorecard.noise`), and where it does not count the reason. Several studies use them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from srhm.results.coordinates import NET_AND_DATA
from srhm.scorecard.noise import SEED_LOGS
from srhm.scorecard.rows import left_out, rows_of
from srhm.statistics.sample_complexity import seed_complexities

THRESHOLD = 0.10  # test error that defines P*, section 4
OPTIONS = ("whitening", "bias", "batch", "alpha", "width", "engine")
NO_CURVES = "no such curves in the tables"


@rows_of("sample_complexity", optional=("cells",), nothing=NO_CURVES)
def curves(
    table: pd.DataFrame,
    cells: pd.DataFrame,
    *,
    threshold: float = THRESHOLD,
    sparsity: str = "A",
    every_grammar: bool = False,
    every_rate: bool = False,
    at_bounds: bool = False,
) -> pd.DataFrame:
    """Sample complexities of the test error at one sparsity and with the main options, all nets.

    Of the paper's grammars alone, n_c = v and m = v^(s-1), which it keeps throughout (section 4),
    unless `every_grammar`. The main options are what most of these curves have: batch, whitening,
    biases and alpha over the table; width and engine for each net, L and s (ties: those of the
    paper's text, the wider net). So a check with a wider net or with another option does not enter
    the fits. Of a grammar that was learnt at several rates the one counts that most curves of this
    net, L and s have, unless `every_rate`.

    Added: places, s_0+1; constant, P* over Eq. 3 or 4; rate, the learning rate, NaN where unknown;
    SEED_LOGS, log P* of each seed at THRESHOLD; log_sd_source: curves with the same one share their
    standard deviation. A P* that is censored, or above a tenth of the distinct data, is left out;
    with `at_bounds` one that is not reached has its lower bound.
    """
    if not every_grammar:
        table = table[of_the_paper(table)]
    table = table[(table["criterion"] == "test_error") & (table["sparsity"] == sparsity)]
    table = table[np.isclose(table["threshold"].to_numpy(dtype=float), threshold)]
    beyond = table["status"] == "not_reached"
    if at_bounds and beyond.any():
        table = table.assign(P_star=table["P_star"].mask(beyond, table["P_star_low"]),
                             status=table["status"].mask(beyond, "reached"))  # fmt: skip
    options = {"whitening": True, "bias": True, "batch": False, "alpha": True}
    table = table.merge(_most_common(table, by=[], ascending=options))
    widths = {"width": False, "engine": True}
    table = table.merge(_most_common(table, by=["net", "L", "s"], ascending=widths))
    shared = table["net"].astype(str) + ", L = " + table["L"].astype(str)
    table = table.assign(
        places=table["s0"] + 1,
        constant=table["P_star"] / table["prediction"],
        log_sd_source=shared.where(table["log_sd_pooled"].astype(bool), table["curve"]),
    )
    table = with_rates(table, cells)
    table = table if every_rate else _at_usual_rates(table)
    table = with_seeds(table, cells if threshold == THRESHOLD else cells.head(0))
    status = table["status"]
    return left_out(
        table,
        {
            "not reached": status == "not_reached",
            "below the measured range": status == "below_range",
            "small pool": table["small_pool"].astype(bool),
        },
    )


def _at_usual_rates(table: pd.DataFrame) -> pd.DataFrame:
    """Of curves that differ in the rate alone the one at the rate of most, the higher of equal."""
    n = table.groupby(["net", "L", "s", "rate"], dropna=False)["curve"].transform("size")
    rank = n + table["rate"].rank(method="dense", pct=True).fillna(0) / 2
    most = rank.groupby([table[name] for name in NET_AND_DATA], dropna=False).transform("max")
    return table[rank == most]


def of_the_paper(table: pd.DataFrame) -> Any:
    """Mask of the rows with n_c = v classes and m = v^(s-1) synonyms, the largest number."""
    return (table["n_c"] == table["v"]) & (table["m"] == table["v"] ** (table["s"] - 1))


def with_seeds(
    table: pd.DataFrame,
    cells: pd.DataFrame,
    *,
    by: Sequence[str] = ("curve",),
    threshold: float = THRESHOLD,
) -> pd.DataFrame:
    """The curves with SEED_LOGS: log P* of each seed, shape (n_seeds,), NaN where censored.

    by: columns of both tables that tell curves apart. Cells without a training loss have not
    collapsed.
    """
    seeds = sorted(set(cells["seed"])) if len(cells) else []
    names, own_names = (_joined(one, by) if len(one) else [] for one in (table, cells))
    own = cells.assign(curve=own_names) if len(cells) else cells
    own = own[own["curve"].isin(names)] if len(cells) else cells
    own = own if "train_loss" in own else own.assign(train_loss=0.0)
    found = seed_complexities(own, threshold=threshold)
    values = found.reindex(index=names, columns=seeds).to_numpy(dtype=float)
    return table.assign(**{SEED_LOGS: pd.Series(list(values), index=table.index, dtype=object)})


def _joined(table: pd.DataFrame, by: Sequence[str]) -> list[str]:
    return [" ".join(map(str, row)) for row in zip(*(table[name] for name in by), strict=True)]


def with_rates(table: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """The curves with their learning rate, `rate`, from the table of cells; NaN where unknown.

    A rate that they have is kept.
    """
    if "rate" in table:
        return table
    known = (
        {}
        if "learning_rate" not in cells
        else dict(zip(cells["curve"], cells["learning_rate"], strict=True))
    )
    return table.assign(rate=table["curve"].map(known).astype(float))


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
