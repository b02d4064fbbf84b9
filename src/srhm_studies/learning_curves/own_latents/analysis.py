"""P* of the clusters, and the P at which the noise of the counts equals their signal."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from srhm.model.grammar import DATA_MODEL, GRAMMAR
from srhm.statistics.sample_complexity import sample_complexity
from srhm_studies.learning_curves.own_latents.configuration import closed, law
from srhm_studies.learning_curves.own_latents.tables import SAMPLE_COMPLEXITY

# P*: from which on the mean share of wrong pairs stays at or below. A choice, made beforehand: a
# few latents of a grammar may have nearly equal statistics, which cost up to a tenth of the pairs.
WRONG = 0.2
CURVE = ("target", "net", *GRAMMAR)
CRITERIA = ("wrong", "wrong_first")


def sample_complexities(cells: pd.DataFrame) -> pd.DataFrame:
    """P* of each curve (SAMPLE_COMPLEXITY), of all its levels and of the first."""
    values = cells[[*CURVE, "P", "seed"]].assign(curve=names(cells), sparsity="A")
    both = [values.assign(criterion=name, value=cells[name]) for name in CRITERIA]
    found = sample_complexity(
        pd.concat(both, ignore_index=True),
        thresholds={name: [WRONG] for name in CRITERIA},
        columns=("curve", "target", "net", *DATA_MODEL),
        pooled_over=("target", "net", "L"),
    )
    return found.assign(law=laws(found))[SAMPLE_COMPLEXITY.names]


def names(cells: pd.DataFrame) -> list[str]:
    """The curve of each cell. A file of rows, elsewhere a "curve", has several."""
    rows = zip(*(cells[name].tolist() for name in CURVE), strict=True)
    return [" ".join(map(str, row)) for row in rows]


def laws(rows: pd.DataFrame) -> list[float]:
    """`law` of each row."""
    return [
        law(row["target"], row["net"], **{name: row[name] for name in GRAMMAR})
        for row in rows.to_dict("records")
    ]


def open_part(rows: pd.DataFrame) -> pd.Series:
    """1 - m/v^(s-1) for the context, of which its points are the inverse; 1 for other targets."""
    parts = [closed(s=s, v=v, m=m) for s, v, m in zip(rows["s"], rows["v"], rows["m"], strict=True)]
    return pd.Series(np.where(rows["target"] == "context", parts, 1.0), index=rows.index)


def differing(rows: pd.DataFrame, column: str, *, along: Sequence[str] = ()) -> pd.DataFrame:
    """Rows of curves of which at least two differ in this column alone, and in those `along`."""
    if rows.empty:
        return rows
    rest = [name for name in CURVE if name not in (column, *along)]
    more = [name for name in ("criterion", "seed") if name in rows]
    return rows[rows.groupby([*rest, *more])[column].transform("nunique") > 1]


def noises(cells: pd.DataFrame) -> pd.DataFrame:
    """P at which noise and signal of the counts of level 1 are equal, `P_noise`, by curve and seed.

    From the largest P of each curve, by noise ~ 1/P. Without rows that have no signal.
    """
    last = cells["P"] == cells.groupby(list(CURVE))["P"].transform("max")
    own = cells[last & (cells["noise"] > 0)]
    return own.assign(P_noise=own["P"] * own["noise"], places=own["s0"] + 1)
