"""Predictions of P* for nets between LCN and CNN, fixed before any of these was trained.

Known beforehand: a trial at L = 2, v = 6 of two grammars at s_0 = 1 and 2, and the P* of LCN and
CNN in other studies (README). Predictions are those of counting (README), not of the trial.
"""

from functools import partial

import pandas as pd

from srhm.scorecard.complexity_rows import THRESHOLD
from srhm.scorecard.expectations import Within
from srhm.scorecard.rows import left_out
from srhm.scorecard.sheet import Sheet, rows_in, rows_of
from srhm.statistics.exponents_of_grammars import OF_GRAMMAR, complexities_of_grammars
from srhm_studies.learning_curves.weight_sharing.analysis import (
    FIRST,
    FIRST_PLACE,
    OUTPUT,
    P_STAR,
    SECOND,
)

# excess: above the number of levels whose positions are known.
exponents = rows_in(
    "exponents", nothing="no grammar with such exponents", what="grammars"
).let(excess=lambda rows: rows["exponent"] - rows["places"])  # fmt: skip


@rows_of("cells", nothing="no grammar with a P* of both nets", what="P*")
def stars(cells: pd.DataFrame) -> pd.DataFrame:
    """P* of single grammars at s_0 > 0; censored ones are left out."""
    by_grammar = complexities_of_grammars(cells[cells["s0"] > 0], threshold=THRESHOLD)
    return left_out(by_grammar, {"without P* in the measured range": by_grammar["P_star"].isna()})


WORDS = {
    "lcn": "LCN", "cnn": "CNN", "cnn_first": "network convolutional in layer 1 alone",
    "cnn_second": "network convolutional in layer 2 alone",
    "cnn_third": "network convolutional in layer 3 alone",
    "cnn_first_second": "network convolutional in layers 1 and 2",
    "cnn_first_third": "network convolutional in layers 1 and 3",
    "cnn_second_third": "network convolutional in layers 2 and 3",
    "cnn_places": "network that shares weights among positions",
    "cnn_features": "network that shares weights between features",
    "cnn_pooled": "CNN that sums all positions",
    "cnn_pooled_first": "CNN that sums positions before layer 1",
    "cnn_pooled_last": "CNN that sums positions before layer L",
}  # fmt: skip
QUARTER = "0.25: it tells whole exponents apart, with room for the scatter of grammars"
COUNTING = "counting of known positions, see the page"
EQUATIONS = "Eq. 3 and 4"
# Net, L -> exponent and where it stands.
VALUES: dict[tuple[str, int], tuple[float, str]] = {
    ("lcn", 2): (2, "Eq. 3"), ("cnn", 2): (2, "Eq. 4"), ("lcn", 3): (3, "Eq. 3"),
    ("cnn", 3): (2, "Eq. 4"), ("cnn_first", 3): (2, COUNTING), ("cnn_second", 3): (3, COUNTING),
    ("cnn_pooled_first", 2): (1, COUNTING), ("cnn_pooled_last", 2): (1, COUNTING),
}  # fmt: skip
# Net -> exponent in the second of two steps at L = 2: the most levels that a layer so far knows.
# The exponent of the CNN that sums all positions is 0 whatever its steps are: no claim.
TWO_STEPS = {
    "lcn": 2, "cnn_features": 2, "cnn_places": 1, "cnn": 1,
    "cnn_pooled_first": 1, "cnn_pooled_last": 1,
}  # fmt: skip
AS_FIRST = "0.15: as for the first step"
# Net, other net, L -> by how much the exponent is larger, its tolerance and why.
HALF = "0.2: below half of a whole exponent"
CHANGES: dict[tuple[str, str, int], tuple[float, float, str]] = {
    ("cnn_features", "lcn", 2): (0, 0.2, f"filters know all positions; {HALF}"),
    ("cnn_features", "lcn", 3): (0, 0.2, f"filters know all positions; {HALF}"),
    ("cnn_places", "cnn", 2): (0, 0.2, f"both know the positions within a patch alone; {HALF}"),
    ("cnn_places", "cnn", 3): (0, 0.2, f"both know the positions within a patch alone; {HALF}"),
    ("cnn_places", "lcn", 2): (-1, 0.25, f"layer 1 knows one level fewer; {QUARTER}"),
    ("cnn_places", "lcn", 3): (-2, 0.25, f"layer 1 knows two levels fewer; {QUARTER}"),
    ("cnn_pooled_first", "cnn", 3): (-1, 0.25, f"a layer without positions adds 0; {QUARTER}"),
    ("cnn_pooled_last", "cnn", 3): (-1, 0.25, f"a layer without positions adds 0; {QUARTER}"),
}  # fmt: skip
# Further ones, written when the curves of these nets and of the LCN at L = 3 were known.
KNOWN: dict[tuple[str, str, int], tuple[float, float, str]] = {
    ("cnn_first", "lcn", 3): (-1, 0.25, f"layer 2 knows two levels, no layer three; {QUARTER}"),
    ("cnn_second", "lcn", 3): (0, 0.2, f"layer 1 knows all three levels; {HALF}"),
    ("cnn", "lcn", 3): (-1, 0.25, f"Eq. 4 minus Eq. 3; {QUARTER}"),
}
# Net -> by how much its exponent from s_0 = 0 to 1 is larger than the LCN's at L = 4, and why.
# Known: exponents of LCN and CNN (study depth), 1.4 apart, and all exponents at L = 2 and 3.
OF_LAYERS: dict[str, tuple[float, float, str]] = {
    "cnn_first": (-1, 0.25, f"layer 2 knows three levels, no layer four; {QUARTER}"),
    "cnn_second": (0, 0.2, f"layer 1 knows all four levels; {HALF}"),
    "cnn_third": (0, 0.2, f"layer 1 knows all four levels; {HALF}"),
    "cnn_first_second": (-2, 0.25, f"layer 3 knows two levels, no layer more; {QUARTER}"),
    "cnn_first_third": (-1, 0.25, f"layer 2 knows three levels, no layer four; {QUARTER}"),
    "cnn_second_third": (0, 0.2, f"layer 1 knows all four levels; {HALF}"),
    "cnn": (-2, 0.25, f"Eq. 4 minus Eq. 3; {QUARTER}"),
}


