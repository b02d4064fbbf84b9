"""N* against P in time, by depth and by loss; N_Delta/N of SRHM networks with more training."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, few_ticks, line, marker
from srhm.scorecard.jamming import LEAST
from srhm.studies.gaps.analysis import TIMES, hierarchical, star_cells, stars_by_seed, stars_in_time

TINTS = ("#56B4E9", "#0072B2", "#000000")
OTHERS = {
    (2, "quadratic_hinge"): ("#009E73", "v", "$L=2$"),
    (3, "quadratic_hinge"): ("#000000", "o", "$L=3$"),
    (5, "quadratic_hinge"): ("#CC79A7", "s", "$L=5$"),
    (3, "soft_hinge"): ("#D55E00", "D", "$L=3$, soft hinge"),
    (3, "logistic"): ("#0072B2", "^", "$L=3$, cross-entropy"),
}
# Starts of SRHM networks: colour, where they are drawn beside their budget, name.
STARTS = {"gaussian": ("#0072B2", 0.93, "Gaussian"), "orthogonal": ("#D55E00", 1.07, "orthogonal")}


@styled
def draw(cells: pd.DataFrame, histories: pd.DataFrame, *, preset: str) -> Figure:
    """A: N*(P) at three times; B: by depth and loss; C: N_Delta/N of the SRHM by budget."""
    figure, page = laid_out_page(2.3, preset=preset, foot=["a marker for each data set"])
    boxes = page.subplots(1, 3)
    timed, stars = stars_in_time(cells, histories), stars_by_seed(star_cells(cells))
    titles = ("$N^*$ in time, $L=3$", "$N^*$ by depth and loss", "SRHM")
    for axes, letter, title in zip(boxes, "ABC", titles, strict=True):
        panel_title(axes, letter, title)
    for place, (time, tint) in enumerate(zip(TIMES, TINTS, strict=True)):
        own = timed[timed["time"] == time]
        _stars(boxes[0], own, 0.93 + 0.07 * place, tint, "o", f"time {time}")
    for place, ((layers, loss), (tint, symbol, _)) in enumerate(OTHERS.items()):
        own = stars[(stars["hidden_layers"] == layers) & (stars["loss"] == loss)]
        _stars(boxes[1], own, 0.9 + 0.06 * place, tint, symbol, f"{layers} {loss}")
    for axes in boxes[:2]:
        if not axes.lines:
            empty_panel(axes, "no $N^*$ within the widths")
            continue
        P = np.array(axes.get_xlim())
        axes.plot(P, P / 2.9, "--", color=GUIDE, linewidth=0.8, gid="thesis")
        axes.set(xscale="log", yscale="log", xlim=P, xlabel="$P$", ylabel="$N^*$")
        few_ticks(axes.xaxis, *axes.get_xlim())
        few_ticks(axes.yaxis, *axes.get_ylim())
    for start, (tint, shift, _) in STARTS.items():
        marked = hierarchical(cells).query("initialisation == @start")
        for jammed, symbol in ((True, "o"), (False, "x")):
            some = marked[marked["jammed"] == jammed]
            boxes[2].plot(some["budget"] * shift, some["unsatisfied"], symbol, color=tint,
                          markersize=4, markerfacecolor="none",
                          gid=f"jammed {jammed} {start}")  # fmt: skip
    if not any(len(one.get_xydata()) for one in boxes[2].lines):
        empty_panel(boxes[2], "not in this preset")
    else:
        boxes[2].axhline(LEAST, color=GUIDE, linestyle=":", linewidth=0.9)
        boxes[2].set(xscale="log", xlabel="evaluations", ylabel="$N_\\Delta/N$", xlim=(2e3, 5e4))
        few_ticks(boxes[2].xaxis, *boxes[2].get_xlim())
    add_legends(page, [
        ("A", [line(f"after {time:,} evaluations", color=tint, marker="o")
               for time, tint in zip(TIMES, TINTS, strict=True)]),
        ("B", [line(label, color=tint, marker=symbol) for tint, symbol, label in OTHERS.values()]),
        ("", [line("$N=P/2.9$ (A, B)", color=GUIDE, linestyle="--"),
              line("bar: widest jammed, next wider", color="0.3"),
              *[marker("o", f"jammed, {text} start (C; cross: not)", markeredgecolor=tint)
                for tint, _, text in STARTS.values()],
              line("$N_\\Delta=N/4$ (C)", color=GUIDE, linestyle=":")]),
    ])  # fmt: skip
    return figure


def _stars(axes: Axes, rows: pd.DataFrame, shift: float, tint: str, symbol: str, name: str) -> None:
    for _, row in rows[rows["status"] == "reached"].iterrows():
        x = row["P"] * shift * 1.015 ** row["seed"]
        axes.plot([x, x], [row["N_low"], row["N_high"]], color=tint, linewidth=0.8)
        axes.plot(x, row["N_star"], symbol, color=tint, markersize=3.5, gid=name)
