"""Claims on the sample complexity P* as a function of the grammar (section 4, appendices D, E)."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd

from srhm.model.grammar import GRAMMAR
from srhm.paper.sparse_hierarchy.claims.paper_points import Beside
from srhm.scorecard.claims import Claim
from srhm.scorecard.complexity_rows import NO_CURVES, main_curves
from srhm.scorecard.estimators import Slope, pairs_of
from srhm.scorecard.expectations import Within
from srhm.scorecard.grammars import SHARED_GRAMMAR
from srhm.scorecard.rows import chosen, counted, rows_of


@rows_of(main_curves, nothing=NO_CURVES)
def nets_beside(rows: pd.DataFrame) -> pd.DataFrame:
    """P* of the LCN over those of the CNN, of equal grammars and learning rates."""
    halves = [chosen(rows, {"net": net}) for net in ("lcn", "cnn")]
    return pairs_of(*halves, on=[*GRAMMAR, "seed", "rate"], column="P_star")


@rows_of(main_curves.given(every_rate=True), nothing=NO_CURVES)
def branchings(rows: pd.DataFrame) -> pd.DataFrame:
    """P* of the LCN of equal v, n_c, rate and L in which s varies, with C_0 and s^(L/2).

    C_0 = P*/((s_0+1)^L n_c m^L). `group`: curves with one intercept, of all L, since C_0 depends on
    both, and of one learning rate, on which P* depends.
    """
    rows = chosen(counted(rows)[0], {"net": "lcn"})
    by = ["v", "n_c", "rate"]
    # At one L: s^(L/2) is 2.8 at (2, 3) and 3 at (3, 2), which says nothing of a slope.
    own = rows[rows.groupby([*by, "L"], dropna=False)["s"].transform("nunique") > 1]
    root = own["s"] ** (own["L"] / 2)
    # Eq. 3's prediction holds the factor s^(L/2), which is what is measured.
    group = own.groupby(by, sort=False, dropna=False).ngroup()
    return own.assign(root=root, C_0=own["constant"] * root, group=group)


STARS: Any = {"rows": main_curves, "what": "P*", "tells": ("width",), "error": "clusters"}
PAIRS: Any = {**STARS, "what": "pairs of P*", "read": 2}
LAWS = {"lcn": "P*_LCN ~ C_0 (s_0+1)^L n_c m^L", "cnn": "P*_CNN ~ C_1 (s_0+1)^2 n_c m^L"}
PLACES = {"lcn": "Eq. 3, section 4", "cnn": "Eq. 4, section 4"}
FIGURES = {"lcn": "4 B", "cnn": "4 C"}
WIDER = {"lcn": "10, left", "cnn": "13"}
NETS_AND_DEPTHS = [(net, depth) for net in ("lcn", "cnn") for depth in (2, 3)]
# Tolerances were fixed before anything was measured, but where `why` says so.
law = partial(Claim, topic="Sample complexity: Eq. 3 (LCN) and Eq. 4 (CNN)", figure="4 B, C")


def of_places(net: str, depth: int, branching: int, *, at_largest: bool = False) -> Slope:
    """Exponent of s_0+1, an intercept for each grammar and learning rate, on which P* depends."""
    return Slope(
        "P_star", against="places", within=(*SHARED_GRAMMAR, "seed", "rate"), **STARS,
        where={"net": net, "L": depth, "s": branching}, alone=("v", "rate"), at_largest=at_largest,
    )  # fmt: skip


def of_features(net: str, depth: int) -> Slope:
    """Exponent of v = n_c = m at s = 2, an intercept for each s_0 and learning rate."""
    return Slope(
        "P_star", against="v", within=("s0", "rate"), **STARS,
        where={"net": net, "L": depth, "s": 2}, alone=("s0",),
    )  # fmt: skip


def of_constant() -> Slope:
    """Slope of log C_0 against log s^(L/2)."""
    return Slope(
        "C_0", against="root", within=("group",), **STARS | {"rows": branchings},
        note="the paper's Figure 10 has 3.5 (s = 2, L = 2), 3.9 (2, 3), 7.7 (3, 2), 11.4 (3, 3)",
    )  # fmt: skip


def of_the_law(nets: Sequence[str], branching: int) -> Slope:
    """Slope of log P* against the logarithm of Eq. 3 (LCN) or Eq. 4 (CNN), all L.

    An intercept for each net and learning rate, on which P* depends.
    """
    return Slope(
        "P_star", against="prediction", within=("net", "rate"), **STARS,
        where={"net": tuple(nets), "s": branching}, alone=("net",) if len(nets) > 1 else (),
    )  # fmt: skip


SLOPE_REASON = (
    "fixed with the plan of the reproduction; at L = 2 and n_c = m = v, where the prediction grows"
    " as v^3, it is 0.45 in the exponent of v, less than half of a whole one"
)
COMPLEXITY_CLAIMS: tuple[Claim, ...] = (
    *(law(
        f"s0-exponent-{net}-L{depth}", f"{LAWS[net]}: exponent of (s_0+1), s = 2, L = {depth}",
        figure=FIGURES[net], place=PLACES[net],
        expected=Within(depth if net == "lcn" else 2, 0.35),
        fixed="after",
        why="below 0.5, so that no value is within the tolerance of two whole exponents (2 and 3 at"
            " L = 3); over the factor 3 in s_0+1 that is measured it is a factor 1.5 in P*, the"
            " step of the published grid of P; after a look: s = 2 alone, as in the figure, and"
            " the interval by grammars",
        measure=Beside(of_places(net, depth, 2), thresholds=True),
    ) for net, depth in NETS_AND_DEPTHS),
    *(law(
        f"s0-exponent-{net}-L{depth}-largest-v",
        f"{LAWS[net]}: exponent of (s_0+1), largest v, L = {depth}",
        figure=FIGURES[net], place=PLACES[net],
        expected=Within(depth if net == "lcn" else 2, 0.35),
        fixed="after",
        why="as of the mean over v, which hides a trend; written after a look: a line in ln v, at"
            " the largest",
        measure=of_places(net, depth, 2, at_largest=True),
    ) for net, depth in NETS_AND_DEPTHS),
    *(law(
        f"v-exponent-{net}-L{depth}",
        f"{LAWS[net]}: exponent of v = n_c = m at s = 2, L = {depth}",
        figure=FIGURES[net], place=PLACES[net],
        expected=Within(depth + 1, 0.35),
        fixed="after",
        why="as of the exponents of (s_0+1), below 0.5, so that no value is within the tolerance of"
            " two whole exponents; written after a look at the exponents of m and n_c, whose place"
            " it takes",
        measure=Beside(of_features(net, depth)),
    ) for net, depth in NETS_AND_DEPTHS),
    law(
        "slope-against-prediction",
        "s = 2: P* follows Eq. 3 (LCN), 4 (CNN): slope of log P* on log prediction",
        place="Eq. 3 and 4, section 4",
        expected=Within(1, 0.15), why=SLOPE_REASON,
        measure=Beside(of_the_law(("lcn", "cnn"), 2)),
    ),
    law(
        "lcn-constant-C0",
        "C_0 ~ s^(L/2): slope of log C_0 on log s^(L/2), m = v^(s-1), equal rates",
        figure="10", place="section 4; appendix D",
        expected=Within(1, 0.45),
        fixed="after",
        why="below 0.5, so that neither a C_0 without s (0) nor C_0 ~ s^L (2) nor anything halfway"
            " can hold; after a look: at equal rates alone, since P* depends on the rate",
        measure=Beside(of_constant()),
    ),
    *(law(
        f"lcn-over-cnn-L{depth}",
        "Weight sharing lowers the exponent: P*_LCN / P*_CNN ~ (s_0+1)^(L-2),"
        f" L = {depth}",
        place="Eq. 3 and 4, section 4",
        expected=Within(depth - 2, 0.35),
        fixed="after",
        why="as of the exponents of (s_0+1), below 0.5, so that no value is within the tolerance of"
            " L = 2 and of L = 3; judged after a look: before, it was reported as the difference of"
            " two exponents, but pairs of equal grammars and rates know it better than either",
        measure=Beside(Slope(
            "ratio", against="places", within=(*SHARED_GRAMMAR, "seed", "rate"), alone=("s",),
            **PAIRS | {"rows": nets_beside}, where={"L": depth},
        )),
    ) for depth in (2, 3)),
    *(law(
        f"slope-against-prediction-{net}-s3",
        f"{net.upper()}, s = 3: P* follows {PLACES[net].split(',')[0]}: slope of log P* on log"
        " prediction",
        figure=WIDER[net], place=f"appendix {'D' if net == 'lcn' else 'E'}; {PLACES[net]}",
        expected=Within(1, 0.15),
        why="as for s = 2, a factor 1.4 of P* a decade; at L = 2, n_c = v and m = v^2, where the"
            " prediction grows as v^5, it is 0.75 in the exponent of v, less than the n_c in it",
        measure=Beside(of_the_law((net,), 3)),
    ) for net in ("lcn", "cnn")),
)  # fmt: skip
