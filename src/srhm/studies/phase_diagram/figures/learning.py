"""Learning curves: digits in two regimes, stripes with their inputs compressed (chapter 3b)."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.averaging import INTERVAL, averaged, means
from srhm.figures.drawing import styled
from srhm.figures.families import protocol
from srhm.figures.looks import GREEN, REGIMES, SKY, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, power_law
from srhm.figures.scales import by_name
from srhm.statistics.output_scale import families, fitted_in
from srhm.studies.phase_diagram.analysis import DIGITS, PATCHES, STRIPE, of_kind

# Regimes of networks, and what the kernel before training learns of.
LEARNERS = {
    "feature": Look("network, feature: $\\tilde\\alpha=0.1$", REGIMES["feature"].colour),
    "lazy": Look("network, lazy: $\\tilde\\alpha=10^3$", REGIMES["lazy"].colour),
    "whole": Look("$\\Theta_0$, inputs as they are", SKY),
    "compressed": Look("$\\Theta_0$ of $(x_\\parallel, x_\\perp/\\Lambda)$", GREEN),
}
THEORY = "C, D: theory, $-d/(3d-2)$ and $-(d+(d-1)/2)/(3d-2)$"


@styled
def draw(cells: pd.DataFrame, compressed: pd.DataFrame, *, preset: str) -> Figure:
    """A digits, B with a CNN; C stripes, networks and frozen flows; D, support vector machines.

    cells, compressed: rows of FLOW_CELLS and COMPRESSED of the study.
    """
    digits, patches, stripes = (of_kind(cells, kind) for kind in (DIGITS, PATCHES, STRIPE))
    if digits.empty or stripes.empty or compressed.empty:
        return mosaic([], columns=2, preset=preset)
    shown = families(pd.concat([digits, patches, stripes]), study="phase_diagram")
    last = {(one.data, one.net): one for one in shown}  # a line for each kind, of its largest P
    known = compressed.rename(columns={"test_error": "flow_error", "inputs": "learner"})
    known = known.merge(stripes[["key", "P", "seed"]][stripes["status"] == "fitted"], on="key")
    d = float(stripes["n_inputs"].iloc[0])
    slopes = [-(d + share * (d - 1)) / (3 * d - 2) for share in (0.0, 0.5)]

    def kernels(column: str, rows: pd.DataFrame) -> list[Marks]:
        guides = [_guide(known, column, slope, THEORY) for slope in slopes]
        return [_curves(rows, column, open_label="a kernel's flow was capped"), *guides]

    thesis = "B: the thesis, −1/2 and −1/3"
    titles = ("digits, FCN", "digits, CNN", "stripes, gradient flow", "stripes, widest margin")
    marks = (
        [_networks(digits)],
        [_networks(patches), *(_guide(patches, "test_error", -k, thesis) for k in (1 / 2, 1 / 3))],
        [_networks(stripes), *kernels("flow_error", known)],
        kernels("svm_error", known.assign(status="")),
    )
    return mosaic([
        Panel(title=title, x=Axis("training points $P$", log=True),
              y=Axis("test error $\\varepsilon$", log=True), marks=own)
        for title, own in zip(titles, marks, strict=True)
    ], columns=2, preset=preset, notes=[f"{protocol(one)}." for one in last.values()])  # fmt: skip


def _networks(cells: pd.DataFrame) -> Marks:
    """Errors of fitted networks in both regimes."""
    rows = pd.concat([
        fitted_in(cells, lazy=lazy).assign(learner=name)
        for name, lazy in (("feature", False), ("lazy", True))
    ])  # fmt: skip
    return _curves(rows, "test_error", name="network")


def _curves(rows: pd.DataFrame, column: str, *, name: str = "", open_label: str = "") -> Marks:
    points = averaged(rows, column, at="P", by=["learner"], logarithmic=True)
    return means(points, "P", [by_name("learner", points["learner"], LEARNERS)],
                 name=name or column, bar_label=INTERVAL, open_label=open_label)  # fmt: skip


def _guide(rows: pd.DataFrame, column: str, slope: float, label: str) -> Marks:
    """A line of the expected slope below the points, not fitted."""
    used = rows[rows[column] > 0]
    first = used["P"].min()
    low = 0.8 * used[used["P"] == first][column].min()
    return power_law(used["P"].tolist(), slope, through=(first, low), label=label,
                     name=f"guide {slope:.4f}")  # fmt: skip
