"""Claims of chapters 1, 2a and 2b of the thesis on FCN that learn the parity of digits.

N counts weights without biases, N_Delta unsatisfied points; N* is the smallest N that fits P
points, h* its width. Tolerances were fixed before measuring.
"""

from functools import partial

import numpy as np
import pandas as pd

from srhm.scorecard.claims import Claim, after_a_look
from srhm.scorecard.estimators import Correlation, Mean, Part, Ratio, Slope
from srhm.scorecard.expectations import Above, Below, Factor, NoExpectation, Within
from srhm.scorecard.jamming import jammed, stars, transitions
from srhm.scorecard.rows import LEFT_OUT, left_out, rows_of
from srhm.studies.digits_jamming.analysis import (
    BEFORE,
    CURVE,
    FAR,
    around,
    beyond,
    errors,
    largest,
    peaks,
)


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
    """Jammed networks, random or not, and which part of unsatisfied points is misclassified."""
    rows = jammed.function(cells)
    part = rows["train_error"] * rows["P"] / rows["n_unsatisfied"]
    return rows.assign(is_random=rows["data"] == "random", of_unsatisfied=part)


@rows_of(misclassified, transitions, nothing="no P/N with a jammed majority")
def at_the_transition(rows: pd.DataFrame, first: pd.DataFrame) -> pd.DataFrame:
    """Those at the first jammed P/N of each size."""
    on = ["is_random", "activation", "hidden_layers", "width", "P"]
    return rows.merge(first[on], on=on) if len(first) else first


@rows_of("cells", stars, nothing="no two P with N*")
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


@rows_of("cells", "ensembles", "histories", nothing="no ensemble at such widths")
def sizes(*tables: pd.DataFrame, factor: float) -> pd.DataFrame:
    """Errors of each size from a multiple of h* on, with an ensemble."""
    return beyond(errors(*tables), factor=factor)


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


