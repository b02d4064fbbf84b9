"""Columns of confidence: the best exit rate against r."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, laws, level
from srhm.figures.scales import coloured, filled
from srhm.studies.memory import theory
from srhm.studies.memory.selection import of_experiment


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A: the best exit rate eps against r; B: the same over Eq. 6 (mended), one mu a marker.

    Lines of A: Eq. 6 at the first mu; dotted: sqrt(2 r/(1 - mu^2)), Eq. 23, for many states.
    """
    best = of_experiment(cells, "columns")
    best = best[best["size"] > 1].assign(
        ratio=lambda own: own["exit_rate"] / own["exit_rate_limit"]
    )
    first = best["mu"].min()
    sizes, mus = coloured("size", best["size"], "$M$"), filled("mu", best["mu"], "$\\mu$")
    r = np.geomspace(best["r"].min(), best["r"].max(), 50) if len(best) else np.array([])
    mended = pd.DataFrame([
        {"size": size, "r": reset, "eps": theory.exit_rate(int(size), first, reset)}
        for size in sizes.looks for reset in r
    ])  # fmt: skip
    resets = Axis("probability of a reset $r$", log=True)
    return mosaic([
        Panel(title="best exit rate", x=resets, y=Axis("rate $\\varepsilon$", log=True), marks=[
            Marks(rows=best, x="r", y="exit_rate", by=[sizes, mus]),
            laws(mended, "r", "eps", f"Eq. 6, $\\mu = {first:g}$", by=[sizes], name="Eq. 6",
                 line="-"),
            law(r, lambda at: theory.exit_rate_of_many(first, at), "Eq. 23, many states", line=":"),
        ]),
        Panel(title="over Eq. 6", x=resets, y=Axis("$\\varepsilon$ over Eq. 6"), marks=[
            Marks(rows=best, x="r", y="ratio", by=[sizes, mus]), level(1, "1: Eq. 6", line="-"),
        ]),
    ], columns=2, preset=preset)  # fmt: skip
