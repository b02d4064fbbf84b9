"""Figures 12, 15: sensitivities of every layer to transformations of every level, against P.

Letters of the paper: S_{k,l}, D_{k,l} sensitivities of layer k to exchange of synonyms and to
diffeomorphisms at level l (Eq. 13, 14); P training points, ε test error, L depth, s branching,
s_0 (s0) empty places for each informative one, v features.
"""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.complexity_marks import empty_places
from srhm.figures.drawing import styled
from srhm.figures.looks import GREEN, PURPLE, Look
from srhm.figures.marks import EQUATIONS, curves_and_seeds
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, level
from srhm.figures.scales import Scale
from srhm.figures.selection import predicted, text_curves
from srhm.model import theory

DEPTH, BRANCHING = 2, 2
FEATURES = 8  # v of the paper's figures
LEVELS = Scale(column="l", title="level", looks={
    1: Look("$l=1$: the input's patches", GREEN), 2: Look("$l=2$: the class's patch", PURPLE)
})  # fmt: skip
ERROR_COLOUR = "0.6"
LAYERS = (("1", "layer $k=1$"), ("2", "layer $k=2$"), ("output", "output"))
KINDS = {"S": "$S_{k,l}$ (synonyms)", "D": "$D_{k,l}$ (places, $s_0>0$)"}
ROW = 1.95  # inches


@styled
def draw(
    cells: pd.DataFrame, sensitivities: pd.DataFrame, *, net: str, width: int, preset: str
) -> Figure:
    """Figure 12 (LCN, Eq. 3) or 15 (CNN, Eq. 4): S_{k,l} and D_{k,l} against P rescaled.

    Of the main curves with L = s = 2 and this width that have sensitivities, at FEATURES, or at the
    largest v where none has that. Averages and bars are over seeds, diverged cells left out.
    """
    rows = text_curves(sensitivities, width=width, branching=BRANCHING)
    rows = rows[
        (rows["net"] == net) & (rows["L"] == DEPTH) & (rows["variant"] == "text") & (rows["n"] > 0)
    ]
    found = set(rows["v"].astype(int))
    n_features = FEATURES if FEATURES in found else max(found, default=None)
    rows = rows[rows["v"] == n_features]
    own = cells[cells["curve"].isin(rows["curve"])]
    by = ["curve", "s0", "P"]
    errors = own.groupby(by, as_index=False)["test_error"].mean()
    values = rows.groupby(["kind", "layer", "l", *by], as_index=False)["value"].agg(
        ["mean", "min", "max"]
    )
    beside_all, values = _rescaled(errors, own), _rescaled(values, own)
    places = empty_places(own["s0"])
    equation, formula = EQUATIONS[net]
    x = Axis(f"$P\\;/\\;{formula}$   ({equation})", log=True)
    panels = []
    for kind, name in KINDS.items():
        of_kind = values[values["kind"] == kind]
        beside = beside_all[beside_all["curve"].isin(of_kind["curve"])]
        at = theory.sensitivity_threshold(kind, net, depth=DEPTH, branching=BRANCHING)
        for layer, title in LAYERS:
            here = of_kind[of_kind["layer"] == layer]
            panels.append(
                Panel(title=title, x=x, y=Axis(name, limits=(-0.03, None)), marks=[
                    Marks(rows=beside, x="x", y="test_error", by=[places], each=["curve"],
                          colour=ERROR_COLOUR, line="-", width=0.8, size=2.5, order=1.0,
                          label="test error $\\varepsilon$", name="error"),
                    Marks(rows=here, x="x", y="mean", low="min", high="max", by=[LEVELS, places],
                          each=["curve"], line="-", size=3.5, name="level",
                          bar_label="from lowest to highest seed"),
                    *([level(at, "threshold of $P^*_S$, $P^*_D$", name="threshold", line="--")]
                      if layer == "2" else []),
                ] if len(of_kind) else [])
            )  # fmt: skip
    notes = [f"{net.upper()}, L = s = 2, v = {n_features}: {curves_and_seeds(own)}."]
    return mosaic(panels, columns=len(LAYERS), preset=preset, height=ROW, share="y",
                  notes=notes if len(own) else [])  # fmt: skip


def _rescaled(rows: Any, cells: pd.DataFrame) -> pd.DataFrame:
    """With x, P over the prediction for each curve."""
    scale = {one["curve"]: predicted(one) for _, one in cells.drop_duplicates("curve").iterrows()}
    return pd.DataFrame(rows.assign(x=rows["P"] / rows["curve"].map(scale).astype(float)))
