"""Claims of chapter 3a of the thesis, appendices C, D and F to J, on networks that learn digits.

Tolerances were fixed before the rows were made. Intervals are over data sets: a seed has training
points and initial weights of its own.
"""

from collections.abc import Callable
from functools import partial
from math import log, nan
from typing import Any

import numpy as np
import pandas as pd

from srhm.scorecard.claims import NOT_MEASURED, Claim, Measurement, Tables
from srhm.scorecard.fits import listed_as_left_out, mean_of, no_points, part_of
from srhm.statistics.lazy_feature import FEATURE, LAZY, at_most, feature_slope
from srhm.studies.early_dynamics import analysis
from srhm.studies.early_dynamics.analysis import BETWEEN, DEEP, EARLY, FINE, OURS, SMOOTH, THESIS

FEATURES, LAZINESS = (0.0, FEATURE), (LAZY, analysis.VARIANCE)
EVERYWHERE = (0.0, analysis.VARIANCE)


def averaged(values: pd.Series, seeds: pd.Series, what: str) -> Measurement:
    """Mean over data sets of the means of their values that are finite."""
    known = values[np.isfinite(values)]
    return mean_of(known.groupby(seeds).mean().tolist(), f"data sets ({len(known)} {what})")


def of_slopes(found: list[float], n: int, what: str) -> Measurement:
    """Mean over data sets of slopes, n rows in all."""
    return mean_of(found, f"data sets (slopes of {n} {what})")


def linear(tables: Tables) -> Measurement:
    """Slope of |f_t - f_0| against t, of feature learning, t <= EARLY t1."""
    states = analysis.beginnings(tables)
    if states.empty:
        return NOT_MEASURED
    rows = states[at_most(states["alpha_tilde"], DEEP) & (states["x"] <= EARLY)]
    return of_slopes(analysis.slopes(rows, "time", "norm", ["key"]), len(rows), "states")


def scale(tables: Tables, *, against: str, column: str) -> Measurement:
    """Slope against h or alpha_tilde of the end of the linear law over t1, or of the norm at t1."""
    states = analysis.beginnings(tables)
    if states.empty:
        return NOT_MEASURED
    found = analysis.scales(states)
    found = found[at_most(found["alpha_tilde"], DEEP)]
    rows = analysis.varying(found, against).dropna(subset=[column])
    return of_slopes(analysis.slopes(rows, against, column), len(rows), "trainings")


def rate(tables: Tables, *, layer: int, against: str) -> Measurement:
    """Slope of |dz/dt| of a layer at t = 0 against h or alpha_tilde, the other one fixed."""
    cells, rows = analysis.of_kind(tables, "rates"), tables.get("rates", pd.DataFrame())
    if cells.empty or rows.empty:
        return NOT_MEASURED
    found = rows[rows["layer"] == layer].merge(cells.drop(columns="curve"), on="key")
    found = analysis.varying(found, against)
    return of_slopes(analysis.slopes(found, against, "rate"), len(found), "networks")


def kinks(tables: Tables, *, window: tuple[float, float]) -> Measurement:
    """Slope of the kernel change of ReLU networks against alpha_tilde in a window."""
    cells = analysis.of_kind(tables, "kinks")
    if cells.empty:
        return NOT_MEASURED
    rows = analysis.inside(cells, *window)
    kept = rows[rows["status"] == "fitted"]
    left = listed_as_left_out({"that did not fit": len(rows) - len(kept)})
    found = analysis.slopes(kept, "alpha_tilde", "kernel_change", ["width", "member"])
    return of_slopes(found, len(kept), f"networks{left}")


def variance_slope(tables: Tables, *, smallest: bool) -> Measurement:
    """Slope of Var F against h at the smallest P, or that minus the one at the largest P."""
    rows = analysis.lazy_variances(tables)
    if rows.empty:
        return NOT_MEASURED
    few, many = (
        rows[rows["P"] == P].groupby("seed").filter(lambda own: own["width"].nunique() > 1)
        for P in (rows["P"].min(), rows["P"].max())
    )
    found = analysis.slopes(few, "width", "variance")
    if smallest:
        return of_slopes(found, len(few), "ensembles")
    if rows["P"].nunique() < 2:
        return no_points("one P alone")
    both = set(few["seed"]) & set(many["seed"])
    few, many = few[few["seed"].isin(both)], many[many["seed"].isin(both)]
    pairs = zip(*(analysis.slopes(own, "width", "variance") for own in (few, many)), strict=True)
    return of_slopes([one - other for one, other in pairs], len(few) + len(many), "ensembles")


def variance_growth(tables: Tables) -> Measurement:
    """Slope of Var F against P at the widest h."""
    rows = analysis.lazy_variances(tables)
    if rows.empty:
        return NOT_MEASURED
    rows = rows[rows["width"] == rows["width"].max()]
    return of_slopes(analysis.slopes(rows, "P", "variance"), len(rows), "ensembles")


