"""P* of the algorithm against s_0+1, patches of all places pooled, and each place on its own.

Letters of the paper: P* sample complexity, L depth, s_0 empty places for each informative one.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, depth_handles, line, marker
from srhm.studies.level_by_level.analysis import CURVE, LEAST_GAP, curves, differing
from srhm.studies.level_by_level.figures.parts import (
    REFERENCE,
    draw_complexities,
    hue,
    net_handles,
)

ROW = 2.6  # inches, with titles and labels
KINDS = {"shared": "cnn", "separate": "lcn"}
EQUATIONS = {"shared": "Eq. 4", "separate": "Eq. 3"}


@styled
def draw(complexity: pd.DataFrame, references: pd.DataFrame, *, preset: str) -> Figure:
    """A: shared, B: separate; lines from the smallest s_0 with the exponents of Eq. 3, 4 and s+L-1.

    Grey: networks that were trained end to end on the same grammars.
    """
    foot = [f"Grammars with a gap of {LEAST_GAP} or more; bars: 95 %."]
    figure, page = laid_out_page(ROW, preset=preset, foot=foot)
    boxes = page.subplots(1, 2)
    drawn, found = False, []
    for axes, letter, net in zip(boxes, "AB", KINDS, strict=True):
        panel_title(axes, letter, f"{net} ({KINDS[net].upper()}-like)")
        rows = differing(curves(complexity, net=net), "s0")
        found.append(rows)
        drawn |= _panel(axes, rows, references, net, preset=preset)
    rows = pd.concat(found)
    networks = [marker("D", "trained end to end, SGD", markeredgecolor=REFERENCE)]
    groups = [
        ("Depth", depth_handles(sorted(set(rows["L"].tolist())))),
        ("Algorithm", net_handles(sorted(set(rows["net"])))),
        ("Networks", networks if drawn else []),
        ("Exponent of $s_0+1$", [
            line("Eq. 4: 2 (A); Eq. 3: $L$ (B)", color=GUIDE, linestyle="--"),
            line("count: $L-1+s$ (B)", color=GUIDE, linestyle=":"),
        ]),
    ]  # fmt: skip
    add_legends(page, groups)
    return figure


def _panel(
    axes: Axes, rows: pd.DataFrame, references: pd.DataFrame, net: str, *, preset: str
) -> bool:
    """Whether networks are drawn."""
    axes.set(xlabel="$s_0+1$", ylabel="$P^*$")
    if rows.empty:
        empty_panel(axes, f"not in preset {preset}")
        return False
    other = references[(references["net"] == KINDS[net]) & (references["status"] == "reached")]
    other = other[other["training"] == "end to end"]
    rest = [name for name in CURVE if name not in ("net", "draws", "s0")]
    other = other.merge(rows[[*rest, "s0"]].drop_duplicates())
    draw_complexities(axes, rows, rows["s0"].to_numpy(float) + 1, values=other["P_star"].tolist())
    for _, row in other.iterrows():
        axes.plot([row["s0"] + 1], [row["P_star"]], "D", color=REFERENCE, markerfacecolor="none",
                  markersize=6, markeredgewidth=0.8, zorder=2, gid="network")  # fmt: skip
    for _, one in rows[rows["status"] == "reached"].groupby([*rest, "L"]):
        first = one.sort_values("s0").iloc[0]
        depth, s = int(first["L"]), int(first["s"])
        x = np.array([first["s0"] + 1, one["s0"].max() + 1], dtype=float)
        powers = [(2, "--")] if net == "shared" else [(depth, "--"), (depth - 1 + s, ":")]
        for power, style in powers:
            axes.plot(x, first["P_star"] * (x / x[0]) ** power, linestyle=style, zorder=1,
                      color=hue(depth), linewidth=0.8, gid=f"law {power}")  # fmt: skip
    axes.set_xlim(0.9, 1.15 * (rows["s0"].max() + 1))
    ticks = sorted(set((rows["s0"] + 1).tolist()))
    axes.set_xticks(ticks, labels=[str(one) for one in ticks])
    axes.set_xticks([], minor=True)
    return bool(len(other))
