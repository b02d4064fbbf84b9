"""q against the time of the gradient flow, by start."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, line, power
from srhm.studies.memory.configuration import STARTS_OF
from srhm.studies.memory.figures.marks import (
    ABSENT,
    LETTERS,
    MEMORY_NAMES,
    ROW,
    STARTS,
    groups,
    in_time,
    q_axis,
    seeds_text,
    start_handle,
)
from srhm.studies.memory.selection import of_experiment

PER_ROW = 2


@styled
def draw(cells: pd.DataFrame, history: pd.DataFrame, *, preset: str) -> Figure:
    """A panel for each memory, size, mu and r with several random starts.

    Thin: seeds; thick: their median. Dashed: the best columns of confidence, or necklace policy, at
    this r.
    """
    learnt = of_experiment(cells, "learning")
    where = ["memory", "size", "mu", "r"]
    panels_of = [
        (place, own)
        for place, own in groups(learnt, where)
        if own.loc[own["start"] != "ccp", "start"].nunique() > 1
    ]
    panels_of.sort(key=lambda one: (one[0][0] != "ram", *one[0][1:]))
    n_rows = max(1, -(-len(panels_of) // PER_ROW))
    chosen = pd.concat([own for _, own in panels_of]) if panels_of else learnt.head(0)
    foot = [f"{seeds_text(chosen)}."] if len(chosen) else []
    figure, part = laid_out_page(ROW * n_rows, preset=preset, foot=foot)
    panels = part.subplots(n_rows, PER_ROW, squeeze=False).ravel()
    for axes in panels[max(1, len(panels_of)) :]:
        axes.set_axis_off()
    if not panels_of:
        empty_panel(panels[0], ABSENT)
        return figure
    drawn: list[str] = []
    for i, (axes, ((memory, size, mu, r), own)) in enumerate(zip(panels, panels_of, strict=False)):
        title = f"{MEMORY_NAMES[memory]} ${LETTERS[memory]} = {size}$, $r = {power(r)}$"
        panel_title(axes, "ABCDEFGHIJ"[i], f"{title}, $\\mu = {mu:g}$")
        for start in STARTS_OF[memory]:
            of_start = own[own["start"] == start]
            if len(of_start):
                in_time(axes, of_start, history, STARTS[start], start)
                drawn.append(start)
        kind = "columns" if memory == "ram" else "best_necklaces"
        best = of_experiment(cells, kind)
        best = best[(best["size"] == size) & (best["mu"] == mu) & (best["r"] == r)]
        for q in best["q"]:
            axes.axhline(q, color=GUIDE, linewidth=1, linestyle="--", gid="best")
        q_axis(axes, label=i % PER_ROW == 0)
    legends = [
        (MEMORY_NAMES[memory], [start_handle(start) for start in starts if start in drawn])
        for memory, starts in STARTS_OF.items()
        if memory in set(chosen["memory"])
    ]
    best_line = line("best columns, best necklaces at $r$", color=GUIDE, linestyle="--")
    add_legends(part, [*legends, ("", [best_line])])
    return figure
