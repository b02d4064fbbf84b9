"""How the P at which signal equals noise in the first step depends on the grammar.

The law of appendix C for the LCN is (s_0+1)^L n_c m^L, up to a constant. Grammars of one seed are
alike for all s_0 and share the numbers their samples are made of: exponents are therefore fitted
for each seed alone, and intervals are those of the mean over the seeds.
"""

import numpy as np
import pandas as pd
from scipy import special

from srhm.model.grammar import GRAMMAR
from srhm.statistics.regression import CONFIDENCE, Fit, mean

# Column of `equal_points` of each exponent, and what tells the groups apart that it is fitted in.
EXPONENTS: dict[str, tuple[str, ...]] = {
    "s0+1": ("L", "s", "v", "m", "n_c"),
    "m": ("L", "s", "s0", "v", "n_c"),
    "n_c": ("L", "s", "s0", "v", "m"),
    "law": ("L", "s"),
}
KINDS = {"synonyms": "synonym_noise", "placements": "placement_noise"}


def equal_points(table: pd.DataFrame) -> pd.DataFrame:
    """Points at which noise equals signal: net, GRAMMAR, seed, s0+1, law, n_equal.

    A row for each net, grammar and seed: n_equal is the geometric mean over the training sets,
    which are nested. A training set of all data has none.
    """
    known = table[table["n_equal"] > 0]
    keys = ["net", *GRAMMAR, "seed"]
    logs = np.log(known["n_equal"].to_numpy(dtype=float))
    points = known[keys].assign(n_equal=logs).groupby(keys, as_index=False).mean()
    empty = points["s0"] + 1
    law = empty ** points["L"] * points["n_c"] * points["m"] ** points["L"]
    return points.assign(n_equal=np.exp(points["n_equal"]), law=law, **{"s0+1": empty})


def over_seeds(points: pd.DataFrame) -> pd.DataFrame:
    """Geometric means over seeds: net, GRAMMAR, law, n_equal, low, high, n_seeds.

    low and high bound the mean with 95 % (Student's t of the logarithms); NaN for one seed.
    """
    rows = []
    for key, group in points.groupby(["net", *GRAMMAR, "law"], sort=True):
        logs = np.log(group["n_equal"].to_numpy(dtype=float))
        n = logs.size
        half = np.nan
        if n > 1:
            half = special.stdtrit(n - 1, (1 + CONFIDENCE) / 2) * np.std(logs, ddof=1) / n**0.5
        ends = logs.mean() + np.array([0, -half, half])
        rows.append([*key, *np.exp(ends), n])
    names = ["net", *GRAMMAR, "law", "n_equal", "low", "high", "n_seeds"]
    return pd.DataFrame(rows, columns=names)


def slopes(
    points: pd.DataFrame, *, net: str, of: str, depth: int | None = None
) -> pd.DataFrame:  # fmt: skip
    """Exponent of s0+1, m, n_c or of the whole law in n_equal: seed, slope, n_grammars.

    Args:
        points: of `equal_points`.
        net, depth: those that enter; None: all depths.
        of: one of EXPONENTS; a slope with an intercept for each group of grammars that differ in
            it alone, for the law one for each L and s.

    Seeds without one of the grammars have no row.
    """
    own = points[(points["net"] == net) & ((points["L"] == depth) | (depth is None))]
    groups = own.groupby(list(EXPONENTS[of]))[of].transform("nunique")
    own = own[groups > 1]
    names = ["seed", "slope", "n_grammars"]
    if own.empty:
        return pd.DataFrame(columns=names)
    wide = own.pivot_table(index=[*GRAMMAR, "law", "s0+1"], columns="seed", values="n_equal")
    wide = wide.dropna(axis="columns")
    grammars = wide.index.to_frame(index=False)
    x = np.log(grammars[of].to_numpy(dtype=float))
    group = grammars.groupby(list(EXPONENTS[of])).ngroup().to_numpy()
    found = _slopes(x, np.log(wide.to_numpy(dtype=float)), group)
    return pd.DataFrame({"seed": wide.columns, "slope": found, "n_grammars": len(grammars)})


def exponent(points: pd.DataFrame, *, net: str, of: str, depth: int | None = None) -> Fit:
    """Mean of `slopes` over the seeds."""
    return mean(slopes(points, net=net, of=of, depth=depth)["slope"].to_numpy(dtype=float))


def grouping_ratio(rows: pd.DataFrame, kind: str) -> pd.Series:
    """Variance between synonyms of a latent, or placements of a tuple, over that of latents."""
    return rows[KINDS[kind]] / rows["latent_signal"]


def all_data_ratio(rows: pd.DataFrame) -> float:
    """What the ratio of the synonyms is for all data, geometric mean over rows."""
    return float(np.exp(np.log(rows["all_synonym_noise"] / rows["all_latent_signal"]).mean()))


def _slopes(x: np.ndarray, y: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Slopes of the columns of y (grammars, seeds) on x (grammars,), an intercept a group."""
    sizes = np.bincount(group)
    centred = x - (np.bincount(group, x) / sizes)[group]
    return np.asarray(centred @ y / (centred @ centred))
