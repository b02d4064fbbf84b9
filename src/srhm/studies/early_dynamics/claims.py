"""Claims of chapter 3a of the thesis, appendices C, D and F to J, on networks that learn digits.

Tolerances were fixed before the rows were made. Intervals are over data sets: a seed has training
points and initial weights of its own.
"""

from functools import partial

import numpy as np
import pandas as pd

from srhm.scorecard.claims import Claim, Line, after_a_look
from srhm.scorecard.estimators import Difference, Mean, Part, Ratio, Slope
from srhm.scorecard.expectations import Below, Factor, NoExpectation, Within
from srhm.scorecard.rows import left_out, rows_of
from srhm.statistics.output_scale import FEATURE, LAZY, at_most, feature_slope
from srhm.studies.early_dynamics import analysis
from srhm.studies.early_dynamics.analysis import (
    BETWEEN,
    DEEP,
    EARLY,
    FINE,
    MOMENTA,
    OURS,
    SMOOTH,
    THESIS,
)

# Windows of alpha_tilde.
FEATURES, LAZINESS = (0.0, FEATURE), (LAZY, analysis.VARIANCE)
EVERYWHERE, LARGE = (0.0, analysis.VARIANCE), (1e3, analysis.VARIANCE)
PLACE = ("width", "alpha_tilde", "P", "seed")  # of an ensemble


@rows_of("cells", "histories")
def states(cells: pd.DataFrame, histories: pd.DataFrame) -> pd.DataFrame:
    """States of feature learning up to EARLY t1."""
    found = analysis.beginnings(cells, histories)
    if found.empty:
        return found
    return found[at_most(found["alpha_tilde"], DEEP) & (found["x"] <= EARLY)]


@rows_of("cells", "histories")
def scales(cells: pd.DataFrame, histories: pd.DataFrame, *, against: str) -> pd.DataFrame:
    """End of the linear law and norm at t1 of feature learning, one of h and alpha_tilde fixed."""
    found = analysis.scales(analysis.beginnings(cells, histories))
    return analysis.varying(found[at_most(found["alpha_tilde"], DEEP)], against)


@rows_of("cells", "rates")
def rates(cells: pd.DataFrame, table: pd.DataFrame, *, against: str) -> pd.DataFrame:
    """|dz/dt| of each layer at t = 0, one of h and alpha_tilde fixed."""
    found = table.merge(analysis.of_kind(cells, "rates").drop(columns="curve"), on="key")
    return analysis.varying(found, against)


@rows_of("cells")
def kinks(cells: pd.DataFrame, *, window: tuple[float, float]) -> pd.DataFrame:
    """ReLU networks in a window of alpha_tilde."""
    rows = analysis.inside(analysis.of_kind(cells, "kinks"), *window)
    return left_out(rows, {"that did not fit": rows["status"] != "fitted"})


@rows_of("cells", "ensembles")
def variances(cells: pd.DataFrame, ensembles: pd.DataFrame) -> pd.DataFrame:
    """Var F of lazy learning, with `is_small` and `is_wide`: the smallest P, the widest h."""
    rows = analysis.lazy_variances(cells, ensembles)
    if rows.empty:
        return rows
    small, wide = rows["P"] == rows["P"].min(), rows["width"] == rows["width"].max()
    return rows.assign(is_small=small, is_wide=wide)


@rows_of("cells", "ensembles", nothing="one P alone")
def flattening(cells: pd.DataFrame, ensembles: pd.DataFrame) -> pd.DataFrame:
    """Of each data set the slope of Var F against h at the smallest P minus that at the largest."""
    rows, found = variances.function(cells, ensembles), []
    ends = rows[rows["P"].isin([rows["P"].min(), rows["P"].max()])] if len(rows) else rows
    for seed, own in ends.groupby("seed") if len(ends) else ():
        slopes = [np.polyfit(np.log(part["width"]), np.log(part["variance"]), 1)[0]
                  for _, part in own.groupby("P") if part["width"].nunique() > 1]  # fmt: skip
        if len(slopes) == 2:
            found.append({"seed": seed, "earlier": slopes[0] - slopes[1]})
    return pd.DataFrame(found)


