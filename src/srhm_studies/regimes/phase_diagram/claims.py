"""Claims of chapter 3b of the thesis on digits and stripes.

Tolerances were fixed before measuring. Intervals are over data sets: networks of one data set share
its points, and at all alpha_tilde their initial weights. Of one data set alone the interval of a
slope is that of the scatter about its lines.
"""

from functools import partial
from typing import Any

import pandas as pd

from srhm.scorecard.claims import Claim, Line, after_a_look
from srhm.scorecard.estimators import Mean, Ratio, Slope
from srhm.scorecard.expectations import Above, Below, Factor, Within
from srhm.scorecard.rows import left_out, rows_of
from srhm.statistics.regimes import fitted_in
from srhm_studies.regimes.phase_diagram import analysis
from srhm_studies.regimes.phase_diagram.analysis import (
    DIGITS,
    FAR,
    KIND,
    PARTS,
    PATCHES,
    STRIPE,
    Kind,
    of_kind,
    plane_of,
)


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
    """Of each seed and alpha_tilde where an ensemble gains most.

    over_star: width of the largest gain over h*.
    """
    found = []
    for (seed, tilde), own in rows.groupby(["seed", "alpha_tilde"]) if len(rows) else ():
        top = own.nlargest(1, "gain").iloc[0]
        found.append({
            "seed": seed, "alpha_tilde": tilde, "over_star": top["width"] / top["h_star"],
            "is_inside": own["width"].min() < top["width"] < own["width"].max(),
        })  # fmt: skip
    tops = pd.DataFrame(found)
    if tops.empty:
        return tops
    return left_out(tops, {"at the narrowest or widest width": ~tops["is_inside"]})


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
def changes(cells: pd.DataFrame, alignment: pd.DataFrame, *, kind: Kind) -> pd.DataFrame:
    """inflation: sum of the kernel's eigenvalues kept, after over before training.

    Of networks of feature learning that fitted, at the largest P.
    """
    found = analysis.aligned(analysis.with_cells(alignment, of_kind(cells, kind)))
    found = fitted_in(found, lazy=False)
    inflation = found["eigenvalue_end"] / found["eigenvalue_initial"]
    return found.assign(inflation=inflation)[found["P"] == found["P"].max()]


MEAN, SLOPE = partial(Mean, per=("seed",)), partial(Slope, per=("seed",))
TILDES, NETWORKS = partial(MEAN, what="alpha_tilde"), partial(MEAN, what="networks")


def below(reason: str) -> tuple[Below, str]:
    """An upper bound of a ratio."""
    return Below(1), f"an upper bound: {reason}"


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
     *below("h* falls with the budget"), TILDES("ratio", scale="ratio", rows=shifts)),
    ("gain-peak", "h at which ensembles gain most, over h*", "Fig. 5",
     Factor(1, within=2), "×2, ours: widths are a factor 1.3 apart",
     TILDES("over_star", scale="log", rows=peaks)),
    ("ensemble-flat", "error of ensembles against h, h ≥ 2 h*: slope", "Fig. 5",
     Within(0, 0.1), "0.1, ours: a quarter over a decade",
     SLOPE("ensemble_error", against="width", within=("alpha_tilde",), where={"is_far": True},
           rows=gains, what="widths at alpha_tilde")),
)  # fmt: skip
LEARNING: tuple[Line, ...] = (
    ("digits-winner", "digits: error of lazy over feature, single networks of all P",
     "Fig. 8; ch. 3a, Table 1: FC, images", *below("lazy learning errs less"),
     winner(DIGITS, "lazy", "feature")),
    *((f"patches-{regime}", f"digits, CNN, {regime}: test error against P: slope -β",
       "Fig. 8 (CNN, MNIST)",
       Within(-beta, 1 / 12), "1/12, ours: half of the distance between the two regimes",
       errors(PATCHES, regime))
      for regime, beta in (("feature", 1 / 2), ("lazy", 1 / 3))),
    ("patches-winner", "digits, CNN: error of feature over lazy, single networks of all P",
     "Fig. 8", *below("feature learning errs less"), winner(PATCHES, "feature", "lazy")),
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
INFLATION: tuple[Line, ...] = tuple(
    (f"inflation-{label}", f"{name}, feature: Σ of 10 eigenvalues of Θ, after over before training",
     "Fig. 8a, b: the kernel inflates", Above(1), "a lower bound: it grows",
     NETWORKS("inflation", scale="ratio", rows=changes.given(kind=kind)))
    for label, name, kind in (("digits", "digits", DIGITS), ("patches", "digits, CNN", PATCHES))
)  # fmt: skip
STATED = tuple(
    Claim(
        f"phase-{name}", says, topic="Phase diagram of width and output scale", figure=figure,
        place=f"thesis, ch. {'3a' if rows is INFLATION else '3b'}, {place}", expected=expected,
        why=why, measure=measure,
    )
    for figure, rows in (("phase_diagram", PLANES), ("phase_learning", LEARNING),
                         ("phase_alignment", INFLATION))
    for name, says, place, expected, why, measure in rows
)  # fmt: skip

CLAIMS = after_a_look(
    STATED,
    {
        "phase-crossover-* phase-no-crossing phase-budget "
        "phase-gain-peak phase-ensemble-flat phase-digits-* phase-whole-* "
        "phase-compressed-* phase-*-digits":
            "the interval is over data sets, before over networks, widths and scales",
        "phase-gain-peak": "largest gains at the ends of the widths are left out",
        "phase-whole-* phase-compressed-* phase-gap":
            "P = 512 is left out, where one network decided",
        "phase-digits-winner phase-patches-winner": "of all P, before of the largest alone",
        "phase-inflation-*": "written then",
    },
)  # fmt: skip
