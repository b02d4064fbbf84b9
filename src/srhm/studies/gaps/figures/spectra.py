"""Spectra of the Hessian at jamming against the loss; preactivations at zero; the rank of G."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, line, marker
from srhm.scorecard.rows import chosen as where
from srhm.studies.gaps import analysis
from srhm.studies.gaps.analysis import NAMES
from srhm.studies.gaps.figures.gaps import COLOURS, MARKERS

SYMBOLS = dict(zip(analysis.QUANTILES, "v<>^", strict=True))
SIGMA = {"relu": COLOURS["relu-3"], "tanh": COLOURS["tanh-3"]}


@styled
def draw(
    cells: pd.DataFrame, hessians: pd.DataFrame, cusps: pd.DataFrame, ranks: pd.DataFrame, *,
    preset: str,
) -> Figure:  # fmt: skip
    """A, B: quantiles of sp(Hp), raw and rescaled; C: gap of sp(H0); D, E: cusps; F: N_eff."""
    figure, page = laid_out_page(4.4, preset=preset)
    boxes = page.subplots(2, 3).ravel()
    titles = ("$H_p$", r"$H_p$, rescaled", "$H_0$", "training points", "fresh points", "$N_{eff}$")
    for axes, letter, title in zip(boxes, "ABCDEF", titles, strict=True):
        panel_title(axes, letter, title)
    gap = analysis.gaps_of_h0(cells, hessians)
    for sigma, tint in SIGMA.items():
        table = analysis.scales_of_hp(cells, hessians, activation=sigma)
        for axes, power in ((boxes[0], 0.0), (boxes[1], 0.5)) if len(table) else ():
            for q, symbol in SYMBOLS.items():
                value = np.exp(table[f"q{q:g}"]) / table["mean_loss"] ** power
                axes.plot(table["mean_loss"], value, symbol, color=tint, markersize=3,
                          markerfacecolor="none", gid=f"{sigma} {q:g} {power:g}")  # fmt: skip
        own = gap[gap["activation"] == sigma]
        boxes[2].plot(own["ratio"], own["gap"], "o", color=tint, markersize=3, gid=f"H0 {sigma}")
    _cusps(boxes[3], boxes[4], cells, cusps)
    for when, symbol in (("initial", "o"), ("end", "x")):
        for tint, some in (("0.7", ranks["n_straight"] > 0), ("#0072B2", ranks["n_straight"] == 0)):
            own = ranks[some & (ranks["when"] == when)]
            boxes[5].plot(own["n_parameters"] - own["n_neurons"], own["rank"], symbol, color=tint,
                          markersize=4, markerfacecolor="none", gid=f"{when} {tint}")  # fmt: skip
    boxes[5].axline((0, 0), slope=1, color=GUIDE, linewidth=0.8)
    for axes, x, y in zip(
        boxes,
        (*("training loss",) * 2, r"$N_\Delta/N$", "$t$", "$t$", "$N$ − hidden neurons"),
        (r"$|\lambda|$ at four quantiles", r"$|\lambda|/\sqrt{\mathcal{L}}$",
         r"$\lambda_{N_\Delta}$/mean", "$|z|<t$, number over $N$", "", r"rank $G$"),
        strict=True,
    ):  # fmt: skip
        axes.set(xlabel=x, ylabel=y)
        if not any(len(one.get_xydata()) for one in axes.lines if one.get_gid()):
            empty_panel(axes, "not in this preset")
        elif axes is not boxes[5]:
            axes.set(xscale="linear" if axes is boxes[2] else "log", yscale="log")
    add_legends(page, [
        ("", [line(NAMES[k], color=COLOURS[k], marker=MARKERS[k]) for k in analysis.KINDS]),
        ("", [marker(SYMBOLS[q], f"quantile {q:g} (A, B)") for q in analysis.QUANTILES]),
        ("", [marker("o", "F: at the start", markeredgecolor="#0072B2"),
              marker("x", "F: after training", markeredgecolor="#0072B2"),
              marker("o", "F: dead or linear neurons", markeredgecolor="0.7"),
              line("F: equal; D, E: $t=10^{-4}$", color=GUIDE)]),
    ])  # fmt: skip
    return figure


def _cusps(left: Axes, right: Axes, cells: pd.DataFrame, cusps: pd.DataFrame) -> None:
    """Mean over jammed networks of the number of preactivations below t, over N."""
    rows = analysis.converged(analysis.near_jamming(cells, cusps))
    merged = cusps.merge(rows[["key", "n_weights", *analysis.KINDS["relu-2"]]], on="key")
    merged["part"] = merged["below"] / merged["n_weights"]
    for kind, wanted in analysis.KINDS.items():
        for axes, points in ((left, "training"), (right, "fresh")):
            own = where(merged, {**wanted, "points": points})
            mean = own.groupby("threshold")["part"].mean()
            axes.plot(mean.index, mean.clip(lower=1e-4), f"-{MARKERS[kind]}", color=COLOURS[kind],
                      linewidth=1, markersize=2.5, gid=f"{points} {kind}")  # fmt: skip
    for axes in (left, right):
        axes.axvline(analysis.CUSP, color=GUIDE, linewidth=0.8)
