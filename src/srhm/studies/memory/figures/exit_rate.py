"""Columns of confidence: the best exit rate against r."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, Colour, line, marker, patch
from srhm.studies.memory import theory
from srhm.studies.memory.figures.marks import ABSENT, ROW, groups, tints
from srhm.studies.memory.selection import of_experiment

SHAPES = ("o", "s", "^", "D")


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A: the best exit rate eps against r; B: the same over Eq. 6 (mended), one mu a marker.

    Lines of A: Eq. 6 at the first mu; dotted: sqrt(2 r/(1 - mu^2)), Eq. 23, for many states.
    """
    best = of_experiment(cells, "columns")
    best = best[best["size"] > 1]
    figure, part = laid_out_page(ROW, preset=preset)
    panels = part.subplots(1, 2)
    panel_title(panels[0], "A", "best exit rate")
    panel_title(panels[1], "B", "over Eq. 6")
    if best.empty:
        for axes in panels:
            empty_panel(axes, ABSENT)
        return figure
    of_size = tints(best["size"].astype(int))
    values = sorted(set(best["mu"]))
    shapes = {mu: SHAPES[i % len(SHAPES)] for i, mu in enumerate(values)}
    first = min(values)
    for (size, mu), own in groups(best, ["size", "mu"]):
        tint, shape, name = of_size[int(size)], shapes[mu], f"{int(size)} {mu:g}"
        face = tint if mu == first else "white"
        dots = {"color": tint, "markersize": 3.5, "markerfacecolor": face, "linestyle": ""}
        panels[0].plot(own["r"], own["exit_rate"], shape, **dots, gid=f"best {name}")
        panels[1].plot(own["r"], own["exit_rate"] / own["exit_rate_limit"], shape, **dots,
                       gid=f"ratio {name}")  # fmt: skip
    _predicted(panels[0], best, of_size, first)
    panels[1].axhline(1, color=GUIDE, linewidth=0.8, gid="1")
    panels[0].set(xscale="log", yscale="log", ylabel="exit rate $\\varepsilon$")
    panels[1].set(xscale="log", ylabel="$\\varepsilon$ over Eq. 6")
    for axes in panels:
        axes.set_xlabel("probability of a reset $r$")
    add_legends(part, [
        ("$M$", [patch(f"${size}$", tint) for size, tint in of_size.items()]),
        ("$\\mu$", [marker(shapes[mu], f"${mu:g}$",
                           markerfacecolor="0.3" if mu == first else "white") for mu in values]),
        ("", [line(f"Eq. 6, $\\mu = {first:g}$", color="0.3"),
              line("Eq. 23, many states", color=GUIDE, linestyle=":")]),
    ])  # fmt: skip
    return figure


def _predicted(axes: Axes, best: pd.DataFrame, of_size: dict[float, Colour], mu: float) -> None:
    resets = np.geomspace(best["r"].min(), best["r"].max(), 50)
    for size, tint in of_size.items():
        rates = [theory.exit_rate(int(size), mu, r) for r in resets]
        axes.plot(resets, rates, color=tint, linewidth=0.8, gid=f"Eq. 6 {size}")
    many = [theory.exit_rate_of_many(mu, r) for r in resets]
    axes.plot(resets, many, color=GUIDE, linestyle=":", gid="Eq. 23")
