"""R_f before and after training, against P and with the test error, on other images than digits."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Marks
from srhm.figures.scales import by_name, nets
from srhm.studies.relative_stability.analysis import at_largest, is_deep, measured
from srhm.studies.relative_stability.figures.depth import by_depth
from srhm.studies.relative_stability.figures.marks import (
    against_error,
    against_size,
    before_and_after,
    geometric,
    trained_counts,
)

# Over networks of these kinds R is drawn by depth.
DEEP = "VGG, ResNet, EfficientNet"
WHEN = {"start": Look("before training", line=":"), "end": Look("after", line="-")}

ABSENT = {
    "mnist5k": "Without published rows: make env-images.",
    "fashion": "Without published rows: make fashion.",
    "mnist": "No files of MNIST here: make mnist.",
    "cifar10": "No CIFAR-10 here: make cifar.",
}


@styled
def draw(cells: pd.DataFrame, stability: pd.DataFrame, *, preset: str, data: str) -> Figure:
    """A: R_f before and after training; B, C: R_f and G_f against P; D: test error; E: by depth.

    data: one of ABSENT.
    """
    tables = {"cells": cells, "stability": stability}
    rows, layers = measured(tables, data=data), measured(tables, data=data, part="layers")
    layers = layers[is_deep(layers["net"])]
    crops = geometric(measured(tables, data=data, augmented=True, when="end"), "R", ["net", "P"])
    crop = Marks(rows=crops, x="P", y="R", by=[nets(crops["net"]).without("marker")],
                 name="augmented", marker="*", size=8,
                 label="with crops and mirrors (B)")  # fmt: skip
    by = [nets(layers["net"]), by_name("when", layers["when"], WHEN, "E")]
    return mosaic([
        before_and_after(at_largest(rows), f"$P={rows['P'].max():.0f}$"),
        against_size(rows, "R", "after training", crop),
        against_size(rows, "G", "after training"),
        against_error(rows, "R", "all $P$"),
        *([by_depth(layers, DEEP, by)] if len(layers) else []),
    ], columns=3, preset=preset, absent=ABSENT[data],
       notes=[f"{trained_counts(rows)}."])  # fmt: skip
