"""Pairs of points that a symmetry makes equal, by layer, at one output and at three.

Letters: l number of a weight matrix, z the two coordinates that matter, f* the task.
"""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import BLUE, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, level
from srhm.figures.scales import by_name, ranged
from srhm.studies.representation_cost.figures.by_layer import LAYER
from srhm.studies.representation_cost.readings import finished, of_cells

PAIRS = {
    "apart_true": Look("equal $z$", marker="o", line="--"),
    "apart_full": Look("equal length of $z$", marker="s", line="-"),
}
OUTPUTS = {1: Look("1", VERMILION), 3: Look("3", BLUE)}


@styled
def draw(cells: pd.DataFrame, layers: pd.DataFrame, *, preset: str) -> Figure:
    """A: distances of pairs over those of any; B: directions of representations."""
    own = finished(cells, "half")
    rows = of_cells(layers, own, "outputs")
    outputs = by_name("outputs", rows["outputs"], OUTPUTS, "Outputs")
    pairs = rows.melt(["k", "seed", "outputs"], list(PAIRS), "pairs", "apart")
    by = [outputs, by_name("pairs", pairs["pairs"], PAIRS, "Pairs of (A)")]
    apart = ranged(pairs, "apart", ["outputs", "pairs", "k"])
    directions = ranged(rows, "n_visible", ["outputs", "k"])
    look: dict[str, Any] = {
        "x": "k",
        "low": "low",
        "high": "high",
        "band": True,
        "line": "-",
        "size": 3,
    }
    return mosaic([
        Panel(title="pairs", x=LAYER, y=Axis("distance over that of any", limits=(0, None)),
              marks=[Marks(rows=apart, y="apart", by=by, **look),
                     level(0.1, "a tenth (A)", name="tenth")]),
        Panel(title="representations", x=LAYER, y=Axis("directions", limits=(0, None)),
              marks=[Marks(rows=directions, y="n_visible", by=[outputs], **look)]),
    ], columns=2, preset=preset, notes=_notes(own))  # fmt: skip


def _notes(cells: pd.DataFrame) -> list[str]:
    if cells.empty:
        return []
    first = cells.iloc[0]
    return [
        f"L = {first['L']:g}, width {first['width']:g}, λL = {first['penalty']:g},"
        f" N = {first['n']:g}, d = {first['d']:g}, {cells['seed'].nunique()} seeds."
    ]
