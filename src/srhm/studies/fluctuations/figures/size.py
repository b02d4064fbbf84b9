"""Output, gradient, boundary and test error against N (thesis, chapter 2b, figures 2, 5 and 6)."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import BLUE, GREEN, PURPLE, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, level
from srhm.figures.scales import by_name
from srhm.studies.fluctuations.analysis import (
    FAR,
    FITS,
    by_seed,
    by_width,
    coefficients,
    of_data,
    threshold,
)

COLUMNS = {
    "test": Look("test points", BLUE), "train": Look("training points", VERMILION),
    "noise": Look("noise", GREEN), "single": Look("single networks", BLUE),
    "early": Look("early stopped", PURPLE), "ensemble": Look("mean output", VERMILION),
}  # fmt: skip
LEAST = 3e-4  # excess: below it a band is cut off; a test point in six
SIZE = Axis("number of weights $N$", log=True)
DELTA = Axis(r"distance $\delta$", log=True)
ESTIMATE = Axis(r"$\|f-\bar{f}\|/\|\nabla f\|$", log=True)
# Title; columns; x with its axis; axis of y; exponents of the fit.
PANELS = (
    ("fluctuation: $N^{-1/4}$", ("test", "train", "noise"), "N", SIZE,
     Axis(r"$\|f-\bar{f}\|$", log=True), (-0.25,)),
    ("gradient: $C_0+C_1N^{-1/4}$", ("gradient",), "N", SIZE, Axis(r"$\|\nabla f\|$"),
     (0.0, -0.25)),
    (r"error: $\varepsilon_\infty+D_0\delta^2$", ("single",), "delta", DELTA,
     Axis(r"$\varepsilon$"), (0.0, 2.0)),
    ("distance: linear", ("delta",), "estimate", ESTIMATE, DELTA, (1.0,)),
    ("excess: $E_0N^{-1/2}+E_1N^{-3/4}$", ("excess",), "N", SIZE,
     Axis(r"$\varepsilon-\bar{\varepsilon}$", log=True, limits=(LEAST, None)), (-0.5, -0.75)),
    (r"$\varepsilon_\infty+B_0N^{-1/2}+B_1N^{-3/4}$", ("single", "early", "ensemble"), "N", SIZE,
     Axis("test error"), (0.0, -0.5, -0.75)),
)  # fmt: skip


@styled
def draw(*tables: pd.DataFrame, data: str, preset: str) -> Figure:
    """A: |f - fbar|; B: |grad f|; C-E: errors and distances; F: single, early stopped, ensemble.

    tables: cells, histories and fluctuations.
    """
    cells, histories, fluctuations = of_data(data, *tables)
    rows = by_seed(cells, histories, fluctuations)
    if rows.empty:
        return mosaic([], columns=3, preset=preset)
    table, (N_star, h_star) = by_width(rows), threshold(cells)
    panels = []
    for letter, (title, columns, x, at, y, powers) in zip("ABCDEF", PANELS, strict=True):
        used = table[table["width"] >= h_star * (FAR if len(powers) == 1 else FITS)]
        # One column alone is named by its axis.
        scales = [by_name("column", columns, COLUMNS, letter)] if len(columns) > 1 else []
        shown = Marks(rows=_long(table, rows, x, columns), x=x, y="value", name="column",
                      by=scales, each=() if scales else ["column"], size=3, colour=BLUE,
                      line="-" if x == "N" else "", low="low" if x == "N" else "", high="high",
                      bar_label="range of the seeds")  # fmt: skip
        star = [level(N_star, "$N^*$", across="y", name="N*")] if x == "N" else []
        panels.append(Panel(title=title, x=at, y=y,
                            marks=[shown, _fit(used, x, columns[0], powers), *star]))  # fmt: skip
    return mosaic(panels, columns=3, preset=preset, notes=[
        f"P = {cells['P'].max()}, {rows['seed'].nunique()} seeds, {table['n'].min():g} to"
        f" {table['n'].max():g} networks a width; N* = {N_star:.3g}. Fits of A and D are from"
        f" {FAR:g} h* on, others from {FITS:g} h* on."
    ])  # fmt: skip


def _long(
    table: pd.DataFrame, rows: pd.DataFrame, x: str, columns: tuple[str, ...]
) -> pd.DataFrame:
    """A row for each width and column: its mean over seeds, and their range; not below zero."""
    parts = []
    for name in columns:
        seeds = rows.groupby("width")[name]
        part = table[["width", x]].assign(column=name, value=table[name].where(table[name] > 0))
        ends = {"low": seeds.min(), "high": seeds.max()}
        parts.append(part.assign(**{end: part["width"].map(at) for end, at in ends.items()}))
    return pd.concat(parts)


def _fit(table: pd.DataFrame, x: str, column: str, powers: tuple[float, ...]) -> Marks:
    """The sum of powers of x that fits."""
    found, at = coefficients(table[x], table[column], powers), np.sort(table[x].to_numpy())
    values = sum(c * at**power for c, power in zip(found, powers, strict=True))
    return law(at, np.asarray(values), "fit", name=f"fit {column}")
