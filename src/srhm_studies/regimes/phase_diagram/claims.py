"""Claims of chapter 3b of the thesis on digits and stripes.

Tolerances were fixed before measuring. Intervals are over data sets: networks of one data set share
its points, and at all alpha_tilde their initial weights. Of one data set alone the interval of a
slope is that of the scatter about its lines.
"""

from typing import Any

import pandas as pd

from srhm.scorecard.expectations import Above, Below, Factor, Within
from srhm.scorecard.rows import left_out
from srhm.scorecard.sheet import Sheet, rows_of
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

# Lines h* of the plane, of each seed.
lines_of_seeds = rows_of("cells", "histories")(
    lambda cells, histories: analysis.by_seed(plane_of(cells), histories)
)


@rows_of("cells", lines_of_seeds, what="widths")
def crossovers(cells: pd.DataFrame, lines: pd.DataFrame) -> pd.DataFrame:
    """`alpha_tilde` at which the kernel change is 1; is_far: from FAR h* on."""
    plane = plane_of(cells)
    if plane.empty:
        return plane
    crossings = analysis.crossovers(plane, lines)
    return crossings.assign(is_far=crossings["times"] >= FAR)


@rows_of("cells", nothing="no width is jammed", what="networks")
def jammed(cells: pd.DataFrame) -> pd.DataFrame:
    """The widest jammed networks at the largest alpha_tilde, after the longest budget."""
    rows = analysis.on_the_line(cells)
    return rows[rows["alpha_tilde"] == rows["alpha_tilde"].max()]


@rows_of(lines_of_seeds, nothing="h* is beyond the widths at one of the budgets",
         what="alpha_tilde")  # fmt: skip
def shifts(lines: pd.DataFrame) -> pd.DataFrame:
    """h* at the whole budget divided by that at its smallest fraction, at each alpha_tilde."""
    if lines.empty:
        return lines
    wide = lines.pivot_table(index=["seed", "alpha_tilde"], columns="part", values="h_star")
    wide = wide.reindex(columns=[PARTS[0], 1.0])
    return (wide[1.0] / wide[PARTS[0]]).rename("ratio").dropna().reset_index()


@rows_of("cells", lines_of_seeds, "ensembles", what="widths at alpha_tilde")
def gains(cells: pd.DataFrame, lines: pd.DataFrame, ensembles: pd.DataFrame) -> pd.DataFrame:
    """Ensembles of the plane; is_far: from FAR h* on."""
    plane = plane_of(cells)
    if plane.empty:
        return plane
    of_ensembles = analysis.gains(ensembles[ensembles["curve"].isin(plane["curve"])], lines)
    return of_ensembles.assign(is_far=of_ensembles["width"] >= FAR * of_ensembles["h_star"])


@rows_of(gains, what="alpha_tilde")
def peaks(rows: pd.DataFrame) -> pd.DataFrame:
    """Of each seed and alpha_tilde where an ensemble gains most.

    over_star: width of the largest gain divided by h*.
    """
    largest = []
    for (seed, tilde), widths in rows.groupby(["seed", "alpha_tilde"]) if len(rows) else ():
        top = widths.nlargest(1, "gain").iloc[0]
        largest.append({
            "seed": seed, "alpha_tilde": tilde, "over_star": top["width"] / top["h_star"],
            "is_inside": widths["width"].min() < top["width"] < widths["width"].max(),
        })  # fmt: skip
    tops = pd.DataFrame(largest)
    if tops.empty:
        return tops
    return left_out(tops, {"at the narrowest or widest width": ~tops["is_inside"]})


@rows_of("cells", what="networks")
def learners(cells: pd.DataFrame) -> pd.DataFrame:
    """Fitted networks of both regimes."""
    parts = [fitted_in(cells, lazy=lazy).assign(is_lazy=lazy) for lazy in (False, True)]
    rows = pd.concat(parts)
    return left_out(rows, {"networks with test_error = 0": ~(rows["test_error"] > 0)})


@rows_of("cells", "compressed", what="networks")
def kernels(cells: pd.DataFrame, compressed: pd.DataFrame) -> pd.DataFrame:
    """Errors of the tangent kernel on stripes, of the networks that fitted."""
    fitted = cells[cells["status"] == "fitted"].drop(columns="status")
    return analysis.with_cells(compressed, of_kind(fitted, STRIPE))


# Of each seed the fraction of the gap that compression closes.
closed_gaps = rows_of("cells", "compressed", what="data sets")(
    lambda cells, compressed: analysis.closed_gap(of_kind(cells, STRIPE), compressed)
).then(lambda rows: rows.drop_duplicates("seed"))


@rows_of("cells", "alignment", what="networks")
def changes(cells: pd.DataFrame, alignment: pd.DataFrame, *, kind: Kind) -> pd.DataFrame:
    """inflation: sum of the kernel's eigenvalues kept after training, divided by that before.

    Of networks of feature learning that fitted, at the largest P.
    """
    kernels = analysis.aligned(analysis.with_cells(alignment, of_kind(cells, kind)))
    kernels = fitted_in(kernels, lazy=False)
    inflation = kernels["eigenvalue_end"] / kernels["eigenvalue_initial"]
    return kernels.assign(inflation=inflation)[kernels["P"] == kernels["P"].max()]


def where(kind: Kind, regime: str) -> dict[str, Any]:
    """Values of the columns of `learners`."""
    return {**dict(zip(KIND, kind, strict=True)), "is_lazy": regime == "lazy"}


