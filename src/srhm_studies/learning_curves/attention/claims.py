"""Predictions of P* and sensitivities of transformers; no source has them but where it is named.

Fixed before any curve of this study was trained (methods.md).
"""

from functools import partial

from srhm.scorecard.claims import Claim, predictions
from srhm.scorecard.estimators import Difference, Mean, Ratio, Slope
from srhm.scorecard.expectations import Above, Factor, Within
from srhm_studies.learning_curves.attention.analysis import bags, exponents, stars, stars_from_zero

OURS = "prediction of this project"
GRAMMAR = ("v", "seed")  # of one seed and v the rules are the same, whatever s_0
NET = "transformer_positions"
LAWS = {"cnn": "Eq. 4", "lcn": "Eq. 3"}
HALF = "a half: it tells whole powers apart; three grammars of v = 4 and two of v = 6"
attention = partial(Claim, figure="attention", place=OURS)
power = partial(attention, topic="What empty places cost a transformer")
points = partial(attention, topic="Points of a transformer beside those of LCN and CNN")
blind = partial(attention, topic="A transformer without positions knows bags")
plane = partial(attention, topic="The place of transformers in Figure 1")
SLOPE = partial(Slope, "P_star", against="per_place", per=GRAMMAR, rows=stars,
                what="P* of grammars")  # fmt: skip
PAIR = ("L", "v", "s0", "seed")

STATED = (
    power(
        "s0-positions", "Transformer with positions: power of s_0+1 in P*, s_0 = 1, 2",
        expected=Within(2, 0.5), why=HALF,
        measure=SLOPE(where={"net": NET, "s0": (1, 2)}),
    ),
    power(
        "s0-positions-all", "Transformer with positions: power of s_0+1 in P*, s_0 = 0, 1, 2",
        expected=Within(2, 0.5), why=HALF,
        measure=SLOPE(where={"net": NET}, rows=stars_from_zero),
    ),
    *(
        power(
            f"s0-{net}", f"{net.upper()}: power of s_0+1 in P*, s_0 = 1, 2",
            place=place, expected=Within(2, 0.35),
            why="0.35: below 0.5, so that no value is within the tolerance of two whole exponents;"
            " known of the CNN at this rate from other studies: 1.4 to 1.8",
            measure=SLOPE(where={"net": net, "s0": (1, 2)}),
        )
        for net, place in LAWS.items()
    ),
    *(
        power(
            f"s0-change-{net}",
            f"Power of s_0+1 of a transformer with positions less that of the {net.upper()}",
            expected=Within(0, 0.5), why=HALF,
            measure=Difference("exponent", where={"net": NET}, over={"net": net},
                               on=("L", "v", "seed"), rows=exponents, what="grammars"),
        )
        for net in LAWS
    ),
    *(
        points(
            f"points-{net}", f"P* of a transformer with positions over that of the {net.upper()}",
            expected=Above(1),
            why="the bound is equality: a transformer must learn which places belong together"
            " (arXiv 2505.07070: curves of convolutional nets are steeper)",
            measure=Ratio("P_star", scale="ratio", where={"net": NET}, over={"net": net}, on=PAIR,
                          per=GRAMMAR, rows=stars, what="grammars and s_0", alone=("v", "s0")),
        )
        for net in LAWS
    ),
    blind(
        "bags", "Without positions: test error at the largest P less the least error of bags",
        expected=Within(0, 0.05),
        why="0.05: 35 bags of v = 4 are seen by some tens of points each, so that some majorities"
        " are wrong",
        measure=Mean("excess", per=GRAMMAR, rows=bags, where={"s0": (1, 2)},
                     what="grammars and s_0", alone=("v", "s0")),
    ),
    blind(
        "bags-places", "Without positions: test error at the largest P, s_0 = 2 over s_0 = 1",
        expected=Factor(1, 1.1),
        why="1.1: a bag has no places; the rest is that of single nets",
        measure=Ratio("test_error", scale="log", rows=bags, where={"s0": 2}, over={"s0": 1},
                      on=("L", "v", "seed"), per=GRAMMAR, what="grammars"),
    ),
    blind(
        "bags-S", "Without positions: S of the output at the largest P",
        expected=Above(0.5),
        why="a half: a synonym gives another bag, as another datum does; D is 0 by construction",
        measure=Mean("S", per=GRAMMAR, rows=bags, where={"s0": (1, 2)}, what="grammars and s_0",
                     alone=("v", "s0")),
    ),
    *(
        plane(
            f"plane-{kind}-{net}",
            f"{kind} of a transformer with positions at P* over that of the {net.upper()}",
            place="Figure 1: one relation of error and sensitivity for all networks",
            expected=Factor(1, 2),
            why="2: nets of one error lie within a factor of about 2 in Figure 1",
            measure=Ratio(kind, scale="log", where={"net": NET, "s0": (1, 2)}, over={"net": net},
                          on=PAIR, per=GRAMMAR, rows=stars, what="grammars and s_0",
                          alone=("v", "s0")),
        )
        for kind in "SD"
        for net in LAWS
    ),
)  # fmt: skip

CLAIMS = predictions(
    STATED,
    {
        "s0-positions* s0-change-* points-* bags*": "2026-11-25, 0cefaf50",
    },
)
