"""P* of single grammars and their powers of s_0+1.

A grammar is one seed at one L and v: its rules are the same for all nets and s_0, so that curves
which share it are compared grammar by grammar. Letters of the paper: P* sample complexity, L depth,
s_0 (s0) empty places for each informative one, v features.
"""

from collections.abc import Sequence
from math import exp

import numpy as np
import pandas as pd

from srhm.model.grammar import DATA_MODEL
from srhm.statistics.regression import mean
from srhm.statistics.sample_complexity import all_sample_complexities, seed_complexities
from srhm.store.tables import SENSITIVITIES

OF_GRAMMAR = ("L", "v", "seed")


def complexities(cells: pd.DataFrame, *, thresholds: Sequence[float]) -> pd.DataFrame:
    """P* of each curve (SAMPLE_COMPLEXITY) of a study that measures no sensitivities."""
    none = pd.DataFrame(columns=SENSITIVITIES.names)
    return all_sample_complexities(cells, none, thresholds=thresholds)


def complexities_of_grammars(cells: pd.DataFrame, *, threshold: float) -> pd.DataFrame:
    """P* of each seed alone, `P_star`, NaN where it is censored, with net and grammar."""
    curves = cells.drop_duplicates("curve")[["curve", "net", *DATA_MODEL]]
    stars = seed_complexities(cells, threshold=threshold).map(exp)
    return curves.merge(stars.melt(ignore_index=False, value_name="P_star"), on="curve")


def powers(rows: pd.DataFrame, column: str, *, by: Sequence[str]) -> pd.DataFrame:
    """Slope of log column against log (s_0+1) of rows that agree in `by`: by, exponent.

    Without those of one s_0 alone, or with a value that is not known.
    """
    exponents = []
    for names, part in rows.groupby(list(by)):
        x, y = np.log(part["s0"].to_numpy(float) + 1), np.log(part[column].to_numpy(float))
        if len(set(x)) > 1 and np.isfinite(y).all():
            exponents.append([*names, np.polyfit(x, y, 1)[0]])
    return pd.DataFrame(exponents, columns=[*by, "exponent"])


def mean_exponents(table: pd.DataFrame, *, by: Sequence[str]) -> pd.DataFrame:
    """Means of `exponent` over grammars with 95 % intervals: by, exponent, low, high, n."""
    rows = []
    for names, part in table.groupby(list(by)):
        fit = mean(part["exponent"].to_numpy(float))
        rows.append([*names, fit.slope, fit.low, fit.high, fit.n])
    return pd.DataFrame(rows, columns=[*by, "exponent", "low", "high", "n"])
