"""Kernel regression on the SRHM: error against P, and the P of a small error beside the laws."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, line, marker, shape
from srhm.model.theory import predicted_sample_complexity
from srhm.studies.kernels.figures.curves import (
    NAMES,
    ROW,
    TINTS,
    curve_handle,
    draw_curve,
    logarithmic,
    runs,
)
from srhm.studies.kernels.networks import of_grammars

LAWS = {"lcn": ("Eq. 3, LCN", "-"), "cnn": ("Eq. 4, CNN", ":")}
# Of the measured P*; beside s_0 + 1, so that neither covers the other.
NETS = {"lcn": ("LCN, measured", "white", -0.12), "cnn": ("CNN, measured", "0.2", 0.12)}


@styled
def draw(
    cells: pd.DataFrame,
    crossings: pd.DataFrame,
    networks: pd.DataFrame,
    *,
    preset: str,
    threshold: float,
) -> Figure:
    """A: test error, B: squared error, against P, largest v; C: P of the threshold against s_0.

    In A the measured P* of the CNN on the same grammars, at the threshold. In C a marker for each
    grammar whose kernel falls below the threshold, an arrow from the largest P for the others,
    measured P* of networks with their intervals, and their laws (constants 1).
    """
    figure, page = laid_out_page(ROW, preset=preset)
    boxes = page.subplots(1, 3)
    rows = cells[cells["experiment"] == "srhm"]
    rows = rows[rows["v"] == rows["v"].max()]
    crossings = crossings[crossings["v"] == crossings["v"].max()]
    measured = of_grammars(networks, rows)
    places = sorted(int(s0) for s0 in rows["s0"].dropna().unique())
    size = f", $v={int(rows['v'].iloc[0])}$" if len(rows) else ""
    for axes, quantity, label, letter in (
        (boxes[0], "error", "test error (fraction wrong)", "A"),
        (boxes[1], "mse", "squared error / that of 0", "B"),
    ):
        _curves(axes, rows, places, quantity, preset=preset)
        axes.set(xlabel="training points $P$", ylabel=label)
        panel_title(axes, letter, f"SRHM{size}{runs(rows)}")
    if len(rows):
        boxes[0].axhline(threshold, color=GUIDE, linewidth=0.8, linestyle="--", gid="threshold")
        for _, network in measured[measured["net"] == "cnn"].iterrows():
            symbol = shape(int(network["s0"]))
            boxes[0].plot([network["P_star"]], [threshold], linestyle="", marker=symbol, zorder=5,
                          color="0.2", markersize=4, gid=f"P* cnn s0={network['s0']}")  # fmt: skip
        _complexities(boxes[2], crossings, measured, places)
    else:
        empty_panel(boxes[2], f"not in preset {preset}")
    panel_title(boxes[2], "C", f"$P$ of test error {threshold:g}")
    add_legends(
        page,
        [
            ("Kernel", [curve_handle(NAMES[kernel], TINTS[kernel]) for kernel in NAMES]),
            ("Empty places", [marker(shape(s0), f"$s_0={s0}$") for s0 in places]),
            ("Networks", [line(name, color="0.2", linestyle=style)
                          for name, style in LAWS.values()]
             + [marker("o", name, color="0.2", markerfacecolor=filling)
                for name, filling, _ in NETS.values()]),
            ("", [line(f"error {threshold:g} (A)", color=GUIDE, linestyle="--"),
                  marker("$\\uparrow$", "not reached", markersize=7, markeredgewidth=0.3)]),
        ],
    )  # fmt: skip
    return figure


def _curves(
    axes: Axes, rows: pd.DataFrame, places: list[int], quantity: str, *, preset: str
) -> None:
    if rows.empty:
        empty_panel(axes, f"not in preset {preset}")
        return
    logarithmic(axes, "")
    axes.set_yscale("linear")
    for kernel in NAMES:
        for s0 in places:
            own = rows[(rows["kernel"] == kernel) & (rows["s0"] == s0)]
            if len(own):
                draw_curve(axes, own, quantity, tint=TINTS[kernel], symbol=shape(s0),
                           filled=False, name=f"{kernel} s0={s0}")  # fmt: skip
    axes.set_ylim(bottom=0)


def _complexities(
    axes: Axes, crossings: pd.DataFrame, measured: pd.DataFrame, places: list[int]
) -> None:
    for shift, kernel in zip((-0.06, 0.06), NAMES, strict=True):
        own = crossings[crossings["kernel"] == kernel]
        for _, row in own.iterrows():
            x = row["s0"] + 1 + shift
            reached = row["status"] == "reached"
            y = row["P_star"] if reached else row["bound_low"]
            symbol = shape(int(row["s0"])) if reached else "$\\uparrow$"
            axes.plot([x], [y], linestyle="", marker=symbol, color=TINTS[kernel],
                      markersize=4 if reached else 7, markeredgewidth=1.0 if reached else 0.3,
                      markerfacecolor="white" if reached else TINTS[kernel],
                      gid=f"{kernel} {row['status']}")  # fmt: skip
    for _, network in measured.iterrows():
        _, filling, shift = NETS[network["net"]]
        x = network["s0"] + 1 + shift
        axes.vlines([x], network["P_star_low"], network["P_star_high"], color="0.2", linewidth=0.8)
        axes.plot([x], [network["P_star"]], linestyle="", marker=shape(int(network["s0"])),
                  color="0.2", markerfacecolor=filling, markersize=4,
                  gid=f"measured {network['net']}")  # fmt: skip
    first = crossings.iloc[0]
    for net, (_, style) in LAWS.items():
        law = [
            predicted_sample_complexity(
                net, depth=int(first["L"]), branching=int(first["s"]),
                n_synonyms=int(first["m"]), n_classes=int(first["n_c"]), n_empty=s0,
            )
            for s0 in places
        ]  # fmt: skip
        axes.plot([s0 + 1 for s0 in places], law, style, color="0.2", zorder=1, gid=f"law {net}")
    axes.set(yscale="log", xlabel="$s_0+1$", ylabel="training points $P$",
             xticks=[s0 + 1 for s0 in places])  # fmt: skip
