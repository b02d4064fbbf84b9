"""All claims of the paper on LCN, CNN and FCN, in the order in which they are shown.

What is expected and the tolerance of a claim are written down with it, before anything is
measured; what was changed after seeing results is said at the end and in the study's methods.md.
"""

from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from srhm.model.grammar import GRAMMAR
from srhm.paper.sparse_hierarchy.analysis import (
    STARS,
    of_features,
    of_the_law,
    placements_ratio,
    practice_points,
)
from srhm.paper.sparse_hierarchy.claims_invariances import INVARIANCE_CLAIMS
from srhm.scorecard.card import scorecard
from srhm.scorecard.claims import Measurement, Tables, once
from srhm.scorecard.complexity_rows import (
    NO_CURVES,
    OPTIONS,
    THRESHOLD,
    as_sample_complexities,
    main_curves,
)
from srhm.scorecard.estimators import Estimator, pairs_of
from srhm.scorecard.expectations import Above, Below, Factor, Within
from srhm.scorecard.rows import LEFT_OUT, SHARED_GRAMMAR, chosen, counted
from srhm.scorecard.sheet import Sheet, rows_of

# Tolerances were fixed before anything was measured, but where `why` says so.
LAWS = {"lcn": "P*_LCN ~ C_0 (s_0+1)^L n_c m^L", "cnn": "P*_CNN ~ C_1 (s_0+1)^2 n_c m^L"}
EQUATIONS = {"lcn": "Eq. 3", "cnn": "Eq. 4"}
PLACES = {net: f"{equation}, section 4" for net, equation in EQUATIONS.items()}
FIGURES = {"lcn": "4 B", "cnn": "4 C"}
NETS_AND_DEPTHS = [(net, depth) for net in ("lcn", "cnn") for depth in (2, 3)]
PAIRS: Any = {**STARS, "read": 2}
sheet = Sheet()

# What the authors' points say of a claim: its measurement with them in place of our curves.
#
# A law that is met roughly leaves a claim undecided whoever measures it. Beside ours stands
# therefore what the points that the paper shows in Figures 4, 10 and 13 give by the same fit, at
# equal learning rates as ours (those of its practice). They are of one seed, so that the error is
# the scatter's.


@dataclass(frozen=True)
class WithAuthors:
    """What our curves give, and as `authors` what the authors' points give by an equal fit.

    thresholds: the note has the number at the other thresholds of the test error, too, which are
    the same networks.
    """

    measure: Estimator
    thresholds: bool = False

    def __call__(self, tables: Tables) -> Measurement:
        """Ours, and theirs where points give a value."""
        ours = self.measure(tables)
        curves = tables.get("sample_complexity", pd.DataFrame())
        if self.thresholds and len(curves):
            thresholds = set(curves.loc[curves["criterion"] == "test_error", "threshold"])
            parts = []
            for threshold in sorted(thresholds - {THRESHOLD}):
                rows = self.measure.rows.given(threshold=threshold)
                number = replace(self.measure, rows=rows)(tables)
                parts += [f"{number.value:.2f} at {threshold:.0%}"] if number.n else []
            others = f"; other thresholds: {', '.join(parts)}" if parts else ""
            ours = replace(ours, note=ours.note + others)
        points = tables.get("published_values", pd.DataFrame())
        if points.empty:
            return ours
        table = once(tables, "the paper's points", lambda: as_sample_complexities(points))
        theirs = self.measure({"sample_complexity": table})
        return replace(ours, authors=(theirs.value, theirs.low, theirs.high))


# The sample complexity P* as a function of the grammar (section 4, appendices D, E).


@rows_of(main_curves, nothing=NO_CURVES, what="pairs of P*")
def lcn_over_cnn(rows: pd.DataFrame) -> pd.DataFrame:
    """P* of the LCN divided by P* of the CNN, of equal grammars and learning rates."""
    halves = [chosen(rows, {"net": net}) for net in ("lcn", "cnn")]
    return pairs_of(*halves, on=[*GRAMMAR, "seed", "rate"], column="P_star")


