"""Sensitivities S_{k,l} of the tokens after each stage, against the number of training points.

Letters of the paper: P training points, L depth, k stage, l level of the exchanged synonyms.
"""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Panel, level
from srhm.figures.scales import Scale, parted
from srhm.studies.level_by_level.analysis import LEAST_GAP
from srhm.studies.level_by_level.figures.parts import LEVELS, line_of, means

BELOW = Scale(column="below", looks={
    False: Look("$k \\geq l$", line="-", filled=True), True: Look("$k<l$", line=":", filled=False),
})  # fmt: skip


@styled
def draw(cells: pd.DataFrame, sensitivities: pd.DataFrame, *, preset: str) -> Figure:
    """A panel for each level l of the deepest grammar that was measured; a line for each stage k.

    Means over weakly identifiable grammars, with their standard error.
    """
    columns = ["key", "net", "L", "v", "m", "n_c", "s0", "P", "seed", "gap"]
    rows = sensitivities[sensitivities["kind"] == "S"].merge(cells[columns], on="key")
    rows = rows[(rows["gap"] >= LEAST_GAP) & (rows["s0"] == 0) & (rows["net"] == "shared")]
    for name in ("L", "v", "m"):
        rows = rows[rows[name] == rows[name].max()]
    depth = int(rows["L"].max()) if len(rows) else 1
    looks = {k: Look(f"after stage $k={k}$" if k < depth else "predicted class", LEVELS[k])
             for k in range(1, depth + 1)}  # fmt: skip
    stages = Scale(column="k", looks=looks)
    panels = [
        Panel(
            title=f"synonyms of level $l={of}$", x=Axis("training points $P$", log=True),
            y=Axis("sensitivity $S_{k,l}$", limits=(-0.05, 1.3)),
            marks=[line_of(means(own.assign(below=own["k"] < own["l"]), ["k", "below"], "P",
                                 "value"), "P", [stages, BELOW], name=f"S l={of}"),
                   level(1, "nothing is learnt")],
        )
        for of, own in parted(rows[rows["l"] <= depth], "l")
    ]  # fmt: skip
    return mosaic(panels, columns=depth, preset=preset, share="y", notes=_notes(rows))


def _notes(rows: pd.DataFrame) -> list[str]:
    if rows.empty:
        return []
    one = rows.iloc[0]
    grammar = ", ".join(f"{name} = {one[name]}" for name in ("L", "v", "m", "n_c"))
    n = rows["seed"].nunique()
    return [f"{grammar}; {n} grammars that are weakly identifiable; bars: standard error."]
