"""What tolerance, the subtraction of f_0, and biases change (chapter 3a, appendices G, I, J).

Letters of the thesis: h width, alpha scale of F, alpha_tilde = sqrt(h) alpha, f_0 initial output.
"""

from functools import partial

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.averaging import averaged, means
from srhm.figures.drawing import styled
from srhm.figures.families import ALPHA_TILDE
from srhm.figures.looks import BLUE, ORANGE, Look
from srhm.figures.marks import power
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Panel, level
from srhm.figures.scales import Scale, by_name, graded
from srhm.studies.early_dynamics.analysis import (
    FINE,
    MOMENTA,
    OURS,
    THESIS,
    momentum_pairs,
    of_kind,
    over_data_sets,
    tolerance_pairs,
    variances,
    with_kinds,
)

STEPS = {
    f"{coarse:g} {fine:g}": Look(f"${power(coarse)}$ to ${power(fine)}$", tint)
    for coarse, fine, tint in ((OURS, THESIS, ORANGE), (THESIS, FINE, BLUE))
}
TAUS = {
    at: Look(f"$\\tau={power(at)}\\sqrt{{h}}\\,\\alpha$", tint)
    for at, tint in zip(MOMENTA, (ORANGE, BLUE), strict=True)
}
KINDS = {
    "plain": Look("$\\alpha\\,(f-f_0)$", line="-"),
    "whole": Look("$\\alpha f$", line="--"),
    "biased": Look("with biases", line=":"),
}
INTERVAL = "95 % interval (Student $t$ over data sets)"
average = partial(averaged, average=over_data_sets)


@styled
def draw(
    cells: pd.DataFrame, ensembles: pd.DataFrame, outputs: pd.DataFrame, *, preset: str
) -> Figure:
    """Tolerance, momentum, F = alpha f, biases. Left: output, error; right: time, Var F."""
    plain = of_kind(cells, "plain")
    if plain.empty or ensembles.empty or outputs.empty:
        return mosaic([], columns=2, preset=preset)
    widths = graded("width", plain["width"], "Width $h$")
    spread = variances(cells, ensembles)
    spread = spread.assign(scaled=spread["width"] * spread["variance"])
    members = plain.groupby(["width", "alpha_tilde", "seed"]).size()
    return mosaic([
        *_tolerances(cells, outputs),
        *_momenta(cells, outputs),
        *_compared(with_kinds(cells), spread, "whole", Axis("$\\alpha$", log=True), widths),
        *_compared(with_kinds(cells), spread, "biased", Axis(ALPHA_TILDE, log=True), widths),
    ], columns=2, preset=preset, notes=[
        f"digits, FCN, softplus, L = 3, P = {plain['P'].iloc[0]}: {plain['seed'].nunique()} data"
        f" sets of {members.max()} networks at each point; of tolerances and of the output one"
        " network each."
    ])  # fmt: skip


def _tolerances(cells: pd.DataFrame, outputs: pd.DataFrame) -> list[Panel]:
    """Relative change of F, and evaluations, of a hundredth of the tolerance."""
    rows = pd.concat([
        tolerance_pairs(cells, outputs, coarse=a, fine=b).assign(step=f"{a:g} {b:g}")
        for a, b in ((OURS, THESIS), (THESIS, FINE))
    ]).assign(status="fitted")  # fmt: skip
    steps = by_name("step", rows["step"], STEPS, "Tolerance")
    return [
        Panel(title=f"a hundredth of the tolerance: {what}", x=Axis(ALPHA_TILDE, log=True),
              y=Axis(label, log=True), marks=[
            means(average(rows, column, at="alpha_tilde", by=["step"], logarithmic=True),
                  "alpha_tilde", [steps], name=column, bar_label=INTERVAL),
            level(limit, "thesis: below $10^{-3}$ (A), 2 (B)", name="thesis", line="--"),
        ])
        for column, what, label, limit in (
            ("difference", "change of $F$", "$\\|F-F'\\|/\\|F'\\|$", 1e-3),
            ("evaluations", "evaluations, ratio", "finer over coarser", 2.0),
        )
    ]  # fmt: skip


def _momenta(cells: pd.DataFrame, outputs: pd.DataFrame) -> list[Panel]:
    """Relative change of F, and evaluations, with momentum over without."""
    rows = momentum_pairs(cells, outputs)
    if rows.empty:
        return []
    rows = rows.assign(status="fitted")
    taus = by_name("momentum_time", rows["momentum_time"], TAUS, "Momentum")
    panels: list[Panel] = []
    for column, what, label in (
        ("difference", "change of $F$", "$\\|F-F'\\|/\\|F'\\|$"),
        ("evaluations", "evaluations, ratio", "with over without"),
    ):
        own = rows.dropna(subset=column)
        if own["alpha_tilde"].nunique() < 2:
            continue
        averages = average(own, column, at="alpha_tilde", by=["momentum_time"], logarithmic=True)
        marks = means(averages, "alpha_tilde", [taus], name=column, bar_label=INTERVAL)
        panels.append(Panel(title=f"momentum: {what}", x=Axis(ALPHA_TILDE, log=True),
                            y=Axis(label, log=True), marks=[marks]))  # fmt: skip
    return panels


def _compared(
    cells: pd.DataFrame, spread: pd.DataFrame, kind: str, x: Axis, widths: Scale
) -> list[Panel]:
    """Test error and variance of networks of a kind and of the plain ones, of widths of both."""
    kinds = by_name("kind", (kind, "plain"), KINDS, "Network")
    at = "alpha" if kind == "whole" else "alpha_tilde"
    shared = set(cells.loc[cells["kind"] == kind, "width"])
    panels: list[Panel] = []
    for rows, y, text, axis in (
        (cells, "test_error", "test error", Axis("test error $\\varepsilon$")),
        (spread, "scaled", "variance", Axis("$h$ Var $F$", log=True)),
    ):
        own = rows[rows["kind"].isin(kinds.looks) & rows["width"].isin(shared)]
        points = average(own, y, at=at, by=["width", "kind"], logarithmic=y == "scaled")
        panels.append(Panel(
            title=f"{text}: {KINDS[kind].label}", x=x, y=axis,
            marks=[means(points, at, [widths, kinds], name=text, bar_label=INTERVAL)],
        ))  # fmt: skip
    return panels
