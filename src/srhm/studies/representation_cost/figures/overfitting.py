"""Networks that fit few points of a map of rank 2, and what a fit of rank 1 would cost.

Letters: N points, k* rank of the map, R^(1) first correction of the representation cost, theta
parameters, L weight matrices, c_1 = ||theta||^2 - L.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import BLUE
from srhm.figures.marks import plural
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, laws, level
from srhm.figures.scales import distinct
from srhm.studies.representation_cost.figures.by_layer import maps
from srhm.studies.representation_cost.readings import (
    TRUE_RANK,
    finished,
    fits_its_points,
    underestimating,
)


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A: ranks of networks that fit N points; B: bound on R^(1); C: fits of rank 1 over a bound."""
    few, over = finished(cells, "few_points"), underestimating(cells)
    # Seeds side by side, so that equal ranks do not cover each other.
    few = few.assign(place=few["n"] * 1.06 ** (few["seed"] - few["seed"].mean()),
                     unfit=~fits_its_points(few))  # fmt: skip
    paths = finished(cells, "paths").groupby(["rank", "n"])["path_bound"].mean().reset_index()
    last = paths.groupby("rank")[["n", "path_bound"]].transform("last")
    slope = 2 * (1 - 1 / paths["rank"])
    paths = paths.assign(law=last["path_bound"] + slope * np.log(paths["n"] / last["n"]))
    ranks = paths["rank"].astype(int)
    most = max(TRUE_RANK, few["weight_rank"].max()) + 0.6
    least = min(0.0, float(over["log_over_bound"].min())) if len(over) else 0.0
    return mosaic([
        Panel(title="rank of fits to $N$ points",
              y=Axis("singular values near 1", limits=(0, most)),
              x=_sizes(few), marks=[
                  Marks(rows=few, x="place", y="weight_rank", open="unfit", name="few",
                        colour=BLUE, size=4.5, label="a network (A)",
                        open_label="does not fit (A)"),
                  level(TRUE_RANK, "rank of the map (A)", name="rank"),
              ]),
        Panel(title="curves through $N$ points", x=Axis("points $N$", log=True),
              y=Axis("2 log length of the tree"), marks=[
                  Marks(rows=paths, x="n", y="path_bound", name="path",
                        by=[distinct("rank", ranks, "$k^*$ (B)")]),
                  laws(paths, "n", "law", "slope $2(1-1/k^*)$", name="law",
                       by=[distinct("rank", ranks).without()]),
              ]),
        Panel(title="fits of rank 1", x=_sizes(over),
              y=Axis(r"$\log\,(\|J_\theta f\|^2/(L\,e^{-c_1}N^2))$", limits=(least, None)),
              marks=[Marks(rows=over, x="n", y="log_over_bound", name="over bound", filled=False,
                           by=[maps(over)])] if len(over) else []),
    ], columns=3, preset=preset, height=2.3, notes=_notes(few))  # fmt: skip


def _sizes(cells: pd.DataFrame) -> Axis:
    sizes = sorted(set(cells["n"])) if len(cells) else []
    return Axis("training points $N$", log=True, ticks=sizes)


def _notes(cells: pd.DataFrame) -> list[str]:
    if cells.empty:
        return []
    first, seeds = cells.iloc[0], cells["seed"].nunique()
    return [
        f"A: L = {first['L']:g}, width {first['width']:g}, λL = {first['penalty']:g},"
        f" {seeds} {plural('seed', seeds)}."
    ]
