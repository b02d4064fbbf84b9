"""Claims of chapter 3b of the thesis on digits and stripes.

Tolerances were fixed before measuring.
"""

from collections.abc import Callable
from functools import partial
from math import log, nan
from typing import Any

import numpy as np
import pandas as pd

from srhm.scorecard.claims import NOT_MEASURED, Claim, Measurement, Tables, once
from srhm.scorecard.fits import listed_as_left_out, mean_of, no_points, of_fit, part_of
from srhm.statistics.output_scale import fitted_in, log_of
from srhm.statistics.regression import slope_with_group_intercepts
from srhm.studies.phase_diagram.analysis import (
    DIGITS,
    FAR,
    PARTS,
    PATCHES,
    PLANE,
    SIZES,
    STRIPE,
    Kind,
    aligned,
    by_seed,
    closed_gap,
    crossovers,
    gains,
    of_kind,
    on_the_line,
    table,
    thresholds,
)

# Smallest N/P from which all networks are expected to fit, chapter 2a.
BOUND = 4.0
# Factor of h* within which widths are at jamming.
NEAR = 1.3
NETWORKS = "networks"


def over_data_sets(
    values: pd.Series, seeds: pd.Series, what: str, left_out: str = ""
) -> Measurement:
    """Mean over data sets of the means of their values.

    Networks of one data set share its points, and at all alpha_tilde their initial weights.
    """
    known = values[np.isfinite(values)]
    means = known.groupby(seeds).mean().tolist()
    return mean_of(means, f"data sets ({len(known)} {what}{left_out})")


def slope(rows: pd.DataFrame, x: str, y: str, within: list[str], what: str) -> Measurement:
    """Slope of log y against log x, mean over data sets; in each an intercept for each group.

    within: columns of a group. Of one data set its error is that of the scatter of its rows.
    """
    kept = rows[rows[y] > 0] if len(rows) else rows
    if kept.empty:
        return no_points(f"no {what}")
    left = listed_as_left_out({f"{what} with {y} = 0": len(rows) - len(kept)})
    fits = {}
    for seed, own in kept.groupby("seed"):
        groups = (
            own.groupby(within).ngroup().to_numpy() if within else np.zeros(len(own), dtype=int)
        )
        fits[seed] = slope_with_group_intercepts(log_of(own, x), log_of(own, y), groups, [])
    fits = {seed: fit for seed, fit in fits.items() if fit.n}
    if not fits:
        return no_points(f"no two values of {x}{left}")
    if len(fits) == 1:
        (fit,) = fits.values()
        return of_fit(fit, f"{fit.n} {what} of one data set; the error is their scatter{left}")
    n = sum(fit.n for fit in fits.values())
    slopes = pd.Series({seed: fit.slope for seed, fit in fits.items()})
    return over_data_sets(
        slopes, pd.Series(slopes.index, slopes.index), f"slopes of {n} {what}", left
    )


def plane(
    tables: Tables, *, measure: Callable[[pd.DataFrame, pd.DataFrame, Tables], Measurement]
) -> Measurement:
    """A number of the cells of the plane, their lines h* of each seed, and the tables."""
    cells = of_kind(tables.get("cells", pd.DataFrame()), PLANE)
    histories = tables.get("histories", pd.DataFrame())
    if cells.empty or histories.empty:
        return NOT_MEASURED
    lines = once(tables, "lines of each seed", lambda: by_seed(cells, histories))
    return measure(cells, lines, tables)


def crossover_order(cells: pd.DataFrame, lines: pd.DataFrame, tables: Tables) -> Measurement:
    """log10 of the alpha_tilde of the crossover, mean over widths and seeds."""
    found = crossovers(cells, lines)
    return over_data_sets(np.log10(found["alpha_tilde"]), found["seed"], "widths")


def crossover_slope(cells: pd.DataFrame, lines: pd.DataFrame, tables: Tables) -> Measurement:
    """Slope of the alpha_tilde of the crossover against h, from FAR times h* on."""
    found = crossovers(cells, lines)
    return slope(found[found["times"] >= FAR], "width", "alpha_tilde", [], "widths")


