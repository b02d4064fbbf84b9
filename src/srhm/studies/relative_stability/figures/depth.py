"""R by depth, before and after training."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel
from srhm.figures.scales import Scale, by_name, nets
from srhm.studies.relative_stability.analysis import is_deep, measured
from srhm.studies.relative_stability.figures.marks import ONE, geometric, trained_counts

WHEN = {"start": Look("before training", line=":"), "end": Look("after", line="-")}
PANELS = {"fully connected, LeNet": False, "VGG, ResNet, EfficientNet": True}


@styled
def draw(cells: pd.DataFrame, stability: pd.DataFrame, *, preset: str) -> Figure:
    """A: fully connected networks and LeNet; B: VGG, ResNet, EfficientNet."""
    rows = measured({"cells": cells, "stability": stability}, part="layers")
    by = [nets(rows["net"]), by_name("when", rows["when"], WHEN, "Line")]
    return mosaic(
        [by_depth(rows[is_deep(rows["net"]) == deep], title, by) for title, deep in PANELS.items()],
        columns=2, preset=preset, share="y", notes=[f"{trained_counts(rows)}."],
    )  # fmt: skip


def by_depth(rows: pd.DataFrame, title: str, by: Sequence[Scale]) -> Panel:
    """R of each layer against relative depth, geometric means over seeds."""
    return Panel(title=title, x=Axis("relative depth", limits=(-0.03, 1.03)),
                 y=Axis("$R$ of the layer", log=True), marks=[
        Marks(rows=geometric(rows, "R", ["net", "when", "depth"]), x="depth", y="R", by=by,
              line="-", size=2.5, width=0.9), ONE,
    ])  # fmt: skip