def tolerance(
    tables: Tables, *, pair: tuple[float, float], window: tuple[float, float], column: str
) -> Measurement:
    """Mean logarithm (of ten for differences) of what a smaller tolerance changes."""
    rows = analysis.tolerance_pairs(tables, *pair)
    if rows.empty:
        return NOT_MEASURED
    rows = analysis.inside(rows, *window)
    unit = log(10) if column == "difference" else 1.0
    logs = rows[column].transform("log") / unit
    return averaged(logs, rows["seed"], "pairs of trainings")


def error_change(
    tables: Tables, *, kind: str, window: tuple[float, float], sign: int = 1
) -> Measurement:
    """Test error of networks of a kind minus that of the plain ones, times a sign."""
    rows = analysis.compared(tables, kind, "test_error", *window)
    if rows.empty:
        return NOT_MEASURED
    change = sign * (rows["test_error_kind"] - rows["test_error_plain"])
    return averaged(change, rows["seed"], "pairs of networks")


def variance_change(tables: Tables, *, kind: str, window: tuple[float, float]) -> Measurement:
    """log of Var F of ensembles of a kind over that of the plain ones."""
    parts = [analysis.variances(tables, name) for name in (kind, "plain")]
    if any(part.empty for part in parts):
        return NOT_MEASURED
    place = ["width", "alpha_tilde", "P", "seed"]
    one, other = (analysis.inside(part, *window)[[*place, "variance"]] for part in parts)
    rows = one.merge(other, on=place, suffixes=("_kind", "_plain"))
    logs = (rows["variance_kind"] / rows["variance_plain"]).transform("log")
    return averaged(logs, rows["seed"], "pairs of ensembles")


def not_converged(tables: Tables) -> Measurement:
    """Part of the networks with F = alpha f that fit, at the largest alpha_tilde."""
    cells = analysis.of_kind(tables, "whole")
    if cells.empty:
        return NOT_MEASURED
    rows = cells[cells["alpha_tilde"] == cells["alpha_tilde"].max()]
    fitted = int((rows["status"] == "fitted").sum())
    note = f"{fitted} of {len(rows)} networks at alpha_tilde = {rows['alpha_tilde'].max():g}"
    return part_of(fitted, len(rows), f"{note}, each taken as independent")


TOPIC = "The beginning of training, and checks of the gradient flow"
STEP = "0.1, ours: a factor 1.3 over the widths, which a power of h by 1/2 would exceed"
NEGLIGIBLE = (0.0, 0.01, "0.01, ours: a percentage point, about an eighth of the error")
SAME = (0.0, log(1.5), "log 1.5, ours: what ensembles of so few networks can tell")
LARGE = (1e3, analysis.VARIANCE)


def bound(value: float, reason: str) -> tuple[float, float, str]:
    """An upper bound."""
    return value, nan, f"an upper bound: {reason}"


REPORTED = (nan, nan, "reported: the tolerance of this package, of which the thesis says nothing")

