"""Claims of chapters 1, 2a and 2b of the thesis on FCN that learn the parity of digits.

N counts weights without biases, N_Delta unsatisfied points; N* is the smallest N that fits P
points, h* its width. Tolerances were fixed before measuring.
"""

from typing import Any

import numpy as np
import pandas as pd

from srhm.scorecard.expectations import Above, Below, Factor, Within
from srhm.scorecard.jamming_rows import jammed, jamming_points, transitions
from srhm.scorecard.rows import LEFT_OUT, left_out
from srhm.scorecard.sheet import Sheet, rows_of
from srhm_studies.landscape.digits_jamming.analysis import BEFORE, around, errors, largest, peaks

MNIST = "mnist5k_pca"
NARROWEST = "that err most where they are narrowest"


@rows_of("cells", nothing="no jammed network", what="half decades of the loss")
def by_loss(cells: pd.DataFrame) -> pd.DataFrame:
    """N_Delta/N of jammed networks on random data: geometric mean of each depth and `step`.

    step: of half a decade of the loss.
    """
    rows = jammed.function(cells).query("data == 'random' and mean_loss > 0")
    step = np.round(2 * np.log10(rows["mean_loss"]))
    rows = rows.assign(step=step, log_unsatisfied=np.log(rows["unsatisfied"]))
    means = rows.groupby(["hidden_layers", "step"], as_index=False)["log_unsatisfied"].mean()
    return means.assign(unsatisfied=np.exp(means["log_unsatisfied"]))


@rows_of("cells", jamming_points, nothing="no two P with N*", what="steps of P")
def steps(cells: pd.DataFrame, found: pd.DataFrame) -> pd.DataFrame:
    """Neighbouring P with N*: `growth`, dN*/dP between them, and `error`, the mean of both.

    The test error of a P is that of the two widths between which N* lies.
    """
    known = found[found[LEFT_OUT] == ""] if len(found) else found
    if known.empty:
        return known
    columns = ["data", "n_inputs", "hidden_layers"]
    there = cells[cells["status"] != "diverged"].merge(
        known[[*columns, "P", "h_low", "h_high", "N_star"]], on=[*columns, "P"]
    )
    there = there[(there["width"] == there["h_low"]) | (there["width"] == there["h_high"])]
    means = there.groupby([*columns, "P"], as_index=False)[["N_star", "test_error"]].mean()
    before = means.groupby(columns)[["P", "N_star", "test_error"]].shift()
    return means.assign(
        growth=(means["N_star"] - before["N_star"]) / (means["P"] - before["P"]),
        error=(means["test_error"] + before["test_error"]) / 2,
    ).dropna(subset="growth")


misclassified = jammed.let(is_random=lambda r: r["data"] == "random")
# `peaks` of each curve; cusps: of those that have one.
curves = rows_of("cells", "ensembles", "histories", what="curves",
                 nothing="no curve with N* and three sizes from N*/2 on")(
    lambda *tables: peaks(errors(*tables))
).let(peak_over_star=lambda r: r["N_peak"] / r["N_star"])  # fmt: skip
cusps = curves.then(lambda r: left_out(r, {NARROWEST: ~r["is_cusp"].astype(bool)}))
# The `largest` error of each member, of networks around N* on 5,000 digits of MNIST.
tops = rows_of("cells", "histories", nothing="no network of MNIST around N*",
               what="sets of networks")(
    lambda cells, histories: around(cells[cells["data"] == MNIST], histories)
).then(largest).then(lambda r: left_out(r, {NARROWEST: r["is_first"]}))  # fmt: skip

sheet = Sheet()
jamming = sheet.topic("Jamming and double descent on digits", "digits_jamming")
descent = sheet.topic("Jamming and double descent on digits", "digits_descent")
GROWTH: dict[str, Any] = {"against": "P", "within": ("data", "hidden_layers")}
A_STEP = "0.25, ours: a step of the widths is a factor of about 1.8 in N"
MONOTONE = ("a lower bound, ours, as of VGG, ResNet and EfficientNet; the fraction grows"
            " 'monotonically'; written after seeing results")  # fmt: skip
