"""Claims of chapter 3b of the thesis on digits and stripes.

Tolerances were fixed before measuring. Intervals are over data sets: networks of one data set share
its points, and at all alpha_tilde their initial weights. Of one data set alone the interval of a
slope is that of the scatter about its lines.
"""

from functools import partial
from math import log
from typing import Any

import numpy as np
import pandas as pd

from srhm.scorecard.claims import Claim, Line, after_a_look
from srhm.scorecard.estimators import Mean, Part, Ratio, Slope
from srhm.scorecard.expectations import Above, Below, Factor, NoExpectation, Within
from srhm.scorecard.rows import left_out, rows_of
from srhm.statistics.output_scale import fitted_in
from srhm.studies.phase_diagram import analysis
from srhm.studies.phase_diagram.analysis import (
    DIGITS,
    FAR,
    KIND,
    PARTS,
    PATCHES,
    SIZES,
    STRIPE,
    Kind,
    of_kind,
    plane_of,
)

# Smallest N/P from which all networks are expected to fit, chapter 2a.
BOUND = 4.0
# Factor of h* within which widths are at jamming.
NEAR = 1.3


@rows_of("cells", "histories")
def lines_of_seeds(cells: pd.DataFrame, histories: pd.DataFrame) -> pd.DataFrame:
    """Lines h* of the plane, of each seed."""
    return analysis.by_seed(plane_of(cells), histories)


@rows_of("cells", lines_of_seeds)
def crossovers(cells: pd.DataFrame, lines: pd.DataFrame) -> pd.DataFrame:
    """`alpha_tilde` at which the kernel change is 1; is_far: from FAR h* on."""
    own = plane_of(cells)
    if own.empty:
        return own
    found = analysis.crossovers(own, lines)
    return found.assign(is_far=found["times"] >= FAR)


@rows_of("cells", nothing="no width is jammed")
def jammed(cells: pd.DataFrame) -> pd.DataFrame:
    """The widest jammed networks at the largest alpha_tilde, after the longest budget."""
    rows = analysis.on_the_line(cells)
    return rows[rows["alpha_tilde"] == rows["alpha_tilde"].max()]


@rows_of(lines_of_seeds, nothing="h* is beyond the widths at one of the budgets")
def shifts(lines: pd.DataFrame) -> pd.DataFrame:
    """h* at the whole budget over that at the smallest part of it, at each alpha_tilde."""
    if lines.empty:
        return lines
    wide = lines.pivot_table(index=["seed", "alpha_tilde"], columns="part", values="h_star")
    wide = wide.reindex(columns=[PARTS[0], 1.0])
    return (wide[1.0] / wide[PARTS[0]]).rename("ratio").dropna().reset_index()


@rows_of("cells", lines_of_seeds, "ensembles")
def gains(cells: pd.DataFrame, lines: pd.DataFrame, ensembles: pd.DataFrame) -> pd.DataFrame:
    """Ensembles of the plane; is_far: from FAR h* on."""
    own = plane_of(cells)
    if own.empty:
        return own
    found = analysis.gains(ensembles[ensembles["curve"].isin(own["curve"])], lines)
    return found.assign(is_far=found["width"] >= FAR * found["h_star"])


@rows_of(gains)
def peaks(rows: pd.DataFrame) -> pd.DataFrame:
    """Of each seed and alpha_tilde where an ensemble gains most, and the error below jamming.

    over_star: width of the largest gain over h*. below: error of single networks at the width below
    jamming minus that at jamming, the mean of the widths within NEAR of h*.
    """
    found = []
    for (seed, tilde), own in rows.groupby(["seed", "alpha_tilde"]) if len(rows) else ():
        top = own.nlargest(1, "gain").iloc[0]
        near = own[np.abs(np.log(own["width"] / own["h_star"])) <= log(NEAR)]
        narrow = own[own["width"] < near["width"].min()].nlargest(1, "width")["mean_error"]
        found.append({
            "seed": seed, "alpha_tilde": tilde, "over_star": top["width"] / top["h_star"],
            "is_inside": own["width"].min() < top["width"] < own["width"].max(),
            "below": narrow.max() - near["mean_error"].mean(),
        })  # fmt: skip
    return pd.DataFrame(found)


@rows_of(peaks)
def tops(found: pd.DataFrame) -> pd.DataFrame:
    """`peaks`, without those whose place is not known."""
    if found.empty:
        return found
    return left_out(found, {"at the narrowest or widest width": ~found["is_inside"]})


@rows_of("cells")
def thresholds(cells: pd.DataFrame) -> pd.DataFrame:
    """N* of each P for each member alone."""
    return analysis.thresholds(of_kind(cells, SIZES))


@rows_of("cells", nothing="no network has four times as many weights as points")
def beyond(cells: pd.DataFrame) -> pd.DataFrame:
    """Networks with N >= BOUND P, and whether each `fits`."""
    rows = of_kind(cells, SIZES)
    return rows[rows["n_weights"] >= BOUND * rows["P"]].assign(fits=rows["status"] == "fitted")