def change_on_the_line(cells: pd.DataFrame, lines: pd.DataFrame, tables: Tables) -> Measurement:
    """-log10 of the kernel change of the widest jammed networks at the largest alpha_tilde."""
    rows = on_the_line(cells, lines)
    if rows.empty:
        return no_points("no width is jammed")
    rows = rows[rows["alpha_tilde"] == rows["alpha_tilde"].max()]
    what = f"{NETWORKS} at alpha_tilde = {rows['alpha_tilde'].max():g}"
    return over_data_sets(-np.log10(rows["kernel_change"]), rows["seed"], what)


def shift(cells: pd.DataFrame, lines: pd.DataFrame, tables: Tables) -> Measurement:
    """log of h* at the whole budget over that at the smallest part of it."""
    wide = lines.pivot_table(index=["seed", "alpha_tilde"], columns="part", values="h_star")
    if not {PARTS[0], 1.0} <= set(wide.columns):
        return no_points("h* is beyond the widths at one of the budgets")
    logs = (wide[1.0] / wide[PARTS[0]]).transform("log").rename("log").reset_index()
    return over_data_sets(logs["log"], logs["seed"], "alpha_tilde")


def gain_peak(cells: pd.DataFrame, lines: pd.DataFrame, tables: Tables) -> Measurement:
    """log of the width at which an ensemble gains most over that of jamming.

    Left out are alpha_tilde at which that is the narrowest or widest width: its place is not known.
    """
    found, edge = [], 0
    rows = _gains(cells, lines, tables)
    for (seed, _), own in rows.groupby(["seed", "alpha_tilde"]):
        top = own.nlargest(1, "gain").iloc[0]
        inside = own["width"].min() < top["width"] < own["width"].max()
        edge += not inside
        if inside:
            found.append((seed, float(np.log(top["width"] / top["h_star"]))))
    left = listed_as_left_out({"at the narrowest or widest width": edge})
    return _of_pairs(found, f"alpha_tilde{left}")


def single_peak(cells: pd.DataFrame, lines: pd.DataFrame, tables: Tables) -> Measurement:
    """Error of single networks at the width below jamming minus that at jamming.

    At jamming: the mean of the widths within NEAR of h*; below: the next narrower width.
    """
    found = []
    for (seed, _), own in _gains(cells, lines, tables).groupby(["seed", "alpha_tilde"]):
        near = own[np.abs(np.log(own["width"] / own["h_star"])) <= log(NEAR)]
        narrow = own[own["width"] < near["width"].min()].nlargest(1, "width")
        if len(near) and len(narrow):
            below = float(narrow["mean_error"].iloc[0] - near["mean_error"].mean())
            found.append((seed, below))
    return _of_pairs(found, "alpha_tilde")


def _of_pairs(pairs: list[tuple[Any, float]], what: str) -> Measurement:
    """`over_data_sets` of pairs of a seed and a value."""
    rows = pd.DataFrame(pairs, columns=["seed", "value"])
    return over_data_sets(rows["value"].astype(float), rows["seed"], what)


def ensemble_slope(cells: pd.DataFrame, lines: pd.DataFrame, tables: Tables) -> Measurement:
    """Slope of the error of ensembles against h, from FAR times h* on."""
    rows = _gains(cells, lines, tables)
    rows = rows[rows["width"] >= FAR * rows["h_star"]]
    return slope(rows, "width", "ensemble_error", ["alpha_tilde"], "widths at alpha_tilde")


def _gains(cells: pd.DataFrame, lines: pd.DataFrame, tables: Tables) -> pd.DataFrame:
    ensembles = tables.get("ensembles", pd.DataFrame())
    if ensembles.empty:
        return pd.DataFrame(columns=["seed", "alpha_tilde", "width", "h_star"])
    own = ensembles[ensembles["curve"].isin(cells["curve"])]
    return gains(own, lines)


def threshold_slope(tables: Tables) -> Measurement:
    """Slope of log N* against log P, an intercept for each member."""
    found = thresholds(of_kind(tables.get("cells", pd.DataFrame()), SIZES))
    if found.empty:
        return NOT_MEASURED
    return slope(found, "P", "N_star", ["member"], "thresholds of networks")


def beyond_bound(tables: Tables) -> Measurement:
    """Part of the networks with N >= 4 P that fit."""
    cells = of_kind(tables.get("cells", pd.DataFrame()), SIZES)
    if cells.empty:
        return NOT_MEASURED
    rows = cells[cells["n_weights"] >= BOUND * cells["P"]]
    if rows.empty:
        return no_points("no network has four times as many weights as points")
    fitted = int((rows["status"] == "fitted").sum())
    sets = rows["seed"].nunique()
    note = f"{fitted} of {len(rows)} networks of {sets} data set{'' if sets == 1 else 's'}"
    return part_of(fitted, len(rows), note)


