"""q against the time of the gradient flow, by start."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.marks import power
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Panel, levels
from srhm.figures.scales import by_name, parted
from srhm.studies.memory.figures.marks import SIZES, STARTS, TIME, WORSE, in_time, seeds_text
from srhm.studies.memory.selection import of_experiment


@styled
def draw(cells: pd.DataFrame, history: pd.DataFrame, *, preset: str) -> Figure:
    """A panel for each memory, size, mu and r with several random starts.

    Thin: seeds; thick: their median. Dashed: the best columns of confidence, or necklace policy, at
    this r.
    """
    learnt = of_experiment(cells, "learning")
    starts = by_name("start", learnt["start"], STARTS)
    chosen, panels = [], []
    places = parted(learnt, "memory", "size", "mu", "r")
    for (memory, size, mu, r), own in sorted(places, key=lambda one: one[0][0] != "ram"):
        if own.loc[own["start"] != "ccp", "start"].nunique() < 2:
            continue
        best = of_experiment(cells, "columns" if memory == "ram" else "best_necklaces")
        best = best[(best["size"] == size) & (best["mu"] == mu) & (best["r"] == r)]
        chosen.append(own)
        panels.append(Panel(
            title=f"{SIZES[memory]} = {size}$, $r = {power(r)}$, $\\mu = {mu:g}$", x=TIME, y=WORSE,
            marks=[*in_time(own, history, starts),
                   levels(best, "q", "best columns, best necklaces at $r$", name="best")],
        ))  # fmt: skip
    notes = seeds_text(pd.concat(chosen)) if chosen else []
    return mosaic(panels, columns=2, preset=preset, notes=notes)
