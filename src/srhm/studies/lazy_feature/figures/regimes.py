"""The study on one line: exponents of the feature regime against depth, and who errs less.

Letters of the thesis: L hidden layers, w weights, w0 those at the start, Theta tangent kernel.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures import looks
from srhm.figures.averaging import averaged
from srhm.figures.drawing import styled
from srhm.figures.looks import Look
from srhm.figures.marks import between
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, level
from srhm.figures.scales import Scale, by_name
from srhm.statistics.output_scale import (
    Family,
    families,
    feature_minus_lazy,
    feature_slope,
    kernel_change_fit,
    weight_change_fit,
    weight_slope,
)
from srhm.statistics.regression import Fit

KINDS = {
    "digits fcn": Look("pixels, FCN", looks.BLUE, "s"),
    "digits_pca fcn": Look("10 components, FCN", looks.SKY, "D"),
    "digits cnn": Look("pixels, CNN", looks.ORANGE, "o"),
}
APART = 0.12  # of L, between kinds
INTERVAL = "95 % interval"


@styled
def draw(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A, B: slopes of the change of kernel and weights; C: error of lazy minus feature learning.

    cells: rows of FLOW_CELLS of the study, a point for each family. C: at the widest h that fits in
    both regimes.
    """
    shown = [one for one in families(cells, study="lazy_feature") if _kind(one) in KINDS]
    by = by_name("kind", [_kind(one) for one in shown], KINDS)
    depths = sorted({one.hidden_layers for one in shown})
    x = Axis("hidden layers $L$", ticks=depths)
    networks = pd.Series([len(one.cells) for one in shown], dtype=int)
    notes = [f"{between(networks)} networks behind each point."] if shown else []
    return mosaic([
        _slopes(shown, lambda cells: kernel_change_fit(cells, lazy=False), feature_slope, by, x,
                "change of the kernel, $\\tilde\\alpha\\leq1$", "$-2/(1+1/L)$", "--"),
        _slopes(shown, weight_change_fit, weight_slope, by, x,
                "change of the weights, $\\tilde\\alpha\\leq1$", "$-1/(L+1)$", "-."),
        _errors(shown, by, x),
    ], columns=3, preset=preset, notes=notes)  # fmt: skip


def _kind(family: Family) -> str:
    return f"{family.data} {family.net}"


def _at(family: Family) -> float:
    """L, a little aside for each kind."""
    return family.hidden_layers + APART * (list(KINDS).index(_kind(family)) - 1)


def _slopes(
    shown: list[Family], fit: Callable[[pd.DataFrame], Fit], expected: Callable[[int], float],
    by: Scale, x: Axis, title: str, label: str, line: str,
) -> Panel:  # fmt: skip
    found = [(one, fit(one.cells)) for one in shown]
    rows = pd.DataFrame(
        [{"kind": _kind(one), "L": _at(one), "slope": slope.slope, "low": slope.low,
          "high": slope.high} for one, slope in found if slope.n],
        columns=["kind", "L", "slope", "low", "high"],
    )  # fmt: skip
    depths = sorted({one.hidden_layers for one in shown})
    through = np.linspace(min(depths), max(depths), 40) if depths else np.array([])
    return Panel(title=title, x=x, y=Axis("slope against $\\tilde\\alpha$"), marks=[
        Marks(rows=rows, x="L", y="slope", low="low", high="high", by=[by], name="slope",
              bar_label=INTERVAL),
        law(through, lambda depth: expected(depth), f"thesis, {label}", name="expected", line=line),
    ])  # fmt: skip


def _errors(shown: list[Family], by: Scale, x: Axis) -> Panel:
    parts = [
        feature_minus_lazy(one.cells).assign(kind=_kind(one), L=_at(one), status="fitted")
        for one in shown
    ]
    rows = pd.concat([one for one in parts if len(one)] or [pd.DataFrame()])
    if len(rows):
        rows = averaged(rows.assign(lazy=-100 * rows["difference"]), "lazy", at="L", by=["kind"])
    return Panel(
        title="who errs less", x=x, y=Axis("lazy $-$ feature, $\\varepsilon$ (%)"),
        marks=[
            Marks(rows=rows, x="L", y="value", low="low", high="high", by=[by], name="difference",
                  bar_label=INTERVAL),
            level(0, "equal (C); above: feature learning errs less", name="equal"),
        ] if len(rows) else [],
    )  # fmt: skip
