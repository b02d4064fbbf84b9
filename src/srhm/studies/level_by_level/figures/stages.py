"""Sensitivities S_{k,l} of the tokens after each stage, against the number of training points.

Letters of the paper: P training points, L depth, k stage, l level of the exchanged synonyms.
"""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, line
from srhm.studies.level_by_level.analysis import LEAST_GAP
from srhm.studies.level_by_level.figures.parts import LEVEL_HUES, band, label_logarithmic

ROW = 2.3  # inches, with titles and labels


@styled
def draw(cells: pd.DataFrame, sensitivities: pd.DataFrame, *, preset: str) -> Figure:
    """A panel for each level l of the deepest grammar that was measured; a line for each stage k.

    Means over weakly identifiable grammars, with their standard error.
    """
    columns = ["key", "net", "L", "v", "m", "n_c", "s0", "P", "seed", "gap"]
    rows = sensitivities[sensitivities["kind"] == "S"].merge(cells[columns], on="key")
    rows = rows[rows["gap"] >= LEAST_GAP]
    rows = rows[(rows["s0"] == 0) & (rows["net"] == "shared")]
    rows = rows[rows["L"] == rows["L"].max()]
    rows = rows[rows["v"] == rows["v"].max()]
    rows = rows[rows["m"] == rows["m"].max()]
    depth = int(rows["L"].max()) if len(rows) else 1
    figure, page = laid_out_page(ROW, preset=preset, foot=_foot(rows))
    boxes = page.subplots(1, depth, squeeze=False, sharey=True)[0]
    for place, axes in enumerate(boxes):
        level = place + 1
        axes.set_xlabel("training points $P$")
        if rows.empty:
            empty_panel(axes, f"not in preset {preset}")
            continue
        panel_title(axes, "ABCDEFGH"[place], f"synonyms of level $l={level}$")
        for k in range(1, depth + 1):
            own = rows[(rows["k"] == k) & (rows["l"] == level)]
            band(axes, own, "P", "value", tint=LEVEL_HUES[k - 1], style="-" if k >= level else ":",
                 face=None if k >= level else "white", name=f"S k={k} l={level}")  # fmt: skip
        axes.axhline(1, color=GUIDE, linewidth=0.8, linestyle=":", zorder=1)
        axes.set(xscale="log")
        label_logarithmic(axes)
    boxes[0].set_ylabel("sensitivity $S_{k,l}$")
    if len(rows):
        boxes[0].set_ylim(-0.05, 1.3)
        add_legends(page, [("", _handles(depth))])
    return figure


def _handles(depth: int) -> list[Line2D]:
    names = [f"after stage $k={k}$" for k in range(1, depth)] + ["predicted class"]
    tints = LEVEL_HUES[:depth]
    handles = [line(name, color=tint) for name, tint in zip(names, tints, strict=True)]
    handles.append(line("$k<l$", color="0.3", linestyle=":"))
    return handles


def _foot(rows: pd.DataFrame) -> list[str]:
    if rows.empty:
        return []
    one = rows.iloc[0]
    grammar = ", ".join(f"${name} = {one[name]}$" for name in ("L", "v", "m", "n_c"))
    n = rows["seed"].nunique()
    return [f"{grammar}; {n} grammars that are weakly identifiable; bands: standard error."]
