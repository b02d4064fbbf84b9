"""Loss against the time of gradient flow, plain and divided by sqrt(h) alpha (chapter 3a, Fig. 5b).

Letters of the thesis: h width, alpha_tilde = sqrt(h) alpha, t time of dw/dt = -grad Loss, where
Loss is the mean of l divided by alpha^2. Drawn is the mean of l.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, panel_title, styled
from srhm.figures.families import (
    LETTERS,
    decades,
    rows_of_panels,
    tilde_colours,
    title,
)
from srhm.figures.marks import line, power
from srhm.statistics.output_scale import families

ROW = 2.6  # inches
STYLES = {"narrow": ":", "wide": "-"}


@styled
def draw(cells: pd.DataFrame, histories: pd.DataFrame, *, preset: str) -> Figure:
    """For each family with histories: loss against t, and against t/alpha_tilde.

    cells, histories: rows of FLOW_CELLS and HISTORIES of the study. A line for each alpha_tilde at
    the narrowest and at the widest h that keep histories: member 0 of seed 0.
    """
    known = set(histories["key"])
    kept = [one for one in families(cells, study="lazy_feature") if known & set(one.cells["key"])]
    figure, page, panels = rows_of_panels(kept, len(kept), 2, row=ROW, preset=preset)
    colours = tilde_colours(kept)
    letters = iter(LETTERS)
    for family, (plain, scaled) in zip(kept, panels, strict=True):
        own = family.cells[family.cells["key"].isin(known)]
        own = own[(own["member"] == 0) & (own["seed"] == own["seed"].min())]
        ends = {"narrow": own["width"].min(), "wide": own["width"].max()}
        for name, width in ends.items():
            for _, cell in own[own["width"] == width].iterrows():
                rows = histories[histories["key"] == cell["key"]]
                tilde = float(cell["alpha_tilde"])
                for axes, unit in ((plain, 1.0), (scaled, tilde)):
                    _line(axes, rows, unit, colours[tilde], STYLES[name], f"{width} {tilde:g}")
        panel_title(plain, next(letters), title(family))
        panel_title(scaled, next(letters), f"dotted $h={ends['narrow']}$, full $h={ends['wide']}$")
        _finish(plain, scaled)
    tildes = [line(f"${power(a)}$", color=tint) for a, tint in colours.items()]
    styles = [line(f"{word} $h$ of a row", color="0.3", linestyle=s) for word, s in STYLES.items()]
    add_legends(page, [("$\\tilde\\alpha$", tildes), ("Lines", styles)])
    return figure


def _line(axes: Axes, rows: pd.DataFrame, unit: float, tint: object, style: str, gid: str) -> None:
    own = rows[rows["time"] > 0]
    axes.plot(own["time"] / unit, own["mean_loss"], linestyle=style, color=tint, linewidth=1.0,
              gid=gid)  # fmt: skip


def _finish(plain: Axes, scaled: Axes) -> None:
    labels = ("time $t$", "$t/(\\sqrt{h}\\,\\alpha)$")
    for axes, label in zip((plain, scaled), labels, strict=True):
        axes.set(xscale="log", xlabel=label, ylim=(-0.03, 1.25))
        low, high = axes.get_xlim()
        if np.isfinite([low, high]).all() and high / low > 100:
            decades(axes, "x", [low, high])
    plain.set_ylabel("mean of $\\ell$ (training)")
