"""Regions of four classes at two depths, and the singular values of the weights."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from srhm.figures.drawing import styled
from srhm.figures.legends import Entry
from srhm.figures.looks import GREEN, ORANGE, PURPLE, SKY
from srhm.figures.marks import plural
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Panel
from srhm.studies.representation_cost.figures.by_layer import counts, singular_values
from srhm.studies.representation_cost.readings import finished, of_cells

HALF = 1.8  # of the square, as in `classes` of the study
REGIONS = (SKY, ORANGE, GREEN, PURPLE)


@styled
def draw(
    cells: pd.DataFrame,
    layers: pd.DataFrame,
    values: pd.DataFrame,
    regions: pd.DataFrame,
    *,
    preset: str,
) -> Figure:
    """A, B: regions of seed 0; C, D: singular values; E: directions; F, G: zigzag."""
    own, zigzag = finished(cells, "classes"), finished(cells, "zigzag")
    ends = _ends(own)
    deep = own[own["L"] == ends[-1]] if ends else own
    shallow = own[own["L"] == ends[0]] if ends else own
    return mosaic([
        _regions("", shallow, regions), _regions("", deep, regions),
        singular_values(f"weights, $L={ends[0] if ends else 0}$", of_cells(values, shallow)),
        singular_values(f"weights, $L={ends[-1] if ends else 0}$", of_cells(values, deep)),
        counts(f"directions, $L={ends[-1] if ends else 0}$", of_cells(layers, deep)),
        *(_regions("zigzag, ", zigzag[zigzag["L"] == L], regions) for L in _ends(zigzag)),
    ], columns=4, preset=preset, height=2.0, notes=[
        *_tripoints("Tripoints", own), *_tripoints("Tripoints of the zigzag", zigzag),
    ])  # fmt: skip


def _ends(cells: pd.DataFrame) -> list[int]:
    """The smallest and the largest depth."""
    depths = sorted(set(cells["L"]))
    return [int(depths[0]), int(depths[-1])] if len(depths) > 1 else []


def _regions(before: str, cells: pd.DataFrame, regions: pd.DataFrame) -> Panel:
    """Class with the largest output on a grid, of seed 0."""
    first = cells[cells["seed"] == 0]
    own = regions[regions["key"].isin(first["key"])]

    def draw_grid(axes: Axes) -> Sequence[Entry]:
        grid = own.pivot(index="row", columns="column", values="class").to_numpy()
        axes.imshow(grid, origin="lower", extent=(-HALF, HALF, -HALF, HALF), vmin=-0.5, vmax=3.5,
                    cmap=ListedColormap(list(REGIONS)), interpolation="nearest",
                    aspect="auto")  # fmt: skip
        number = int(first["tripoints"].iloc[0])
        axes.text(0.03, 0.03, f"{number} {plural('tripoint', number)}", transform=axes.transAxes,
                  bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})  # fmt: skip
        return [Entry("Class", str(i + 1), (Patch(color=tint),)) for i, tint in enumerate(REGIONS)]

    depth = f"$L={first['L'].iloc[0]}$, seed 0" if len(first) else ""
    return Panel(title=f"{before}{depth}", x=Axis("$x_1$"), y=Axis("$x_2$"), extra=draw_grid,
                 has_extra=len(own) > 0)  # fmt: skip


def _tripoints(words: str, cells: pd.DataFrame) -> list[str]:
    """How many tripoints the networks of each depth have, least to most."""
    found = cells.groupby("L")["tripoints"].agg(["min", "max", "size"])
    return [
        f"{words} at L = {depth:g}: {row['min']:g} to {row['max']:g} in {row['size']:g} networks."
        for depth, row in found.iterrows()
    ]
