"""P* of the algorithm, and what claims and figures compute of its tables.

Letters of the paper: P training points, L depth, s_0 empty places for each informative one, v
features, m synonyms, n_c classes.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srhm.model.grammar import DATA_MODEL, GRAMMAR
from srhm.statistics.sample_complexity import sample_complexity
from srhm_studies.learning_curves.level_by_level.configuration import law
from srhm_studies.learning_curves.level_by_level.tables import SAMPLE_COMPLEXITY

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


def levels_of(cells: pd.DataFrame, levels: pd.DataFrame) -> pd.DataFrame:
    """Rows of levels with the coordinates of their cells, and `law`; gap is that of the level."""
    columns = ["key", *CURVE, "P", "seed", "test_error"]
    own = levels.drop(columns="curve")
    cell_columns = cells[columns].assign(curve=names(cells), cell_gap=cells["gap"])
    found = own.merge(cell_columns, on="key")
    return found.assign(law=laws(found))


def powers_of_P(rows: pd.DataFrame) -> pd.DataFrame:
    """-d log(response error)/d log P, `power`, for each curve, seed and level; P at least the law.

    There each content was met some m^(L-1) times, so that noise and not absence is what is seen.
    """
    own = rows[(rows["P"] >= rows["law"]) & (rows["response_error"] > 0)]
    found = []
    by = ["curve", "seed", "level", "L", "s", "v"]
    for at, one in own.groupby(by):
        if one["P"].nunique() > 1:
            x, y = (np.log(one[name].to_numpy(float)) for name in ("P", "response_error"))
            found.append([*at, -np.polyfit(x, y, 1)[0]])
    return pd.DataFrame(found, columns=[*by, "power"])


def powers_of_m(rows: pd.DataFrame) -> pd.DataFrame:
    """log(e_l/e_(l+1))/log m for l+1 < L, `power`, for each curve and seed; means over l and P.

    e_l: response error of level l with true latents below, at P of the law or more.
    """
    own = rows[(rows["level"] < rows["L"]) & (rows["P"] >= rows["law"]) & (rows["L"] > 2)]
    own = own[(own["m"] > 1) & (own["response_error"] > 0)]
    kept = ["curve", "seed", "L", "s", "v"]
    found = [pd.DataFrame(columns=[*kept, "power"])]
    for depth, part in own.groupby("L"):
        wide = part.pivot_table(
            index=["curve", "seed", "s", "v", "m", "P"], columns="level", values="response_error"
        )
        drops = -np.diff(np.log(wide.to_numpy()), axis=1).mean(axis=1)
        one = wide.index.to_frame(index=False)
        one = one.assign(L=depth, power=drops / np.log(one["m"]))
        found.append(one.groupby(kept)["power"].mean().reset_index())
    return pd.concat(found[1:] or found, ignore_index=True)
