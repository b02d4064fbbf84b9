"""Claims of chapters 1, 2a and 2b of the thesis on FCN that learn the parity of digits.

N counts weights without biases, N_Delta unsatisfied points; N* is the smallest N that fits P
points, h* its width. Tolerances were fixed before measuring.
"""

from functools import partial

import numpy as np
import pandas as pd

from srhm.scorecard.claims import Claim, after_a_look
from srhm.scorecard.estimators import Correlation, Mean, Part, Ratio, Slope
from srhm.scorecard.expectations import Above, Below, Factor, Within
from srhm.scorecard.jamming_rows import jammed, jamming_points, transitions
from srhm.scorecard.rows import LEFT_OUT, left_out, rows_of
from srhm_studies.landscape.digits_jamming.analysis import BEFORE, around, errors, largest, peaks


@rows_of("cells", nothing="no jammed network")
def by_loss(cells: pd.DataFrame) -> pd.DataFrame:
    """N_Delta/N of jammed networks on random data: geometric mean of each depth and `step`.

    step: of half a decade of the loss.
    """
    rows = jammed.function(cells).query("data == 'random' and mean_loss > 0")
    step = np.round(2 * np.log10(rows["mean_loss"]))
    rows = rows.assign(step=step, log_unsatisfied=np.log(rows["unsatisfied"]))
    means = rows.groupby(["hidden_layers", "step"], as_index=False)["log_unsatisfied"].mean()
    return means.assign(unsatisfied=np.exp(means["log_unsatisfied"]))


@rows_of("cells", nothing="no jammed network")
def misclassified(cells: pd.DataFrame) -> pd.DataFrame:
    """Jammed networks, random or not."""
    rows = jammed.function(cells)
    return rows.assign(is_random=rows["data"] == "random")


@rows_of("cells", jamming_points, nothing="no two P with N*")
def steps(cells: pd.DataFrame, found: pd.DataFrame) -> pd.DataFrame:
    """Neighbouring P with N*: `growth`, dN*/dP between them, and `error`, the mean of both.

    The test error of a P is that of the two widths between which N* lies.
    """
    known = found[found[LEFT_OUT] == ""] if len(found) else found
    if known.empty:
        return known
    of = ["data", "n_inputs", "hidden_layers"]
    there = cells[cells["status"] != "diverged"].merge(
        known[[*of, "P", "h_low", "h_high", "N_star"]], on=[*of, "P"]
    )
    there = there[(there["width"] == there["h_low"]) | (there["width"] == there["h_high"])]
    means = there.groupby([*of, "P"], as_index=False)[["N_star", "test_error"]].mean()
    before = means.groupby(of)[["P", "N_star", "test_error"]].shift()
    return means.assign(
        growth=(means["N_star"] - before["N_star"]) / (means["P"] - before["P"]),
        error=(means["test_error"] + before["test_error"]) / 2,
    ).dropna(subset="growth")


@rows_of("cells", "ensembles", "histories", nothing="no curve with N* and three sizes from N*/2 on")
def curves(*tables: pd.DataFrame) -> pd.DataFrame:
    """`peaks` of each curve, with the ratio of N of the largest error to N*."""
    found = peaks(errors(*tables))
    return found.assign(peak_over_star=found["N_peak"] / found["N_star"])


@rows_of(curves, nothing="no curve with N* and three sizes from N*/2 on")
def cusps(rows: pd.DataFrame) -> pd.DataFrame:
    """Curves that have a cusp."""
    return left_out(rows, {"that err most where they are narrowest": ~rows["is_cusp"].astype(bool)})


@rows_of("cells", "histories", nothing="no network of MNIST around N*")
def of_mnist(cells: pd.DataFrame, histories: pd.DataFrame) -> pd.DataFrame:
    """Networks `around` N* on 5,000 digits of MNIST."""
    return around(cells[cells["data"] == MNIST], histories)


@rows_of(of_mnist, nothing="no network of MNIST around N*")
def tops(rows: pd.DataFrame) -> pd.DataFrame:
    """The `largest` error of each member."""
    if rows.empty:
        return rows
    found = largest(rows)
    return left_out(found, {"that err most where they are narrowest": found["is_first"]})


MNIST = "mnist5k_pca"
GROWTH = partial(
    Slope,
    "N_star",
    against="P",
    within=("data", "hidden_layers"),
    rows=jamming_points,
    what="sizes P",
)

jamming = partial(Claim, topic="Jamming and double descent on digits", figure="digits_jamming")
descent = partial(jamming, figure="digits_descent")

