"""Accuracies in rotations never seen: blocks of Tetris, digits on the sphere."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, line, marker, plural

HEIGHT = 2.6  # inches
# Okabe and Ito's colours; equivariant networks, and ordinary ones.
COLOURS = {"steerable": "#0072B2", "spherical": "#0072B2", "plain": "#D55E00", "planar": "#D55E00"}
SHAPES = {"steerable": "o", "spherical": "o", "plain": "s", "planar": "s"}
OFF = 0.14  # of the two networks, from the middle of their place
# Tables 2 and 1 of the two articles.
TETRIS = {("steerable", True): 0.99, ("plain", True): 0.27, ("steerable", False): 0.36,
          ("plain", False): 0.24}  # fmt: skip
DIGITS = {("planar", "NR", "NR"): 0.98, ("planar", "R", "R"): 0.23, ("planar", "NR", "R"): 0.11,
          ("spherical", "NR", "NR"): 0.96, ("spherical", "R", "R"): 0.95,
          ("spherical", "NR", "R"): 0.94}  # fmt: skip
ABSENT = "not in this preset"


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A: blocks, with and without low-pass; B: digits, by what training and test are."""
    tetris, digits = (cells[cells["experiment"] == name] for name in ("tetris", "digits"))
    figure, page = laid_out_page(HEIGHT, preset=preset, foot=_foot(tetris, digits))
    boxes = page.subplots(1, 2)
    panel_title(boxes[0], "A", "blocks of Tetris, rotated")
    panel_title(boxes[1], "B", "digits on the sphere")
    _tetris(boxes[0], tetris)
    _digits(boxes[1], digits)
    for axes in boxes:
        axes.set_ylim(0, 1.05)
    boxes[0].set_ylabel("accuracy in the test")
    names = (("steerable", "steerable (A), spherical (B)"), ("plain", "plain (A), planar (B)"))
    add_legends(page, [
        ("Network", [marker(SHAPES[name], text, markeredgecolor=COLOURS[name])
                     for name, text in names]),
        ("Values", [line("mean of the seeds", color="0.3", linewidth=1.6),
                    marker("x", "thesis", markersize=5)]),
        ("", [line("chance", color=GUIDE, linestyle="--")]),
    ])  # fmt: skip
    return figure


def _tetris(axes: Axes, cells: pd.DataFrame) -> None:
    if cells.empty:
        empty_panel(axes, ABSENT)
        return
    for (net, low_pass), known in TETRIS.items():
        own = cells[(cells["net"] == net) & (cells["low_pass"] == low_pass)]
        _column(axes, int(low_pass), net, own["accuracy"], known, f"{net} {low_pass}")
    axes.axhline(1 / 8, color=GUIDE, linestyle="--", linewidth=0.8)
    axes.set_xticks([0, 1], labels=["no low-pass", "low-pass"])
    axes.set_xlim(-0.5, 1.5)


def _digits(axes: Axes, cells: pd.DataFrame) -> None:
    if cells.empty:
        empty_panel(axes, ABSENT)
        return
    regimes = ["NR/NR", "R/R", "NR/R"]
    for (net, train, test), known in DIGITS.items():
        own = cells[(cells["net"] == net) & (cells["train"] == train)]
        name = f"{train}/{test}"
        _column(axes, regimes.index(name), net, own[f"accuracy_{test}"], known, f"{net} {name}")
    axes.axhline(1 / 10, color=GUIDE, linestyle="--", linewidth=0.8)
    axes.set_xticks(range(3), labels=regimes)
    axes.set(xlim=(-0.5, 2.5), xlabel="rotated (R) or not (NR) in training/test")


def _column(axes: Axes, place: int, net: str, values: pd.Series, known: float, name: str) -> None:
    x = place + (-OFF if net in ("steerable", "spherical") else OFF)
    jitter = np.linspace(-0.05, 0.05, max(len(values), 2))[: len(values)]
    axes.plot(x + jitter, values, SHAPES[net], color=COLOURS[net], markersize=3.5,
              markerfacecolor="white", gid=f"seeds {name}")  # fmt: skip
    if len(values):
        axes.plot([x - 0.09, x + 0.09], [values.mean()] * 2, color=COLOURS[net], linewidth=1.6,
                  gid=f"mean {name}")  # fmt: skip
    axes.plot([x], [known], "x", color="0.3", markersize=5, zorder=4, gid=f"thesis {name}")


def _foot(tetris: pd.DataFrame, digits: pd.DataFrame) -> list[str]:
    found = []
    for letter, own in (("A", tetris), ("B", digits)):
        if len(own):
            first, seeds = own.iloc[0], own["seed"].nunique()
            what = (f"{first['n']:g}³ voxels, {first['width']:g} of the thesis's fields,"
                    f" {first['steps']:g} steps, {first['rotations']:g} rotations of each block"
                    if letter == "A" else
                    f"b = {first['band']:g}, {first['epochs']:g} epochs,"
                    f" {first['n_test']:g} digits in the test")  # fmt: skip
            found.append(f"{letter}: {seeds} {plural('seed', seeds)}; {what}")
    return found
