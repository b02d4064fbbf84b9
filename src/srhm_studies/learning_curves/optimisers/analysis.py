"""P* by optimiser, at the rate where it is smallest, and its exponent of s_0+1 by grammar.

Letters of the paper: P* sample complexity, L depth, s_0 (s0) empty places for each informative one,
v features.
"""

from typing import Any

import numpy as np
import pandas as pd

from srhm.model.grammar import DATA_MODEL, GRAMMAR
from srhm.statistics.exponents_of_grammars import OF_GRAMMAR, powers
from srhm.statistics.sample_complexity import crossing, sample_complexity
from srhm_studies.learning_curves.optimisers.configuration import law
from srhm_studies.learning_curves.optimisers.tables import GRAMMARS, SAMPLE_COMPLEXITY

TRAINED = ("net", "optimiser", *GRAMMAR)
CURVE = (*TRAINED, "rate")
# 1 - momentum of SGD, which makes rates with and without momentum comparable.
ONE_LESS_MOMENTUM = {"momentum": 0.1, "plain": 1.0, "decay": 0.1}


def sample_complexities(cells: pd.DataFrame, *, threshold: float) -> pd.DataFrame:
    """P* of each curve (SAMPLE_COMPLEXITY), and which rate is best.

    By the rule of `srhm.statistics.sample_complexity`; standard deviations are pooled over curves
    of one net, L, optimiser and rate. No rate is best at which a network diverged, or whose P* is
    above all P. One whose P* is below all P counts with the least P as its P*.
    """
    errors = cells["test_error"].mask(learnt_and_lost(cells, threshold=threshold))
    rows = cells[[*CURVE, "P", "seed"]].assign(test_error=errors)
    names = [" ".join(map(str, one)) for one in zip(*(rows[c] for c in CURVE), strict=True)]
    values = rows.assign(curve=names, sparsity="A").melt(
        ["curve", *CURVE, "sparsity", "P", "seed"], ["test_error"], "criterion"
    )
    found = sample_complexity(
        values,
        thresholds={"test_error": [threshold]},
        columns=("curve", "net", "optimiser", "rate", *DATA_MODEL),
        pooled_over=("net", "L", "optimiser", "rate"),
    )
    below = found["status"] == "below_range"
    usable = ((found["status"] == "reached") | below) & (found["n_diverged"] == 0)
    P_star = found["P_star"].mask(below, found["P_star_high"]).where(usable)
    by = [found[name] for name in TRAINED]
    rates = found["rate"].groupby(by)
    best = usable & (P_star == P_star.groupby(by).transform("min"))
    ends = (found["rate"] == rates.transform("min")) | (found["rate"] == rates.transform("max"))
    at_end = best & ends
    laws = [law({str(k): value for k, value in one.items()}) for one in found.to_dict("records")]
    found = found.assign(best=best, at_end=at_end, law=np.array(laws, dtype=float))
    return found[SAMPLE_COMPLEXITY.names]


def learnt_and_lost(cells: pd.DataFrame, *, threshold: float) -> pd.Series:
    """Which networks end at the cap and err, though their seed had learnt with fewer points.

    A mask of the rows. Such an end is an accident of training, as that of a dead network
    (`srhm.statistics.sample_complexity.is_dead`), and counts for no P*.
    """
    sizes = cells["P"].where(cells["test_error"] <= threshold)
    first = sizes.groupby([cells[name] for name in (*CURVE, "seed")]).transform("min")
    erring = (cells["status"] == "capped") & (cells["test_error"] > threshold)
    return erring & (cells["P"] > first)


def of_grammars(cells: pd.DataFrame, complexity: pd.DataFrame, *, threshold: float) -> pd.DataFrame:
    """P* of each grammar (GRAMMARS) by the rule of `crossing`; of a censored one its bound.

    complexity: SAMPLE_COMPLEXITY, which says which rate is best.
    """
    rows = []
    cells = cells[~learnt_and_lost(cells, threshold=threshold)]
    for values, own in cells.sort_values("P").groupby([*CURVE, "seed"]):
        row: dict[str, Any] = dict(zip([*CURVE, "seed"], values, strict=True))
        sizes, errors = (own[name].to_numpy(dtype=float) for name in ("P", "test_error"))
        found = crossing(sizes, errors, threshold)
        capped = int((own["status"] == "capped").sum())
        rows.append({**row, "P_star": found.size, "status": found.status, "capped": capped})
    table = pd.DataFrame(rows, columns=[*CURVE, "seed", "P_star", "status", "capped"])
    table = table.astype({name: complexity[name].dtype for name in CURVE})  # without rows, too
    return table.merge(complexity[[*CURVE, "best"]], on=list(CURVE))[GRAMMARS.names]


def exponents(grammars: pd.DataFrame) -> pd.DataFrame:
    """Slope of log P* against log (s_0+1) at s_0 > 0 and best rates, of each grammar of GRAMMARS.

    A grammar of which one of these is censored has none.
    """
    rows = grammars[grammars["best"] & (grammars["s0"] > 0)]
    rows = rows.assign(P_star=rows["P_star"].where(rows["status"] == "reached"))
    return powers(rows, "P_star", by=["net", "optimiser", *OF_GRAMMAR])
