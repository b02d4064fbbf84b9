"""A ball under gravity on a ring: singular values of convolutions by frequency.

Letters: omega frequency on the ring, s_(omega, i) singular values of a layer at it.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, line
from srhm.studies.representation_cost.figures.by_layer import COLOURS, MARKERS
from srhm.studies.representation_cost.readings import finished, large_by_frequency, of_cells

HEIGHT = 2.6  # inches


@styled
def draw(cells: pd.DataFrame, layers: pd.DataFrame, values: pd.DataFrame, *, preset: str) -> Figure:
    """A: singular values of seed 0 by layer; B: how many are near 1 at each frequency."""
    own = finished(cells, "ball")
    figure, page = laid_out_page(HEIGHT, preset=preset, foot=_foot(own))
    left, right = page.subplots(1, 2)
    panel_title(left, "A", "singular values by layer, seed 0")
    panel_title(right, "B", "middle layers, all seeds")
    frequencies = _values(left, own, values)
    _counts(right, own, values)
    handles = [
        line(rf"$\omega={w}$", color=COLOURS[w % len(COLOURS)], marker=MARKERS[w % len(MARKERS)],
             linestyle="", markersize=3.5)
        for w in frequencies
    ]  # fmt: skip
    lines = [
        line("0.5: counted as near 1 (A)", color=GUIDE, linestyle=":"),
        line("the talk: two at frequency 1 (B)", color=GUIDE, linestyle="--"),
    ]
    add_legends(page, [("Frequency (A)", handles), ("Lines", lines)])
    return figure


def _values(axes: Axes, cells: pd.DataFrame, values: pd.DataFrame) -> list[int]:
    """Points, shifted sideways by frequency; gives the frequencies that are drawn."""
    axes.set(xlabel="layer $l$", ylabel=r"$s_{\omega,i}(W_l)$")
    first = cells[cells["seed"] == 0] if len(cells) else cells
    if first.empty or values.empty:
        empty_panel(axes, "not in this preset")
        return []
    rows = of_cells(values, first)
    frequencies = sorted({int(w) for w in rows["frequency"]})
    for w in frequencies:
        group = rows[rows["frequency"] == w]
        shift = 0.5 * (w / max(len(frequencies) - 1, 1) - 0.5)
        axes.plot(group["k"] + shift, group["value"], MARKERS[w % len(MARKERS)], markersize=3,
                  color=COLOURS[w % len(COLOURS)], alpha=0.8, gid=f"frequency {w}")  # fmt: skip
    axes.axhline(0.5, color=GUIDE, linewidth=0.7, linestyle=":")
    axes.set_xticks(sorted(set(rows["k"])))
    axes.set_ylim(bottom=0)
    return frequencies


def _counts(axes: Axes, cells: pd.DataFrame, values: pd.DataFrame) -> None:
    axes.set(xlabel=r"frequency $\omega$", ylabel="singular values near 1")
    if cells.empty or values.empty:
        empty_panel(axes, "not in this preset")
        return
    found = large_by_frequency(values, cells)
    by_frequency = found.groupby("frequency")["n_large"].mean()
    axes.bar(by_frequency.index, by_frequency, width=0.6, color="0.8", edgecolor="0.3",
             linewidth=0.6)  # fmt: skip
    shift = 0.1 * (found["seed"] - found["seed"].mean())
    axes.plot(found["frequency"] + shift, found["n_large"], "o", color="0.2", markersize=3.5,
              markerfacecolor="white", gid="count of a seed")  # fmt: skip
    axes.plot([0.6, 1.4], [2, 2], "--", color=GUIDE, linewidth=1.0, gid="talk")
    axes.set_xticks(by_frequency.index)
    axes.set_ylim(0, max(2.4, 1.2 * float(found["n_large"].max())))


def _foot(cells: pd.DataFrame) -> list[str]:
    if cells.empty:
        return []
    first = cells.iloc[0]
    return [
        f"L = {first['L']:g}, {first['width']:g} channels, {first['places']:g} places,"
        f" {first['n']:g} films, λL = {first['penalty']:g}, {len(cells)} seeds; C over the variance"
        f" {100 * (cells['loss'] / cells['variance']).mean():.1f} %"
    ]
