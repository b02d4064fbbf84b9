"""Output, gradient, boundary and test error against N (thesis, chapter 2b, figures 2, 5 and 6)."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, few_ticks, line
from srhm.studies.fluctuations.analysis import FAR, by_seed, by_width, coefficients, threshold

BLUE, RED, GREEN = "#0072B2", "#D55E00", "#009E73"
N = "number of weights $N$"
LEAST = 3e-4  # excess: below it a band is cut off; a test point in six
DELTA, ESTIMATE = r"distance $\delta$", r"$\|f-\bar{f}\|/\|\nabla f\|$"
# Columns, their colours, the name of y, x with its name, title, exponents of the fit.
PANELS = (
    ((("test", BLUE), ("train", RED), ("noise", GREEN)), r"$\|f-\bar{f}\|$", ("N", N),
     "fluctuation: $N^{-1/4}$", (-0.25,)),
    ((("gradient", BLUE),), r"$\|\nabla f\|$", ("N", N), "gradient: $C_0+C_1N^{-1/4}$",
     (0.0, -0.25)),
    ((("single", BLUE),), r"$\varepsilon$", ("delta", DELTA),
     r"error: $\varepsilon_\infty+D_0\delta^2$", (0.0, 2.0)),
    ((("delta", BLUE),), DELTA, ("estimate", ESTIMATE), "distance: linear", (1.0,)),
    ((("excess", BLUE),), r"$\varepsilon-\bar{\varepsilon}$", ("N", N),
     "excess: $E_0N^{-1/2}+E_1N^{-3/4}$", (-0.5, -0.75)),
    ((("single", BLUE), ("early", GREEN), ("ensemble", RED)), "test error", ("N", N),
     r"$\varepsilon_\infty+B_0N^{-1/2}+B_1N^{-3/4}$", (0.0, -0.5, -0.75)),
)  # fmt: skip


@styled
def draw(
    cells: pd.DataFrame, histories: pd.DataFrame, fluctuations: pd.DataFrame, *, preset: str
) -> Figure:
    """A: |f - fbar|; B: |grad f|; C-E: errors and distances; F: single, early stopped, ensemble."""
    rows = by_seed(cells, histories, fluctuations)
    table, (N_star, h_star) = by_width(rows), threshold(cells)
    foot = [
        f"P = {cells['P'].max()}, {rows['seed'].nunique()} seeds, {table['n'].min()} to"
        f" {table['n'].max()} networks a width; N* = {N_star:.3g}"
    ] if len(rows) else []  # fmt: skip
    figure, page = laid_out_page(4.4, preset=preset, foot=foot)
    for axes, letter, (columns, label, x, title, powers) in zip(
        page.subplots(2, 3).ravel(), "ABCDEF", PANELS, strict=True
    ):
        panel_title(axes, letter, title)
        axes.set(xlabel=x[1], ylabel=label)
        if rows.empty:
            empty_panel(axes, "not in this preset")
            continue
        at, of_size = table[x[0]], x[0] == "N"
        for column, colour in columns:
            shown = table[column].where(table[column] > 0)
            axes.plot(at, shown, "o-" if of_size else "o", color=colour, markersize=3,
                      linewidth=1.0, gid=column)  # fmt: skip
            if of_size:
                seeds = rows.groupby("N")[column]
                axes.fill_between(at, seeds.min(), seeds.max(), color=colour, alpha=0.2,
                                  linewidth=0)  # fmt: skip
        used = table[table["width"] >= h_star * (FAR if len(powers) == 1 else 1)]
        _fit(axes, used, x[0], columns[0][0], powers)
        if of_size:
            axes.axvline(N_star, color="0.6", linewidth=0.8, linestyle=":", zorder=1, gid="N*")
        axes.set(xscale="log", yscale="log" if letter in "ADE" else "linear")
        if letter == "D":
            few_ticks(axes.xaxis, *axes.get_xlim())
        elif letter == "E":
            axes.set_ylim(bottom=LEAST)
    add_legends(page, [
        ("A", [line(name, color=c) for name, c in
               (("test points", BLUE), ("training points", RED), ("noise", GREEN))]),
        ("F", [line(name, color=c) for name, c in
               (("single networks", BLUE), ("early stopped", GREEN), ("mean output", RED))]),
        ("Lines", [line("band: range of the seeds", color=BLUE, alpha=0.2, linewidth=4),
                   line("fit (A, D: from $3h^*$, others from $h^*$)", color=GUIDE, linestyle="--"),
                   line("$N^*$", color="0.6", linestyle=":")]),
    ])  # fmt: skip
    return figure


def _fit(axes: Axes, table: pd.DataFrame, x: str, column: str, powers: tuple[float, ...]) -> None:
    """The sum of powers of x that fits."""
    found, at = coefficients(table[x], table[column], powers), np.sort(table[x].to_numpy())
    values = sum(c * at**power for c, power in zip(found, powers, strict=True))
    axes.plot(at, values, "--", color=GUIDE, linewidth=1.0, zorder=4, gid=f"fit {column}")