def winner(kind: Kind, upper: str, lower: str) -> Any:
    """Error of one regime divided by the other's, of digits, pairs of single networks of all P."""
    return learners.ratio("test_error", where=where(kind, upper), over=where(kind, lower),
                          on=("seed", "member", "P"), per="seed")  # fmt: skip


TOPIC, CH_3B = "Phase diagram of width and output scale", "thesis, ch. 3b, Fig."
SMALLER = "an upper bound: {} errs less"
sheet = Sheet()
say = sheet.topic(TOPIC, "phase_diagram", place=f"{CH_3B} 4")
say("phase-crossover-order",
    "Output scale α̃ at which the kernel changes by its own size, ‖ΔΘ‖/‖Θ0‖ = 1",
    crossovers.mean("alpha_tilde", per="seed", scale="log"),
    Factor(1, within=10), "ours: a factor 10 on either side")  # fmt: skip
say("phase-crossover-flat",
    "Width h ≥ 2 h*: exponent of h in the output scale α̃ at which ‖ΔΘ‖/‖Θ0‖ = 1",
    crossovers.slope("alpha_tilde", "width", per="seed", is_far=True),
    Within(0, 0.25), "0.25, ours: at constant α it would be 1/2")  # fmt: skip
say("phase-no-crossing",
    "Widest jammed networks, largest α̃, longest training: kernel change ‖ΔΘ‖/‖Θ0‖",
    jammed.mean("kernel_change", per="seed", scale="ratio"),
    Above(1), "a lower bound: jamming lies wholly on the side of features")  # fmt: skip
say("phase-budget",
    "Width h* below which networks jam: whole training divided by a sixteenth of it",
    shifts.mean("ratio", per="seed", scale="ratio"),
    Below(1), "an upper bound: h* falls with the budget")  # fmt: skip
say("phase-gain-peak",
    "Width at which ensembles gain most divided by the width h* below which networks jam",
    peaks.mean("over_star", per="seed", scale="log"), Factor(1, within=2),
    "×2, ours: widths are a factor 1.3 apart", place=f"{CH_3B} 5")  # fmt: skip
say("phase-ensemble-flat", "Width h ≥ 2 h*: exponent of h in the error of ensembles",
    gains.slope("ensemble_error", "width", per="seed", within="alpha_tilde", is_far=True),
    Within(0, 0.1), "0.1, ours: a quarter over a decade", place=f"{CH_3B} 5")  # fmt: skip

say = sheet.topic(TOPIC, "phase_learning")
say("phase-digits-winner",
    "Digits, single networks: error of lazy learning divided by error of feature learning",
    winner(DIGITS, "lazy", "feature"), Below(1), SMALLER.format("lazy learning"),
    place=f"{CH_3B} 8; ch. 3a, Table 1: FC, images")  # fmt: skip
for regime, beta in (("feature", 1 / 2), ("lazy", 1 / 3)):
    say(f"phase-patches-{regime}",
        f"Digits, CNN, {regime} learning: exponent −β of P in the test error",
        learners.slope("test_error", "P", per="seed", within="member",
                       where=where(PATCHES, regime)),
        Within(-beta, 1 / 12), "1/12, ours: half of the distance between the two regimes",
        place=f"{CH_3B} 8 (CNN, MNIST)")  # fmt: skip
say("phase-patches-winner",
    "Digits, CNN, single networks: error of feature learning divided by error of lazy learning",
    winner(PATCHES, "feature", "lazy"), Below(1), SMALLER.format("feature learning"),
    place=f"{CH_3B} 8")  # fmt: skip
for inputs, beta in (("whole", 5 / 13), ("compressed", 7 / 13)):
    for word, text, column in (("flow", "gradient flow", "test_error"),
                               ("svm", "support vector machine", "svm_error")):  # fmt: skip
        say(f"phase-{inputs}-{word}",
            f"Stripes, first kernel, {inputs} inputs, {text}: exponent −β of P in the test error",
            kernels.slope(column, "P", per="seed", inputs=inputs), Within(-beta, 0.075),
            "0.075, ours: half of the distance between the two regimes at d = 5",
            place=f"{CH_3B} 9, right")  # fmt: skip
say("phase-gap",
    "Stripes: fraction of the gap between lazy and feature learning that compression closes",
    closed_gaps.mean("part"), Within(1, 0.25), "0.25, ours: a quarter of the gap",
    place=f"{CH_3B} 9, right")  # fmt: skip

say = sheet.topic(TOPIC, "phase_alignment")
for label, name, kind in (("digits", "Digits", DIGITS), ("patches", "Digits, CNN", PATCHES)):
    say(f"phase-inflation-{label}",
        f"{name}, feature learning: sum of 10 kernel eigenvalues after / before training",
        changes.given(kind=kind).mean("inflation", per="seed", scale="ratio"),
        Above(1), "a lower bound: it grows",
        place="thesis, ch. 3a, Fig. 8a, b: the kernel inflates")  # fmt: skip

CLAIMS = sheet.finished(
    changed={
        "phase-crossover-* phase-no-crossing phase-budget "
        "phase-gain-peak phase-ensemble-flat phase-digits-* phase-whole-* "
        "phase-compressed-* phase-*-digits":
            "the interval is over data sets, before over networks, widths and scales",
        "phase-gain-peak": "largest gains at the ends of the widths are left out",
        "phase-whole-* phase-compressed-* phase-gap":
            "P = 512 is left out, where one network decided",
        "phase-digits-winner phase-patches-winner": "of all P, before of the largest alone",
        "phase-inflation-*": "written after seeing results",
    },
)  # fmt: skip
