"""Regions of four classes at two depths, and the singular values of the weights."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, line, marker, patch, plural
from srhm.studies.representation_cost.figures import by_layer
from srhm.studies.representation_cost.readings import finished, of_cells

HEIGHT = 6.0  # inches
HALF = 1.8  # of the square, as in `classes` of the study
REGION_COLOURS = ("#56B4E9", "#E69F00", "#009E73", "#CC79A7")


@styled
def draw(
    cells: pd.DataFrame,
    layers: pd.DataFrame,
    values: pd.DataFrame,
    regions: pd.DataFrame,
    *,
    preset: str,
) -> Figure:
    """A, B: regions of seed 0; C: tripoints; D, E: singular values; F: directions; G-I: zigzag."""
    own = finished(cells, "classes")
    depths = _two_depths(own)
    figure, page = laid_out_page(HEIGHT, preset=preset)
    boxes = page.subplots(3, 3).ravel()
    for axes, letter, depth in zip(boxes[:2], "AB", depths, strict=False):
        panel_title(axes, letter, f"$L={depth}$, seed 0")
        _regions(axes, own[own["L"] == depth] if len(own) else own, regions)
    panel_title(boxes[2], "C", "tripoints")
    _tripoints(boxes[2], own)
    for axes, letter, depth in zip(boxes[3:5], "DE", depths, strict=False):
        panel_title(axes, letter, f"weights, $L={depth}$")
        chosen = own[own["L"] == depth] if len(own) else own
        by_layer.singular_values(axes, of_cells(values, chosen) if len(chosen) else chosen)
    panel_title(boxes[5], "F", f"directions, $L={depths[-1]}$")
    chosen = own[own["L"] == depths[-1]] if len(own) else own
    rows = of_cells(layers, chosen) if len(chosen) else chosen
    kinds = [
        ("n_visible", "representation", by_layer.COLOURS[0]),
        ("n_large", "weights above 0.5", by_layer.COLOURS[1]),
    ]
    by_layer.counts(boxes[5], rows, kinds, label="number")
    _zigzag(boxes[6:], finished(cells, "zigzag"), regions)
    regions_shown = [patch(f"class {i + 1}", _rgb(c)) for i, c in enumerate(REGION_COLOURS)]
    others = [
        *(patch(words, _rgb(colour)) for _, words, colour in kinds),
        marker("o", "a network (C, I)"),
        line("0.5 (D, E)", color=GUIDE, linestyle=":"),
    ]
    add_legends(page, [("Regions (A, B, G, H)", regions_shown), ("F, C, D, E", others)])
    return figure


def _two_depths(cells: pd.DataFrame) -> list[int]:
    """The smallest and the largest depth, 0 where there is none."""
    depths = [int(depth) for depth in sorted(set(cells["L"]))] if len(cells) else []
    return [depths[0], depths[-1]] if len(depths) > 1 else [*depths, 0, 0][:2]


def _zigzag(boxes: Sequence[Axes], cells: pd.DataFrame, regions: pd.DataFrame) -> None:
    """Regions at two depths and tripoints of the groups on a zigzag."""
    for axes, letter, depth in zip(boxes, "GH", _two_depths(cells), strict=False):
        panel_title(axes, letter, f"zigzag, $L={depth}$, seed 0")
        _regions(axes, cells[cells["L"] == depth] if len(cells) else cells, regions)
    panel_title(boxes[2], "I", "zigzag: tripoints")
    _tripoints(boxes[2], cells)


def _rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


def _regions(axes: Axes, cells: pd.DataFrame, regions: pd.DataFrame) -> None:
    axes.set(xlabel="$x_1$", ylabel="$x_2$")
    first = cells[cells["seed"] == 0] if len(cells) else cells
    own = regions[regions["key"].isin(first["key"])] if len(first) else regions[:0]
    if own.empty:
        empty_panel(axes, "not in this preset")
        return
    grid = own.pivot(index="row", columns="column", values="class").to_numpy()
    axes.imshow(grid, origin="lower", extent=(-HALF, HALF, -HALF, HALF), vmin=-0.5, vmax=3.5,
                cmap=ListedColormap(list(REGION_COLOURS)), interpolation="nearest",
                aspect="auto")  # fmt: skip
    number = int(first["tripoints"].iloc[0])
    axes.text(0.03, 0.03, f"{number} {plural('tripoint', number)}",
              transform=axes.transAxes, fontsize=7,
              bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})  # fmt: skip


def _tripoints(axes: Axes, cells: pd.DataFrame) -> None:
    axes.set(xlabel="depth $L$", ylabel="tripoints")
    if cells.empty:
        empty_panel(axes, "not in this preset")
        return
    depths = sorted(set(cells["L"]))
    places = cells["L"].map({depth: i for i, depth in enumerate(depths)}).to_numpy(dtype=float)
    shift = 0.08 * (cells["seed"].to_numpy(dtype=float) - cells["seed"].mean())
    axes.plot(places + shift, cells["tripoints"], "o", color="0.3", markerfacecolor="white",
              markersize=4.5, gid="tripoints")  # fmt: skip
    axes.set_xticks(np.arange(len(depths)), labels=[str(depth) for depth in depths])
    axes.set(xlim=(-0.6, len(depths) - 0.4), ylim=(-0.4, max(3.4, cells["tripoints"].max() + 0.6)))
