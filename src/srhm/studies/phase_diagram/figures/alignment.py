"""Labels along the first eigenvectors of the tangent kernel, before and after (chapter 3b)."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.families import ABSENT
from srhm.figures.marks import line
from srhm.statistics.output_scale import fitted_in
from srhm.studies.phase_diagram.analysis import DIGITS, PATCHES, STRIPE, of_kind

LINES = {
    "before training": ("initial", False, "0.45", "o"),
    "after, feature ($\\tilde\\alpha=0.1$)": ("end", False, "#D55E00", "s"),
    "after, lazy ($\\tilde\\alpha=10^3$)": ("end", True, "#0072B2", "^"),
}
NAMES = {"stripes": STRIPE, "digits, FCN": DIGITS, "digits, CNN": PATCHES}
LABELS = {"omega": "part of labels $\\omega_\\rho$", "information": "$I(\\phi_\\rho; y)$ (nats)"}


@styled
def draw(cells: pd.DataFrame, alignment: pd.DataFrame, *, preset: str) -> Figure:
    """Columns: omega and mutual information of each eigenvector; rows: stripes, digits by net.

    cells, alignment: rows of FLOW_CELLS and ALIGNMENT of the study. Means over the fitted networks
    at the largest P, bars from the least to the most.
    """
    kinds = {name: of_kind(cells, kind) for name, kind in NAMES.items()}
    kinds = {name: own[own["P"] == own["P"].max()] for name, own in kinds.items() if len(own)}
    figure, page = laid_out_page(1.6 * max(len(kinds), 1) + 0.4, preset=preset)
    if not kinds or alignment.empty:
        empty_panel(page.subplots(), ABSENT)
        return figure
    panels = page.subplots(len(kinds), 2, sharex=True, squeeze=False)
    letters = iter("ABCDEF")
    for row, (name, own) in zip(panels, kinds.items(), strict=True):
        for axes, (column, label) in zip(row, LABELS.items(), strict=True):
            for when, lazy, tint, symbol in LINES.values():
                keys = fitted_in(own, lazy=lazy)["key"]
                rows = alignment[alignment["key"].isin(keys) & (alignment["when"] == when)]
                found = rows.groupby("rank")[column].agg(["mean", "min", "max"])
                axes.plot(found.index, found["mean"], color=tint, marker=symbol, markersize=3.6,
                          linewidth=1, gid=f"{name} {column} {when} {lazy}")  # fmt: skip
                axes.vlines(found.index, found["min"], found["max"], color=tint, linewidth=0.7)
            n = ", ".join(str(len(fitted_in(own, lazy=lazy))) for lazy in (False, True))
            panel_title(axes, next(letters), f"{name}, $P={own['P'].max()}$, $n={n}$")
            axes.set(ylabel=label, xticks=range(1, int(alignment["rank"].max()) + 1, 3))
    for axes in panels[-1]:
        axes.set_xlabel("rank $\\rho$ of the eigenvector")
    handles = [line(text, color=tint, marker=symbol, markersize=3.6)
               for text, (_, _, tint, symbol) in LINES.items()]  # fmt: skip
    add_legends(page, [("", [one]) for one in handles])
    return figure
