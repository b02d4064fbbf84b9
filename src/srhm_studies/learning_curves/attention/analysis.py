"""P* of curves and of each grammar alone, powers of s_0+1, and the place in Figure 1 at P*.

Letters of the paper: P* sample complexity, L depth, s_0 (s0) empty places for each informative one,
v features, S and D sensitivities to synonyms and displacements.
"""

from typing import Any

import numpy as np
import pandas as pd

from srhm.model.grammar import DATA_MODEL, GRAMMAR
from srhm.scorecard.complexity_rows import THRESHOLD
from srhm.scorecard.rows import left_out, rows_of
from srhm.statistics.exponents_of_grammars import OF_GRAMMAR, powers
from srhm.statistics.sample_complexity import crossing, sample_complexity
from srhm_studies.learning_curves.attention.configuration import law
from srhm_studies.learning_curves.attention.tables import SAMPLE_COMPLEXITY

CURVE = ("net", *GRAMMAR)
BLIND = "transformer"  # the net without positions


def sample_complexities(cells: pd.DataFrame, *, threshold: float) -> pd.DataFrame:
    """P* of each curve (SAMPLE_COMPLEXITY), by the rule of `srhm.statistics.sample_complexity`.

    Standard deviations are pooled over curves of one net and L.
    """
    rows = cells[[*CURVE, "P", "seed", "test_error"]]
    names = [" ".join(map(str, one)) for one in zip(*(rows[c] for c in CURVE), strict=True)]
    values = rows.assign(curve=names, sparsity="A").melt(
        ["curve", *CURVE, "sparsity", "P", "seed"], ["test_error"], "criterion"
    )
    found = sample_complexity(
        values,
        thresholds={"test_error": [threshold]},
        columns=("curve", "net", *DATA_MODEL),
        pooled_over=("net", "L"),
    )
    laws = [
        law({str(key): value for key, value in one.items()}) for one in found.to_dict("records")
    ]
    return found.assign(law=np.array(laws, dtype=float))[SAMPLE_COMPLEXITY.names]


def seed_stars(cells: pd.DataFrame) -> pd.DataFrame:
    """P* of each curve and seed with its status; of a censored one its bound.

    per_place: s_0 + 1. S, D: at P*, their logarithms linear in log P between the P around it.
    """
    rows = []
    for values, own in cells.sort_values("P").groupby([*CURVE, "seed"]):
        row: dict[str, Any] = dict(zip([*CURVE, "seed"], values, strict=True))
        sizes, errors = (own[name].to_numpy(dtype=float) for name in ("P", "test_error"))
        found = crossing(sizes, errors, THRESHOLD)
        bound = {"not_reached": found.low, "below_range": found.high}
        star = bound.get(found.status, float(np.exp(found.log_size)))
        for kind in "SD":
            felt = own[kind].to_numpy(dtype=float)
            known = found.status == "reached" and bool((felt > 0).all())
            at = np.interp(found.log_size, np.log(sizes), np.log(felt)) if known else np.nan
            row[kind] = float(np.exp(at))
        rows.append({**row, "P_star": star, "status": found.status})
    table = pd.DataFrame(rows, columns=[*CURVE, "seed", "S", "D", "P_star", "status"])
    return table.assign(per_place=table["s0"] + 1)


@rows_of("cells")
def stars(cells: pd.DataFrame) -> pd.DataFrame:
    """P* of each grammar; those that are censored are left out."""
    rows = seed_stars(cells)
    reasons = {"not reached": rows["status"] == "not_reached"}
    return left_out(rows, reasons | {"below the range": rows["status"] == "below_range"})


@rows_of("cells", nothing="no grammar with P* at s0 = 0")
def stars_from_zero(cells: pd.DataFrame) -> pd.DataFrame:
    """The same of grammars, of a net, v and seed, that have P* at s0 = 0, too."""
    rows = stars.function(cells)
    has_zero = rows["s0"].eq(0) & rows["status"].eq("reached")
    return rows[has_zero.groupby([rows["net"], rows["v"], rows["seed"]]).transform("any")]


@rows_of("cells", nothing="no grammar with both P*")
def exponents(cells: pd.DataFrame) -> pd.DataFrame:
    """Slope of log P* against log (s_0+1), s_0 > 0, of each grammar without a censored P*."""
    rows = seed_stars(cells).query("s0 > 0")
    rows = rows.assign(P_star=rows["P_star"].where(rows["status"] == "reached"))
    return powers(rows, "P_star", by=["net", *OF_GRAMMAR])


@rows_of("cells", nothing="no net without positions")
def bags(cells: pd.DataFrame) -> pd.DataFrame:
    """Nets without positions at the largest P of their curve: excess, error less that of bags."""
    own = cells[cells["net"] == BLIND]
    own = own[own["P"] == own.groupby([*CURVE, "seed"])["P"].transform("max")]
    return own.assign(excess=own["test_error"] - own["bag_error"])
