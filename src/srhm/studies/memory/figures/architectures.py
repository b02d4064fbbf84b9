"""q against the time of the gradient flow: RAM and Memento of equal memory, random starts."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import line, power
from srhm.studies.memory.figures.marks import (
    ABSENT,
    LETTERS,
    MEMORIES,
    MEMORY_NAMES,
    ROW,
    groups,
    in_time,
    q_axis,
    seeds_text,
)
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
    panels_of = [
        (place, own)
        for place, own in groups(learnt, ["M_eff", "mu", "r"])
        if own["memory"].nunique() == 2
    ]
    chosen = pd.concat([own for _, own in panels_of]) if panels_of else learnt.head(0)
    foot = [f"{seeds_text(chosen)}."] if len(chosen) else []
    figure, part = laid_out_page(ROW, preset=preset, foot=foot)
    panels = part.subplots(1, max(1, len(panels_of)), squeeze=False)[0]
    if not panels_of:
        empty_panel(panels[0], ABSENT)
        return figure
    for i, (axes, ((size, mu, r), own)) in enumerate(zip(panels, panels_of, strict=True)):
        panel_title(axes, "ABCDEFGH"[i], f"$M_\\mathrm{{eff}} = {size}$, $r = {power(r)}$,"
                    f" $\\mu = {mu:g}$")  # fmt: skip
        for memory, tint in MEMORIES.items():
            of_memory = own[own["memory"] == memory]
            in_time(axes, of_memory, history, tint, memory)
            kind = "columns" if memory == "ram" else "best_necklaces"
            best = of_experiment(cells, kind)
            same = best["size"].isin(of_memory["size"]) & (best["mu"] == mu) & (best["r"] == r)
            for q in best.loc[same, "q"]:
                axes.axhline(q, color=tint, linewidth=1, linestyle="--", gid=f"best {memory}")
        q_axis(axes, label=i == 0)
    add_legends(part, [
        (f"{MEMORY_NAMES[name]}, ${LETTERS[name]}$ plays" if name == "memento" else
         f"{MEMORY_NAMES[name]}, ${LETTERS[name]}$ states",
         [line("random starts", color=tint, linewidth=1.6),
          line("best policy known", color=tint, linestyle="--")])
        for name, tint in MEMORIES.items()
    ])  # fmt: skip
    return figure
