"""Alignment Lambda and errors of the stripe model (thesis, chapter 3b, Fig. 9).

Letters of the thesis: d inputs, P training points, Lambda = W_par/W_perp, W_par and W_perp the
sizes of first-layer weights along the informative direction and across it.
"""

import numpy as np
import pandas as pd

from srhm.statistics.lazy_feature import FEATURE, LAZY, at_least, at_most


def alignments(cells: pd.DataFrame, neurons: pd.DataFrame) -> pd.DataFrame:
    """Rows of the cells with `alignment`, Lambda at the end of training, and `initial`.

    Lambda^2 = sum |W2| w_par^2 / sum |W2| w_perp^2 over neurons, W2 their readout: about 1 before
    training. Cells without neurons are left out.
    """
    weight = neurons["readout"].abs()
    sums = neurons.assign(
        along=weight * neurons["parallel"] ** 2, across=weight * neurons["perpendicular"] ** 2
    )
    found = sums.groupby(["key", "when"])[["along", "across"]].sum()
    ratio = (found["along"] / found["across"]).pow(0.5).unstack("when")
    ratio = ratio.reindex(columns=["initial", "end"]).rename(columns={"end": "alignment"})
    return cells.merge(ratio.reset_index(), on="key").dropna(subset=["alignment"])


def of_regime(cells: pd.DataFrame, *, lazy: bool) -> pd.DataFrame:
    """Fitted cells at the largest alpha_tilde (lazy, LAZY or more) or the smallest (FEATURE)."""
    if cells.empty:
        return cells
    tildes = cells["alpha_tilde"]
    inside = at_least(tildes, LAZY) if lazy else at_most(tildes, FEATURE)
    rows = cells[inside & (cells["status"] == "fitted")]
    if rows.empty:
        return rows
    end = rows["alpha_tilde"].max() if lazy else rows["alpha_tilde"].min()
    return rows[np.isclose(rows["alpha_tilde"], end, rtol=1e-6)]


def beta(d: int, *, lazy: bool) -> float:
    """Exponent of the error against P: d/(3d-2), or (d + (d-1)/2)/(3d-2) with features."""
    return (d if lazy else d + (d - 1) / 2) / (3 * d - 2)