# Identifier, statement, measure, place in chapter 3a, (expected, tolerance, its reason).
# fmt: off
Row = tuple[str, str, Callable[[Tables], Measurement], str, tuple[Any, ...]]
_TIMES: tuple[Row, ...] = (
    ("linear", f"feature: ‖f_t−f_0‖ against t, t ≤ {EARLY:g} √h α: slope", linear, "Fig. 10 a",
     (1.0, 0.1, "0.1, ours: linear for t ≪ t1")),
    ("end-alpha", "feature: end of the linear law over √h α, against α̃: slope",
     partial(scale, against="alpha_tilde", column="end"), "Fig. 10 a",
     (0.0, 0.1, "0.1, ours: a factor 1.6 over two decades of α̃")),
    ("end-width", "feature: end of the linear law over √h α, against h: slope",
     partial(scale, against="width", column="end"), "Fig. 10 c, d", (0.0, 0.1, STEP)),
    ("norm-width", "feature: ‖f_t−f_0‖ at t = √h α, against h at fixed α̃: slope",
     partial(scale, against="width", column="norm"), "Fig. 10 b; Eq. 32", (0.5, 0.1, STEP)),
    ("norm-alpha", "feature: ‖f_t−f_0‖ at t = √h α, against α̃ at fixed h: slope",
     partial(scale, against="alpha_tilde", column="norm"), "Eq. 32",
     (0.0, 0.1, "0.1, ours: a factor 1.6 over two decades of α̃")),
    *((f"rate-width-{layer}", f"‖dz/dt‖ at t = 0, layer {layer} of 5, against h at fixed α̃: slope",
       partial(rate, layer=layer, against="width"), "Fig. 11; Eq. 22", (0.0, 0.1, STEP))
      for layer in (1, 3, 5)),
    ("rate-alpha", "‖dz/dt‖ at t = 0, layer 3 of 5, against α at fixed h: slope",
     partial(rate, layer=3, against="alpha_tilde"), "Fig. 11; Eq. 22",
     (-1.0, 0.01, "0.01: an identity where F = 0, a check of what is measured")),
)
_REGIMES: tuple[Row, ...] = (
    ("kinks-feature", f"ReLU, L = 5: kernel change against α̃ ≤ {FEATURE:g}: slope -2/(1+1/L)",
     partial(kinks, window=FEATURES), "Fig. 12; Eq. 24",
     (feature_slope(5), 0.25, "0.25, as in lazy_feature")),
    ("kinks-between", f"ReLU, L = 5: the same, α̃ from {BETWEEN[0]:g} to {BETWEEN[1]:g}",
     partial(kinks, window=BETWEEN), "Fig. 12",
     (-0.5, 0.1, "0.1, ours: a fifth of the distance to −1")),
    ("kinks-lazy", f"ReLU, L = 5: the same, α̃ ≥ {SMOOTH:g}",
     partial(kinks, window=(SMOOTH, 1e12)), "Fig. 12", (-1.0, 0.1, "0.1, as in lazy_feature")),
    ("variance-small", "lazy: Var F against h, smallest P: slope",
     partial(variance_slope, smallest=True), "Fig. 14",
     (-1.0, 0.2, "0.2, ours: what ensembles of four networks can tell")),
    ("variance-earlier", "lazy: slope of Var F against h, smallest P minus largest P",
     partial(variance_slope, smallest=False), "Fig. 14",
     bound(0.0, "the slope -1 is reached earlier for small P")),
    ("variance-size", "lazy: Var F against P at the widest h: slope", variance_growth,
     "App. H: √n", (0.5, 0.15, "0.15, ours: neither constant nor proportional to P")),
)
_CHECKS: tuple[Row, ...] = (
    *((f"tolerance-{word}", f"{word}: log10 of the relative change of F, tolerance 1e-4 to 1e-6",
       partial(tolerance, pair=(THESIS, FINE), window=window, column="difference"), "Fig. 13 a",
       bound(-3.0, "the thesis has differences below 1e-3"))
      for word, window in (("feature", FEATURES), ("lazy", LAZINESS))),
    ("tolerance-time", "log of the evaluations at tolerance 1e-6 over those at 1e-4",
     partial(tolerance, pair=(THESIS, FINE), window=EVERYWHERE, column="evaluations"),
     "Fig. 13 c", (log(2), log(1.5), "log 1.5, ours: the time roughly doubles")),
    ("tolerance-ours", "log10 of the relative change of F, tolerance 1e-2 to 1e-4",
     partial(tolerance, pair=(OURS, THESIS), window=EVERYWHERE, column="difference"),
     "Fig. 13 a", REPORTED),
    ("tolerance-ours-time", "log of the evaluations at tolerance 1e-4 over those at 1e-2",
     partial(tolerance, pair=(OURS, THESIS), window=EVERYWHERE, column="evaluations"),
     "Fig. 13 c", REPORTED),
    ("whole-small", f"α f against α (f − f0), α̃ ≤ {DEEP:g}: change of the test error",
     partial(error_change, kind="whole", window=(0.0, DEEP)), "Fig. 15 a", NEGLIGIBLE),
    ("whole-small-variance", f"α f against α (f − f0), α̃ ≤ {DEEP:g}: log of the ratio of Var F",
     partial(variance_change, kind="whole", window=(0.0, DEEP)), "Fig. 15 b", SAME),
    ("whole-large", "test error of α (f − f0) minus that of α f, α̃ ≥ 1000",
     partial(error_change, kind="whole", window=LARGE, sign=-1), "Fig. 15 a",
     bound(0.0, "without f0 subtracted networks err more")),
    ("whole-converges", "α f: part of the networks that fit, largest α̃", not_converged,
     "section 2", (0.0, 0.2, "0.2, ours: what twenty networks can tell; it does not converge")),
    ("bias-feature", f"biases, α̃ ≤ {FEATURE:g}: change of the test error",
     partial(error_change, kind="biased", window=FEATURES), "Fig. 16 a", NEGLIGIBLE),
    ("bias-lazy", f"biases, α̃ ≥ {LAZY:g}: change of the test error",
     partial(error_change, kind="biased", window=LAZINESS), "Fig. 16 a", NEGLIGIBLE),
    ("bias-variance", "biases, all α̃: log of the ratio of Var F",
     partial(variance_change, kind="biased", window=EVERYWHERE), "Fig. 16 b", SAME),
)
# fmt: on
CLAIMS: tuple[Claim, ...] = tuple(
    Claim(
        topic=TOPIC,
        figure=figure,
        identifier=f"early-{name}",
        statement=statement,
        place=f"thesis, ch. 3a, {place}",
        expected=expected,
        tolerance=margin,
        tolerance_reason=reason,
        measure=measure,
    )
    for figure, rows in (
        ("early_times", _TIMES),
        ("early_regimes", _REGIMES),
        ("early_checks", _CHECKS),
    )
    for name, statement, measure, place, (expected, margin, reason) in rows
)
