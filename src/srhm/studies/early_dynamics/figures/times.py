"""Output and preactivations at the beginning of training (chapter 3a, Fig. 10 and 11).

Letters of the thesis: h width, alpha scale of F, alpha_tilde = sqrt(h) alpha = t1, f_t output at
time t, z preactivation.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.families import ABSENT, decades, draw_averages, tilde_colours_of, tilde_handles
from srhm.figures.marks import GUIDE, Colour, line, shades
from srhm.studies.early_dynamics.analysis import EARLY, beginnings, of_kind, over_data_sets, varying

HUES = ("#0072B2", "#56B4E9", "#009E73", "#E69F00", "#D55E00")
LAYERS = {k: to_rgb(hue) for k, hue in enumerate(HUES, start=1)}


@styled
def draw(
    cells: pd.DataFrame, histories: pd.DataFrame, rates: pd.DataFrame, *, preset: str
) -> Figure:
    """A, B: norm over sqrt(h) against t/t1 by alpha_tilde, by h; C, D: rates against h, alpha."""
    states = beginnings(cells, histories)
    untrained = of_kind(cells, "rates")
    if states.empty or untrained.empty or rates.empty:
        figure, page = laid_out_page(2.4, preset=preset)
        empty_panel(page.subplots(), ABSENT)
        return figure
    n = states["seed"].nunique()
    foot = [
        f"digits, FCN, softplus: {n} data sets; A, B L = 2: a line for each training; C, D L = 5"
    ]
    figure, page = laid_out_page(4.8, preset=preset, foot=foot)
    (by_tilde, by_width), (wide, scaled) = page.subplots(2, 2)
    tildes = tilde_colours_of(states["alpha_tilde"])
    widths = shades(sorted(set(states["width"].astype(float))), "viridis")
    _lines(by_tilde, varying(states, "alpha_tilde"), "alpha_tilde", tildes)
    _lines(by_width, varying(states, "width"), "width", widths)
    for axes, letter, column, word in (
        (by_tilde, "A", "width", "h"),
        (by_width, "B", "alpha_tilde", "\\tilde\\alpha"),
    ):
        other = {"width": "alpha_tilde", "alpha_tilde": "width"}[column]
        at = varying(states, other)[column].iloc[0]
        panel_title(axes, letter, f"output, ${word}={at:g}$")
        axes.set(ylabel="$\\|f_t-f_0\\|/\\sqrt{h}$", xlabel="$t/t_1 = t/(\\sqrt{h}\\,\\alpha)$")
    found = rates.merge(untrained.drop(columns="curve"), on="key")
    _rates(wide, varying(found, "width"), "width", "C", "width $h$")
    _rates(scaled, varying(found, "alpha_tilde"), "alpha", "D", "$\\alpha$")
    groups = [
        ("$\\tilde\\alpha$ (A)", tilde_handles(tildes)),
        ("Width $h$ (B)", [line(f"${h:g}$", color=c) for h, c in widths.items()]),
        ("Layer (C, D)", [line(f"{k}", color=c, marker="o", markersize=3.6)
                          for k, c in LAYERS.items()]),
        ("Guides", [line("slope 1 (A, B), 0 (C), $-1$ (D)", color=GUIDE, linestyle="--")]),
    ]  # fmt: skip
    add_legends(page, groups)
    return figure


def _lines(axes: Axes, states: pd.DataFrame, column: str, tints: dict[float, Colour]) -> None:
    """A line for each training; a guide of slope 1 above them."""
    for _, own in states.groupby("key"):
        value = float(own[column].iloc[0])
        y = own["norm"] / own["width"] ** 0.5
        axes.plot(own["x"], y, color=tints[value], linewidth=0.8, gid=f"{column}={value:g}")
    early = states[states["x"] <= EARLY]
    level = 2 * float((early["norm"] / early["width"] ** 0.5 / early["x"]).max())
    ends = [1e-2, 1.0]
    axes.plot(ends, [level * x for x in ends], color=GUIDE, linestyle="--", linewidth=0.9,
              gid="guide 1")  # fmt: skip
    axes.axvline(1.0, color=GUIDE, linewidth=0.6, zorder=0)
    axes.set(xscale="log", yscale="log")
    decades(axes, "x", [float(states["x"].min()), float(states["x"].max())])
    decades(axes, "y", axes.get_ylim())


def _rates(axes: Axes, found: pd.DataFrame, by: str, letter: str, label: str) -> None:
    """Rate times alpha_tilde against h, or the rate against alpha, of each layer."""
    wide = by == "width"
    rows = found.assign(shown=found["rate"] * (found["alpha_tilde"] if wide else 1))
    for layer, own in rows.groupby("layer"):
        points = over_data_sets(own.assign(status="fitted"), "shown", by=by, logarithmic=True)
        draw_averages(axes, points, by, LAYERS[int(str(layer))], gid=f"layer {layer}")
    last = rows[rows["layer"] == rows["layer"].max()]
    x = [float(rows[by].min()), float(rows[by].max())]
    top = 1.4 * float(last.loc[last[by] == x[0], "shown"].mean())
    axes.plot(x, [top, top if wide else top * x[0] / x[1]], color=GUIDE, linestyle="--",
              linewidth=0.9, gid="guide")  # fmt: skip
    rate = "\\sqrt{h}\\,\\alpha\\,\\|\\dot{z}\\|" if wide else "\\|\\dot{z}\\|"
    axes.set(xscale="log", yscale="log", xlabel=label, ylabel=f"${rate}$ at $t=0$")
    if wide:
        widths = sorted(set(rows[by]))
        axes.set_xticks(widths, labels=[str(h) for h in widths])
        axes.set_xticks([], minor=True)
        axes.set(xlim=(x[0] / 1.3, x[1] * 1.3))
    other, value = ("\\tilde\\alpha", found["alpha_tilde"]) if wide else ("h", found["width"])
    panel_title(axes, letter, f"preactivations, ${other}={value.iloc[0]:g}$")