jamming("digits-n-star-over-random",
        "Weights N* needed to fit P points: digits divided by random data, at equal P",
        jamming_points.ratio("N_star", is_random=False, over={"is_random": True},
                     on=("n_inputs", "hidden_layers", "P", "settings"),
                     note_rows="{ratio:.2f} at {P}"),
        Below(1), "an upper bound: images need fewer weights than random data",
        place="thesis, ch. 1, Fig. 10: below")  # fmt: skip
jamming("digits-n-star-growth",
        "Digits: slope of log N* against log P (N*: weights needed to fit P points)",
        jamming_points.slope("N_star", is_random=False, **GROWTH),
        Below(1), "an upper bound: sublinear",
        place="thesis, ch. 1, Fig. 10: sublinear")  # fmt: skip
jamming("random-n-star-growth",
        "Random data: slope of log N* against log P (N*: weights needed to fit P points)",
        jamming_points.slope("N_star", is_random=True, **GROWTH), Within(1, 0.25), A_STEP,
        place="thesis, ch. 1, Fig. 5; ch. 2a, Fig. 3A: linear")  # fmt: skip
jamming("random-unsatisfied",
        "Random data, first jammed P/N: unsatisfied points N_Δ divided by weights N",
        transitions.mean("unsatisfied", is_random=True,
                          note_rows="{unsatisfied:.2f} (P/N = {load:.2f})"),
        Within(0.75, 0.25),
        "0.25, ours: N_Δ/N rises with P/N, and a step of the grid is a factor of 1.8",
        place="thesis, ch. 1, Fig. 6a")  # fmt: skip
jamming("random-unsatisfied-depth",
        "Random data, equal loss: unsatisfied points per weight at L = 5 divided by those at L = 3",
        by_loss.ratio("unsatisfied", hidden_layers=5, over={"hidden_layers": 3}, on="step",
                      note_rows="{ratio:.2f}"),
        Within(1, 0.3), "0.3, ours: as of N* by depth; written after seeing results", fixed="after",
        place="thesis, ch. 1, Fig. 6b: one curve for all L")  # fmt: skip
for name, label, place in (("random", "Random data", "Fig. 6c"), ("digits", "Digits", "Fig. 9c")):
    jamming(f"{name}-misclassified-grows",
            f"{label}: rank correlation of the fraction of misclassified points with the loss",
            misclassified.correlation("train_error", "mean_loss", is_random=name == "random",
                                      groups=("n_inputs", "hidden_layers", "width", "P")),
            Above(0.7), MONOTONE, fixed="after", place=f"thesis, ch. 1, {place}")  # fmt: skip
jamming("n-star-by-error",
        "Digits and random data: slope of log dN*/dP against the log test error at N*",
        steps.slope("growth", "error", within="hidden_layers", n_inputs=10,
                    note_rows="{growth:.3f} at {error:.3f}"),
        Within(1, 0.25),
        "0.25, ours: as of N* against P; written after seeing results", fixed="after",
        place="thesis, ch. 9: dN*/dP ~ ε, a conjecture")  # fmt: skip
descent("digits-has-cusp",
        "Fraction of the curves whose largest test error is at an inner width, from N*/2 on",
        curves.fraction("is_cusp"), Above(0.75),
        "a lower bound, ours: what twelve curves can tell; written after seeing results",
        fixed="after", place="thesis, ch. 2a, Fig. 4: a cusp at jamming")  # fmt: skip
descent("digits-cusp",
        "Digits: N of the largest final test error divided by N* (N*: weights needed to fit)",
        cusps.mean("peak_over_star", scale="log",
                   note_rows="P = {P}: {N_peak:g} against {N_star:.3g}"),
        Factor(1, within=2), "×2, ours: a step of the widths",
        place="thesis, ch. 2a, Fig. 4C")  # fmt: skip
descent("mnist-cusp-place",
        f"MNIST: N of the largest test error from {BEFORE:g} N* on, divided by N* (needed to fit)",
        tops.mean("over_star", scale="log", note_rows="{over_star:.2f}"),
        Factor(1, within=2), "×2, ours: as of digits",
        place="thesis, ch. 2a, Fig. 4B, C")  # fmt: skip

CLAIMS = sheet.finished(changed={"digits-cusp": "curves with a cusp alone, before all"})
