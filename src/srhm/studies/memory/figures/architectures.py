"""q against the time of the gradient flow: RAM and Memento of equal memory, random starts."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.marks import power
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Panel, levels
from srhm.figures.scales import by_name, parted
from srhm.studies.memory.figures.marks import MEMORIES, TIME, WORSE, in_time, seeds_text
from srhm.studies.memory.selection import effective_memory, of_experiment


@styled
def draw(cells: pd.DataFrame, history: pd.DataFrame, *, preset: str) -> Figure:
    """A panel for each M_eff, mu and r at which both memories learn from random starts.

    Thin: seeds; thick: their median. Dashed: the best columns of confidence and necklace policy at
    this r, in the colour of their memory.
    """
    learnt = of_experiment(cells, "learning")
    learnt = learnt[learnt["start"] == "random"]
    learnt = learnt.assign(M_eff=effective_memory(learnt))
    memories = by_name("memory", learnt["memory"], MEMORIES)
    best = pd.concat([of_experiment(cells, "columns"), of_experiment(cells, "best_necklaces")])
    chosen, panels = [], []
    for (size, mu, r), own in parted(learnt, "M_eff", "mu", "r"):
        if own["memory"].nunique() < 2:
            continue
        known = best.merge(own[["memory", "size", "mu", "r"]].drop_duplicates())
        chosen.append(own)
        panels.append(Panel(
            title=f"$M_\\mathrm{{eff}} = {size}$, $r = {power(r)}$, $\\mu = {mu:g}$",
            x=TIME, y=WORSE,
            marks=[*in_time(own, history, memories),
                   levels(known, "q", "best policy known", by=[memories], name="best")],
        ))  # fmt: skip
    notes = seeds_text(pd.concat(chosen)) if chosen else []
    return mosaic(panels, columns=max(1, len(panels)), preset=preset, notes=notes)
