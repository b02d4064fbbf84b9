"""Rows that figure and claims share: S of both outputs at l = L, with error and P* of the network.

A network whose answers are certain (p is 1 for one class), which errs on a fraction ε of the data,
on each of the n_c - 1 other classes alike, and on x independently of p_L x, has

    S_L = (1 - (1 - ε)^2 - ε^2/(n_c - 1)) / (1 - 1/n_c),

the probability that the answers to two data of one class differ over that of any two data.
"""

from math import exp
from typing import Any

import pandas as pd

from srhm.model.grammar import GRAMMAR
from srhm.scorecard.complexity_rows import THRESHOLD
from srhm.scorecard.rows import left_out
from srhm.scorecard.sheet import rows_of
from srhm.statistics.sample_complexity import Crossing, crossing, mean_of_seeds

BEYOND = 4  # in units of P*
INSENSITIVE = 0.2  # the smallest threshold that the paper has for S, by which S_2 defines P*_S
# Of 500 points 15 then are errors, of which the noise is a fourth.
LEAST_ERROR = 0.03
NOTHING = "no network was measured"


def of_certain_answers(error: Any, n_classes: Any) -> Any:
    """S at l = L of certain answers that are wrong with this probability; see the module."""
    differ = 1 - (1 - error) ** 2 - error**2 / (n_classes - 1)
    return differ / (1 - 1 / n_classes)


def top_synonyms(outputs: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """Rows of S at l = L of each network, with test_error and certain; not measured ones as NaN."""
    chosen = (outputs["variant"] == "text") & (outputs["kind"] == "S")
    known = cells[["key", "net", *GRAMMAR, "P", "seed", "test_error"]]
    rows = outputs[chosen].merge(known, on="key")
    rows = rows[rows["l"] == rows["L"]]
    errors = rows["test_error"].astype(float)
    return rows.assign(certain=of_certain_answers(errors, rows["n_c"].astype(float)))


def sample_complexities(rows: pd.DataFrame) -> dict[str, float]:
    """P* of each curve, the geometric mean of its seeds; NaN where it is not reached."""
    seeds: dict[str, list[Crossing]] = {}
    for (curve, _), of_seed in rows.sort_values("P").groupby(["curve", "seed"]):
        sizes, errors = (of_seed[name].to_numpy(dtype=float) for name in ("P", "test_error"))
        seeds.setdefault(str(curve), []).append(crossing(sizes, errors, THRESHOLD))
    return {curve: exp(mean_of_seeds(crossings).log_size) for curve, crossings in seeds.items()}


@rows_of("outputs", "cells", nothing=NOTHING, what="networks")
def beyond(outputs: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """S at l = L of both outputs, for each network of P at or above BEYOND times the curve's P*."""
    rows = top_synonyms(outputs, cells)
    threshold = rows["curve"].map(sample_complexities(rows))
    return left_out(
        rows,
        {
            "of curves without a P*": threshold.isna(),
            f"below {BEYOND} P*": rows["P"] < BEYOND * threshold,
            "not measured": rows["softmax"].isna(),
        },
    )


@rows_of("outputs", "cells", nothing=NOTHING, what="networks")
def over_certain(outputs: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """S of the softmax at l = L over that of certain answers of the same test error: ratio."""
    rows = top_synonyms(outputs, cells)
    rows = rows.assign(ratio=rows["softmax"] / rows["certain"])
    few = f"with a test error below {LEAST_ERROR:.0%}"
    return left_out(
        rows, {few: rows["test_error"] < LEAST_ERROR, "not measured": ~(rows["ratio"] > 0)}
    )
