"""Claims of chapter 3a of the thesis, appendices C, D and F to J, on networks that learn digits.

Tolerances were fixed before the rows were made. Intervals are over data sets: a seed has training
points and initial weights of its own.
"""

from typing import Any

import numpy as np
import pandas as pd

from srhm.scorecard.expectations import Below, Factor, Within
from srhm.scorecard.rows import left_out
from srhm.scorecard.sheet import Sheet, rows_of
from srhm.statistics.regimes import FEATURE, LAZY, at_most, feature_slope
from srhm_studies.regimes.early_dynamics import analysis
from srhm_studies.regimes.early_dynamics.analysis import (
    BETWEEN,
    DEEP,
    EARLY,
    FINE,
    MOMENTA,
    SMOOTH,
    THESIS,
)

# Windows of alpha_tilde.
FEATURES, LAZINESS = (0.0, FEATURE), (LAZY, analysis.VARIANCE)
EVERYWHERE = (0.0, analysis.VARIANCE)
PLACE = ("width", "alpha_tilde", "P", "seed")  # of an ensemble


@rows_of("cells", "histories", what="states")
def states(cells: pd.DataFrame, histories: pd.DataFrame) -> pd.DataFrame:
    """States of feature learning up to EARLY t1."""
    beginnings = analysis.beginnings(cells, histories)
    if beginnings.empty:
        return beginnings
    return beginnings[at_most(beginnings["alpha_tilde"], DEEP) & (beginnings["x"] <= EARLY)]


@rows_of("cells", "histories", what="trainings")
def scales(cells: pd.DataFrame, histories: pd.DataFrame) -> pd.DataFrame:
    """End of the linear law and norm at t1 of feature learning, alpha_tilde fixed."""
    trainings = analysis.scales(analysis.beginnings(cells, histories))
    return analysis.varying(trainings[at_most(trainings["alpha_tilde"], DEEP)], "width")


