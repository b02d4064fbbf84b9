"""P* of what is taught, of curves and of each grammar alone; shared by claims and the figure.

Letters of the paper: P training points, L depth, s_0 empty places for each informative one, v
features, m synonyms, n_c classes.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from srhm.model import theory
from srhm.model.grammar import DATA_MODEL, GRAMMAR
from srhm.scorecard.complexity_rows import THRESHOLD
from srhm.scorecard.rows import left_out, rows_of
from srhm.statistics.sample_complexity import crossing, is_dead, sample_complexity
from srhm_studies.learning_curves.teaching.configuration import law
from srhm_studies.learning_curves.teaching.tables import SAMPLE_COMPLEXITY

CURVE = ("net", *GRAMMAR, "synonyms", "places")
CRITERIA = ("test_error", "S_2", "D_2")
UNDONE = (0.2, 0.6)  # test errors of networks that have learnt a part of the task
UNDONE = (0.2, 0.6)  # test errors of networks that have learnt a part of the task
NOTHING, BOTH, SYNONYMS, PLACES = "nothing", "both", "synonyms", "places"


def sample_complexities(cells: pd.DataFrame, *, threshold: float) -> pd.DataFrame:
    """P* of each curve (SAMPLE_COMPLEXITY), of the test error and of S_2 and D_2.

    By the rule of `srhm.statistics.sample_complexity`; standard deviations are pooled over curves
    of one net and L that are taught the same.
    """
    rows = _of_all_placements(cells)[[*CURVE, "P", "seed", *CRITERIA]]
    names = [" ".join(map(str, one)) for one in zip(*(rows[c] for c in CURVE), strict=True)]
    values = rows.assign(curve=names, sparsity="A").melt(
        ["curve", *CURVE, "sparsity", "P", "seed"], list(CRITERIA), "criterion"
    )
    # D_2 of s_0 = 0 is of a displacement that can change nothing.
    values = values[(values["criterion"] != "D_2") | (values["s0"] > 0)]
    found = sample_complexity(
        values,
        thresholds={"test_error": [threshold]},
        columns=("curve", "net", "synonyms", "places", *DATA_MODEL),
        pooled_over=("net", "L", "synonyms", "places"),
    )
    laws = [
        law({str(key): value for key, value in one.items()}) for one in found.to_dict("records")
    ]
    return found.assign(law=np.array(laws, dtype=float))[SAMPLE_COMPLEXITY.names]


def taught(rows: pd.DataFrame) -> pd.Series:
    """What a curve is taught, in a word: nothing, places (of all levels), synonyms (below L), both.

    Empty for other kinds of augmentation.
    """
    words = {(False, "none"): NOTHING, (True, "none"): SYNONYMS,
             (False, "all"): PLACES, (True, "all"): BOTH}  # fmt: skip
    pairs = zip(rows["synonyms"] > 0, rows["places"], strict=True)
    found = pd.Series([words.get(pair, "") for pair in pairs], index=rows.index, dtype="str")
    return found.where((rows["synonyms"] == 0) | (rows["synonyms"] == rows["L"] - 1), "")


@rows_of("cells")
def stars(cells: pd.DataFrame) -> pd.DataFrame:
    """P* of each grammar: a row for each curve and seed, by the rule of `crossing`.

    over_rules: P* over the P at which all class rules but a part of THRESHOLD are seen or guessed.
    """
    own = seed_stars(_of_all_placements(cells))
    seen = own["n_c"] * own["m"] * np.log((1 - 1 / own["n_c"]) / THRESHOLD)
    return _left_out(own.assign(taught=taught(own), over_rules=own["P_star"] / seen))


@rows_of("cells", nothing="no grammar with all four P*")
def products(cells: pd.DataFrame) -> pd.DataFrame:
    """P* of nothing times that of both, over that of places times that of synonyms, by grammar."""
    own = seed_stars(_of_all_placements(cells))
    own = own.assign(taught=taught(own)).query("taught != '' and s0 > 0")
    by = ["net", *GRAMMAR, "seed"]
    table = own.pivot(index=by, columns="taught", values="P_star")
    table = table.reindex(columns=[NOTHING, BOTH, PLACES, SYNONYMS])
    reached = own.pivot(index=by, columns="taught", values="status") == "reached"
    table = table.assign(ratio=table[NOTHING] * table[BOTH] / table[PLACES] / table[SYNONYMS])
    table = table.assign(whole=reached.all(axis=1)).dropna(subset="ratio").reset_index()
    return left_out(table, {"with a P* that is censored": ~table["whole"]})


@rows_of("cells", nothing="no grammar with both P*")
def felt(cells: pd.DataFrame) -> pd.DataFrame:
    """P*_S and P*_D of each grammar and curve, and `ratio`, the first over the second, `inverse`.

    Where one is censored its bound stands for it. open_ratio, open_inverse: whether the true number
    may then be larger; open_either: or smaller.
    """
    cells = _of_all_placements(cells)
    both = seed_stars(cells, "S_2").merge(
        seed_stars(cells[cells["s0"] > 0], "D_2"), on=[*CURVE, "seed"], suffixes=("_S", "_D")
    )
    ratio = both["P_star_S"] / both["P_star_D"]
    low_S, low_D = both["status_S"] == "below_range", both["status_D"] == "below_range"
    high_S, high_D = both["status_S"] == "not_reached", both["status_D"] == "not_reached"
    return both.assign(
        ratio=ratio, inverse=1 / ratio, taught=taught(both), open_ratio=high_S | low_D,
        open_inverse=high_D | low_S, open_either=high_S | low_S | high_D | low_D,
    )  # fmt: skip


@rows_of("cells", nothing="no grammar with both P*")
def deficits(cells: pd.DataFrame) -> pd.DataFrame:
    """m^(L-1) P* with synonyms taught over P* of nothing, by patterns of placements and grammar."""
    by = ["net", *GRAMMAR, "patterns", "seed"]
    found = seed_stars(cells, by=(*CURVE, "patterns"))  # null of all other cells, which go
    found = found.assign(taught=taught(found))
    both = found[found["taught"] == SYNONYMS].merge(
        found[found["taught"] == NOTHING], on=by, suffixes=("", "_nothing")
    )
    censored = (both["status"] != "reached") | (both["status_nothing"] != "reached")
    ratio = both["times_m"] / both["P_star_nothing"]
    return left_out(both.assign(ratio=ratio), {"with a P* that is censored": censored})


@rows_of("cells", nothing="no network with placements of donors")
def borrowed(cells: pd.DataFrame) -> pd.DataFrame:
    """Networks whose test points were given placements of donors, with what they are taught.

    excess: part that is answered with the donor's class, less that without its placements. undone:
    whether the test error lies in UNDONE.
    """
    rows = cells[cells["donor"].notna() & ~is_dead(cells)]
    return rows.assign(
        taught=taught(rows),
        excess=rows["donor"] - rows["anew"],
        undone=rows["test_error"].between(*UNDONE),
    )


def _of_all_placements(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells but those of `shortcut`, some of which are the same networks."""
    return cells[cells["patterns"].isna()]