@rows_of("cells")
def learners(cells: pd.DataFrame) -> pd.DataFrame:
    """Fitted networks of both regimes."""
    parts = [fitted_in(cells, lazy=lazy).assign(is_lazy=lazy) for lazy in (False, True)]
    rows = pd.concat(parts)
    return left_out(rows, {"networks with test_error = 0": ~(rows["test_error"] > 0)})


@rows_of("cells", "compressed")
def kernels(cells: pd.DataFrame, compressed: pd.DataFrame) -> pd.DataFrame:
    """Errors of the tangent kernel on stripes, of the networks that fitted."""
    fitted = cells[cells["status"] == "fitted"].drop(columns="status")
    return analysis.with_cells(compressed, of_kind(fitted, STRIPE))


@rows_of("cells", "compressed")
def closed_gaps(cells: pd.DataFrame, compressed: pd.DataFrame) -> pd.DataFrame:
    """Of each seed the part of the gap that compression closes."""
    return analysis.closed_gap(of_kind(cells, STRIPE), compressed).drop_duplicates("seed")


@rows_of("cells", "alignment")
def changes(
    cells: pd.DataFrame, alignment: pd.DataFrame, *, kind: Kind, lazy: bool
) -> pd.DataFrame:
    """Omega and information before training minus after, of fitted networks at the largest P.

    inflation: sum of the eigenvalues kept, after over before.
    """
    found = analysis.aligned(analysis.with_cells(alignment, of_kind(cells, kind)))
    found = fitted_in(found, lazy=lazy)
    names = ("omega", "information")
    change = {name: found[f"{name}_initial"] - found[f"{name}_end"] for name in names}
    inflation = found["eigenvalue_end"] / found["eigenvalue_initial"]
    return found.assign(inflation=inflation, **change)[found["P"] == found["P"].max()]


MEAN, SLOPE = partial(Mean, per=("seed",)), partial(Slope, per=("seed",))
TILDES, NETWORKS = partial(MEAN, what="alpha_tilde"), partial(MEAN, what="networks")
REPORTED = (NoExpectation(), "no expectation: the thesis gives no number for this network")


def below(reason: str, *, bound: float = 0) -> tuple[Below, str]:
    """An upper bound, 1 of a ratio."""
    return Below(bound), f"an upper bound: {reason}"


def where(kind: Kind, regime: str, **more: bool) -> dict[str, Any]:
    """Values of the columns of `learners`."""
    return {**dict(zip(KIND, kind, strict=True)), "is_lazy": regime == "lazy", **more}


def errors(kind: Kind, regime: str) -> Slope:
    """Slope of the test error of digits against P in one regime."""
    return SLOPE("test_error", against="P", within=("member",), where=where(kind, regime),
                 rows=learners, what="networks")  # fmt: skip


def winner(kind: Kind, upper: str, lower: str) -> Ratio:
    """Error of one regime over the other's, of digits, pairs of single networks of all P."""
    return Ratio(
        "test_error", where=where(kind, upper), over=where(kind, lower),
        on=("seed", "member", "P"), per=("seed",), rows=learners, what="networks",
    )  # fmt: skip


