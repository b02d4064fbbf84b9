"""P* of the algorithm against m and against n_c m^L, beside networks trained by SGD.

Letters of the paper: P training points, P* sample complexity, L depth, m synonyms, v features, n_c
classes, ε test error.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, depth_handles, line, marker
from srhm.studies.level_by_level.analysis import (
    LEAST_GAP,
    curves,
    diagonal,
    differing,
    identifiable,
    laws,
)
from srhm.studies.level_by_level.figures.parts import (
    REFERENCE,
    band,
    draw_complexities,
    guide,
    hue,
    net_handles,
)

ROW = 2.4  # inches, with titles and labels
ASIDE = 1.15  # factor by which separate is moved to the right, so that shared is seen
TRAININGS = {"end to end": "D", "layer by layer": "^"}


@styled
def draw(
    cells: pd.DataFrame,
    complexity: pd.DataFrame,
    references: pd.DataFrame,
    *,
    threshold: float,
    preset: str,
) -> Figure:
    """P* of weakly identifiable grammars, from the tables of the study.

    A: ε against P over n_c m^L at the largest v = m = n_c of each L. B: P* against m at fixed v and
    n_c. C: P* against n_c m^L for v = m = n_c, with the P* of networks of the same grammars.
    """
    figure, page = laid_out_page(ROW, preset=preset, foot=_foot(cells))
    boxes = page.subplots(1, 3)
    _learning_curves(boxes[0], cells, threshold, preset=preset)
    _against_m(boxes[1], complexity, preset=preset)
    trainings = _against_law(boxes[2], complexity, references, preset=preset)
    depths = sorted(set(complexity["L"].tolist()))
    groups = [
        ("Depth", depth_handles(depths)),
        ("Algorithm", net_handles(sorted(set(complexity["net"])))),
        ("Networks, SGD (C)", [marker(TRAININGS[name], name, markeredgecolor=REFERENCE)
                               for name in trainings]),
        ("Lines", _lines()),
    ]  # fmt: skip
    add_legends(page, groups)
    return figure


def _lines() -> list[Line2D]:
    return [line("law (see panel)", color=GUIDE, linestyle="--", linewidth=0.8),
            line("10 %, defines $P^*$", color=GUIDE, linestyle=":", linewidth=0.8)]  # fmt: skip


def _foot(cells: pd.DataFrame) -> list[str]:
    n = cells["seed"].nunique()
    return [f"{n} grammars a curve, of which those with a gap of {LEAST_GAP} or more enter."]


def _dense(cells: pd.DataFrame) -> pd.DataFrame:
    own = cells[(cells["net"] == "shared") & (cells["draws"] == "independent")]
    return diagonal(own[identifiable(own)])


def _learning_curves(axes: Axes, cells: pd.DataFrame, threshold: float, *, preset: str) -> None:
    axes.set(xlabel="$P / (n_c m^L)$", ylabel="test error $\\varepsilon$", ylim=(0, 1))
    panel_title(axes, "A", "largest $v=m=n_c$ of each $L$")
    own = _dense(cells)
    if own.empty:
        empty_panel(axes, f"not in preset {preset}")
        return
    for depth, of_depth in own.groupby("L"):
        one = of_depth[of_depth["v"] == of_depth["v"].max()]
        band(axes, one.assign(x=one["P"] / laws(one)), "x", "test_error", tint=hue(int(str(depth))),
             name=f"curve L={depth}")  # fmt: skip
    axes.axhline(threshold, color=GUIDE, linewidth=0.8, linestyle=":")
    axes.set_xscale("log", base=2)


def _against_m(axes: Axes, complexity: pd.DataFrame, *, preset: str) -> None:
    rows = differing(curves(complexity, net="shared"), "m")
    rows = rows[rows["s0"] == 0]
    axes.set(xlabel="synonyms $m$", ylabel="$P^*$")
    if rows.empty:
        panel_title(axes, "B", "against $m$")
        empty_panel(axes, f"not in preset {preset}")
        return
    features = "/".join(str(v) for v in sorted(set(rows["v"].tolist())))
    panel_title(axes, "B", f"$v=n_c={features}$")
    draw_complexities(axes, rows, rows["m"].to_numpy(dtype=float))
    ticks = sorted(set(rows["m"].tolist()))
    axes.set_xticks(ticks, labels=[str(m) for m in ticks])
    for depth, own in rows[rows["status"] == "reached"].groupby("L"):
        x = np.array([own["m"].min(), own["m"].max()], dtype=float)
        power = int(str(depth))
        middle = float(np.exp(np.log(own["P_star"] / own["m"].astype(float) ** power).mean()))
        guide(axes, x.tolist(), (middle * x**power).tolist(), f"$m^{power}$")


def _against_law(
    axes: Axes, complexity: pd.DataFrame, references: pd.DataFrame, *, preset: str
) -> list[str]:
    """The trainings that are drawn."""
    rows = pd.concat([diagonal(curves(complexity, net=net)) for net in ("shared", "separate")])
    axes.set(xlabel="$n_c m^L$", ylabel="$P^*$")
    panel_title(axes, "C", "$v=m=n_c$")
    if rows.empty:
        empty_panel(axes, f"not in preset {preset}")
        return []
    other = references[(references["status"] == "reached") & references["net"].isin(["cnn", "lcn"])]
    other = diagonal(other).merge(rows[["L", "s", "v"]].drop_duplicates())
    x = laws(other.assign(net="shared"))
    places = rows["law"] * rows["net"].map({"shared": 1.0, "separate": ASIDE})
    draw_complexities(axes, rows, places.to_numpy(float), values=other["P_star"].tolist())
    for (_, row), place in zip(other.iterrows(), x, strict=True):
        axes.plot([place], [row["P_star"]], TRAININGS[row["training"]], color=REFERENCE,
                  markerfacecolor="none", markersize=6, markeredgewidth=0.8, zorder=2,
                  gid=f"network {row['training']}")  # fmt: skip
    ends = [float(rows["law"].min()), float(rows["law"].max())]
    guide(axes, ends, ends, "$n_c m^L$")
    return [name for name in TRAININGS if name in set(other["training"])]