@rows_of(main_curves.given(every_rate=True), nothing=NO_CURVES, what="P*")
def branchings(rows: pd.DataFrame) -> pd.DataFrame:
    """P* of the LCN of equal v, n_c, rate and L in which s varies, with C_0 and s^(L/2).

    C_0 = P*/((s_0+1)^L n_c m^L). `group`: curves with one intercept, of all L, since C_0 depends on
    both, and of one learning rate, on which P* depends.
    """
    rows = chosen(counted(rows)[0], {"net": "lcn"})
    by = ["v", "n_c", "rate"]
    # At one L: s^(L/2) is 2.8 at (2, 3) and 3 at (3, 2), which says nothing of a slope.
    varied = rows[rows.groupby([*by, "L"], dropna=False)["s"].transform("nunique") > 1]
    root = varied["s"] ** (varied["L"] / 2)
    # Eq. 3's prediction holds the factor s^(L/2), which is what is measured.
    group = varied.groupby(by, sort=False, dropna=False).ngroup()
    return varied.assign(root=root, C_0=varied["constant"] * root, group=group)


def exponent_of_positions(net: str, depth: int, *, at_largest: bool = False) -> Any:
    """Exponent of s_0+1 at s = 2, an intercept for each grammar and learning rate."""
    return main_curves.slope(
        "P_star", "places", within=(*SHARED_GRAMMAR, "seed", "rate"), net=net, L=depth, s=2,
        note_by=("v", "rate"), at_largest=at_largest, **STARS,
    )  # fmt: skip


SLOPE_REASON = (
    "fixed with the plan of the reproduction; at L = 2 and n_c = m = v, where the prediction grows"
    " as v^3, it is 0.45 in the exponent of v, less than half of a whole one"
)
EQ_3_AND_4 = "Sample complexity: Eq. 3 (LCN) and Eq. 4 (CNN)"
law = sheet.topic(EQ_3_AND_4, "4 B, C", place="Eq. 3 and 4, section 4", fixed="after")
for net, L in NETS_AND_DEPTHS:
    law(f"s0-exponent-{net}-L{L}", f"{LAWS[net]}: exponent of s_0+1 at s = 2, L = {L}",
        WithAuthors(exponent_of_positions(net, L), thresholds=True),
        Within(L if net == "lcn" else 2, 0.35),
        "below 0.5, so that no value is within the tolerance of two whole exponents (2 and 3 at"
        " L = 3); over the factor 3 in s_0+1 that is measured it is a factor 1.5 in P*, the"
        " step of the authors' grid of P; changed after seeing results: s = 2 alone, as in the"
        " figure, and the interval by grammars",
        figure=FIGURES[net], place=PLACES[net])  # fmt: skip
for net, L in NETS_AND_DEPTHS:
    law(f"s0-exponent-{net}-L{L}-largest-v",
        f"{LAWS[net]}: exponent of s_0+1 at s = 2, L = {L}, largest v",
        exponent_of_positions(net, L, at_largest=True), Within(L if net == "lcn" else 2, 0.35),
        "as of the mean over v, which hides a trend; written after seeing results: a line in ln v,"
        " at the largest", figure=FIGURES[net], place=PLACES[net])  # fmt: skip
for net, L in NETS_AND_DEPTHS:
    law(f"v-exponent-{net}-L{L}", f"{LAWS[net]}: exponent of v = n_c = m at s = 2, L = {L}",
        WithAuthors(of_features(net, L)), Within(L + 1, 0.35),
        "as of the exponents of (s_0+1), below 0.5, so that no value is within the tolerance of"
        " two whole exponents; written after seeing the exponents of m and n_c, which it"
        " replaces", figure=FIGURES[net], place=PLACES[net])  # fmt: skip
