"""R_f against P in the stripe model, R_k and test error on the SRHM."""

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.looks import REGIMES, Look
from srhm.figures.marks import between, plural
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, power_law
from srhm.figures.scales import Scale, by_name, graded, nets, parted
from srhm.studies.relative_stability.analysis import by_network, measured
from srhm.studies.relative_stability.figures.marks import ERROR, geometric

FEATURE, LAZY = 0.1, 1000.0
SCALES = {FEATURE: REGIMES["feature"], LAZY: REGIMES["lazy"]}
WHEN = {"start": Look("before training", line=":"), "end": Look("after", line="-")}
SIZE = Axis("training points $P$", log=True)


@styled
def draw(cells: pd.DataFrame, stability: pd.DataFrame, *, preset: str) -> Figure:
    """A: stripe model; B: R_k of a CNN on the SRHM; C: test error against R_f there."""
    tables = {"cells": cells, "stability": stability}
    stripe, srhm = measured(tables, data="stripe"), measured(tables, data="srhm")
    layers = pd.concat([measured(tables, data="srhm", part="layers"), srhm])
    means = geometric(stripe, "R", ["alpha_tilde", "when", "P"])
    ended = means[(means["alpha_tilde"] == FEATURE) & (means["when"] == "end")]
    slope = []
    if len(ended):
        first = ended.iloc[0]
        slope = [
            power_law(
                list(ended["P"]), -1, through=(first["P"], first["R"]), label="slope $-1$ (A)"
            )
        ]
    own = layers[(layers["net"] == "cnn") & (layers["alpha_tilde"] == FEATURE)]
    by_layer = geometric(own, "R", ["layer", "when", "P"])
    parts = [by_network(part).assign(P=P, alpha_tilde=scale)
             for (P, scale), part in parted(srhm, "P", "alpha_tilde")]  # fmt: skip
    points = pd.concat(parts).reset_index() if parts else srhm
    fill = {FEATURE: Look("$0.1$", filled=True), LAZY: Look("$10^3$", filled=False)}
    return mosaic([
        Panel(title="stripe", x=SIZE, y=Axis("$R_f$", log=True), marks=[
            _in_time(means, "R", by_name("alpha_tilde", means["alpha_tilde"], SCALES), "stripe"),
            *slope]),
        Panel(title="SRHM, CNN", x=SIZE, y=Axis("$R_k$", log=True), marks=[
            _in_time(by_layer, "R", graded("layer", by_layer["layer"], "Layer $k$ (B)"), "layer")]),
        Panel(title="SRHM", x=Axis("$R_f$", log=True), y=ERROR, marks=[
            Marks(rows=points, x="R", y="test_error", line="-", width=0.6, size=3.5, sort=False,
                  name="errors", by=[nets(points["net"]), by_name(
                      "alpha_tilde", points["alpha_tilde"], fill, "$\\tilde\\alpha$ (C)")])]),
    ], columns=3, preset=preset, notes=[*_seeds("A", stripe), *_seeds("B, C", srhm)])  # fmt: skip


def _in_time(rows: pd.DataFrame, y: str, by: Scale, name: str) -> Marks:
    return Marks(rows=rows, x="P", y=y, by=[by, by_name("when", rows["when"], WHEN, "Line")],
                 line="-", size=3.5, width=0.9, name=name)  # fmt: skip


def _seeds(panels: str, rows: pd.DataFrame) -> list[str]:
    if rows.empty:
        return []
    counts = rows.groupby(["net", "alpha_tilde", "P"])["seed"].nunique()
    return [f"{panels}: {between(counts)} {plural('seed', int(counts.max()))}."]
