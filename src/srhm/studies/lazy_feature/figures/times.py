"""Loss against the time of gradient flow, plain and divided by sqrt(h) alpha (chapter 3a, Fig. 5b).

Letters of the thesis: h width, alpha_tilde = sqrt(h) alpha, t time of dw/dt = -grad Loss, where
Loss is the mean of l divided by alpha^2. Drawn is the mean of l.
"""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.families import protocol, tildes_of, title
from srhm.figures.looks import Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel
from srhm.figures.scales import Scale, by_name
from srhm.statistics.output_scale import Family, families

WIDTHS = {"narrow": Look("narrow $h$ of a row", line=":"), "wide": Look("wide", line="-")}
LOSS = Axis("mean of $\\ell$ (training)", limits=(-0.03, 1.25))


@styled
def draw(cells: pd.DataFrame, histories: pd.DataFrame, *, preset: str) -> Figure:
    """For each family with histories: loss against t, and against t/alpha_tilde.

    cells, histories: rows of FLOW_CELLS and HISTORIES of the study. A line for each alpha_tilde at
    the narrowest and at the widest h that keep histories: member 0 of seed 0.
    """
    known = set(histories["key"])
    kept = [one for one in families(cells, study="lazy_feature") if known & set(one.cells["key"])]
    tildes = tildes_of(kept)
    return mosaic(
        [panel for one in kept for panel in _of_family(one, histories, tildes)], columns=2,
        height=2.6, preset=preset, notes=[f"{protocol(one)}." for one in kept],
    )  # fmt: skip


def _of_family(family: Family, histories: pd.DataFrame, tildes: Scale) -> list[Panel]:
    own = family.cells[family.cells["key"].isin(histories["key"])]
    own = own[(own["member"] == 0) & (own["seed"] == own["seed"].min())]
    ends = {own["width"].min(): "narrow", own["width"].max(): "wide"}
    own = own[own["width"].isin(ends)].assign(end=own["width"].map(ends))
    columns = ["key", "width", "alpha_tilde", "end"]
    rows = histories[["key", "time", "mean_loss"]].merge(own[columns], on="key")
    rows = rows[rows["time"] > 0].assign(scaled=rows["time"] / rows["alpha_tilde"])
    widths = by_name("end", rows["end"], WIDTHS)
    narrow, wide = own["width"].min(), own["width"].max()
    return [
        Panel(title=text, x=Axis(label, log=True), y=LOSS, marks=[
            Marks(rows=rows, x=x, y="mean_loss", by=[tildes, widths], each=["key"], marker="",
                  line="-", name=x, sort=False),
        ])
        for text, x, label in (
            (title(family), "time", "time $t$"),
            (f"narrow: $h={narrow}$, wide: $h={wide}$", "scaled", "$t/(\\sqrt{h}\\,\\alpha)$"),
        )
    ]  # fmt: skip
