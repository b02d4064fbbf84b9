"""ReLU networks have three regimes; variance of lazy learning against h and P (chapter 3a).

Letters of the thesis: h width, alpha_tilde = sqrt(h) alpha, Theta tangent kernel, F output.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.averaging import averaged, means
from srhm.figures.drawing import styled
from srhm.figures.families import ALPHA_TILDE
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, power_law
from srhm.figures.scales import graded
from srhm.statistics.output_scale import FEATURE, feature_slope
from srhm.studies.early_dynamics.analysis import (
    BETWEEN,
    SMOOTH,
    lazy_variances,
    of_kind,
    over_data_sets,
)

GUIDE = "slopes of the thesis, not fitted"


@styled
def draw(cells: pd.DataFrame, ensembles: pd.DataFrame, *, preset: str) -> Figure:
    """A: kernel change of ReLU networks against alpha_tilde; B, C: Var F against h and P."""
    kinks, variances = of_kind(cells, "kinks"), lazy_variances(cells, ensembles)
    if kinks.empty or variances.empty:
        return mosaic([], columns=3, preset=preset)
    widths = graded("width", [*kinks["width"], *variances["width"]], "Width $h$ (A, C)")
    sizes = graded("P", variances["P"], "$P$ (B)", palette="flare")
    panels = [
        Panel(title=title, x=x, y=y, marks=[
            means(averaged(rows, column, at=at, by=[scale.column], logarithmic=True,
                           average=over_data_sets), at, [scale]), *guides,
        ])
        for title, rows, column, at, x, y, scale, guides in (
            ("kernel change, ReLU", kinks, "kernel_change", "alpha_tilde",
             Axis(ALPHA_TILDE, log=True),
             Axis("$\\|\\Theta-\\Theta_0\\|/\\|\\Theta_0\\|$", log=True), widths, _windows(kinks)),
            ("variance against $h$", variances, "variance", "width",
             _at("width $h$", variances["width"]), Axis("Var $F$", log=True), sizes,
             [_guide(variances, "width", -1.0)]),
            ("variance against $P$", variances, "variance", "P",
             _at("training points $P$", variances["P"]), Axis("Var $F$", log=True), widths,
             [_guide(variances, "P", 0.5)]),
        )
    ]  # fmt: skip
    counts = [f"{one['seed'].nunique()} data sets" for one in (kinks, variances)]
    return mosaic(panels, columns=3, preset=preset, notes=[
        f"digits, FCN; A: ReLU, L = 5, P = {kinks['P'].iloc[0]}, {counts[0]}; B, C: softplus,"
        f" L = 3, α̃ = 10⁶, {counts[1]} of {variances['n_members'].max()} networks each."
    ])  # fmt: skip


def _at(label: str, values: pd.Series) -> Axis:
    return Axis(label, log=True, ticks={one: f"{one:g}" for one in sorted(set(values))})


def _windows(kinks: pd.DataFrame) -> list[Marks]:
    """The slopes of the thesis in their three windows, above the points."""
    tildes, found = kinks["alpha_tilde"], []
    for low, high, slope in (
        (tildes.min(), FEATURE, feature_slope(5)),
        (*BETWEEN, -0.5),
        (SMOOTH, max(tildes.max(), SMOOTH), -1.0),
    ):
        rows = kinks[np.isclose(tildes, low, rtol=1e-6)]
        if len(rows):
            above = 3 * float(np.exp(np.log(rows["kernel_change"]).mean()))
            found.append(law([low, high], [above, above * (high / low) ** slope], GUIDE,
                             name=f"guide {slope:.3g}"))  # fmt: skip
    return found


def _guide(rows: pd.DataFrame, by: str, slope: float) -> Marks:
    """A slope of the thesis below the points."""
    first = rows[by].min()
    below = 0.6 * float(rows.loc[rows[by] == first, "variance"].min())
    return power_law(rows[by].tolist(), slope, through=(first, below), label=GUIDE,
                     name=f"guide {slope:g}")  # fmt: skip
