"""Norm of the output and training error near jamming (thesis, chapter 2b, figures 2B and 7)."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, few_ticks, line
from srhm.studies.fluctuations import analysis

TINTS = dict(zip(analysis.TIMES, ("#56B4E9", "#E69F00", "#0072B2"), strict=True))
STYLE = {"markersize": 3, "linewidth": 1.0}


@styled
def draw(
    cells: pd.DataFrame, histories: pd.DataFrame, fluctuations: pd.DataFrame, *, preset: str
) -> Figure:
    """A: f^2 against N; B: against N/N* - 1, by time; C: training error against N."""
    rows = analysis.by_seed(cells, histories, fluctuations)
    table, (N_star, h_star) = analysis.by_width(rows), analysis.threshold(cells)
    part = analysis.near(table, "norm", h_star)
    slope, fitted = analysis.divergence(part["N"], part["norm"])
    foot = [f"{rows['n'].sum():g} networks, {rows['seed'].nunique()} seeds; N* of jamming"
            f" {N_star:.3g}, fitted with the slope {slope:.2f} of B: {fitted:.3g}"]  # fmt: skip
    figure, page = laid_out_page(2.3, preset=preset, foot=foot if len(rows) else [])
    boxes = page.subplots(1, 3)
    for axes, letter, title in zip(boxes, "ABC", ("norm", "beyond $N^*$", "fit"), strict=True):
        panel_title(axes, letter, title)
        if rows.empty:
            empty_panel(axes, "not in this preset")
    if rows.empty:
        return figure
    size, distance, fits = boxes
    for time, tint in TINTS.items():
        then = analysis.norms_at(cells, histories, time).groupby("N")["norm"].mean()
        beyond = then[then.index > fitted]
        size.plot(then.index, then, color=tint, linewidth=0.9, gid=f"size {time}")
        distance.plot(beyond.index / fitted - 1, beyond, "o-", color=tint, **STYLE,
                      gid=f"time {time}")  # fmt: skip
    x = part["N"] / fitted - 1
    guide = part["norm"].max() * (x / x.min()) ** -2
    distance.plot(x, guide, "--", color=GUIDE, linewidth=0.9, gid="guide")
    for axes, column in ((size, "norm"), (fits, "train_error")):
        axes.plot(table["N"], table[column], "o-", color="0.2", **STYLE, gid=column)
        axes.axvline(N_star, color="0.6", linewidth=0.8, linestyle=":", zorder=1, gid="N*")
        axes.set(xscale="log", xlabel="number of weights $N$")
    size.set(yscale="log", ylabel=r"$\|f\|^2$")
    distance.set(xscale="log", yscale="log", ylabel=r"$\|f\|^2$, training points",
                 xlabel="$N/N^*-1$, $N^*$ fitted")  # fmt: skip
    distance.set_ylim(bottom=float(table["norm"].min()) / 2)
    few_ticks(distance.yaxis, *distance.get_ylim())
    fits.set_ylabel("misclassified training points")
    add_legends(page, [
        ("", [line("end, training and test points (A)", color="0.2", marker="o", **STYLE),
              line("slope $-2$ (B)", color=GUIDE, linestyle="--"),
              line("$N^*$ (A, C)", color="0.6", linestyle=":")]),
        ("", [line(f"after {100 * time:g} % of the training", color=tint)
              for time, tint in TINTS.items()]),
    ])  # fmt: skip
    return figure
