"""Equivariance error: on voxels, and of correlations on SO(3)."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, Look
from srhm.figures.marks import plural
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel
from srhm.figures.scales import Scale, by_name, shaped

ACTS = {
    "none": Look("none", BLACK), "gate": Look("gates", BLUE), "norm": Look("norm", GREEN),
    "components": Look("ReLU of components", PURPLE), "relu": Look("ReLU", VERMILION),
    "softplus": Look("softplus", ORANGE), "square": Look("square", SKY),
}  # fmt: skip
LOW_PASS = {True: Look("low-pass", marker="o", line="-"),
            False: Look("no low-pass", marker="^", line="--")}  # fmt: skip
ERROR = r"equivariance error $\Delta$"
APART = 1.015  # factor of x, between nonlinearities


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A, B: steerable networks against voxels and depth; C, D: SO(3) against b and its grid.

    E, F: as A, B, in rotations of the cube, which leave the grid as it is.
    """
    voxels, sphere = (cells[cells["experiment"] == name] for name in ("voxels", "sphere"))
    voxels = voxels[voxels["net"] == "steerable"]
    # Those of another width are there for their number of parameters.
    voxels = voxels[voxels["width"].isin(voxels["width"].mode())]
    voxels = voxels.assign(low_pass=voxels["low_pass"].astype(bool))
    deepest = voxels[voxels["depth"] == voxels["depth"].max()]
    finest = voxels[voxels["n"] == voxels.loc[voxels["depth"] < 4, "n"].max()]
    plain = sphere[sphere["oversampling"] == 1]
    coarse = sphere[sphere["band"] == sphere.loc[sphere["oversampling"] > 1, "band"].min()]
    shallow = coarse[coarse["depth"] == coarse.loc[coarse["oversampling"] > 1, "depth"].min()]
    filtered = by_name("low_pass", voxels["low_pass"], LOW_PASS, "Voxels")
    depths = shaped("depth", sphere["depth"].astype(int), "Layers (C, D)")

    def of_voxels(turns: str, title: str) -> list[Panel]:
        return [
            _panel(title, own[own["turns"] == turns], x, label, filtered)
            for own, x, label in ((deepest, "n", "voxels along a side $n$"),
                                  (finest, "depth", "layers"))
        ]  # fmt: skip

    return mosaic([
        *of_voxels("random", "voxels, any rotation"),
        _panel("SO(3)", plain, "band", "band limit $b$", depths),
        _panel("SO(3): grid", shallow, "oversampling", "points of the grid over $2b$", depths),
        *of_voxels("cube", "voxels, of the cube"),
    ], columns=3, preset=preset, notes=_notes(voxels, sphere))  # fmt: skip


def _panel(title: str, cells: pd.DataFrame, x: str, label: str, by: Scale) -> Panel:
    """Seeds as marks, their geometric mean as a line, for each nonlinearity and setting."""
    columns = ["act", by.column]
    own = cells[cells.groupby(columns)[x].transform("nunique") > 1]
    ticks = sorted(set(own[x]))
    there = [act for act in ACTS if act in set(own["act"])]
    rank = own["act"].map(there.index).astype(float) - (len(there) - 1) / 2
    own = own.assign(at=own[x] * APART**rank)
    x = "at"
    logs = own.assign(error=np.log(own["error"].astype(float)))
    means = logs.groupby([*columns, x])["error"].mean().reset_index()
    means = means.assign(error=np.exp(means["error"]))
    scales = [by_name("act", own["act"], ACTS, "Nonlinearity"), by]
    return Panel(
        title=title, x=Axis(label, log=True, ticks=ticks), y=Axis(ERROR, log=True),
        marks=[
            Marks(rows=own, x=x, y="error", by=scales, filled=False, size=3.5, name="seeds"),
            Marks(rows=means, x=x, y="error", by=scales, marker="", line="-", name="mean"),
        ],
    )  # fmt: skip


def _notes(voxels: pd.DataFrame, sphere: pd.DataFrame) -> list[str]:
    found = []
    for letters, own in (("A, B, E, F", voxels), ("C, D", sphere)):
        if len(own):
            seeds = own["seed"].nunique()
            found.append(f"{letters}: {seeds} {plural('seed', seeds)} of untrained networks,"
                         f" {own['rotations'].max():g} rotations each.")  # fmt: skip
    return found