@rows_of("ensembles", of_mnist, nothing="no mean network of MNIST around N*")
def means_of_mnist(ensembles: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """The same of mean networks: a row for each width."""
    if rows.empty:
        return rows
    shared = ["curve", "P", "N", "side", "is_at", *CURVE[:2]]
    own = rows.drop_duplicates(["curve", "P"])[shared]
    return own.merge(ensembles[["curve", "P", "ensemble_error"]], on=["curve", "P"])


MNIST = "mnist5k_pca"
# The difference of two means, at N* and on one side of it.
AT_N_STAR = partial(Slope, against="is_at", logs="none", within=CURVE)
RISE, FALL = {"side": ("before", "at")}, {"side": ("at", "beyond")}
FROM = f"from {BEFORE:g} N*"

GROWTH = partial(
    Slope, "N_star", against="P", within=("data", "hidden_layers"), rows=stars, what="sizes P"
)
UNSATISFIED = partial(
    Mean,
    "unsatisfied",
    rows=transitions,
    what="sizes N",
    each="{unsatisfied:.2f} (P/N = {load:.2f})",
)
FAR_SIZES = partial(
    Slope, against="N", within=CURVE, rows=sizes.given(factor=FAR), what="sizes N",
    note=f"from {FAR:g} h* on",
)  # fmt: skip
ABOVE = sizes.given(factor=1.0)

jamming = partial(Claim, topic="Jamming and double descent on digits", figure="digits_jamming")
descent = partial(jamming, figure="digits_descent")
cusp = partial(descent, place="thesis, ch. 2a, Fig. 4B, C")

STATED = (
    jamming(
        "digits-n-star-over-random", "N* of digits over N* of random data, at equal P: ratio",
        place="thesis, ch. 1, Fig. 10: below",
        expected=Below(1), why="an upper bound: images need fewer weights than random data",
        measure=Ratio(
            "N_star", where={"is_random": False}, over={"is_random": True}, rows=stars,
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
        "digits-jammed-below-a-quarter", "Part of the jammed networks with N_Δ/N below 1/4",
        place="thesis, ch. 2a, Fig. 3B, 3D",
        expected=Below(0.05),
        why="a bound, ours: that there is none is nothing that a number of networks can show",
        measure=Part("is_few", rows=jammed, what="jammed networks"),
    ),
    jamming(
        "digits-unsatisfied", "N_Δ/N at the first jammed P/N, digits",
        place="thesis, ch. 1, Fig. 9a: about 0.5 for MNIST, not universal",
        expected=NoExpectation(), why="no expectation: the thesis calls it not universal",
        measure=UNSATISFIED(where={"is_random": False}),
    ),
    jamming(
        "random-unsatisfied", "N_Δ/N at the first jammed P/N, random data",
        place="thesis, ch. 1, Fig. 6a",
        expected=Within(0.75, 0.25),
        why="0.25, ours: N_Δ/N rises with P/N, and a step of the grid is a factor of 1.8",
        measure=UNSATISFIED(where={"is_random": True}),
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
            f"{name}-misclassified-{word}", f"{says}, {label}",
            place=f"thesis, ch. 1, {place}",
            fixed="after",
            expected=expected, why=f"{why}; written after a look at the rows",
            measure=measure(where={"is_random": random}, what="jammed networks"),
        )
        for name, label, random, place in (
            ("random", "random data", True, "Fig. 6c"), ("digits", "digits", False, "Fig. 9c"),
        )
        for word, says, expected, why, measure in (
            ("late", "Misclassified of the unsatisfied points at the first jammed P/N", Below(0.1),
             "an upper bound, ours: a tenth; they set in 'very slowly'",
             partial(Mean, "of_unsatisfied", per=("n_inputs", "hidden_layers", "width"),
                     rows=at_the_transition)),
            ("grows", "Rank correlation of the misclassified part and the loss", Above(0.7),
             "a lower bound, ours, as of named nets; the part grows 'monotonically'",
             partial(Correlation, "train_error", against="mean_loss", rows=misclassified,
                     groups=("n_inputs", "hidden_layers", "width", "P"))),
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
        "digits-improves-L3", "Slope of the final test error in ln N above N*, L = 3",
        place="thesis, ch. 2a, Fig. B2: the accuracy keeps improving at another depth, too",
        fixed="after",
        expected=Below(0), why="an upper bound: the error falls; written after a look",
        measure=Slope(
            "final", against="N", logs="x", within=CURVE, where={"hidden_layers": 3}, rows=ABOVE,
            what="sizes N",
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
        "digits-late-loss", "Test error lost in time, end minus least: widest less that at N*",
        place="thesis, ch. 2a, Fig. 4A, B: at jamming alone",
        fixed="after",
        expected=Below(0), why="an upper bound: more is lost at N*; written after a look",
        measure=Mean("waits", rows=curves, what="curves"),
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
        "digits-early-stopping",
        "Cusp with early stopping minus half of that at the end, test error",
        place="thesis, ch. 2a, Fig. 4B: early stopping removes it",
        expected=Below(0),
        why="an upper bound, ours: early stopping takes away more than half of the cusp",
        measure=Mean(
            "kept", rows=cusps, what="curves", each="P = {P}: {early:.3f} of {final:.3f}"
        ),
    ),
    descent(
        "digits-ensemble-gain", "Test error of the mean network minus single ones, above N*",
        place="thesis, ch. 2b, Fig. 2A",
        expected=Below(0),
        why="an upper bound: an ensemble gains where its error is below its networks'",
        measure=Mean("gain", rows=ABOVE, what="ensembles above N*"),
    ),
    descent(
        "digits-ensemble-flat",
        "Test error of the mean network against ln N above N*: slope",
        place="thesis, ch. 2b, Fig. 2A: flat",
        expected=NoExpectation(), why="no expectation: the source gives no number",
        measure=Slope("ensemble", against="N", logs="x", within=CURVE, rows=ABOVE, what="sizes N"),
    ),
    descent(
        "digits-excess", "ε_N minus that of the mean network ~ N^-1/2 from 3 h* on: slope",
        place="thesis, ch. 2b, Fig. 6D",
        expected=NoExpectation(), why="the study fluctuations judges it",
        measure=FAR_SIZES("excess"),
    ),
    descent(
        "digits-fluctuation", "Var F ~ N^-1/2 from 3 h* on: slope",
        place="thesis, ch. 2b, Fig. 5",
        expected=NoExpectation(), why="the study fluctuations judges it",
        measure=FAR_SIZES("variance"),
    ),
    cusp(
        "mnist-cusp-rise", f"Test error at N* less that {FROM} to it, MNIST",
        expected=Above(0), why="a lower bound: the error rises to a cusp at N*",
        measure=AT_N_STAR("final", where=RISE, rows=of_mnist, what="networks", tells=("width",)),
    ),
    cusp(
        "mnist-cusp-fall", "Test error at N* less that beyond, MNIST",
        expected=Above(0), why="a lower bound: the error falls behind a cusp at N*",
        measure=AT_N_STAR("final", where=FALL, rows=of_mnist, what="networks", tells=("width",)),
    ),
    cusp(
        "mnist-cusp-place", f"N of the largest test error {FROM} on, over N*, MNIST",
        expected=Factor(1, within=2), why="×2, ours: as of digits",
        measure=Mean("over_star", scale="log", rows=tops, what="sets of networks",
                     each="{over_star:.2f}"),
    ),
    cusp(
        "mnist-cusp-early", f"Early stopped: test error at N* less that {FROM} to it, MNIST",
        expected=Below(0), why="an upper bound: early stopping leaves no cusp",
        measure=AT_N_STAR("early", where=RISE, rows=of_mnist, what="networks"),
    ),
    cusp(
        "mnist-late-loss", "Test error lost in time: at N* less beyond, MNIST",
        place="thesis, ch. 2a, Fig. 4A, B: at jamming alone",
        expected=Above(0), why="a lower bound: more is lost at N*",
        measure=AT_N_STAR("lost", where=FALL, rows=of_mnist, what="networks"),
    ),
    cusp(
        "mnist-mean-network", f"Mean network: test error at N* less that {FROM} to it, MNIST",
        place="thesis, ch. 2b, Fig. 2A",
        expected=Below(0), why="an upper bound: averaging leaves no cusp",
        measure=AT_N_STAR("ensemble_error", where=RISE, rows=means_of_mnist, what="widths"),
    ),
    cusp(
        "mnist-mean-network-flat", "Mean network: slope of its error in ln N from N* on, MNIST",
        place="thesis, ch. 2b, Fig. 2A: flat",
        expected=Within(0, 0.01), why="0.01, ours: the scatter of 1000 test images",
        measure=Slope("ensemble_error", against="N", logs="x", within=CURVE, where=FALL,
                      rows=means_of_mnist, what="widths"),
    ),
)  # fmt: skip

CLAIMS = after_a_look(
    STATED,
    {
        "digits-jammed-below-a-quarter": "an upper bound, before 0 ± 0.05",
        "digits-cusp digits-early-stopping": "curves with a cusp alone, before all",
        "digits-excess digits-fluctuation": "not judged any more",
    },
)  # fmt: skip
