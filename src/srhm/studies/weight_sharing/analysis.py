"""P* of each net, and its exponent of s_0+1 for each grammar, beside those of the first steps.

Letters of the paper: P* sample complexity, L depth, s_0 (s0) empty places for each informative one.
A grammar is one seed at one L and v: its rules are the same for all nets and s_0.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from srhm.results.coordinates import DATA_MODEL
from srhm.results.tables import CELLS, SENSITIVITIES
from srhm.statistics.regression import mean
from srhm.statistics.sample_complexity import all_sample_complexities, seed_complexities

OF_GRAMMAR = ("L", "v", "seed")
# layer: of a first step; 0: of P*. places: of how many levels the weights of that layer know the
# place; of P*: the largest number of all layers.
EXPONENTS = pa.schema(
    [
        *(CELLS.field(name) for name in ("net", *OF_GRAMMAR)),
        *(("layer", pa.int64()), ("places", pa.int64()), ("exponent", pa.float64())),
    ]
)


def complexities(cells: pd.DataFrame, *, thresholds: Sequence[float]) -> pd.DataFrame:
    """P* of each curve (SAMPLE_COMPLEXITY); no sensitivities are measured."""
    none = pd.DataFrame(columns=SENSITIVITIES.names)
    return all_sample_complexities(cells, none, thresholds=thresholds)


def stars(cells: pd.DataFrame, *, threshold: float) -> pd.DataFrame:
    """P* of each seed alone, `P_star`, NaN where it is censored, with net, L, v, s0."""
    own = ["curve", "net", *DATA_MODEL]
    curves = cells.drop_duplicates("curve")[own]
    logs = seed_complexities(cells, threshold=threshold)
    seeds = (
        logs.rename_axis("curve").reset_index().melt("curve", var_name="seed", value_name="log_P")
    )
    found = curves.merge(seeds, on="curve").astype({"seed": "int64"})
    return found.assign(P_star=np.exp(found["log_P"]))


def exponents(cells: pd.DataFrame, first_steps: pd.DataFrame, *, threshold: float) -> pd.DataFrame:
    """Rows of EXPONENTS: slopes against log (s_0+1) of the s_0 > 0 of each grammar.

    Of log P*, and of the log of the points at which noise equals signal. A grammar of which one of
    these is censored, or that has a single s_0, has none.
    """
    found = stars(cells, threshold=threshold)
    most = first_steps.groupby(["net", "L"])["places"].max().rename("places").reset_index()
    found = found[found["s0"] > 0].merge(most, on=["net", "L"]).assign(layer=0)
    both = [found.rename(columns={"P_star": "points"}),
            first_steps.rename(columns={"n_equal": "points"})]  # fmt: skip
    by = ["net", *OF_GRAMMAR, "layer", "places"]
    rows = []
    for names, own in pd.concat(both).groupby(by):
        x, y = (np.log(own[name].to_numpy(float) + one) for name, one in (("s0", 1), ("points", 0)))
        if len(set(x)) > 1 and np.isfinite(y).all():
            rows.append([*names, np.polyfit(x, y, 1)[0]])
    return pd.DataFrame(rows, columns=[*by, "exponent"])[EXPONENTS.names]


def means(table: pd.DataFrame) -> pd.DataFrame:
    """Means over grammars of `exponents`: net, L, layer, places, exponent, low, high, n."""
    by, rows = ["net", "L", "layer", "places"], []
    for names, own in table.groupby(by):
        fit = mean(own["exponent"].to_numpy(float), [])
        rows.append([*names, fit.slope, fit.low, fit.high, fit.n])
    return pd.DataFrame(rows, columns=[*by, "exponent", "low", "high", "n"])
