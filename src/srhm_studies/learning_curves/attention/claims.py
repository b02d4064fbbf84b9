"""Predictions of P* and sensitivities of transformers; no source has them but where it is named.

Fixed before any curve of this study was trained (methods.md).
"""

from functools import partial

from srhm.scorecard.expectations import Above, Factor, Within
from srhm.scorecard.sheet import Sheet
from srhm_studies.learning_curves.attention.analysis import bags, exponents, stars, stars_from_zero

GRAMMAR = ("v", "seed")  # of one seed and v the rules are the same, whatever s_0
NET = "transformer_positions"
LAWS = {"cnn": "Eq. 4", "lcn": "Eq. 3"}
HALF = "0.5: it tells whole exponents apart; three grammars of v = 4 and two of v = 6"
SPARSE = (1, 2)  # s_0
exponent_of = partial(stars.slope, "P_star", "per_place", per=GRAMMAR, what="P* of grammars")
ratio_of = partial(
    stars.ratio, net=NET, on=("L", "v", "s0", "seed"), per=GRAMMAR, note_by=("v", "s0")
)
mean_of_bags = partial(bags.mean, s0=SPARSE, per=GRAMMAR, note_by=("v", "s0"))

sheet = Sheet()
topic = partial(sheet.topic, figure="attention", place="prediction of this project")
say = topic("What empty positions cost a transformer", why=HALF)
say("s0-positions", "Transformer with positions: exponent of s_0+1 in P* at s_0 = 1, 2",
    exponent_of(net=NET, s0=SPARSE), Within(2, 0.5))  # fmt: skip
say("s0-positions-all", "Transformer with positions: exponent of s_0+1 in P* at s_0 = 0, 1, 2",
    stars_from_zero.slope("P_star", "per_place", net=NET, per=GRAMMAR), Within(2, 0.5))  # fmt: skip
for net, equation in LAWS.items():
    say(f"s0-{net}", f"{net.upper()}: exponent of s_0+1 in P* at s_0 = 1, 2",
        exponent_of(net=net, s0=SPARSE), Within(2, 0.35),
        "0.35: below 0.5, so that no value is within the tolerance of two whole exponents; known of"
        " the CNN at this rate from other studies: 1.4 to 1.8", place=equation)  # fmt: skip
for net in LAWS:
    say(f"s0-change-{net}",
        f"Exponent of s_0+1 in P*: transformer with positions minus {net.upper()}",
        exponents.difference("exponent", net=NET, over={"net": net}, on=("L", *GRAMMAR)),
        Within(0, 0.5))  # fmt: skip

say = topic("P* of a transformer compared with LCN and CNN")
for net in LAWS:
    say(f"points-{net}", f"P* of a transformer with positions divided by P* of the {net.upper()}",
        ratio_of("P_star", over={"net": net}), Above(1),
        "the bound is equality: a transformer must learn which positions belong together (arXiv"
        " 2505.07070: curves of convolutional nets are steeper)")  # fmt: skip

say = topic("A transformer without positions counts features")
say("bags",
    "Transformer without positions: test error minus least error from feature counts, largest P",
    mean_of_bags("excess"), Within(0, 0.05),
    "0.05: 35 feature counts of v = 4 are seen by some tens of points each, so that some majorities"
    " are wrong")  # fmt: skip
say("bags-places",
    "Transformer without positions: test error at s_0 = 2 divided by error at s_0 = 1, largest P",
    bags.ratio("test_error", s0=2, over={"s0": 1}, on=("L", *GRAMMAR), per=GRAMMAR, scale="log",
               what="grammars"),
    Factor(1, 1.1),
    "1.1: counts have no positions; the rest is the scatter of single networks")  # fmt: skip
say("bags-S", "Transformer without positions: sensitivity S of its output to synonyms, largest P",
    mean_of_bags("S"), Above(0.5),
    "0.5: a synonym gives other counts, as another datum does; D is 0 by construction",
    )  # fmt: skip

say = topic("Transformers in Figure 1")
for kind in "SD":
    for net in LAWS:
        say(f"plane-{kind}-{net}",
            f"Sensitivity {kind} of the output at P*: transformer with positions / {net.upper()}",
            ratio_of(kind, s0=SPARSE, over={"net": net}, scale="log"), Factor(1, 2),
            "2: nets of one error lie within a factor of about 2 in Figure 1",
            place="Figure 1: one relation of error and sensitivity for all networks")  # fmt: skip

CLAIMS = sheet.finished(
    committed={"s0-positions* s0-change-* points-* bags*": "2026-11-25, 0cefaf50"}
)
