"""P* of the algorithm, and what claims and figures compute of its tables.

Letters of the paper: P training points, L depth, s_0 empty places for each informative one, v
features, m synonyms, n_c classes.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srhm.results.coordinates import DATA_MODEL, GRAMMAR
from srhm.statistics.regression import (
    NO_FIT,
    Fit,
    SeedNoise,
    mean,
    slope_with_group_intercepts,
)
from srhm.statistics.sample_complexity import sample_complexity
from srhm.studies.level_by_level.configuration import law
from srhm.studies.level_by_level.tables import SAMPLE_COMPLEXITY

# A grammar counts as weakly identifiable if at each level the responses of any two latents differ
# by a fifth of what two typical ones do. A choice: the article names no number.
LEAST_GAP = 0.2
ALL, IDENTIFIABLE = "test_error", "identifiable"
CURVE = ("net", "draws", *GRAMMAR)


def sample_complexities(cells: pd.DataFrame, *, threshold: float) -> pd.DataFrame:
    """P* of each curve (SAMPLE_COMPLEXITY): of all its grammars, and of the identifiable ones.

    By the rule of `srhm.statistics.sample_complexity`, with standard deviations pooled over curves
    of one net, kind of draws and L. small_pool says nothing where draws are independent.
    """
    values = cells[[*CURVE, "P", "seed"]].assign(curve=names(cells), sparsity="A")
    both = [
        values.assign(criterion=ALL, value=cells["test_error"]),
        values.assign(criterion=IDENTIFIABLE, value=cells["test_error"])[identifiable(cells)],
    ]
    found = sample_complexity(
        pd.concat(both, ignore_index=True),
        thresholds={ALL: [threshold], IDENTIFIABLE: [threshold]},
        columns=("curve", "net", "draws", *DATA_MODEL),
        pooled_over=("net", "draws", "L"),
    )
    return found.assign(law=laws(found))[SAMPLE_COMPLEXITY.names]


def laws(rows: pd.DataFrame) -> NDArray[np.float64]:
    """`law` of each row of a table with net and grammar."""
    columns = [rows[name].tolist() for name in ("net", "L", "s0", "m", "n_c")]
    return np.array(
        [law(net, L=L, s0=s0, m=m, n_c=n_c) for net, L, s0, m, n_c in zip(*columns, strict=True)],
        dtype=float,
    )


def names(cells: pd.DataFrame) -> pd.Series:
    """The learning curve of each cell. A file of rows, elsewhere a "curve", has several."""
    rows = zip(*(cells[name].tolist() for name in CURVE), strict=True)
    return pd.Series([" ".join(map(str, row)) for row in rows], index=cells.index, dtype="str")


def identifiable(cells: pd.DataFrame) -> pd.Series:
    """Whether the grammar of each cell is weakly identifiable at the places that the net sees."""
    return cells["gap"] >= LEAST_GAP


def curves(
    complexity: pd.DataFrame,
    *,
    net: str,
    draws: str = "independent",
    criterion: str = IDENTIFIABLE,
    L: int | None = None,
) -> pd.DataFrame:
    """Sample complexities of one net and kind of draws, at one depth or at all."""
    own = complexity[
        (complexity["net"] == net)
        & (complexity["draws"] == draws)
        & (complexity["criterion"] == criterion)
    ]
    return own if L is None else own[own["L"] == L]


def differing(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """Curves of the grammars of which at least two differ in this column alone."""
    rest = [name for name in CURVE if name != column]
    if rows.empty:
        return rows
    n = rows.groupby(rest)[column].transform("nunique")
    return rows[n > 1]


def diagonal(rows: pd.DataFrame) -> pd.DataFrame:
    """Curves of dense grammars with v = m = n_c."""
    return rows[(rows["v"] == rows["m"]) & (rows["v"] == rows["n_c"]) & (rows["s0"] == 0)]


def slope(
    rows: pd.DataFrame, x: NDArray[np.float64], *, by: Sequence[str], reached: str = "reached"
) -> Fit:
    """Slope of log P* on x (curves,), an intercept for each `by`; of the curves that are reached.

    The interval is that of the seeds or of the scatter about the line, whichever is wider.
    """
    known = (rows["status"] == "reached").to_numpy()
    rows, x = rows[known], np.asarray(x, dtype=float)[known]
    if rows.empty:
        return NO_FIT
    groups = rows.groupby(list(by), dropna=False).ngroup().to_numpy()
    y = np.log(rows["P_star"].to_numpy(dtype=float))
    return slope_with_group_intercepts(x, y, groups, [_noise(rows)])


def _noise(rows: pd.DataFrame) -> SeedNoise:
    pool = rows["net"] + rows["draws"] + rows["criterion"] + rows["L"].astype(str)
    return SeedNoise(
        standard_error=rows["log_se"].to_numpy(dtype=float),
        dof=rows["dof"].to_numpy(dtype=float),
        source=pool.where(rows["log_sd_pooled"], rows["curve"]).to_numpy(dtype=object),
    )


def levels_of(cells: pd.DataFrame, levels: pd.DataFrame) -> pd.DataFrame:
    """Rows of levels with the coordinates of their cells, and `law`; gap is that of the level."""
    columns = ["key", *CURVE, "P", "seed", "test_error"]
    own = levels.drop(columns="curve")
    of_cells = cells[columns].assign(curve=names(cells), cell_gap=cells["gap"])
    found = own.merge(of_cells, on="key")
    return found.assign(law=laws(found))


def exponents_in_P(rows: pd.DataFrame, level: int) -> NDArray[np.float64]:
    """-d log(response error)/d log P at a level, one for each curve and seed; P at least the law.

    There each content was met some m^(L-1) times, so that noise and not absence is what is seen.
    """
    own = rows[(rows["level"] == level) & (rows["P"] >= rows["law"])]
    own = own[own["response_error"] > 0]
    found = []
    for _, one in own.groupby(["curve", "seed"]):
        if one["P"].nunique() > 1:
            x, y = np.log(one["P"].to_numpy(float)), np.log(one["response_error"].to_numpy(float))
            found.append(-np.polyfit(x, y, 1)[0])
    return np.array(found)


def exponents_in_m(rows: pd.DataFrame, depth: int) -> NDArray[np.float64]:
    """log(e_l/e_(l+1))/log m for l+1 < L, one for each curve and seed; means over l and P.

    e_l: response error of level l with true latents below, at P of the law or more.
    """
    own = rows[(rows["L"] == depth) & (rows["level"] < depth) & (rows["P"] >= rows["law"])]
    own = own[(own["m"] > 1) & (own["response_error"] > 0)]
    if own.empty:
        return np.array([])
    wide = own.pivot_table(
        index=["curve", "seed", "m", "P"], columns="level", values="response_error"
    )
    drops = -np.diff(np.log(wide.to_numpy()), axis=1).mean(axis=1)
    scaled = pd.Series(drops / np.log(wide.index.get_level_values("m")), index=wide.index)
    return scaled.groupby(level=["curve", "seed"]).mean().dropna().to_numpy()


def by_curve(values: NDArray[np.float64]) -> Fit:
    """Mean of values of curves and seeds, its error their scatter."""
    return mean(values, []) if values.size else NO_FIT


def log_ratios(rows: pd.DataFrame, references: pd.DataFrame, training: str) -> pd.DataFrame:
    """log of the P* of the algorithm over that of networks, for each grammar that has both.

    rows: of `curves` with distinct draws. A net is compared with its kind: shared
    with cnn, separate with lcn. Several published P* of a grammar enter with their geometric mean.
    """
    kinds = {"shared": "cnn", "separate": "lcn"}
    other = references[(references["training"] == training) & (references["status"] == "reached")]
    other = other.assign(log_P=np.log(other["P_star"].astype(float)))
    other = other.groupby(["net", *GRAMMAR])["log_P"].mean().reset_index()
    own = rows[rows["status"] == "reached"]
    own = own.assign(own_net=own["net"], net=own["net"].map(kinds))
    both = own.merge(other, on=["net", *GRAMMAR])
    return both.assign(log_ratio=np.log(both["P_star"].astype(float)) - both["log_P"])
