"""Claims on P* across lazy and feature learning, the onset of the invariances, and stability.

P*_S and P*_D are the sample complexities of the sensitivities S_2 and D_2; R_k = D_k/G_k is the
relative stability of layer k. The paper trains at alpha_tilde = 1; the thesis compares the errors
of both regimes (chapter 3b, figure 8), but has neither P* nor sensitivities. Feature learning is
the smallest alpha_tilde of a net and s_0, lazy learning the largest. Cells trained with SGD, which
check the flow, enter the claim on SGD alone.

Expected numbers and tolerances were fixed before the claims were computed, after a look at the
first cells (s0 = 0, and some of the CNN's at s0 = 1).
"""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from srhm.scorecard.claims import Claim, Measurement, Tables, after_a_look
from srhm.scorecard.curves import THRESHOLD, with_seeds
from srhm.scorecard.estimators import Mean, Slope
from srhm.scorecard.expectations import Below, Factor, NoExpectation, Within
from srhm.scorecard.fits import no_points
from srhm.scorecard.rows import left_out, rows_of

GRAMMAR = ["net", "L", "s", "s0", "v", "m", "n_c", "sparsity", "width"]
# Below this error two predictors have both learnt, and agree whatever they are.
LEARNT = 0.05
# A sensitivity of zero has no logarithm.
LEAST = 1e-6
# Rows with which a mean has no interval.
BOUNDS, SHARED = "lower bounds", "of shared grammars"
CENSORED = {"not reached": "not_reached", "below the measured range": "below_range"}


def of_the_flow(table: pd.DataFrame) -> pd.DataFrame:
    """Rows that the flow has trained; `feature` and `lazy`: whether alpha_tilde is an end."""
    own = table[table["optimiser"] != "sgd"]
    scales = own.groupby(["net", "s0"])["alpha_tilde"]
    least, most = (own["alpha_tilde"] == scales.transform(end) for end in ("min", "max"))
    return own.assign(feature=least, lazy=most)


def of_criterion(complexity: pd.DataFrame, criterion: str) -> pd.DataFrame:
    """P* of the flow; that of the test error is at the main threshold."""
    own = complexity[complexity["criterion"] == criterion]
    if criterion == "test_error":
        own = own[np.isclose(own["threshold"].to_numpy(dtype=float), THRESHOLD)]
    return of_the_flow(own)


