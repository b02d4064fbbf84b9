"""Claims on P* across lazy and feature learning, the onset of the invariances, and stability.

P*_S and P*_D are the sample complexities of the sensitivities S_2 and D_2; R_k = D_k/G_k is the
relative stability of layer k. The paper trains at alpha_tilde = 1; the thesis compares the errors
of both regimes (chapter 3b, figure 8), but has neither P* nor sensitivities. Feature learning is
the smallest alpha_tilde of a net and s_0, lazy learning the largest. Cells trained with SGD, which
check the flow, enter the claim on SGD alone.

Expected numbers and tolerances were fixed before the claims were computed, after a look at the
first networks (s0 = 0, and some of the CNN's at s0 = 1).
"""

from typing import Any

import numpy as np
import pandas as pd

from srhm.figures.selection import at_threshold
from srhm.scorecard.complexity_rows import THRESHOLD, known_stars, of_seeds
from srhm.scorecard.expectations import Below, Factor, Within
from srhm.scorecard.rows import left_out
from srhm.scorecard.sheet import Sheet, rows_of

GRAMMAR = ["net", "L", "s", "s0", "v", "m", "n_c", "sparsity", "width"]
# Below this error two predictors have both learnt, and agree whatever they are.
LEARNT = 0.05


def of_the_flow(table: pd.DataFrame) -> pd.DataFrame:
    """Rows that the flow has trained; `feature` and `lazy`: whether alpha_tilde is an end."""
    flow = table[table["optimiser"] != "sgd"]
    scales = flow.groupby(["net", "s0"])["alpha_tilde"]
    least, most = (flow["alpha_tilde"] == scales.transform(end) for end in ("min", "max"))
    return flow.assign(feature=least, lazy=most)


def of_criterion(complexity: pd.DataFrame, criterion: str) -> pd.DataFrame:
    """P* of the flow; that of the test error is at the main threshold."""
    if criterion == "test_error":
        return of_the_flow(at_threshold(complexity, THRESHOLD))
    return of_the_flow(complexity[complexity["criterion"] == criterion])


