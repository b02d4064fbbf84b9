"""Unsatisfied points, misclassified points and N*(P) of digits beside random data (chapter 1).

Letters of the thesis: N number of weights, N_Delta unsatisfied points, N* the smallest N that fits
P points.
"""

from dataclasses import replace

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures import looks
from srhm.figures.drawing import styled
from srhm.figures.looks import Look
from srhm.figures.marks import plural
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel
from srhm.figures.scales import by_name
from srhm.figures.unsatisfied import at_loss, thresholds, unsatisfied_points
from srhm.statistics.jamming import smallest_that_fit, with_jamming

DATA = {name: replace(look, marker="") for name, look in looks.DATA.items()}
DEPTHS = {depth: Look(f"$L={depth}$", marker=symbol)
          for depth, symbol in ((2, "v"), (3, "o"), (5, "s"))}  # fmt: skip
LOSS = Axis("training loss", log=True)


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """N_Delta/N against P/N and the loss; misclassified part against the loss; N*(P).

    cells: rows of FLOW_CELLS of the study, a marker for each network that did not diverge. Losses
    below LEAST_LOSS, and of networks that fit, are drawn at it.
    """
    if cells.empty:
        return mosaic([], columns=2, preset=preset)
    marked = at_loss(with_jamming(cells))
    by = [by_name("data", marked["data"], DATA, "Data"),
          by_name("hidden_layers", marked["hidden_layers"], DEPTHS, "Depth")]  # fmt: skip
    wrong = Marks(rows=marked, x="at_loss", y="train_error", by=by, size=3.2, filled=False)
    linear = {"linear": 1.0, "scale": 2.0}
    return mosaic([
        unsatisfied_points("against $P/N$", marked, "load", Axis("$P/N$", log=True), by, **linear),
        unsatisfied_points("against the loss", marked, "at_loss", LOSS, by, **linear),
        Panel(title="misclassified", x=LOSS, y=Axis("misclassified part of $P$"), marks=[wrong]),
        thresholds("$N^*(P)$", smallest_that_fit(cells), marked["P"], by),
    ], columns=2, preset=preset, notes=_protocol(marked))  # fmt: skip


def _protocol(marked: pd.DataFrame) -> list[str]:
    """How the networks were trained and how that ended, a sentence for each kind of data."""
    found = []
    for data, own in marked.groupby("data"):
        counts = own["status"].value_counts()
        ends = ", ".join(
            f"{counts[word]} {word}" for word in ("fitted", "capped") if word in counts
        )
        sets = own["seed"].nunique()
        found.append(
            f"{DATA[str(data)].label}: FCN, quadratic hinge, {own['optimiser'].iloc[0]}, at most"
            f" {own['budget'].max():,} evaluations; {len(own)} networks of"
            f" {sets} {plural('data set', sets)}: {ends}, {int(own['jammed'].sum())} jammed."
        )
    return found