def error_slope(tables: Tables, *, kind: Kind, lazy: bool) -> Measurement:
    """Slope of the test error of digits against P in one regime."""
    cells = of_kind(tables.get("cells", pd.DataFrame()), kind)
    if cells.empty:
        return NOT_MEASURED
    rows = fitted_in(cells, lazy=lazy)
    return slope(rows, "P", "test_error", ["member"], NETWORKS)


def error_ratio(tables: Tables, *, kind: Kind, upper: str) -> Measurement:
    """log of the error of one regime (upper) over the other's, of digits at the largest P."""
    cells = of_kind(tables.get("cells", pd.DataFrame()), kind)
    if cells.empty:
        return NOT_MEASURED
    own = cells[(cells["P"] == cells["P"].max()) & (cells["test_error"] > 0)]
    parts = [
        fitted_in(own, lazy=lazy).set_index(["seed", "member"])["test_error"]
        for lazy in (upper == "lazy", upper != "lazy")
    ]
    both = pd.DataFrame(dict(zip(("upper", "lower"), parts, strict=True))).dropna()
    logs = (both["upper"] / both["lower"]).transform("log").rename("log").reset_index()
    return over_data_sets(logs["log"], logs["seed"], NETWORKS)


def kernel_slope(tables: Tables, *, inputs: str, column: str) -> Measurement:
    """Slope against P of the error of the tangent kernel on whole or compressed stripes."""
    rows = table(tables, "compressed", STRIPE)
    if rows.empty:
        return NOT_MEASURED
    cells = tables["cells"]
    fitted = cells["key"][cells["status"] == "fitted"]
    rows = rows[(rows["inputs"] == inputs) & rows["key"].isin(fitted)]
    return slope(rows, "P", column, [], NETWORKS)


def gap(tables: Tables) -> Measurement:
    """Part of the gap between lazy and feature learning that compression closes, by seed."""
    cells = of_kind(tables.get("cells", pd.DataFrame()), STRIPE)
    rows = tables.get("compressed", pd.DataFrame())
    if cells.empty or rows.empty:
        return NOT_MEASURED
    parts = closed_gap(cells, rows).drop_duplicates("seed")["part"]
    return mean_of(parts.tolist(), "data sets")


def change_of(tables: Tables, *, kind: Kind, name: str, lazy: bool) -> Measurement:
    """What the first eigenvectors have of the labels before training minus after, largest P."""
    rows = table(tables, "alignment", kind)
    if rows.empty:
        return NOT_MEASURED
    found = fitted_in(aligned(rows), lazy=lazy)
    found = found[found["P"] == found["P"].max()]
    return over_data_sets(found[f"{name}_initial"] - found[f"{name}_end"], found["seed"], NETWORKS)


TOPIC = "Phase diagram of width and output scale"
REPORTED = (nan, nan, "reported: the thesis gives no number for this network")


def below(reason: str) -> tuple[float, float, str]:
    """An upper bound of 0."""
    return 0.0, nan, f"an upper bound: {reason}"