@rows_of("sample_complexity", optional=("cells",), what="P*")
def stars(complexity: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """P* of the test error, with `places`, s_0 + 1."""
    rows = of_criterion(complexity, "test_error")
    rows = of_seeds(rows, cells, by=("curve", "alpha_tilde", "optimiser"))
    return known_stars(rows.assign(places=rows["s0"] + 1))


@rows_of("cells", what="points")
def checked(cells: pd.DataFrame) -> pd.DataFrame:
    """`size` of the difference of test errors with SGD and flow: at each P, means over seeds."""
    keys = [*GRAMMAR, "alpha_tilde", "P"]
    means = cells.groupby([*keys, "optimiser"])["test_error"].mean().unstack("optimiser")
    both = means.reindex(columns=["flow", "sgd"]).dropna().reset_index()
    return both[both["flow"] >= LEARNT].assign(size=(both["sgd"] - both["flow"]).abs())


@rows_of("sample_complexity", what="curves")
def onsets(complexity: pd.DataFrame, *, kind: str) -> pd.DataFrame:
    """Curves with P*_S, or P*_D, divided by P*: `ratio`."""
    errors, others = (of_criterion(complexity, name) for name in ("test_error", f"{kind}_2"))
    both = errors.merge(others, on=["curve", "alpha_tilde"], suffixes=("", "_other"))
    ratio = both["P_star_other"] / both["P_star"]
    of_both = {name: both[name] & both[f"{name}_other"] for name in ("feature", "lazy")}
    of_error, of_kind = both["status"], both["status_other"]
    reasons = {
        "in which neither is reached": (of_error == "not_reached") & (of_kind == "not_reached"),
        "censored otherwise": (of_error != "reached") | (of_kind != "reached"),
    }
    return left_out(both.assign(ratio=ratio, **of_both), reasons)


@rows_of("cells", "sensitivities", what="curves")
def before_training(cells: pd.DataFrame, sensitivities: pd.DataFrame) -> pd.DataFrame:
    """Relative stability R_2 at level 1 before training, at a curve's largest P and alpha_tilde.

    `log`: mean of the logarithms over seeds.
    """
    stability = sensitivities.query("layer == '2' and l == 1 and n > 0 and kind == 'R'")
    by = ["curve", "alpha_tilde", "feature", "lazy"]
    rows = of_the_flow(cells)[[*by, "key", "P"]].merge(stability, on=["curve", "key"])
    rows = rows[rows["P"] == rows.groupby(by)["P"].transform("max")]
    rows = rows[(rows["when"] == "initial") & (rows["value"] > 0)]
    return rows.assign(log=np.log(rows["value"])).groupby(by, as_index=False)[["log"]].mean()


@rows_of("cells", "frozen_kernels", what="curves at an α̃")
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
    return points.assign(size=difference.abs(), unlearnt=unlearnt)


HALF_OF_THE_THRESHOLD = "0.05: half of the threshold that defines P*;"
LAW: dict[str, Any] = {
    "fixed": "after",
    "expected": Within(2, 0.35),
    "why": "0.35, as for the same law on the paper's own curves; of lazy learning no source says"
    " anything; changed after seeing results: the interval by clusters of equal v",
}
SAME_ERROR: dict[str, Any] = {
    "fixed": "after",
    "expected": Below(0.05),
    "why": f"{HALF_OF_THE_THRESHOLD} the thesis shows curves that coincide and gives no number",
}

sheet = Sheet()
law = sheet.topic("Lazy and feature learning: P* across α̃", "complexity")
onset = sheet.topic("Lazy and feature learning: onset of the invariances", "onset",
                    place="Eq. 8, section 5", expected=Factor(1, within=1.5),
                    why="×1.5, as for the same claims on the paper's own curves")  # fmt: skip
kernel = sheet.topic("Lazy and feature learning: frozen kernels", "onset",
                     place="thesis, chapter 3a, Fig. 8c, d", **SAME_ERROR)  # fmt: skip
order = sheet.topic("Relative stability R_k = D_k/G_k", "stability")
for net, equation in (("lcn", "Eq. 3"), ("cnn", "Eq. 4")):
    # Both regimes are in Fig. 8; P* across alpha_tilde is a question of ours.
    law(f"empty-places-{net}-feature",
        f"{net.upper()}, feature learning (smallest α̃): exponent of s_0+1 in P*, L = 2",
        stars.slope("P_star", "places", net=net, L=2, feature=True, error="clusters",
                    within=(*(column for column in GRAMMAR if column != "s0"), "seed"),
                    note_columns="alpha_tilde"),
        place=f"{equation}; thesis, chapter 3b, Fig. 8", **LAW)  # fmt: skip
law("sgd-agrees", "Modulus of the difference of the test errors of SGD and gradient flow",
    checked.mean("size"), Below(0.05), f"{HALF_OF_THE_THRESHOLD} there is no number",
    place="ours")  # fmt: skip
for kind in "SD":
    onset(f"{kind.lower()}-onset-feature",
          f"Feature learning (smallest α̃): P*_{kind} divided by P*",
          onsets.given(kind=kind).mean("ratio", scale="log", feature=True,
                                       note_columns="alpha_tilde"))  # fmt: skip
for name, says, where in (
    ("at-end", "All α̃: modulus of test error of the final kernel minus the network's",
     {"kernel": "end"}),
    ("at-start-lazy",
     "Largest α̃: modulus of test error of the first kernel minus the network's",
     {"kernel": "initial", "lazy": True}),
):  # fmt: skip
    kernel(f"kernel-{name}", says,
           frozen.mean("size", per=("curve", "alpha_tilde"), where={**where, "unlearnt": True},
                       note_columns="alpha_tilde"))  # fmt: skip
order("r-before-training", "Relative stability R_2 = D_2/G_2 of layer 2 before training",
      before_training.mean("log", feature=True, note_columns="alpha_tilde"),
      Factor(1, within=3), "×3, ours: from 0.3 to 3 counts as order one",
      place="thesis, chapter 4, Fig. 3")  # fmt: skip

CLAIMS = sheet.finished(
    committed={"sgd-agrees": "2026-11-21, 3920f51e"}, changed={
        "sgd-agrees kernel-at-end kernel-at-start-lazy":
            "the modulus of differences, with an upper bound; before signed means within 0.05 of 0",
    },
)  # fmt: skip