@rows_of("cells", "rates", what="networks")
def rates(cells: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """|dz/dt| of each layer at t = 0, alpha_tilde fixed."""
    by_layer = table.merge(analysis.of_kind(cells, "rates").drop(columns="curve"), on="key")
    return analysis.varying(by_layer, "width")


@rows_of("cells", what="networks")
def kinks(cells: pd.DataFrame, *, window: tuple[float, float]) -> pd.DataFrame:
    """ReLU networks in a window of alpha_tilde."""
    rows = analysis.inside(analysis.of_kind(cells, "kinks"), *window)
    return left_out(rows, {"that did not fit": rows["status"] != "fitted"})


@rows_of("cells", "ensembles", what="ensembles")
def variances(cells: pd.DataFrame, ensembles: pd.DataFrame) -> pd.DataFrame:
    """Var F of lazy learning, with `is_small` and `is_wide`: the smallest P, the widest h."""
    rows = analysis.lazy_variances(cells, ensembles)
    if rows.empty:
        return rows
    small, wide = rows["P"] == rows["P"].min(), rows["width"] == rows["width"].max()
    return rows.assign(is_small=small, is_wide=wide)


@rows_of("cells", "outputs", what="pairs of trainings")
def tolerances(
    cells: pd.DataFrame, outputs: pd.DataFrame, *, window: tuple[float, float] = EVERYWHERE
) -> pd.DataFrame:
    """What a smaller tolerance changes; digits: log10 of the relative change of F."""
    rows = analysis.tolerance_pairs(cells, outputs, coarse=THESIS, fine=FINE)
    rows = analysis.inside(rows, *window)
    return rows.assign(digits=np.log10(rows["difference"].where(rows["difference"] > 0)))


@rows_of("cells", "outputs", what="pairs of trainings",
         nothing="no network that fitted with and without momentum")  # fmt: skip
def momenta(cells: pd.DataFrame, outputs: pd.DataFrame, *, at: float) -> pd.DataFrame:
    """What a momentum changes, of networks kept.

    Where SHORT_STEPS are shorter than tau: elsewhere u is the gradient by construction.
    """
    rows = analysis.momentum_pairs(cells, outputs)
    if rows.empty:
        return rows
    rows = rows[np.isclose(rows["momentum_time"], at, rtol=1e-6)]
    return rows[rows["alpha_tilde"].isin(analysis.SHORT_STEPS)]


@rows_of("cells", "ensembles", what="pairs of ensembles")
def spreads(
    cells: pd.DataFrame, ensembles: pd.DataFrame, *, window: tuple[float, float]
) -> pd.DataFrame:
    """Ensembles of every kind in a window."""
    rows = analysis.variances(cells, ensembles)
    return analysis.inside(rows, *window) if len(rows) else rows


@rows_of("cells", what="networks, each assumed independent")
def laziest(cells: pd.DataFrame) -> pd.DataFrame:
    """Networks with F = alpha f at the largest alpha_tilde, and whether each `fits`."""
    rows = analysis.of_kind(cells, "whole")
    rows = rows[rows["alpha_tilde"] == rows["alpha_tilde"].max()]
    return rows.assign(fits=rows["status"] == "fitted")


def spread(kind: str, window: tuple[float, float]) -> Any:
    """log of Var F of ensembles of a kind divided by that of the plain ones."""
    return spreads.given(window=window).ratio(
        "variance", where={"kind": kind}, over={"kind": "plain"}, on=PLACE, per="seed", scale="log"
    )


TOPIC = "The beginning of training, and checks of the gradient flow"
CH_3A = "thesis, ch. 3a"
STEP = "0.1, ours: a factor 1.3 over the widths, which an exponent of h of 1/2 would exceed"
sheet = Sheet()
say = sheet.topic(TOPIC, "early_times")
say("early-linear", f"Feature learning, t ≤ {EARLY:g} √h α: exponent of the time t in ‖f_t − f_0‖",
    states.slope("norm", "time", within="key", per="seed"), Within(1, 0.1),
    "0.1, ours: linear for t ≪ t1", place=f"{CH_3A}, Fig. 10 a")  # fmt: skip
say("early-end-width",
    "Feature learning: exponent of the width h in the end of linear growth divided by √h α",
    scales.slope("end", "width", per="seed"), Within(0, 0.1), STEP,
    place=f"{CH_3A}, Fig. 10 c, d")  # fmt: skip
say("early-norm-width",
    "Feature learning, fixed α̃: exponent of the width h in ‖f_t − f_0‖ at t = √h α",
    scales.slope("norm", "width", per="seed"), Within(0.5, 0.1), STEP,
    place=f"{CH_3A}, Fig. 10 b; Eq. 32")  # fmt: skip
say("early-rate-width-3", "Fixed α̃: exponent of the width h in ‖dz/dt‖ of layer 3 of 5 at t = 0",
    rates.slope("rate", "width", layer=3, per="seed"), Within(0, 0.1), STEP,
    place=f"{CH_3A}, Fig. 11; Eq. 22")  # fmt: skip

say = sheet.topic(TOPIC, "early_regimes")
for name, words, window, expected, why, place in (
    ("feature", f"α̃ ≤ {FEATURE:g}", FEATURES,
     Within(feature_slope(5), 0.25), "0.25, as in lazy_feature", "Fig. 12; Eq. 24"),
    ("between", f"α̃ from {BETWEEN[0]:g} to {BETWEEN[1]:g}", BETWEEN,
     Within(-0.5, 0.1), "0.1, ours: a fifth of the distance to −1", "Fig. 12"),
    ("lazy", f"α̃ ≥ {SMOOTH:g}", (SMOOTH, 1e12),
     Within(-1, 0.1), "0.1, as in lazy_feature", "Fig. 12"),
):  # fmt: skip
    say(f"early-kinks-{name}", f"ReLU, L = 5, {words}: exponent of α̃ in the change of the kernel",
        kinks.given(window=window).slope("kernel_change", "alpha_tilde", per="seed",
                                         within=("width", "member")),
        expected, why, place=f"{CH_3A}, {place}")  # fmt: skip
say("early-variance-small",
    "Lazy learning, smallest P: exponent of the width h in the variance of the output F",
    variances.slope("variance", "width", per="seed", is_small=True), Within(-1, 0.2),
    "0.2, ours: what ensembles of four networks can tell", place=f"{CH_3A}, Fig. 14")  # fmt: skip
say("early-variance-size",
    "Lazy learning, largest width: exponent of P in the variance of the output F",
    variances.slope("variance", "P", per="seed", is_wide=True), Within(0.5, 0.15),
    "0.15, ours: neither constant nor proportional to P", place=f"{CH_3A}, App. H: √n")  # fmt: skip

say = sheet.topic(TOPIC, "early_checks")
for word, regime, window in (
    ("feature", "Feature", FEATURES), ("lazy", "Lazy", LAZINESS),
):  # fmt: skip
    say(f"early-tolerance-{word}",
        f"{regime} learning: log10 of the relative change of the output F, tolerance 1e-4 to 1e-6",
        tolerances.given(window=window).mean("digits", per="seed"), Below(-3),
        "an upper bound: the thesis has differences below 1e-3",
        place=f"{CH_3A}, Fig. 13 a")  # fmt: skip
say("early-tolerance-time",
    "Evaluations of the gradient at tolerance 1e-6 divided by evaluations at 1e-4",
    tolerances.mean("evaluations", per="seed", scale="log"), Factor(2, within=1.5),
    "×1.5, ours: the time roughly doubles", place=f"{CH_3A}, Fig. 13 c")  # fmt: skip
for word, at in zip(("small", "large"), MOMENTA, strict=True):
    say(f"early-momentum-kernel-{word}",
        f"Momentum of time {at:g} √h α, α̃ = 0.01, 1000: kernel change divided by change without",
        momenta.given(at=at).mean("kernel_change", per="seed", scale="log"), Factor(1, within=1.2),
        "×1.2, ours: the tolerance of the flow alone changes it by a tenth",
        place=f"{CH_3A}, Fig. 13 b")  # fmt: skip
EQUAL = (Factor(1, within=1.5), "×1.5, ours: what ensembles of so few networks can tell")
say("early-whole-small-variance",
    f"α̃ ≤ {DEEP:g}: variance of the output α f divided by variance of α (f − f0)",
    spread("whole", (0.0, DEEP)), *EQUAL, place=f"{CH_3A}, Fig. 15 b")  # fmt: skip
say("early-whole-converges",
    "Output α f (f0 not subtracted), largest α̃: fraction of networks that fit",
    laziest.fraction("fits"), Within(0, 0.2),
    "0.2, ours: what twenty networks can tell; it does not converge",
    place=f"{CH_3A}, section 2")  # fmt: skip
say("early-bias-variance", "Variance of the output with biases divided by variance without, all α̃",
    spread("biased", EVERYWHERE), *EQUAL, place=f"{CH_3A}, Fig. 16 b")  # fmt: skip

CLAIMS = sheet.finished(
    changed={
        "early-momentum-kernel-*": "without α̃ = 0.1 to 10, where steps are longer than τ",
    },
)  # fmt: skip
