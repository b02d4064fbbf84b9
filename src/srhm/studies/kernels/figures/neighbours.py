"""Mean distance to the nearest neighbour against the number of points."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, line
from srhm.studies.kernels.figures.curves import (
    ROW,
    curve_handle,
    dimension_marks,
    draw_curve,
    logarithmic,
    runs,
)
from srhm.studies.kernels.laws import neighbour_distance

DIGITS = (0.835, 0.369, 0.0)


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A: spheres, with the law for many points, no fit. B: digits beside spheres.

    In B every curve is divided by its value at the smallest P.
    """
    figure, page = laid_out_page(ROW, preset=preset)
    left, right = page.subplots(1, 2)
    rows = cells[cells["experiment"] == "neighbours"]
    spheres, digits = (rows[rows["data"] == name] for name in ("sphere", "digits"))
    dimensions = sorted(int(d) for d in spheres["d"].dropna().unique())
    marks = dimension_marks(dimensions)
    panel_title(left, "A", f"spheres{runs(spheres)}")
    panel_title(right, "B", f"digits beside spheres{runs(digits)}")
    for axes, own in ((left, spheres), (right, digits)):
        if own.empty:
            empty_panel(axes, f"not in preset {preset}")
    if len(spheres):
        logarithmic(left, "distance to the nearest (radius)", "points $P$")
    for d in dimensions:
        tint, symbol = marks[d]
        own = spheres[spheres["d"] == d]
        means = draw_curve(left, own, "distance", tint=tint, symbol=symbol, name=f"d={d}")
        law = [neighbour_distance(d, int(P)) for P in means.index]
        left.plot(means.index, law, "--", color=GUIDE, linewidth=0.8, zorder=4, gid=f"law d={d}")
        if len(digits):
            _relative(right, own, tint=tint, symbol=symbol, name=f"d={d}")
    if len(digits):
        logarithmic(right, "distance / that at the first $P$", "points $P$")
        _relative(right, digits, tint=DIGITS, symbol="X", name="digits")
    add_legends(page, [
        ("Dimension", [curve_handle(f"$d={d}$", *marks[d]) for d in dimensions]),
        ("", [curve_handle("digits (B)", DIGITS, "X"),
              line("law for many points (A)", color=GUIDE, linestyle="--", linewidth=0.8)]),
    ])  # fmt: skip
    return figure


def _relative(
    axes: Axes, rows: pd.DataFrame, *, tint: tuple[float, float, float], symbol: str, name: str
) -> None:
    first = rows["P"].min()
    scale = 1 / float(np.mean(rows.loc[rows["P"] == first, "distance"]))
    draw_curve(axes, rows, "distance", tint=tint, symbol=symbol, name=f"relative {name}",
               scale=scale)  # fmt: skip
