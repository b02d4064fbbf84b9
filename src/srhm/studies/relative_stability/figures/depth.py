"""R by depth, before and after training."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel
from srhm.figures.scales import by_name, nets
from srhm.studies.relative_stability.analysis import is_deep, measured
from srhm.studies.relative_stability.figures.marks import ONE, geometric, trained_counts

WHEN = {"start": Look("before training", line=":"), "end": Look("after", line="-")}
PANELS = {"fully connected, LeNet": False, "VGG, ResNet, EfficientNet": True}


@styled
def draw(cells: pd.DataFrame, stability: pd.DataFrame, *, preset: str) -> Figure:
    """A: fully connected networks and LeNet; B: VGG, ResNet, EfficientNet."""
    rows = measured({"cells": cells, "stability": stability}, part="layers")
    means = geometric(rows, "R", ["net", "when", "depth"])
    by = [nets(means["net"]), by_name("when", means["when"], WHEN)]
    return mosaic([
        Panel(title=title, x=Axis("relative depth", limits=(-0.03, 1.03)),
              y=Axis("$R$ of the layer", log=True), marks=[
                  Marks(rows=means[is_deep(means["net"]) == deep], x="depth", y="R", by=by,
                        line="-", size=2.5, width=0.9), ONE,
              ])
        for title, deep in PANELS.items()
    ], columns=2, preset=preset, share="y", notes=[f"{trained_counts(rows)}."])  # fmt: skip
