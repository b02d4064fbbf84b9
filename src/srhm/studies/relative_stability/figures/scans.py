"""R_f against the displacement by two interpolations, and G_f against the noise."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, power_law
from srhm.figures.scales import by_name, nets
from srhm.studies.relative_stability.analysis import measured
from srhm.studies.relative_stability.figures.marks import geometric, trained_counts

WHEN = {"start": "before training", "end": "after training"}
KINDS = {"bilinear": Look("bilinear", line="-"), "gaussian": Look("Gaussian", line=":")}


@styled
def draw(
    cells: pd.DataFrame,
    stability: pd.DataFrame,
    noise: pd.DataFrame,
    *,
    preset: str,
    data: str = "digits",
) -> Figure:
    """A, B: R_f against δ before and after training; C: G_f against the norm of the noise.

    data: kind of images.
    """
    tables = {"cells": cells, "stability": stability, "noise": noise}
    rows = measured(tables, part="displacements", data=data)
    noises = measured(tables, table="noise", data=data)
    if rows.empty or noises.empty:
        return mosaic([], columns=1, preset=preset)
    means = geometric(rows, "R", ["net", "when", "interpolation", "displacement"])
    ended = noises[noises["when"] == "end"]
    norms = ended.groupby(["net", "times"])["noise_norm"].mean().reset_index()
    at_noise = geometric(ended, "G", ["net", "times"]).merge(norms)
    by = nets(means["net"])
    kinds = by_name("interpolation", means["interpolation"], KINDS, "Interpolation (A, B)")
    least, first = ended["noise_norm"].min(), ended.groupby("times")["G"].mean().iloc[0]
    slope = power_law([least, 1.0], 2, through=(least, 3 * first), label="slope 2 (C)")
    return mosaic([
        *(Panel(title=name, x=Axis("displacement $\\delta$ (pixels)", log=True),
                y=Axis("$R_f$", log=True), marks=[
                    Marks(rows=means[means["when"] == when], x="displacement", y="R", line="-",
                          by=[by, kinds], size=2.5, width=0.9, name=when)])
          for when, name in WHEN.items()),
        Panel(title="after training", x=Axis("norm of the noise $\\|\\eta\\|$", log=True),
              y=Axis("$G_f$", log=True), marks=[
                  Marks(rows=at_noise, x="noise_norm", y="G", by=[nets(at_noise["net"])], line="-",
                        size=2.5, width=0.9, name="noise"), slope]),
    ], columns=3, preset=preset, notes=[f"{trained_counts(rows)}."])  # fmt: skip
