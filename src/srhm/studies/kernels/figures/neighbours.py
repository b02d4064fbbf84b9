"""Mean distance to the nearest neighbour against the number of points."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import BLACK
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Panel, laws
from srhm.studies.kernels.figures.curves import curve, dimensions, drawn, runs
from srhm.studies.kernels.laws import neighbour_distance

POINTS = Axis("points $P$", log=True)


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A: spheres, with the law for many points, no fit. B: digits beside spheres.

    In B every curve is divided by its value at the smallest P.
    """
    rows = cells[cells["experiment"] == "neighbours"]
    spheres, digits = (rows[rows["data"] == name] for name in ("sphere", "digits"))
    by = dimensions(spheres)
    law = curve(spheres, "distance", ["d"])
    law["distance"] = [neighbour_distance(int(d), int(P))
                       for d, P in zip(law["d"], law["P"], strict=True)]  # fmt: skip
    relative = (
        pd.concat([_relative(own) for _, own in spheres.groupby("d")]) if len(spheres) else spheres
    )
    return mosaic([
        Panel(title=f"spheres{runs(spheres)}", x=POINTS,
              y=Axis("nearest distance / radius", log=True), marks=[
                  drawn(spheres, "distance", [by]),
                  laws(law, "P", "distance", "law for many points (A)", name="law",
                       by=[by.without("colour", "marker")]),
              ]),
        Panel(title=f"digits beside spheres{runs(digits)}", x=POINTS,
              y=Axis("relative distance", log=True), marks=[
                  drawn(relative, "distance", [by], name="relative"),
                  drawn(_relative(digits), "distance", [], name="relative digits", colour=BLACK,
                        marker="X", label="digits (B)"),
              ] if len(digits) else []),
    ], columns=2, preset=preset)  # fmt: skip


def _relative(rows: pd.DataFrame) -> pd.DataFrame:
    """Distances over the mean of those at the smallest P."""
    first = rows.loc[rows["P"] == rows["P"].min(), "distance"]
    return rows.assign(distance=rows["distance"] / float(np.mean(first)) if len(rows) else 1.0)
