"""Ranks by layer of deep networks that have learnt the classes of a grammar.

Letters: n_c classes, v features, s branching; a level l of a grammar of depth D has s^(D+1-l)
latents, which span s^(D+1-l) (v - 1) directions, the class n_c - 1.
"""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.marks import GUIDE
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Marks
from srhm.studies.representation_cost.figures.by_layer import counts, singular_values
from srhm.studies.representation_cost.known import level_directions
from srhm.studies.representation_cost.readings import finished, of_cells


@styled
def draw(cells: pd.DataFrame, layers: pd.DataFrame, values: pd.DataFrame, *, preset: str) -> Figure:
    """A: directions of representations and weights by layer; B: singular values of weights."""
    own = finished(cells, "hierarchy")
    spans = [_levels(own.iloc[0])] if len(own) else []
    return mosaic([
        counts("directions of each layer", of_cells(layers, own), *spans),
        singular_values("weights", of_cells(values, own)),
    ], columns=2, preset=preset, height=2.5, notes=_notes(own))  # fmt: skip


def _levels(cell: pd.Series) -> Marks:
    """Directions that all latents of a level span."""
    depth = int(cell["levels"])
    rows = pd.DataFrame([
        {"words": "class" if level > depth else f"level {level}",
         "directions": level_directions(level, depth=depth, branching=int(cell["s"]),
                                        n_features=int(cell["v"]), n_classes=int(cell["n_c"]))}
        for level in range(1, depth + 2)
    ])  # fmt: skip
    return Marks(rows=rows, y="directions", words="words", name="level", guide=True, line="--",
                 marker="", colour=GUIDE, width=0.7, order=1.0,
                 label="directions of a level")  # fmt: skip


def _notes(cells: pd.DataFrame) -> list[str]:
    if cells.empty:
        return []
    first = cells.iloc[0]
    return [
        f"FCN of L = {first['L']:g}, width {first['width']:g}, λL = {first['penalty']:g},"
        f" P = {first['n']:g}, {len(cells)} seeds, test error"
        f" {100 * cells['test_error'].mean():.1f} %; grammar of depth {first['levels']:g},"
        f" v = {first['v']:g}, m = {first['m']:g}, n_c = {first['n_c']:g}, s = {first['s']:g},"
        f" s_0 = {first['s0']:g}."
    ]
