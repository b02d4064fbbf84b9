"""Learning curves: digits in two regimes, stripes with their inputs compressed (chapter 3b)."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from srhm.figures.architecture_marks import wrapped
from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.families import ABSENT, draw_averages, protocol
from srhm.figures.marks import GUIDE, few_ticks, line, marker
from srhm.statistics.output_scale import averages, families, fitted_in
from srhm.studies.phase_diagram.analysis import DIGITS, PATCHES, STRIPE, of_kind

# Regimes of networks, and what the kernel before training learns of.
TINTS = {
    name: to_rgb(colour)
    for name, colour in (
        ("feature", "#D55E00"),
        ("lazy", "#0072B2"),
        ("whole", "#56B4E9"),
        ("compressed", "#009E73"),
    )
}
WORDS = {
    "feature": "network, feature: $\\tilde\\alpha=0.1$",
    "lazy": "network, lazy: $\\tilde\\alpha=10^3$",
    "whole": "$\\Theta_0$, inputs as they are",
    "compressed": "$\\Theta_0$ of $(x_\\parallel, x_\\perp/\\Lambda)$",
}


@styled
def draw(cells: pd.DataFrame, compressed: pd.DataFrame, *, preset: str) -> Figure:
    """A digits, B with a CNN; C stripes, networks and frozen flows; D, support vector machines.

    cells, compressed: rows of FLOW_CELLS and COMPRESSED of the study.
    """
    digits, patches, stripes = (of_kind(cells, kind) for kind in (DIGITS, PATCHES, STRIPE))
    all_of_them = pd.concat([digits, patches, stripes])
    shown = families(all_of_them, study="phase_diagram") if len(all_of_them) else []
    last = {(one.data, one.net): one for one in shown}  # a line for each kind, of its largest P
    foot = wrapped([protocol(one) for one in last.values()])
    figure, page = laid_out_page(4.2, preset=preset, foot=foot)
    if digits.empty or stripes.empty or compressed.empty:
        empty_panel(page.subplots(), ABSENT)
        return figure
    first, second, flow, machine = panels = page.subplots(2, 2).ravel()
    for axes, cells_of in ((first, digits), (second, patches), (flow, stripes)):
        for name in ("feature", "lazy"):
            fitted = fitted_in(cells_of, lazy=name == "lazy")
            points = averages(fitted, "test_error", by="P", logarithmic=True)
            if len(points):
                draw_averages(axes, points, "P", TINTS[name], gid=f"network {name}")
    known = compressed.rename(columns={"test_error": "flow_error"})
    columns = ["key", "P", "seed"]
    known = known.merge(stripes[columns][stripes["status"] == "fitted"], on="key")
    for axes, column in ((flow, "flow_error"), (machine, "svm_error")):
        for inputs, rows in known.groupby("inputs"):
            own = rows if column == "flow_error" else rows.assign(status="")
            points = averages(own, column, by="P", logarithmic=True)
            draw_averages(axes, points, "P", TINTS[str(inputs)], gid=f"{column} {inputs}")
        d = float(stripes["n_inputs"].iloc[0])
        for share in (0.0, 0.5):
            _guide(axes, known, column, -(d + share * (d - 1)) / (3 * d - 2))
    for slope in (-1 / 2, -1 / 3):
        _guide(second, patches, "test_error", slope)
    titles = ("digits, FCN", "digits, CNN", "stripes, gradient flow", "stripes, widest margin")
    for axes, letter, title in zip(panels, "ABCD", titles, strict=True):
        panel_title(axes, letter, title)
        if not axes.lines:
            empty_panel(axes, ABSENT)
            continue
        axes.set(xscale="log", yscale="log", xlabel="training points $P$",
                 ylabel="test error $\\varepsilon$")  # fmt: skip
        for axis, ends in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            if ends[1] / ends[0] < 100:
                few_ticks(axis, *ends)
    handles = [line(WORDS[name], color=tint, marker="o", markersize=3.6)
               for name, tint in TINTS.items()]  # fmt: skip
    guides = [
        line(
            "B: slopes of the thesis, −1/2 and −1/3;\nC, D: of theory, $-d/(3d-2)$ and"
            " $-(d+(d-1)/2)/(3d-2)$",
            color=GUIDE,
            linestyle="--",
        ),
        marker("|", "95 % interval (Student $t$)", markersize=8),
        marker("o", "open: a kernel's flow was capped"),
    ]
    add_legends(page, [("", handles), ("", guides)])
    return figure


def _guide(axes: Axes, rows: pd.DataFrame, column: str, slope: float) -> None:
    """A line of the expected slope below the points, not fitted."""
    used = rows[rows[column] > 0]
    if used.empty:
        return
    x = np.log(used["P"].to_numpy(dtype=float))
    ends = np.array([x.min(), x.max()])
    low = np.log(used[used["P"] == used["P"].min()][column].min())
    axes.plot(np.exp(ends), 0.8 * np.exp(low + slope * (ends - ends[0])), color=GUIDE,
              linewidth=0.9, linestyle="--", gid=f"guide {slope:.4f}")  # fmt: skip
