"""P* by optimiser, at the rate where it is smallest, and its exponent of s_0+1 by grammar."""

import pandas as pd

from srhm_studies.learning_curves.learner import powers_of_places
from srhm_studies.learning_curves.optimisers.configuration import GRAMMARS, LEARNER

CURVE = LEARNER.curve
TRAINED = [name for name in CURVE if name != "rate"]
# 1 - momentum of SGD, which makes rates with and without momentum comparable.
ONE_LESS_MOMENTUM = {"momentum": 0.1, "plain": 1.0, "decay": 0.1}


def sample_complexities(cells: pd.DataFrame, *, threshold: float) -> pd.DataFrame:
    """P* of each curve (SAMPLE_COMPLEXITY), and which rate is best.

    No rate is best at which a network diverged, or whose P* is
    above all P. One whose P* is below all P counts with the least P as its P*.
    """
    errors = cells["test_error"].mask(learnt_and_lost(cells, threshold=threshold))
    stars = LEARNER.sample_complexities(cells.assign(test_error=errors), threshold=threshold)
    below = stars["status"] == "below_range"
    usable = ((stars["status"] == "reached") | below) & (stars["n_diverged"] == 0)
    P_star = stars["P_star"].mask(below, stars["P_star_high"]).where(usable)
    by = [stars[name] for name in TRAINED]
    rates = stars["rate"].groupby(by)
    best = usable & (P_star == P_star.groupby(by).transform("min"))
    ends = (stars["rate"] == rates.transform("min")) | (stars["rate"] == rates.transform("max"))
    return stars.assign(best=best, at_end=best & ends)


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
    kept = cells[~learnt_and_lost(cells, threshold=threshold)]
    table = LEARNER.of_seeds(kept, threshold=threshold)
    table = table.astype({name: complexity[name].dtype for name in CURVE})  # without rows, too
    return table.merge(complexity[[*CURVE, "best"]], on=CURVE)[GRAMMARS.names]


def exponents(grammars: pd.DataFrame) -> pd.DataFrame:
    """See `powers_of_places`, at best rates, of each grammar of GRAMMARS."""
    return powers_of_places(grammars[grammars["best"]], "net", "optimiser")