# Identifier, statement, measure, place in chapter 3b, (expected, tolerance, its reason).
# fmt: off
_PLANE = (
    ("crossover-order", "log10 of the α̃ at which ‖ΔΘ‖/‖Θ0‖ = 1: of order 1", crossover_order,
     "Fig. 4", (0.0, 1.0, "1, ours: a factor 10 on either side")),
    ("crossover-flat", "α̃ of the crossover against h, h ≥ 2 h*: slope", crossover_slope,
     "Fig. 4", (0.0, 0.25, "0.25, ours: at constant α it would be 1/2")),
    ("no-crossing", "−log10 ‖ΔΘ‖/‖Θ0‖ of the widest jammed networks, largest α̃",
     change_on_the_line, "Fig. 4", below("jamming lies wholly on the side of features")),
    ("budget", "log of h* at the whole budget over that at a sixteenth", shift,
     "Fig. 4", below("h* falls with the budget")),
    ("single-peak", "error of single networks: next width below jamming minus at jamming",
     single_peak, "Fig. 5", below("the error peaks at jamming")),
    ("gain-peak", "log of h at which ensembles gain most, over h*", gain_peak,
     "Fig. 5", (0.0, log(2), "log 2, ours: widths are a factor 1.3 apart")),
    ("ensemble-flat", "error of ensembles against h, h ≥ 2 h*: slope", ensemble_slope,
     "Fig. 5", (0.0, 0.1, "0.1, ours: a quarter over a decade")),
)
_SIZES = (
    ("sublinear", "digits: N* against P: slope below 1", threshold_slope,
     "Fig. 7 A; ch. 9: 0.75", (1.0, nan, "an upper bound")),
    ("bound", "digits: part of the networks with N ≥ 4 P that fit", beyond_bound,
     "Fig. 7 A; ch. 2a: N* ≤ 4 P", (1.0, 0.15, "0.15, ours: what so few networks can tell")),
)
_BETA = "0.075, ours: half of the distance between the two regimes at d = 5"
_LEARNING = (
    *((f"digits-{word}", f"digits, {word}: test error against P: slope -β",
       partial(error_slope, kind=DIGITS, lazy=word == "lazy"), f"Fig. 8 (CNN, MNIST: {beta})",
       REPORTED)
      for word, beta in (("feature", "1/2"), ("lazy", "1/3"))),
    ("digits-winner", "digits: log of the error, lazy over feature, largest P",
     partial(error_ratio, kind=DIGITS, upper="lazy"),
     "Fig. 8; ch. 3a, Table 1: FC, images", below("lazy learning errs less")),
    *((f"patches-{word}", f"digits, CNN, {word}: test error against P: slope -β",
       partial(error_slope, kind=PATCHES, lazy=word == "lazy"), "Fig. 8 (CNN, MNIST)",
       (-beta, 1 / 12, "1/12, ours: half of the distance between the two regimes"))
      for word, beta in (("feature", 1 / 2), ("lazy", 1 / 3))),
    ("patches-winner", "digits, CNN: log of the error, feature over lazy, largest P",
     partial(error_ratio, kind=PATCHES, upper="feature"), "Fig. 8",
     below("feature learning errs less")),
    *((f"{inputs}-{word}", f"stripes, Θ0 {inputs}, {text}: test error against P: slope -β",
       partial(kernel_slope, inputs=inputs, column=column), "Fig. 9, right", (-beta, 0.075, _BETA))
      for inputs, beta in (("whole", 5 / 13), ("compressed", 7 / 13))
      for word, text, column in (("flow", "frozen flow", "test_error"),
                                 ("svm", "widest margin", "svm_error"))),
    ("gap", "stripes: part of the gap of lazy to feature that compression closes", gap,
     "Fig. 9, right", (1.0, 0.25, "0.25, ours: a quarter of the gap")),
)
_ALIGNMENT = tuple(
    (f"{column}-{regime}-{label}", f"{name}, {regime}: {text}, before minus after training",
     partial(change_of, kind=kind, name=column, lazy=regime == "lazy"), "Fig. 10", limit)
    for label, name, kind in (("stripe", "stripes", STRIPE), ("digits", "digits", DIGITS),
                              ("patches", "digits, CNN", PATCHES))
    for column, regime, text, limit in (
        ("omega", "feature", "Σ ω of 10 eigenvectors", below("eigenvectors align with labels")),
        ("information", "feature", "largest I(φ; y)", below("eigenvectors align with labels")),
        ("omega", "lazy", "Σ ω of 10 eigenvectors",
         (0.0, 0.02, "0.02, ours: the kernel stays where it was")),
    )
)
# fmt: on
_FIGURES: dict[str, tuple[Any, ...]] = {
    "phase_diagram": (
        *((name, text, partial(plane, measure=one), *rest) for name, text, one, *rest in _PLANE),
        *_SIZES,
    ),
    "phase_learning": _LEARNING,
    "phase_alignment": _ALIGNMENT,
}
CLAIMS: tuple[Claim, ...] = tuple(
    Claim(
        topic=TOPIC,
        figure=figure,
        identifier=f"phase-{name}",
        statement=statement,
        place=f"thesis, ch. 3b, {place}",
        expected=expected,
        tolerance=tolerance,
        tolerance_reason=reason,
        measure=measure,
    )
    for figure, rows in _FIGURES.items()
    for name, statement, measure, place, (expected, tolerance, reason) in rows
)
