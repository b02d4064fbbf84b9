"""P* of what is taught, of curves and of each grammar alone; shared by claims and the figure."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from srhm.model import theory
from srhm.model.grammar import GRAMMAR
from srhm.scorecard.complexity_rows import THRESHOLD
from srhm.scorecard.rows import left_out
from srhm.scorecard.sheet import rows_of
from srhm.statistics.sample_complexity import is_dead
from srhm_studies.learning_curves.learner import uncensored
from srhm_studies.learning_curves.teaching.configuration import LEARNER

CURVE = LEARNER.curve
UNDONE = (0.2, 0.6)  # test errors of networks that have learnt some of the task
LARGER_RATIO = "that may have a larger P*_S/P*_D"
LARGER_INVERSE = "that may have a larger P*_D/P*_S"
CENSORED = "with P*_S or P*_D outside of the measured range"
NOTHING, BOTH, SYNONYMS, PLACES = "nothing", "both", "synonyms", "places"


def sample_complexities(cells: pd.DataFrame, *, threshold: float) -> pd.DataFrame:
    """P* of each curve (SAMPLE_COMPLEXITY), of the test error and of S_2 and D_2."""
    return LEARNER.sample_complexities(
        _of_all_placements(cells), threshold=threshold, criteria=("test_error", "S_2", "D_2")
    )


def taught(rows: pd.DataFrame) -> pd.Series:
    """What a curve is taught, in a word: nothing, places (of all levels), synonyms (below L), both.

    Empty for other kinds of augmentation.
    """
    words = {(False, "none"): NOTHING, (True, "none"): SYNONYMS,
             (False, "all"): PLACES, (True, "all"): BOTH}  # fmt: skip
    pairs = zip(rows["synonyms"] > 0, rows["places"], strict=True)
    lessons = pd.Series([words.get(pair, "") for pair in pairs], index=rows.index, dtype="str")
    return lessons.where((rows["synonyms"] == 0) | (rows["synonyms"] == rows["L"] - 1), "")


@rows_of("cells", what="grammars and s_0")
def stars(cells: pd.DataFrame) -> pd.DataFrame:
    """P* of each grammar: a row for each curve and seed, by the rule of `crossing`.

    over_rules: P* divided by the P at which all class rules but a fraction of THRESHOLD are seen or
    guessed.
    """
    P_stars = seed_stars(_of_all_placements(cells))
    seen = P_stars["n_c"] * P_stars["m"] * np.log((1 - 1 / P_stars["n_c"]) / THRESHOLD)
    P_stars = P_stars.assign(taught=taught(P_stars), over_rules=P_stars["P_star"] / seen)
    return uncensored(P_stars)


@rows_of("cells", nothing="no grammar with all four P*", what="grammars and s_0")
def products(cells: pd.DataFrame) -> pd.DataFrame:
    """Untaught P* times P* of both, divided by P* of either taught, by grammar."""
    P_stars = seed_stars(_of_all_placements(cells))
    P_stars = P_stars.assign(taught=taught(P_stars)).query("taught != '' and s0 > 0")
    by = ["net", *GRAMMAR, "seed"]
    table = P_stars.pivot(index=by, columns="taught", values="P_star")
    table = table.reindex(columns=[NOTHING, BOTH, PLACES, SYNONYMS])
    reached = P_stars.pivot(index=by, columns="taught", values="status") == "reached"
    table = table.assign(ratio=table[NOTHING] * table[BOTH] / table[PLACES] / table[SYNONYMS])
    table = table.assign(whole=reached.all(axis=1)).dropna(subset="ratio").reset_index()
    return left_out(table, {"with a P* that is censored": ~table["whole"]})


@rows_of("cells", nothing="no grammar with both P*", what="grammars and s_0")
def felt(cells: pd.DataFrame) -> pd.DataFrame:
    """P*_S and P*_D of each grammar and curve, and `ratio`, the first over the second, `inverse`.

    Where one is censored its bound stands for it. LARGER_RATIO, LARGER_INVERSE: whether the true
    number may then be larger; CENSORED: or smaller.
    """
    cells = _of_all_placements(cells)
    both = seed_stars(cells, "S_2").merge(
        seed_stars(cells[cells["s0"] > 0], "D_2"), on=[*CURVE, "seed"], suffixes=("_S", "_D")
    )
    ratio = both["P_star_S"] / both["P_star_D"]
    low_S, low_D = both["status_S"] == "below_range", both["status_D"] == "below_range"
    high_S, high_D = both["status_S"] == "not_reached", both["status_D"] == "not_reached"
    return both.assign(
        ratio=ratio, inverse=1 / ratio, taught=taught(both),
        **{LARGER_RATIO: high_S | low_D, LARGER_INVERSE: high_D | low_S,
           CENSORED: high_S | low_S | high_D | low_D},
    )  # fmt: skip


@rows_of("cells", nothing="no grammar with both P*", what="grammars")
def deficits(cells: pd.DataFrame) -> pd.DataFrame:
    """m^(L-1) P* with synonyms taught divided by untaught P*, by patterns of positions, grammar."""
    by = ["net", *GRAMMAR, "patterns", "seed"]
    P_stars = seed_stars(cells, by=[*CURVE, "patterns"])  # null of all other cells, which go
    P_stars = P_stars.assign(taught=taught(P_stars))
    both = P_stars[P_stars["taught"] == SYNONYMS].merge(
        P_stars[P_stars["taught"] == NOTHING], on=by, suffixes=("", "_nothing")
    )
    censored = (both["status"] != "reached") | (both["status_nothing"] != "reached")
    ratio = both["times_m"] / both["P_star_nothing"]
    return left_out(both.assign(ratio=ratio), {"with a P* that is censored": censored})


@rows_of("cells", nothing="no network with placements of donors", what="networks")
def borrowed(cells: pd.DataFrame) -> pd.DataFrame:
    """Networks whose test points were given placements of donors, with what they are taught.

    excess: fraction that is answered with the donor's class, minus that without its positions.
    undone: whether the test error lies in UNDONE.
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
    """P* of each curve and seed; times_m: times m^l where synonyms are taught up to level l."""
    at = THRESHOLD if criterion == "test_error" else lambda row: theory.sensitivity_threshold(
        criterion[0], row["net"], depth=row["L"], branching=row["s"])  # fmt: skip
    table = LEARNER.of_seeds(cells[~is_dead(cells)], threshold=at, criterion=criterion, by=by)
    return table.assign(times_m=table["P_star"] * table["m"] ** table["synonyms"])