@rows_of("sample_complexity", optional=("cells",))
def stars(complexity: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """P* of the test error, with `places`, s_0 + 1."""
    rows = of_criterion(complexity, "test_error")
    shared = rows["net"].astype(str) + ", " + rows["alpha_tilde"].astype(str)
    rows = rows.assign(
        places=rows["s0"] + 1,
        log_sd_source=shared.where(rows["log_sd_pooled"].astype(bool), rows["curve"]),
    )
    reasons = {reason: rows["status"] == status for reason, status in CENSORED.items()}
    small_pool = rows["small_pool"].astype(bool)
    rows = with_seeds(rows, cells, by=("curve", "alpha_tilde", "optimiser"))
    return left_out(rows, {**reasons, "with P* above a tenth of the data": small_pool})


@rows_of("sample_complexity")
def regimes(complexity: pd.DataFrame) -> pd.DataFrame:
    """Grammars in both regimes: `ratio`, P* of lazy over that of feature learning.

    A lazy P* that is not reached enters with its bound, which makes the mean a lower one.
    """
    rows = of_criterion(complexity, "test_error")
    both = rows[rows["lazy"]].merge(rows[rows["feature"]], on=GRAMMAR, suffixes=("", "_feature"))
    both = both[both["alpha_tilde"] > both["alpha_tilde_feature"]]
    bound = both["status"] == "not_reached"
    ratio = both["P_star"].where(~bound, both["P_star_low"]) / both["P_star_feature"]
    missing = (both["status_feature"] != "reached") | (both["status"] == "below_range")
    return left_out(
        both.assign(ratio=ratio, **{BOUNDS: bound}),
        {"without P* in feature learning, or below the range": missing},
    )


@rows_of("cells", "sample_complexity", nothing="no P")
def beyond(cells: pd.DataFrame, complexity: pd.DataFrame) -> pd.DataFrame:
    """Mean test error of lazy learning at each P beyond P* of feature learning, of any width.

    P at which a network is capped are left out: its error may be that of too few weights or of the
    budget. The P of a curve share their grammars: their scatter is no error.
    """
    data = [name for name in GRAMMAR if name != "width"]
    learnt = of_criterion(complexity, "test_error").query("feature and status == 'reached'")
    lazy = of_the_flow(cells).query("lazy")
    lazy = lazy.merge(learnt.groupby(data)["P_star"].max().reset_index(), on=data)
    lazy = lazy[lazy["P"] >= lazy["P_star"]].assign(capped=lazy["status"] != "fitted")
    by = ["net", "s0", "width", "curve", "P", "alpha_tilde"]
    points = lazy.groupby(by, as_index=False).agg(
        error=("test_error", "mean"), least=("test_error", "min"), most=("test_error", "max"),
        capped=("capped", "any"),
    )  # fmt: skip
    return left_out(
        points.assign(**{SHARED: True}),
        {"P at which some are capped": points["capped"].astype(bool)},
    )


@rows_of("cells")
def checked(cells: pd.DataFrame) -> pd.DataFrame:
    """`size` of the difference of test errors with SGD and flow: at each P, means over seeds."""
    keys = [*GRAMMAR, "alpha_tilde", "P"]
    means = cells.groupby([*keys, "optimiser"])["test_error"].mean().unstack("optimiser")
    both = means.reindex(columns=["flow", "sgd"]).dropna().reset_index()
    return both[both["flow"] >= LEARNT].assign(size=(both["sgd"] - both["flow"]).abs())


@rows_of("sample_complexity")
def onsets(complexity: pd.DataFrame, *, kind: str) -> pd.DataFrame:
    """Curves with P*_S, or P*_D, over P*: `ratio`."""
    errors, others = (of_criterion(complexity, name) for name in ("test_error", f"{kind}_2"))
    both = errors.merge(others, on=["curve", "alpha_tilde"], suffixes=("", "_other"))
    ratio = both["P_star_other"] / both["P_star"]
    of_both = {name: both[name] & both[f"{name}_other"] for name in ("feature", "lazy")}
    one, other = both["status"], both["status_other"]
    reasons = {
        "in which neither is reached": (one == "not_reached") & (other == "not_reached"),
        "censored otherwise": (one != "reached") | (other != "reached"),
    }
    return left_out(both.assign(ratio=ratio, **of_both), reasons)


def felt(cells: pd.DataFrame, sensitivities: pd.DataFrame) -> pd.DataFrame:
    """Sensitivities of layer 2 at level 1 with the error of their cells."""
    own = sensitivities[(sensitivities["layer"] == "2") & (sensitivities["l"] == 1)]
    own = own[own["n"] > 0]
    columns = ["curve", "key", "alpha_tilde", "P", "seed", "test_error", "feature", "lazy"]
    return of_the_flow(cells)[columns].merge(own, on=["curve", "key"])


@rows_of("cells", "sensitivities")
def changes(cells: pd.DataFrame, sensitivities: pd.DataFrame) -> pd.DataFrame:
    """Sensitivities of each kind at a curve's largest P and alpha_tilde, averages over seeds.

    `ratio`: after training over before; `log_before`, `log_change`: means of the logarithms.
    """
    rows = felt(cells, sensitivities)
    by = ["kind", "curve", "alpha_tilde", "feature", "lazy"]
    rows = rows[rows["P"] == rows.groupby(by)["P"].transform("max")]
    rows = rows.assign(log=np.log(rows["value"].where(rows["value"] > 0)))
    means = rows.pivot_table(index=by, columns="when", values=["value", "log"])
    wanted = pd.MultiIndex.from_product([["value", "log"], ["initial", "end"]])
    means = means.reindex(columns=wanted)
    values, logs = means["value"].clip(lower=LEAST), means["log"]
    found = pd.DataFrame(
        {
            "ratio": values["end"] / values["initial"],
            "log_before": logs["initial"],
            "log_change": logs["end"] - logs["initial"],
        }
    )
    return found.reset_index()


@rows_of("cells", "frozen_kernels")
def frozen(cells: pd.DataFrame, kernels: pd.DataFrame) -> pd.DataFrame:
    """Test error of each frozen kernel minus that of the network, at each P; means over seeds.

    `size`: its modulus; `unlearnt`: whether the network's error is at least LEARNT, so that P at
    which both have learnt do not hide others.
    """
    rows = of_the_flow(cells).merge(kernels, on=["curve", "key"], suffixes=("", "_kernel"))
    by = ["kernel", "curve", "alpha_tilde", "feature", "lazy", "P"]
    points = rows.groupby(by, as_index=False)[["test_error_kernel", "test_error"]].mean()
    difference = points["test_error_kernel"] - points["test_error"]
    unlearnt = points["test_error"] >= LEARNT
    return points.assign(difference=difference, size=difference.abs(), unlearnt=unlearnt)


def error_and_stability(tables: Tables, *, kind: str) -> Measurement:
    """Correlation coefficient of log ε and log of R_2, D_2 or 1/G_2, over curve, alpha_tilde and P.

    Thesis, chapter 4, figures 5, 15 and 16, for images. Points of the flow with ε > 0; averages
    over seeds first. The interval is Fisher's.
    """
    rows = ends(tables)
    rows = rows[rows["kind"] == kind.removeprefix("1/")] if len(rows) else rows
    n = len(rows)
    if n < 5:
        return no_points(f"{n} points with an error above zero; 5 are the least")
    x = np.log(rows["value"].to_numpy(dtype=float)) * (-1 if kind == "1/G" else 1)
    y = np.log(rows["test_error"].to_numpy(dtype=float))
    if not (x.std() > 0 and y.std() > 0):
        return no_points(f"{n} points of one value")
    r = float(np.corrcoef(x, y)[0, 1])
    half = 1.96 / np.sqrt(n - 3)
    low, high = np.tanh(np.arctanh(np.clip(r, -0.999999, 0.999999)) + half * np.array([-1, 1]))
    note = f"{n} points (curve, α̃, P), averages over seeds; Fisher's interval"
    return Measurement(value=r, low=float(low), high=float(high), n=n, note=note)


@rows_of("cells", "sensitivities")
def ends(cells: pd.DataFrame, sensitivities: pd.DataFrame) -> pd.DataFrame:
    """Sensitivities and errors after training, averages over seeds, where both are above zero."""
    rows = felt(cells, sensitivities).query("when == 'end'")
    by = ["kind", "curve", "alpha_tilde", "P"]
    means = rows.groupby(by, as_index=False)[["value", "test_error"]].mean()
    return means[(means["value"] > 0) & (means["test_error"] > 0)]


WORDS = {"feature": "smallest α̃", "lazy": "largest α̃"}
# Errors of feature and of lazy learning against P: P* across alpha_tilde is a question of ours.
BOTH_REGIMES = "thesis, chapter 3b, Fig. 8"
HALF_OF_THE_THRESHOLD = "0.05: half of the threshold that defines P*;"
reported = partial(Claim, expected=NoExpectation(), why="no source has a number")
LAW: dict[str, Any] = {
    "fixed": "after",
    "expected": Within(2, 0.35),
    "why": "0.35, as for the same law on the paper's own curves; of lazy learning no source says"
    " anything; after a look: the interval by vocabularies",
}
TOGETHER: dict[str, Any] = {
    "expected": Factor(1, within=1.5),
    "why": "×1.5, as for the same claims on the paper's own curves",
}
# Of the logarithm of a ratio, which is shown as a factor.
UNKNOWN_FACTOR: dict[str, Any] = {"expected": NoExpectation("factor")}
SAME_ERROR: dict[str, Any] = {
    "fixed": "after",
    "expected": Below(0.05),
    "why": f"{HALF_OF_THE_THRESHOLD} the thesis shows curves that coincide and gives no number",
}
law = partial(reported, topic="Lazy and feature learning: P* across α̃", figure="complexity")
onset = partial(
    reported, topic="Lazy and feature learning: onset of the invariances", figure="onset"
)
kernel = partial(
    reported, topic="Lazy and feature learning: frozen kernels", figure="onset",
    place="thesis, chapter 3a, Fig. 8c, d",
)  # fmt: skip
stability = partial(reported, topic="Relative stability R_k = D_k/G_k", figure="stability")
CURVES: dict[str, Any] = {"what": "curves", "tells": ("alpha_tilde",)}
EXPONENT = partial(
    Slope, "P_star", against="places", within=tuple(name for name in GRAMMAR if name != "s0"),
    error="clusters", rows=stars, **CURVES,
)  # fmt: skip
OF_R = partial(Mean, rows=changes, what="curves", tells=("alpha_tilde",))
OF_KERNEL = partial(
    Mean, per=("curve", "alpha_tilde"), rows=frozen, what="curves at an α̃", tells=("alpha_tilde",)
)

STATED = (
    *(
        law(
            f"empty-places-{net}-{regime}",
            f"{net.upper()}, {words}: exponent of (s_0+1) in P*, L = 2",
            # The paper has no law for the FCN.
            place=place, **(LAW if regime == "feature" and net != "fcn" else {}),
            measure=EXPONENT(where={"net": net, "L": 2, regime: True}),
        )
        for net, place in (
            ("lcn", f"Eq. 3; {BOTH_REGIMES}"), ("cnn", f"Eq. 4; {BOTH_REGIMES}"),
            ("fcn", BOTH_REGIMES),
        )
        for regime, words in WORDS.items()
    ),
    *(
        law(
            f"lazy-over-feature-{net}",
            f"{net.upper()}: P* at the largest over that at the smallest α̃",
            place=BOTH_REGIMES,
            measure=Mean(
                "ratio", scale="ratio", open=BOUNDS, where={"net": net}, rows=regimes,
                what="grammars", each="{n_capped} of {n_cells} lazy networks capped",
                tells=("alpha_tilde", "alpha_tilde_feature"),
            ),
        )
        for net in ("lcn", "cnn", "fcn")
    ),
    law(
        "lazy-error-beyond",
        "Largest α̃: test error of networks that fit, at P where the smallest α̃ is below 10 %",
        place=BOTH_REGIMES,
        measure=Mean(
            "error", open=SHARED, rows=beyond, what="P",
            each="{net} s_0 = {s0:g} h = {width} P = {P}: {least:.2f} to {most:.2f}",
            tells=("alpha_tilde",),
        ),
    ),
    law(
        "sgd-agrees", "SGD and gradient flow: size of the difference of their test errors",
        place="ours", expected=Below(0.05), why=f"{HALF_OF_THE_THRESHOLD} there is no number",
        measure=Mean("size", rows=checked, what="points"),
    ),
    *(
        one
        for kind in "SD"
        for one in (
            *(
                onset(
                    f"{kind.lower()}-onset-{regime}",
                    f"{words}: P*_{kind} ≈ P*: P*_{kind} over P*",
                    place="Eq. 8, section 5",
                    **(TOGETHER if regime == "feature" else UNKNOWN_FACTOR),
                    measure=Mean(
                        "ratio", scale="log", where={regime: True}, rows=onsets.given(kind=kind),
                        **CURVES,
                    ),
                )
                for regime, words in WORDS.items()
            ),
            *(
                onset(
                    f"{kind.lower()}-fall-{regime}",
                    f"{words}: {kind}_2 at the largest P over {kind}_2 before training",
                    place="section 5",
                    measure=Mean(
                        "ratio", scale="ratio", where={"kind": kind, regime: True}, rows=changes,
                        **CURVES,
                    ),
                )
                for regime, words in WORDS.items()
            ),
        )
    ),
    kernel(
        "kernel-at-end",
        "Kernel at the end minus network, all α̃: size of the difference of test errors",
        **SAME_ERROR, measure=OF_KERNEL("size", where={"kernel": "end", "unlearnt": True}),
    ),
    kernel(
        "kernel-at-start-lazy",
        "Kernel at initialisation minus network, largest α̃: size of the difference of test errors",
        **SAME_ERROR,
        measure=OF_KERNEL("size", where={"kernel": "initial", "unlearnt": True, "lazy": True}),
    ),
    kernel(
        "kernel-at-start-feature",
        "Kernel at initialisation minus network, smallest α̃: difference of test errors",
        measure=OF_KERNEL("difference", where={"kernel": "initial", "feature": True}),
    ),
    stability(
        "r-before-training", "R_2 before training is of order one",
        place="thesis, chapter 4, Fig. 3", expected=Factor(1, within=3),
        why="×3, ours: from 0.3 to 3 counts as order one",
        measure=OF_R("log_before", where={"kind": "R", "feature": True}),
    ),
    *(
        stability(
            f"r-change-{regime}", f"{words}: R_2 at the largest P over R_2 before training",
            place="thesis, chapter 4, Fig. 3 and 6", **UNKNOWN_FACTOR,
            measure=OF_R("log_change", where={"kind": "R", regime: True}),
        )
        for regime, words in WORDS.items()
    ),
    *(
        stability(
            f"error-and-{name}", f"correlation of log ε and log {kind}_2 over all cells",
            place=f"thesis, chapter 4, {figure}",
            measure=partial(error_and_stability, kind=kind),
        )
        for kind, name, figure in (
            ("R", "r", "Fig. 5"), ("D", "d", "Fig. 15"), ("1/G", "g", "Fig. 16")
        )
    ),
)  # fmt: skip

CLAIMS = after_a_look(
    STATED,
    {
        "sgd-agrees kernel-at-end kernel-at-start-lazy":
            "the size of differences, with an upper bound; before signed means within 0.05 of 0",
        "empty-places-*-lazy empty-places-fcn-feature":
            "P* above a tenth of the data is left out; the interval by vocabularies",
    },
)  # fmt: skip
