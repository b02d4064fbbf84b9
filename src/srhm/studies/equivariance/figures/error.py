"""Equivariance error: on voxels, and of correlations on SO(3)."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import line, marker, plural

HEIGHT = 4.8  # inches
# Okabe and Ito's colours.
ACTS = {"none": "#000000", "gate": "#0072B2", "norm": "#009E73", "components": "#CC79A7",
        "relu": "#D55E00", "softplus": "#E69F00", "square": "#56B4E9"}  # fmt: skip
NAMES = {"none": "none", "gate": "gates", "norm": "norm", "components": "ReLU of components",
         "relu": "ReLU", "softplus": "softplus", "square": "square"}  # fmt: skip
SHAPES = "osD^v"
ABSENT = "not in this preset"


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A, B: steerable networks against voxels and depth; C, D: SO(3) against b and its grid."""
    voxels, sphere = (cells[cells["experiment"] == name] for name in ("voxels", "sphere"))
    voxels = voxels[voxels["net"] == "steerable"]
    # Those of another width are there for their number of parameters.
    voxels = voxels[voxels["width"].isin(voxels["width"].mode())]
    figure, page = laid_out_page(HEIGHT, preset=preset, foot=_foot(voxels, sphere))
    boxes = page.subplots(2, 2).ravel()
    titles = ("voxels: resolution", "voxels: depth", "SO(3): band limit", "SO(3): grid")
    for axes, letter, title in zip(boxes, "ABCD", titles, strict=True):
        panel_title(axes, letter, title)
    deepest = voxels[voxels["depth"] == voxels["depth"].max()]
    finest = voxels[voxels["n"] == voxels.loc[voxels["depth"] < 4, "n"].max()]
    _lines(boxes[0], deepest, "n", "voxels along a side $n$", ("act", "low_pass", "turns"))
    _lines(boxes[1], finest, "depth", "layers", ("act", "low_pass", "turns"))
    plain = sphere[sphere["oversampling"] == 1]
    _lines(boxes[2], plain, "band", "band limit $b$", ("act", "depth"))
    coarse = sphere[sphere["band"] == sphere.loc[sphere["oversampling"] > 1, "band"].min()]
    shallow = coarse[coarse["depth"] == coarse.loc[coarse["oversampling"] > 1, "depth"].min()]
    _lines(boxes[3], shallow, "oversampling", "points of the grid over $2b$", ("act", "depth"))
    for axes in boxes[::2]:
        axes.set_ylabel(r"equivariance error $\Delta$")
    depths = sorted({int(depth) for depth in sphere["depth"]})
    shown = [name for name in ACTS if name in set(voxels["act"]) | set(sphere["act"])]
    add_legends(page, [
        ("Nonlinearity", [line(NAMES[name], color=ACTS[name], linewidth=1.6) for name in shown]),
        ("Voxels (A, B)", [line("low-pass", color="0.3"),
                           line("no low-pass", color="0.3", linestyle="--"),
                           marker("o", "any rotation"),
                           marker("+", "rotations of the cube")]),
        ("Depth (C, D)", [marker(SHAPES[depth - 1], str(depth)) for depth in depths]),
    ])  # fmt: skip
    return figure


def _lines(axes: Axes, cells: pd.DataFrame, along: str, label: str, by: tuple[str, ...]) -> None:
    """Seeds as marks, their geometric mean as a line, for each nonlinearity and setting."""
    axes.set(xlabel=label)
    if cells.empty:
        empty_panel(axes, ABSENT)
        return
    for values in product(*(sorted(set(cells[name])) for name in by)):
        chosen = dict(zip(by, values, strict=True))
        own = cells
        for name, value in chosen.items():
            own = own[own[name] == value]
        if own[along].nunique() < 2:
            continue
        style = _style(chosen)
        axes.plot(own[along], own["error"], linestyle="", markersize=3.5, markerfacecolor="none",
                  marker=style["marker"], color=style["color"], gid=f"seeds {values}")  # fmt: skip
        logs = np.log(own["error"]).groupby(own[along]).mean()
        axes.plot(logs.index, np.exp(logs), linestyle=style["linestyle"], color=style["color"],
                  linewidth=1, gid=f"mean {values}")  # fmt: skip
    axes.set(xscale="log", yscale="log")
    ticks = sorted(set(cells[along]))
    axes.set_xticks(ticks, labels=[f"{tick:g}" for tick in ticks])
    axes.set_xticks([], minor=True)


def _style(chosen: Mapping[str, Any]) -> dict[str, str]:
    if "depth" in chosen:
        shape = SHAPES[int(chosen["depth"]) - 1]
    else:
        shape = "o" if chosen["turns"] == "random" else "+"
    dashed = chosen.get("low_pass") is False or chosen.get("low_pass") == 0
    return {"marker": shape, "linestyle": "--" if "low_pass" in chosen and dashed else "-",
            "color": ACTS[str(chosen["act"])]}  # fmt: skip


def _foot(voxels: pd.DataFrame, sphere: pd.DataFrame) -> list[str]:
    found = []
    for letters, own in (("A, B", voxels), ("C, D", sphere)):
        if len(own):
            seeds = own["seed"].nunique()
            found.append(f"{letters}: {seeds} {plural('seed', seeds)} of untrained networks,"
                         f" {own['rotations'].max():g} rotations each")  # fmt: skip
    return found