# Places are in chapter 3b.
PLANES: tuple[Line, ...] = (
    ("crossover-order", "α̃ at which ‖ΔΘ‖/‖Θ0‖ = 1: of order 1", "Fig. 4",
     Factor(1, within=10), "ours: a factor 10 on either side",
     MEAN("alpha_tilde", scale="log", rows=crossovers, what="widths")),
    ("crossover-flat", "α̃ of the crossover against h, h ≥ 2 h*: slope", "Fig. 4",
     Within(0, 0.25), "0.25, ours: at constant α it would be 1/2",
     SLOPE("alpha_tilde", against="width", where={"is_far": True}, rows=crossovers, what="widths")),
    ("no-crossing", "‖ΔΘ‖/‖Θ0‖ of the widest jammed networks, largest α̃, longest budget",
     "Fig. 4",
     Above(1), "a lower bound: jamming lies wholly on the side of features",
     NETWORKS("kernel_change", scale="ratio", rows=jammed)),
    ("budget", "h* at the whole budget over that at a sixteenth", "Fig. 4",
     *below("h* falls with the budget", bound=1), TILDES("ratio", scale="ratio", rows=shifts)),
    ("single-peak", "error of single networks: next width below jamming minus at jamming", "Fig. 5",
     *below("the error peaks at jamming"), TILDES("below", rows=peaks)),
    ("gain-peak", "h at which ensembles gain most, over h*", "Fig. 5",
     Factor(1, within=2), "×2, ours: widths are a factor 1.3 apart",
     TILDES("over_star", scale="log", rows=tops)),
    ("ensemble-flat", "error of ensembles against h, h ≥ 2 h*: slope", "Fig. 5",
     Within(0, 0.1), "0.1, ours: a quarter over a decade",
     SLOPE("ensemble_error", against="width", within=("alpha_tilde",), where={"is_far": True},
           rows=gains, what="widths at alpha_tilde")),
    ("sublinear", "digits: N* against P: slope below 1", "Fig. 7 A; ch. 9: 0.75",
     NoExpectation(), "digits_jamming judges it, of more sizes",
     SLOPE("N_star", against="P", within=("member",), rows=thresholds,
           what="thresholds of networks")),
    ("bound", "digits: part of the networks with N ≥ 4 P that fit", "Fig. 7 A; ch. 2a: N* ≤ 4 P",
     NoExpectation(), "networks of four times as many weights as points always fit",
     Part("fits", rows=beyond, what="networks", tells=("seed",))),
)  # fmt: skip
LEARNING: tuple[Line, ...] = (
    *((f"digits-{regime}", f"digits, {regime}: test error against P: slope -β",
       f"Fig. 8 (CNN, MNIST: {beta})", *REPORTED, errors(DIGITS, regime))
      for regime, beta in (("feature", "1/2"), ("lazy", "1/3"))),
    ("digits-winner", "digits: error of lazy over feature, single networks of all P",
     "Fig. 8; ch. 3a, Table 1: FC, images", *below("lazy learning errs less", bound=1),
     winner(DIGITS, "lazy", "feature")),
    *((f"patches-{regime}", f"digits, CNN, {regime}: test error against P: slope -β",
       "Fig. 8 (CNN, MNIST)",
       Within(-beta, 1 / 12), "1/12, ours: half of the distance between the two regimes",
       errors(PATCHES, regime))
      for regime, beta in (("feature", 1 / 2), ("lazy", 1 / 3))),
    ("patches-winner", "digits, CNN: error of feature over lazy, single networks of all P",
     "Fig. 8", *below("feature learning errs less", bound=1), winner(PATCHES, "feature", "lazy")),
    *((f"{inputs}-{word}", f"stripes, Θ0 {inputs}, {text}: test error against P: slope -β",
       "Fig. 9, right", Within(-beta, 0.075),
       "0.075, ours: half of the distance between the two regimes at d = 5",
       SLOPE(column, against="P", where={"inputs": inputs}, rows=kernels, what="networks"))
      for inputs, beta in (("whole", 5 / 13), ("compressed", 7 / 13))
      for word, text, column in (("flow", "frozen flow", "test_error"),
                                 ("svm", "widest margin", "svm_error"))),
    ("gap", "stripes: part of the gap of lazy to feature that compression closes", "Fig. 9, right",
     Within(1, 0.25), "0.25, ours: a quarter of the gap",
     Mean("part", rows=closed_gaps, what="data sets")),
)  # fmt: skip
ALIGNMENT: tuple[Line, ...] = tuple(
    (f"{column}-{regime}-{label}", f"{name}, {regime}: {text}, before minus after training",
     "Fig. 10", *limit,
     NETWORKS(column, rows=changes.given(kind=kind, lazy=regime == "lazy")))
    for label, name, kind in (("stripe", "stripes", STRIPE), ("digits", "digits", DIGITS),
                              ("patches", "digits, CNN", PATCHES))
    for column, regime, text, limit in (
        ("omega", "feature", "Σ ω of 10 eigenvectors", below("eigenvectors align with labels")),
        ("information", "feature", "largest I(φ; y)", below("eigenvectors align with labels")),
        ("omega", "lazy", "Σ ω of 10 eigenvectors",
         (NoExpectation(), "0 by what lazy means: the kernel stays where it was")),
    )
)  # fmt: skip
INFLATION: tuple[Line, ...] = tuple(
    (f"inflation-{label}", f"{name}, feature: Σ of 10 eigenvalues of Θ, after over before training",
     "Fig. 8a, b: the kernel inflates", Above(1), "a lower bound: it grows",
     NETWORKS("inflation", scale="ratio", rows=changes.given(kind=kind, lazy=False)))
    for label, name, kind in (("digits", "digits", DIGITS), ("patches", "digits, CNN", PATCHES))
)  # fmt: skip
STATED = tuple(
    Claim(
        f"phase-{name}", says, topic="Phase diagram of width and output scale", figure=figure,
        place=f"thesis, ch. {'3a' if rows is INFLATION else '3b'}, {place}", expected=expected,
        why=why, measure=measure,
    )
    for figure, rows in (("phase_diagram", PLANES), ("phase_learning", LEARNING),
                         ("phase_alignment", ALIGNMENT), ("phase_alignment", INFLATION))
    for name, says, place, expected, why, measure in rows
)  # fmt: skip

CLAIMS = after_a_look(
    STATED,
    {
        "phase-crossover-* phase-no-crossing phase-budget phase-single-peak "
        "phase-gain-peak phase-ensemble-flat phase-digits-* phase-whole-* "
        "phase-compressed-* phase-*-digits":
            "the interval is over data sets, before over networks, widths and scales",
        "phase-gain-peak": "largest gains at the ends of the widths are left out",
        "phase-whole-* phase-compressed-* phase-gap phase-*-stripe":
            "P = 512 is left out, where one network decided",
        "phase-digits-winner phase-patches-winner": "of all P, before of the largest alone",
        "phase-inflation-*": "written then",
        "phase-sublinear phase-bound phase-omega-lazy-*": "not judged any more",
    },
)  # fmt: skip