law("slope-against-prediction",
    "LCN and CNN, s = 2: slope of log P* against the logarithm of Eq. 3 (LCN) and Eq. 4 (CNN)",
    WithAuthors(of_the_law(("lcn", "cnn"), 2)), Within(1, 0.15), SLOPE_REASON,
    fixed="before")  # fmt: skip
law("lcn-constant-C0",
    "LCN, C_0 ~ s^(L/2): slope of log C_0 against log s^(L/2), m = v^(s-1), equal learning rates",
    WithAuthors(branchings.slope(
        "C_0", "root", within="group", **STARS,
        note="the paper's Figure 10 has 3.5 (s = 2, L = 2), 3.9 (2, 3), 7.7 (3, 2), 11.4 (3, 3)")),
    Within(1, 0.45),
    "below 0.5, so that neither a C_0 without s (0) nor C_0 ~ s^L (2) nor anything in the"
    " middle is within it; changed after seeing results: at equal rates alone, since P* depends on"
    " the rate", figure="10", place="section 4; appendix D")  # fmt: skip
for L in (2, 3):
    law(f"lcn-over-cnn-L{L}",
        f"Weight sharing, P*_LCN / P*_CNN ~ (s_0+1)^(L-2): exponent of s_0+1 at L = {L}",
        WithAuthors(lcn_over_cnn.slope("ratio", "places", within=(*SHARED_GRAMMAR, "seed", "rate"),
                                 note_by="s", L=L, **PAIRS)),
        Within(L - 2, 0.35),
        "as of the exponents of (s_0+1), below 0.5, so that no value is within the tolerance of"
        " L = 2 and of L = 3; tested after seeing results: before, it was reported as the"
        " difference of two exponents, but pairs of equal grammars and rates determine it better"
        " than either"
        )  # fmt: skip
for net, figure, appendix in (("lcn", "10, left", "D"), ("cnn", "13", "E")):
    law(f"slope-against-prediction-{net}-s3",
        f"{net.upper()}, s = 3: slope of log P* against the logarithm of {EQUATIONS[net]}",
        WithAuthors(of_the_law((net,), 3)), Within(1, 0.15),
        "as for s = 2, a factor 1.4 of P* a decade; at L = 2, n_c = v and m = v^2, where the"
        " prediction grows as v^5, it is 0.75 in the exponent of v, less than the n_c in it",
        figure=figure, place=f"appendix {appendix}; {PLACES[net]}", fixed="before")  # fmt: skip
COMPLEXITY_CLAIMS = tuple(sheet.claims)

# The test error of LCN and CNN as a function of P (section 4, Figure 4 A).

# Test errors between which its fall is measured.
LOWEST, HIGHEST = 0.05, 0.30
SLOW = "grammars of networks and L that mostly end above the lower error"