def seed_stars(
    cells: pd.DataFrame, criterion: str = "test_error", *, by: Sequence[str] = CURVE
) -> pd.DataFrame:
    """P* of each curve and seed with its status; of a censored one its bound.

    by: columns in which the cells of a curve agree. per_place: s_0 + 1. times_m: P* times m^l where
    synonyms are taught up to level l.
    """
    known = cells[np.isfinite(cells[criterion].astype(float)) & ~is_dead(cells)].sort_values("P")
    rows = []
    for values, own in known.groupby([*by, "seed"]):
        row: dict[str, Any] = dict(zip([*by, "seed"], values, strict=True))
        at = _threshold(criterion, row["net"], row["L"], row["s"])
        sizes, seen = (own[name].to_numpy(dtype=float) for name in ("P", criterion))
        found = crossing(sizes, seen, at)
        rows.append({**row, "P_star": found.size, "status": found.status})
    table = pd.DataFrame(rows, columns=[*by, "seed", "P_star", "status"])
    return table.assign(
        per_place=table["s0"] + 1, times_m=table["P_star"] * table["m"] ** table["synonyms"]
    )


def _threshold(criterion: str, net: str, depth: int, branching: int) -> float:
    if criterion == "test_error":
        return THRESHOLD
    return theory.sensitivity_threshold(criterion[0], net, depth=depth, branching=branching)


def _left_out(rows: pd.DataFrame) -> pd.DataFrame:
    reasons = {"not reached": rows["status"] == "not_reached"}
    return left_out(rows, reasons | {"below the range": rows["status"] == "below_range"})
