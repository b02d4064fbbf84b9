"""Neurons, their alignment with the informative direction, and errors in the stripe model.

Letters of the thesis (chapter 3b, Fig. 9): d inputs, P training points, w first-layer weights, W2
the readout, Lambda = W_par/W_perp.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.architecture_marks import wrapped
from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.families import draw_averages, tilde_colours_of, tilde_handles
from srhm.figures.marks import GUIDE, few_ticks, line, marker, plural
from srhm.statistics.output_scale import averages
from srhm.studies.stripe.analysis import alignments, beta, in_regimes

ABSENT = "not in this preset"
STATES = {"initial": "0.75", "end": "#D55E00"}


@styled
def draw(cells: pd.DataFrame, neurons: pd.DataFrame, *, preset: str) -> Figure:
    """Neurons of one network before and after training; Lambda and the test error against P.

    cells, neurons: rows of FLOW_CELLS and NEURONS of the study, at the smallest d.
    """
    own = cells[cells["n_inputs"] == cells["n_inputs"].min()] if len(cells) else cells
    figure, page = laid_out_page(2.3, preset=preset, foot=wrapped(_protocol(own)))
    found = alignments(own, neurons) if len(own) and len(neurons) else own[:0]
    if found.empty:
        empty_panel(page.subplots(), ABSENT)
        return figure
    plane, ratio, error = page.subplots(1, 3)
    d = int(own["n_inputs"].iloc[0])
    tints = tilde_colours_of(own["alpha_tilde"])
    for tilde, part in found.groupby("alpha_tilde"):
        at, tint = float(str(tilde)), tints[float(str(tilde))]
        for axes, column in ((ratio, "alignment"), (error, "test_error")):
            points = averages(part, column, by="P", logarithmic=True)
            draw_averages(axes, points, "P", tint, gid=f"{column} {at:g}")
    for regime, rows in in_regimes(found).query("status == 'fitted'").groupby("regime"):
        _guide(error, rows, "test_error", -beta(d, lazy=regime == "lazy"))
        if regime == "feature":
            _neurons(plane, rows, neurons)
            _guide(ratio, rows, "alignment", 0.5)
    panel_title(plane, "A", "neurons")
    panel_title(ratio, "B", "alignment")
    panel_title(error, "C", f"learning curves, $d={d}$")
    for axis in "xy":  # neurons grow a thousandfold
        getattr(plane, f"set_{axis}scale")("symlog", linthresh=1.0)
    plane.set_xticks([-1000, -10, 0, 10, 1000], labels=["$-10^3$", "$-10$", "0", "10", "$10^3$"])
    plane.set(xlabel="$w_\\parallel\\,|W_2|$", ylabel="$w_\\perp\\,|W_2|$ (one of them)")
    for axes, label in ((ratio, "alignment $\\Lambda$"), (error, "test error $\\varepsilon$")):
        axes.set(xscale="log", yscale="log", xlabel="training points $P$", ylabel=label)
        for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            if high / low < 100:
                few_ticks(axis, low, high)
    dots = [marker("o", f"neuron, {name}", markerfacecolor=tint, markeredgecolor=tint)
            for name, tint in (("start", STATES["initial"]), ("end", STATES["end"]))]  # fmt: skip
    guides = [
        line("expected slope, not fitted", color=GUIDE, linestyle="--"),
        marker("|", "95 % interval (Student $t$)", markersize=8),
        marker("o", "open: a network or more was capped"),
    ]
    groups = [("$\\tilde\\alpha$ (B, C)", tilde_handles(tints)), ("A", dots), ("B, C", guides)]
    add_legends(page, groups)
    return figure


def _neurons(axes: Axes, feature: pd.DataFrame, neurons: pd.DataFrame) -> None:
    """Each neuron's weights times |W2|, of the first network at the largest P."""
    last = feature[feature["P"] == feature["P"].max()].sort_values(["seed", "member"]).iloc[0]
    mine = neurons[neurons["key"] == last["key"]]
    for when, tint in STATES.items():
        rows = mine[mine["when"] == when]
        weight = rows["readout"].abs()
        axes.plot(rows["parallel"] * weight, rows["second"] * weight, "o", color=tint,
                  markersize=2.6, linestyle="", gid=when)  # fmt: skip


def _guide(axes: Axes, rows: pd.DataFrame, column: str, slope: float) -> None:
    """A line of the expected slope below the geometric mean of the points."""
    used = rows[rows[column] > 0]
    if used.empty:
        return
    P, y = np.log(used["P"].to_numpy(dtype=float)), np.log(used[column].to_numpy(dtype=float))
    ends = np.array([P.min(), P.max()])
    axes.plot(np.exp(ends), 0.8 * np.exp(y.mean() + slope * (ends - P.mean())), color=GUIDE,
              linewidth=0.9, linestyle="--", zorder=1, gid=f"guide {slope:.4f}")  # fmt: skip


def _protocol(cells: pd.DataFrame) -> list[str]:
    """How the networks were trained and how that ended."""
    if cells.empty:
        return []
    first, counts = cells.iloc[0], cells["status"].value_counts()
    ends = ", ".join(f"{n} {word}" for word, n in counts.items())
    sets = cells["seed"].nunique()
    loss = str(first["loss"]).replace("_", " ")
    return [
        f"FCN of one hidden layer, h = {first['width']}, {first['activation']}, biases: {loss},"
        f" {first['optimiser']}, at most {first['budget']:,} gradient evaluations;"
        f" {len(cells)} networks of {sets} {plural('data set', sets)}: {ends}"
    ]