@rows_of(
    main_curves.given(threshold=LOWEST),
    main_curves.given(threshold=HIGHEST),
    nothing=NO_CURVES,
    what="pairs of P*",
)
def falls(lower: pd.DataFrame, upper: pd.DataFrame) -> pd.DataFrame:
    """P* at the test error LOWEST divided by P* at HIGHEST, a row a grammar: ratio.

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
    kind_of_row = pd.MultiIndex.from_arrays(kinds)
    return both.assign(**{SLOW: n_slow.reindex(kind_of_row, fill_value=0).to_numpy() >= n_ended})


fall = sheet.topic("Sample complexity: the fall of the test error", "4 A", place="section 4",
                   fixed="after")  # fmt: skip
fall("threshold-slope",
     f"P* at a test error of {LOWEST:.0%} / P* at {HIGHEST:.0%}: slope against Eq. 3 or 4",
     falls.slope("ratio", "prediction", within="net", note_by="net", net=("lcn", "cnn"), s=2,
                 **PAIRS),
     Within(0, 0.15),
     "as of the law's slope, which another threshold would change by this number; written"
     " after seeing results")  # fmt: skip
fall("sharp-fall",
     f"The test error falls rapidly: P at an error of {LOWEST:.0%} divided by P at {HIGHEST:.0%}",
     falls.mean("ratio", scale="ratio", note_by=("net", "L"), open=SLOW, net=("lcn", "cnn"),
                **PAIRS),
     Below(HIGHEST / LOWEST),
     "an error that falls as 1/P, without a scale, needs a factor 6 for this fall; written after"
     " seeing results, and so is this: without an interval where as many grammars of a network"
     " and L end above the lower error as reach it")  # fmt: skip
# The paper's points divided by ours by the figures' recipe.
points = rows_of("sample_complexity", "cells", "published_values", what="points",
                 nothing="no curve of the figures' recipe on a grammar of the paper's points")(
    practice_points
).then(lambda found: found.assign(known=found["low"].notna()))  # fmt: skip
say = sheet.topic("Sample complexity: authors' points and ours by the figures' recipe", "4 B, C",
                  place="Figure 4 B, C", fixed="after")  # fmt: skip
say("published-within-prediction",
    "Fraction of the authors' points in our 95 % prediction interval of one grammar and grid of P",
    points.fraction("inside", s=2, known=True, shared=True, note_columns="width"), Above(0.75),
    "of thirty points that a 95 % interval should hold, the exact interval of their fraction"
    " goes down to 0.78 when two are outside; a third outside, by another recipe, is seen;"
    " changed after seeing results: a lower bound, before 0.95 ± 0.2, of which only the lower"
    " end can fail; and the interval of clusters of equal v, before that of independent points."
    " With fewer than thirteen clusters it can differ or be inconclusive, and not"
    " reproduced")  # fmt: skip

# Kinds and amounts of sparsity (section 4, Eq. 5, appendix A).

# (L, s_0) of the sparser and of the less sparse data with d = 64 positions at s = 2: F = 1/16, 1/8.
SPARSER, LESS_SPARSE = {"L": 2, "s0": 3}, {"L": 3, "s0": 1}


@rows_of(main_curves.given(sparsity="B"), nothing=NO_CURVES, what="P*")
def other_sparsity(rows: pd.DataFrame) -> pd.DataFrame:
    """P* with sparsity B. At s_0 = 0 there is nothing to place, and A and B are equal."""
    return rows[rows["s0"] > 0]


@rows_of(other_sparsity, main_curves, nothing=NO_CURVES, what="pairs of P*")
def sparsities(*halves: pd.DataFrame) -> pd.DataFrame:
    """P* with sparsity B divided by P* with A, of equal grammars, options and learning rates.

    counted: that ratio by counting positions. over_counted: the measured one divided by it.
    """
    both = pairs_of(*halves, on=["net", *GRAMMAR, "seed", *OPTIONS, "rate"], column="P_star",
                    unpaired="without a curve of A at their rate")  # fmt: skip
    if both.empty:
        return both
    columns = (both[name] for name in ("L", "s", "s0"))
    counting = [placements_ratio(depth=depth, branching=s, n_empty=n_empty)
                for depth, s, n_empty in zip(*columns, strict=True)]  # fmt: skip
    return both.assign(counted=counting, over_counted=both["ratio"] / counting)


@rows_of(main_curves, nothing=NO_CURVES, what="pairs of P*")
def at_fixed_dimension(rows: pd.DataFrame) -> pd.DataFrame:
    """P* of the sparser data divided by P* of the less sparse, d = 64, LCN, equal v, m, n_c."""
    rows = chosen(rows, {"net": "lcn", "s": 2})
    halves = [chosen(rows, kind) for kind in (SPARSER, LESS_SPARSE)]
    both = pairs_of(*halves, on=["v", "m", "n_c", "seed"], column="P_star")
    if both.empty:
        return both
    law = both["prediction_over"] / both["prediction"]
    return both.assign(inverse=1 / both["ratio"], law=law)


sparsity = sheet.topic("Kinds and amounts of sparsity", "7", place="appendix A")
sparsity("sparsity-b-prefactor-lcn",
         "LCN: P* of sparsity B / P* of sparsity A, divided by the ratio from counting positions",
         sparsities.mean("over_counted", scale="log", net="lcn", **PAIRS), Factor(1, within=1.5),
         "×1.5: P* of one curve is known to a step of the grid of P, a factor 1.4 here and"
         " 1.3-1.9 in the authors'. Changed after seeing results: before, P*_B = P*_A, as section 4"
         " may be read: \"the same sample complexity\"; the counting is ours, after section 6",
         place="section 6; appendix A", fixed="after")  # fmt: skip
for net, figure in (("lcn", "7"), ("cnn", "8")):
    sparsity(f"sparsity-b-slope-{net}",
             f"{net.upper()}, sparsity B: slope of log P* against the log of {EQUATIONS[net]}",
             other_sparsity.slope("P_star", "prediction", within=("net", "rate"), net=net,
                                  note_by="L", **STARS),
             Within(1, 0.15),
             "as for sparsity A: a factor 1.4 of P* a decade, over the one to two decades of P*"
             " in Figures 7 and 8; a wrong exponent of s_0+1 by one would be seen",
             figure=figure)  # fmt: skip
sparsity("sparser-is-easier",
         "LCN, d = 64: P* of sparser data (L = 2, s_0 = 3) divided by P* at L = 3, s_0 = 1",
         at_fixed_dimension.mean("ratio", scale="ratio", **PAIRS), Below(1),
         "the bound is an equal P*: the ratio must be below 1 for sparsity to help",
         figure="5", place="Eq. 5, section 4")  # fmt: skip

# Fits of a published run alone, by the functions of the scorecard, which never sees its rows: the
# slope of each net on its own law, then what the scorecard asks at the main threshold.
published = Sheet()
say = published.topic(EQ_3_AND_4, "4 B, C", expected=Within(1, 0.15), why=SLOPE_REASON)
for net in ("lcn", "cnn"):
    say(f"slope-against-prediction-{net}",
        f"{LAWS[net]}, s = 2: slope of log P* against its logarithm", of_the_law((net,), 2),
        figure=FIGURES[net], place=PLACES[net])  # fmt: skip
PUBLISHED_CLAIMS = (*published.claims, *COMPLEXITY_CLAIMS)


def published_fits(sample_complexity: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """Rows (SCORECARD_COLUMNS) of the claims on P* that a published run says something of.

    At the threshold that defines P*. The cells tell the P* of each seed and the learning rates, so
    that curves which share grammars are paired as those of the run's own are. Claims without any
    point are left out.
    """
    tables = {"sample_complexity": sample_complexity, "cells": cells}
    table = scorecard(tables, claims=PUBLISHED_CLAIMS)
    return table[table["n"] > 0].reset_index(drop=True)


sheet.claims += INVARIANCE_CLAIMS
CLAIMS = sheet.finished(
    changed={
        "slope-against-prediction*":
            "the paper's grammars alone; intervals by clusters of equal s and v, as curves that "
            "share grammars are not independent; an intercept for each learning rate",
        "sparsity-b-slope-*":
            "intervals by clusters of equal s and v, as curves that share grammars are not "
            "independent; an intercept for each learning rate, as all curves of L = 3 have another "
            "than those of L = 2",
        "[sd]-ratio-???-s3 [sd]-ratio-fcn-s2-practice*":
            "the paper's grammars alone; intervals by clusters of equal s and v, as curves that "
            "share grammars are not independent",
        "[sd]-onset-of-levels-* onset-of-d-and-s-*":
            "the paper's grammars alone; intervals by clusters of equal s and v, as curves that "
            "share grammars are not independent",
        "d-output-top-remains-*":
            "the largest P alone, l < L and l = L separately; intervals by clusters of equal s and "
            "v, as curves that share grammars are not independent",
    },
)  # fmt: skip
