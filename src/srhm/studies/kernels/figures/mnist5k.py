"""Kernels on 5,000 digits of MNIST: learning curves, kernel PCA, nearest neighbours."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import BLACK
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Panel, power_law
from srhm.figures.scales import graded
from srhm.studies.kernels.figures.curves import curve, drawn, runs
from srhm.studies.kernels.figures.digits import panels
from srhm.studies.kernels.figures.pca import of_convergence, of_tails, standard_curve

DATA = "mnist5k"
DIMENSION = 15  # d_eff of MNIST in the thesis
ABSENT = "Without published rows: make env-images."


@styled
def draw(cells: pd.DataFrame, spectra: pd.DataFrame, *, preset: str) -> Figure:
    """A to C: as of 8 x 8 digits; D, E: kernel PCA; F: distances to the nearest neighbour."""
    own = cells[cells["data"] == DATA]
    neighbours = own[own["experiment"] == "neighbours"]
    laplace = own[(own["experiment"] == "spectrum") & (own["kernel"] == "laplace")]
    table = spectra.merge(laplace[["key", "P", "seed"]], on="key")
    sizes = graded("P", table["P"].astype(int), "Points (D, E)")
    means = curve(neighbours, "distance", [])
    law = []
    if len(means):
        first = means.iloc[0]
        law = [power_law(list(means["P"]), -1 / DIMENSION, through=(first["P"], first["distance"]),
                         label=f"slope $-1/{DIMENSION}$ (F)")]  # fmt: skip
    nearest = Panel(
        title=f"nearest neighbours{runs(neighbours)}", x=Axis("points $P$", log=True),
        y=Axis("distance / mean distance", log=True), marks=[
            drawn(neighbours, "distance", [], name="distance", colour=BLACK,
                  label="digits of MNIST (F)"), *law,
        ] if len(neighbours) else [],
    )  # fmt: skip
    return mosaic([
        *panels(own[own["experiment"] == DATA]),
        of_tails(table, standard_curve(cells, DATA), sizes, "MNIST", "D"),
        of_convergence(table, sizes, "MNIST", "E"),
        nearest,
    ], columns=3, preset=preset, absent=ABSENT)  # fmt: skip
