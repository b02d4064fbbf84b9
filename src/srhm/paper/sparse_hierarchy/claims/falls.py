"""Claims on the test error of LCN and CNN as a function of P (section 4, Figure 4 A)."""

from functools import partial

import pandas as pd

from srhm.model.grammar import GRAMMAR
from srhm.paper.sparse_hierarchy.claims.complexities import PAIRS
from srhm.scorecard.claims import Claim
from srhm.scorecard.complexity_rows import NO_CURVES, main_curves
from srhm.scorecard.estimators import Mean, Slope, pairs_of
from srhm.scorecard.expectations import Below, Within
from srhm.scorecard.rows import LEFT_OUT, counted, rows_of

# Test errors between which its fall is measured.
LOWEST, HIGHEST = 0.05, 0.30
SLOW = "grammars of nets and L that mostly end above the lower error"


@rows_of(
    main_curves.given(threshold=LOWEST),
    main_curves.given(threshold=HIGHEST),
    nothing=NO_CURVES,
)
def falls(lower: pd.DataFrame, upper: pd.DataFrame) -> pd.DataFrame:
    """P* at the test error LOWEST over that at HIGHEST, a row a grammar: ratio.

    The slower the fall, the rather a grammar ends above LOWEST and has no ratio. SLOW: whether as
    many curves of one net and L have none as have one.
    """
    alike = ["curve", "seed", "net", *GRAMMAR, "prediction", "rate", "width"]
    both = pairs_of(lower, upper, on=alike, column="P_star")
    if both.empty:
        return both
    key = ["curve", "seed"]
    slow = lower[lower["status"] == "not_reached"].merge(counted(upper)[0][key], on=key)
    kinds = [both[name] for name in ("net", "L")]
    n_slow = slow.groupby(["net", "L"]).size()
    n_ended = (both[LEFT_OUT] == "").groupby(kinds).transform("sum")
    own = pd.MultiIndex.from_arrays(kinds)
    return both.assign(**{SLOW: n_slow.reindex(own, fill_value=0).to_numpy() >= n_ended})


fall = partial(
    Claim, topic="Sample complexity: the fall of the test error", figure="4 A", place="section 4"
)
FALL_CLAIMS: tuple[Claim, ...] = (
    fall(
        "threshold-slope",
        f"The threshold does not matter: P* at {LOWEST:.0%} over P* at {HIGHEST:.0%}, slope on"
        " the law",
        expected=Within(0, 0.15),
        fixed="after",
        why="as of the law's slope, which another threshold would change by this number; written"
            " after a look",
        measure=Slope("ratio", against="prediction", within=("net",), alone=("net",),
                      where={"net": ("lcn", "cnn"), "s": 2}, **PAIRS | {"rows": falls}),
    ),
    fall(
        "sharp-fall",
        "The test error falls rapidly at P*:"
        f" factor in P from an error of {HIGHEST:.0%} to {LOWEST:.0%}",
        expected=Below(HIGHEST / LOWEST),
        fixed="after",
        why="an error that falls as 1/P, at no scale of its own, takes a factor 6 for this fall;"
            " written after a look, and so is this: without an interval where as many grammars of a"
            " net and L end above the lower error as reach it",
        measure=Mean("ratio", scale="ratio", alone=("net", "L"), open=SLOW,
                     where={"net": ("lcn", "cnn")}, **PAIRS | {"rows": falls}),
    ),
)  # fmt: skip