mean = partial(exponents.mean, "exponent")
change = partial(exponents.difference, "exponent", on=(*OF_GRAMMAR, "layer"))
excess = partial(exponents.mean, "excess", per=("v", "seed"), what="nets and grammars")

sheet = Sheet()
say = sheet.topic("Exponent of s_0+1 between LCN and CNN", "weight_sharing", place=COUNTING,
                  why=QUARTER)  # fmt: skip
for (net, L), (value, place) in VALUES.items():
    say(f"exponent-{net}-{L}", f"L = {L}, {WORDS[net]}: exponent of s_0+1 in P*",
        mean(net=net, L=L, of=P_STAR), Within(value, 0.25), place=place)  # fmt: skip
# At L = 3 it is exactly 0: training sets are the same derivations at all s_0.
say("exponent-cnn_pooled-2", f"L = 2, {WORDS['cnn_pooled']}: exponent of s_0+1 in P*",
    mean(net="cnn_pooled", L=2, of=P_STAR), Within(0, 0.1),
    "only how often the training set has one derivation twice depends on s_0",
    place="it is the CNN at s_0 = 0")  # fmt: skip
for (net, other, L), (value, tolerance, why) in (CHANGES | KNOWN).items():
    say(f"change-{net}-{other}-{L}",
        f"L = {L}: exponent of s_0+1 in P*, {WORDS[net]} minus {WORDS[other]}",
        change(net=net, L=L, of=P_STAR, over={"net": other}), Within(value, tolerance), why,
        place=EQUATIONS if net == "cnn" else COUNTING,
        fixed="after" if (net, other, L) in KNOWN else "before")  # fmt: skip
for net, (value, tolerance, why) in OF_LAYERS.items():
    say(f"change-{net}-lcn-4",
        f"L = 4, s_0 = 0 to 1: exponent of s_0+1 in P*, {WORDS[net]} minus LCN",
        change(net=net, L=4, of=FIRST_PLACE, over={"net": "lcn"}), Within(value, tolerance), why,
        place=EQUATIONS if net == "cnn" else COUNTING,
        fixed="after" if net == "cnn" else "before")  # fmt: skip
for L in (2, 3):
    for net, other in (("cnn_features", "lcn"), ("cnn", "cnn_places")):
        say(f"saved-{net}-{other}-{L}",
            f"L = {L}: P* of the {WORDS[net]} divided by P* of the {WORDS[other]}, s_0 > 0",
            stars.ratio("P_star", net=net, L=L, over={"net": other}, on=(*OF_GRAMMAR, "s0"),
                        per=("v", "seed")), Within(0.75, 0.25),
            "a filter that s = 2 features share sees up to s times more data: between 1/s and 1",
            )  # fmt: skip
for L in (2, 3):
    for layer in range(1, L + 1):
        say(f"first-step-{layer}-{L}",
            f"L = {L}, first gradient step of layer {layer}: exponent of s_0+1 minus number of"
            " levels with known positions", excess(L=L, layer=layer, of=FIRST), Within(0, 0.15),
            "0.15: the study first_step has 2.00, 3.00 (LCN) and 0.92, 0.63 (CNN) in layer 1",
            place=f"{COUNTING}; appendix C")  # fmt: skip
for net, value in TWO_STEPS.items():
    say(f"second-step-{net}-2",
        f"L = 2, {WORDS[net]}: exponent of s_0+1 at noise = signal, second gradient step",
        mean(net=net, L=2, of=SECOND), Within(value, 0.15), AS_FIRST)  # fmt: skip
for layer in (2, 3):
    say(f"second-step-{layer}-3",
        f"L = 3, second gradient step of layer {layer}: exponent of s_0+1 minus number of"
        " levels with known positions",
        excess(L=3, layer=layer, of=SECOND), Within(0, 0.15), AS_FIRST)  # fmt: skip
say("two-steps-cnn-2",
    f"L = 2, {WORDS['cnn']}: exponent of s_0+1 in the output after two gradient steps",
    mean(net="cnn", L=2, of=OUTPUT), Within(1, 0.15), AS_FIRST)  # fmt: skip
for L, layer in ((2, 2), (3, 2), (3, 3)):
    say(f"two-steps-{layer}-{L}",
        f"L = {L}, output of two gradient steps to layer {layer}: exponent of s_0+1 minus number"
        " of levels with known positions",
        excess(L=L, layer=layer, of=OUTPUT), Within(0, 0.15), AS_FIRST)  # fmt: skip
for L in (2, 3):
    say(f"counting-{L}",
        f"L = {L}: slope of the exponent of s_0+1 against the most levels with known positions",
        exponents.slope("exponent", "places", L=L, of=P_STAR, logs="none", per=("v", "seed"),
                        what="exponents"), Within(1, 0.25))  # fmt: skip

CLAIMS = sheet.finished(
    committed={
        "exponent-cnn_* change-cnn_*-[23] saved-* first-step-* counting-*": "2026-11-25, 338f959a",
        "second-step-* two-steps-*": "2026-11-26, 488d9ae9",
        "change-cnn_*-lcn-4": "2026-11-26, 59c85901",
    }
)