@rows_of("cells", "outputs")
def tolerances(
    cells: pd.DataFrame, outputs: pd.DataFrame, *, pair: tuple[float, float],
    window: tuple[float, float] = EVERYWHERE,
) -> pd.DataFrame:  # fmt: skip
    """What a smaller tolerance changes; digits: log10 of the relative change of F."""
    rows = analysis.tolerance_pairs(cells, outputs, coarse=pair[0], fine=pair[1])
    rows = analysis.inside(rows, *window)
    return rows.assign(digits=np.log10(rows["difference"].where(rows["difference"] > 0)))


@rows_of("cells", "outputs", nothing="no network that fitted with and without momentum")
def momenta(cells: pd.DataFrame, outputs: pd.DataFrame, *, at: float) -> pd.DataFrame:
    """What a momentum changes; digits: log10 of the relative change of F, of networks kept.

    Where SHORT_STEPS are shorter than tau: elsewhere u is the gradient by construction.
    """
    rows = analysis.momentum_pairs(cells, outputs)
    if rows.empty:
        return rows
    rows = rows[np.isclose(rows["momentum_time"], at, rtol=1e-6)]
    rows = rows[rows["alpha_tilde"].isin(analysis.SHORT_STEPS)]
    return rows.assign(digits=np.log10(rows["difference"].where(rows["difference"] > 0)))


@rows_of("cells")
def networks(cells: pd.DataFrame, *, window: tuple[float, float]) -> pd.DataFrame:
    """Networks of every kind in a window; those that were capped count, diverged ones do not."""
    rows = analysis.inside(analysis.with_kinds(cells), *window)
    return left_out(rows, {"pairs with one that diverged": rows["status"] == "diverged"})


@rows_of("cells", "ensembles")
def spreads(
    cells: pd.DataFrame, ensembles: pd.DataFrame, *, window: tuple[float, float]
) -> pd.DataFrame:
    """Ensembles of every kind in a window."""
    rows = analysis.variances(cells, ensembles)
    return analysis.inside(rows, *window) if len(rows) else rows


@rows_of("cells")
def laziest(cells: pd.DataFrame) -> pd.DataFrame:
    """Networks with F = alpha f at the largest alpha_tilde, and whether each `fits`."""
    rows = analysis.of_kind(cells, "whole")
    rows = rows[rows["alpha_tilde"] == rows["alpha_tilde"].max()]
    return rows.assign(fits=rows["status"] == "fitted")


SLOPE = partial(Slope, per=("seed",))
STATES = SLOPE("norm", against="time", within=("key",), rows=states, what="states")
TRAININGS = partial(SLOPE, what="trainings")
KINKS = partial(
    SLOPE, "kernel_change", against="alpha_tilde", within=("width", "member"), what="networks"
)
ENSEMBLES = partial(SLOPE, "variance", rows=variances, what="ensembles")
PAIRS = partial(Mean, per=("seed",), what="pairs of trainings")
RATIOS = partial(PAIRS, scale="log")
STEP = "0.1, ours: a factor 1.3 over the widths, which a power of h by 1/2 would exceed"
IDENTITY = (
    NoExpectation(), "0 by the equations where F is small: α drops out in units of √h α (README)",
)  # fmt: skip
NEGLIGIBLE = (
    Within(0, 0.01), "0.01, ours: a percentage point, about an eighth of the error",
)  # fmt: skip
SAME = (Factor(1, within=1.5), "×1.5, ours: what ensembles of so few networks can tell")
SAME_KERNEL = (
    Factor(1, within=1.2), "×1.2, ours: the tolerance of the flow alone changes it by a tenth",
)  # fmt: skip
SILENT = (NoExpectation(), "no expectation: the thesis draws it and states no number")
SILENT_FACTOR = (NoExpectation("factor"), SILENT[1])
REPORTED = (
    NoExpectation(),
    "no expectation: the tolerance of this package, of which the thesis says nothing",
)  # fmt: skip


def against(column: str) -> dict[str, object]:
    """Arguments of a slope of a number at the start against h or alpha_tilde."""
    return {"against": column, "rows": scales.given(against=column)}


def changed(kind: str, window: tuple[float, float], *, over: str = "plain") -> Difference:
    """Test error of networks of a kind minus that of others with the same start and data."""
    return Difference(
        "test_error", where={"kind": kind}, over={"kind": over}, on=analysis.NETWORK,
        per=("seed",), rows=networks.given(window=window), what="pairs of networks",
    )  # fmt: skip


