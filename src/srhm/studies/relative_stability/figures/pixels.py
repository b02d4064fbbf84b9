"""R_f against P on small digits, on those of MNIST, and on these at as few pixels as the small."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import BLUE, GREEN, ORANGE, VERMILION, Look
from srhm.figures.looks import net as look_of
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel
from srhm.figures.scales import by_name
from srhm.studies.relative_stability.analysis import measured
from srhm.studies.relative_stability.figures.marks import ONE, SIZE, geometric, trained_counts

IMAGES = {
    "digits": Look("8 × 8 digits, at 16 × 16", BLUE, "s"),
    "mnist5k_coarse": Look("MNIST at 8 × 8 and back", ORANGE, "v"),
    "mnist5k": Look("MNIST", VERMILION, "^"),
    "fashion": Look("Fashion-MNIST", GREEN, "o"),
}
WHEN = {"start": Look("before training", line=":"), "end": Look("after", line="-")}
NETS = ("resnet18", "vgg11_bn")


@styled
def draw(cells: pd.DataFrame, stability: pd.DataFrame, *, preset: str) -> Figure:
    """A, B: R_f of ResNet18 and of VGG11 before and after training, by kind of images."""
    tables = {"cells": cells, "stability": stability}
    rows = pd.concat([measured(tables, data=data).assign(data=data) for data in IMAGES])
    means = geometric(rows[rows["net"].isin(NETS)], "R", ["net", "data", "when", "P"])
    by = [by_name("data", means["data"], IMAGES), by_name("when", means["when"], WHEN, "Line")]
    return mosaic([
        Panel(title=look_of(net).label, x=SIZE, y=Axis("$R_f$", log=True), marks=[
            Marks(rows=own, x="P", y="R", by=by, line="-", size=3.5, width=0.9,
                  name="R"), ONE,
        ])
        for net in NETS for own in [means[means["net"] == net]] if len(own)
    ], columns=2, preset=preset, share="y",
       notes=[f"{trained_counts(rows[rows['net'].isin(NETS)])}."])  # fmt: skip