STATED = (
    jamming(
        "digits-n-star-over-random", "N* of digits over N* of random data, at equal P: ratio",
        place="thesis, ch. 1, Fig. 10: below",
        expected=Below(1), why="an upper bound: images need fewer weights than random data",
        measure=Ratio(
            "N_star", where={"is_random": False}, over={"is_random": True}, rows=jamming_points,
            on=("n_inputs", "hidden_layers", "P", "settings"), what="sizes P",
            each="{ratio:.2f} at {P}",
        ),
    ),
    jamming(
        "digits-n-star-growth", "Slope of log N* against log P, digits",
        place="thesis, ch. 1, Fig. 10: sublinear",
        expected=Below(1), why="an upper bound: sublinear",
        measure=GROWTH(where={"is_random": False}),
    ),
    jamming(
        "random-n-star-growth", "Slope of log N* against log P, random data",
        place="thesis, ch. 1, Fig. 5; ch. 2a, Fig. 3A: linear",
        expected=Within(1, 0.25),
        why="0.25, ours: a step of the widths is a factor of about 1.8 in N",
        measure=GROWTH(where={"is_random": True}),
    ),
    jamming(
        "random-unsatisfied", "N_Δ/N at the first jammed P/N, random data",
        place="thesis, ch. 1, Fig. 6a",
        expected=Within(0.75, 0.25),
        why="0.25, ours: N_Δ/N rises with P/N, and a step of the grid is a factor of 1.8",
        measure=Mean(
            "unsatisfied", where={"is_random": True}, rows=transitions, what="sizes N",
            each="{unsatisfied:.2f} (P/N = {load:.2f})",
        ),
    ),
    jamming(
        "random-unsatisfied-depth", "N_Δ/N at equal loss, random data: L = 5 over L = 3",
        place="thesis, ch. 1, Fig. 6b: one curve for all L",
        fixed="after",
        expected=Within(1, 0.3), why="0.3, ours: as of N* by depth; written after a look",
        measure=Ratio(
            "unsatisfied", where={"hidden_layers": 5}, over={"hidden_layers": 3}, rows=by_loss,
            on=("step",), what="half decades of the loss", each="{ratio:.2f}",
        ),
    ),
    *(
        jamming(
            f"{name}-misclassified-grows",
            f"Rank correlation of the misclassified part and the loss, {label}",
            place=f"thesis, ch. 1, {place}",
            fixed="after",
            expected=Above(0.7),
            why="a lower bound, ours, as of named nets; the part grows 'monotonically'; written"
                " after a look at the rows",
            measure=Correlation(
                "train_error", against="mean_loss", rows=misclassified,
                where={"is_random": random}, what="jammed networks",
                groups=("n_inputs", "hidden_layers", "width", "P"),
            ),
        )
        for name, label, random, place in (
            ("random", "random data", True, "Fig. 6c"), ("digits", "digits", False, "Fig. 9c"),
        )
    ),
    jamming(
        "n-star-by-error", "Slope of log dN*/dP against log ε at N*, digits and random data",
        place="thesis, ch. 9: dN*/dP ~ ε, a conjecture",
        fixed="after",
        expected=Within(1, 0.25), why="0.25, ours: as of N* against P; written after a look",
        measure=Slope(
            "growth", against="error", within=("hidden_layers",), where={"n_inputs": 10},
            rows=steps, what="steps of P", each="{growth:.3f} at {error:.3f}",
        ),
    ),
    descent(
        "digits-has-cusp", "Part of the curves that err most at an inner width from N*/2 on",
        place="thesis, ch. 2a, Fig. 4: a cusp at jamming",
        expected=Above(0.75),
        fixed="after",
        why="a lower bound, ours: what twelve curves can tell; written after a look at the rows",
        measure=Part("is_cusp", rows=curves, what="curves"),
    ),
    descent(
        "digits-cusp", "N of the largest final test error, over N*",
        place="thesis, ch. 2a, Fig. 4C",
        expected=Factor(1, within=2),
        why="×2, ours: a step of the widths",
        measure=Mean(
            "peak_over_star", scale="log", rows=cusps, what="curves",
            each="P = {P}: {N_peak:g} against {N_star:.3g}",
        ),
    ),
    descent(
        "mnist-cusp-place", f"N of the largest test error from {BEFORE:g} N* on, over N*, MNIST",
        place="thesis, ch. 2a, Fig. 4B, C",
        expected=Factor(1, within=2), why="×2, ours: as of digits",
        measure=Mean("over_star", scale="log", rows=tops, what="sets of networks",
                     each="{over_star:.2f}"),
    ),
)  # fmt: skip

CLAIMS = after_a_look(
    STATED,
    {
        "digits-cusp": "curves with a cusp alone, before all",
    },
)