def spread(kind: str, window: tuple[float, float]) -> Ratio:
    """log of Var F of ensembles of a kind over that of the plain ones."""
    return Ratio(
        "variance", where={"kind": kind}, over={"kind": "plain"}, on=PLACE, per=("seed",),
        rows=spreads.given(window=window), what="pairs of ensembles", scale="log",
    )  # fmt: skip


# Places are in chapter 3a.
TIMES: tuple[Line, ...] = (
    ("linear", f"feature: ‖f_t−f_0‖ against t, t ≤ {EARLY:g} √h α: slope", "Fig. 10 a",
     Within(1, 0.1), "0.1, ours: linear for t ≪ t1", STATES),
    ("end-alpha", "feature: end of the linear law over √h α, against α̃: slope", "Fig. 10 a",
     *IDENTITY, TRAININGS("end", **against("alpha_tilde"))),
    ("end-width", "feature: end of the linear law over √h α, against h: slope", "Fig. 10 c, d",
     Within(0, 0.1), STEP, TRAININGS("end", **against("width"))),
    ("norm-width", "feature: ‖f_t−f_0‖ at t = √h α, against h at fixed α̃: slope",
     "Fig. 10 b; Eq. 32", Within(0.5, 0.1), STEP, TRAININGS("norm", **against("width"))),
    ("norm-alpha", "feature: ‖f_t−f_0‖ at t = √h α, against α̃ at fixed h: slope", "Eq. 32",
     *IDENTITY, TRAININGS("norm", **against("alpha_tilde"))),
    *((f"rate-width-{layer}", f"‖dz/dt‖ at t = 0, layer {layer} of 5, against h at fixed α̃: slope",
       "Fig. 11; Eq. 22", Within(0, 0.1), STEP,
       SLOPE("rate", against="width", where={"layer": layer}, what="networks",
             rows=rates.given(against="width")))
      for layer in (1, 3, 5)),
    ("rate-alpha", "‖dz/dt‖ at t = 0, layer 3 of 5, against α at fixed h: slope",
     "Fig. 11; Eq. 22",
     NoExpectation(), "-1: an identity where F = 0, a check of what is measured",
     SLOPE("rate", against="alpha_tilde", where={"layer": 3}, what="networks",
           rows=rates.given(against="alpha_tilde"))),
)  # fmt: skip
REGIMES: tuple[Line, ...] = (
    ("kinks-feature", f"ReLU, L = 5: kernel change against α̃ ≤ {FEATURE:g}: slope -2/(1+1/L)",
     "Fig. 12; Eq. 24", Within(feature_slope(5), 0.25), "0.25, as in lazy_feature",
     KINKS(rows=kinks.given(window=FEATURES))),
    ("kinks-between", f"ReLU, L = 5: the same, α̃ from {BETWEEN[0]:g} to {BETWEEN[1]:g}", "Fig. 12",
     Within(-0.5, 0.1), "0.1, ours: a fifth of the distance to −1",
     KINKS(rows=kinks.given(window=BETWEEN))),
    ("kinks-lazy", f"ReLU, L = 5: the same, α̃ ≥ {SMOOTH:g}", "Fig. 12",
     Within(-1, 0.1), "0.1, as in lazy_feature", KINKS(rows=kinks.given(window=(SMOOTH, 1e12)))),
    ("variance-small", "lazy: Var F against h, smallest P: slope", "Fig. 14",
     Within(-1, 0.2), "0.2, ours: what ensembles of four networks can tell",
     ENSEMBLES(against="width", where={"is_small": True})),
    ("variance-earlier", "lazy: slope of Var F against h, smallest P minus largest P", "Fig. 14",
     Below(0), "an upper bound: the slope -1 is reached earlier for small P",
     Mean("earlier", rows=flattening, what="data sets")),
    ("variance-size", "lazy: Var F against P at the widest h: slope", "App. H: √n",
     Within(0.5, 0.15), "0.15, ours: neither constant nor proportional to P",
     ENSEMBLES(against="P", where={"is_wide": True})),
)  # fmt: skip
CHECKS: tuple[Line, ...] = (
    *((f"tolerance-{word}", f"{word}: log10 of the relative change of F, tolerance 1e-4 to 1e-6",
       "Fig. 13 a", Below(-3), "an upper bound: the thesis has differences below 1e-3",
       PAIRS("digits", rows=tolerances.given(pair=(THESIS, FINE), window=window)))
      for word, window in (("feature", FEATURES), ("lazy", LAZINESS))),
    ("tolerance-time", "evaluations at tolerance 1e-6 over those at 1e-4", "Fig. 13 c",
     Factor(2, within=1.5), "×1.5, ours: the time roughly doubles",
     PAIRS("evaluations", scale="log", rows=tolerances.given(pair=(THESIS, FINE)))),
    ("tolerance-ours", "log10 of the relative change of F, tolerance 1e-2 to 1e-4", "Fig. 13 a",
     *REPORTED, PAIRS("digits", rows=tolerances.given(pair=(OURS, THESIS)))),
    ("tolerance-ours-time", "evaluations at tolerance 1e-4 over those at 1e-2",
     "Fig. 13 c", NoExpectation("factor"), REPORTED[1],
     PAIRS("evaluations", scale="log", rows=tolerances.given(pair=(OURS, THESIS)))),
    *((f"momentum-{name}-{word}", f"momentum, τ = {at:g} √h α, α̃ = 0.01, 1000: {says}",
       f"Fig. 13 {panel}", *rule,
       estimator(column, rows=momenta.given(at=at)))
      for word, at in zip(("small", "large"), MOMENTA, strict=True)
      for name, says, panel, rule, column, estimator in (
          ("error", "change of the test error", "b", NEGLIGIBLE, "error", PAIRS),
          ("kernel", "kernel change over that without", "b", SAME_KERNEL, "kernel_change",
           RATIOS),
          ("output", "log10 of the relative change of F", "b", SILENT, "digits", PAIRS),
          ("time", "evaluations over those without", "d", SILENT_FACTOR, "evaluations", RATIOS))),
    ("whole-small", f"α f against α (f − f0), α̃ ≤ {DEEP:g}: change of the test error", "Fig. 15 a",
     *NEGLIGIBLE, changed("whole", (0.0, DEEP))),
    ("whole-small-variance", f"α f against α (f − f0), α̃ ≤ {DEEP:g}: ratio of Var F",
     "Fig. 15 b", *SAME, spread("whole", (0.0, DEEP))),
    ("whole-large", "test error of α (f − f0) minus that of α f, α̃ ≥ 1000", "Fig. 15 a",
     Below(0), "an upper bound: without f0 subtracted networks err more",
     changed("plain", LARGE, over="whole")),
    ("whole-converges", "α f: part of the networks that fit, largest α̃", "section 2",
     Within(0, 0.2), "0.2, ours: what twenty networks can tell; it does not converge",
     Part("fits", rows=laziest, what="networks, each taken as independent")),
    ("bias-feature", f"biases, α̃ ≤ {FEATURE:g}: change of the test error", "Fig. 16 a",
     *NEGLIGIBLE, changed("biased", FEATURES)),
    ("bias-lazy", f"biases, α̃ ≥ {LAZY:g}: change of the test error", "Fig. 16 a",
     *NEGLIGIBLE, changed("biased", LAZINESS)),
    ("bias-variance", "biases, all α̃: ratio of Var F", "Fig. 16 b",
     *SAME, spread("biased", EVERYWHERE)),
)  # fmt: skip

STATED = tuple(
    Claim(
        f"early-{name}", says, topic="The beginning of training, and checks of the gradient flow",
        figure=figure, place=f"thesis, ch. 3a, {place}", expected=expected, why=why,
        measure=measure,
    )
    for figure, rows in (("early_times", TIMES), ("early_regimes", REGIMES),
                         ("early_checks", CHECKS))
    for name, says, place, expected, why, measure in rows
)  # fmt: skip

CLAIMS = after_a_look(
    STATED,
    {
        "early-end-alpha early-norm-alpha early-rate-alpha": "not judged any more",
        "early-momentum-error-small early-momentum-kernel-small early-momentum-error-large"
        " early-momentum-kernel-large": "without α̃ = 0.1 to 10, where steps are longer than τ",
    },
)  # fmt: skip
