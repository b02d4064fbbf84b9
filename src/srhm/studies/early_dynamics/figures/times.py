"""The beginning of training: |f_t - f_0| against time, and rates of preactivations (chapter 3a).

Letters of the thesis: h width, alpha scale of F, alpha_tilde = sqrt(h) alpha = t1 the time up to
which training is expected linear, z preactivations.
"""

from functools import partial

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.averaging import averaged, means
from srhm.figures.drawing import styled
from srhm.figures.marks import power
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, level
from srhm.figures.scales import Scale, coloured, graded
from srhm.studies.early_dynamics.analysis import EARLY, beginnings, of_kind, over_data_sets, varying

TIME = Axis("$t/t_1 = t/(\\sqrt{h}\\,\\alpha)$", log=True)
OUTPUT = Axis("$\\|f_t-f_0\\|/\\sqrt{h}$", log=True)


@styled
def draw(
    cells: pd.DataFrame, histories: pd.DataFrame, rates: pd.DataFrame, *, preset: str
) -> Figure:
    """A, B: norm over sqrt(h) against t/t1 by alpha_tilde, by h; C, D: rates against h, alpha."""
    states, untrained = beginnings(cells, histories), of_kind(cells, "rates")
    if states.empty or untrained.empty or rates.empty:
        return mosaic([], columns=2, preset=preset)
    states = states.assign(scaled=states["norm"] / states["width"] ** 0.5)
    found = rates.merge(untrained.drop(columns="curve"), on="key")
    by_tilde, by_width = (varying(states, name) for name in ("alpha_tilde", "width"))
    return mosaic([
        _lines(by_tilde, f"output, $h={by_tilde['width'].iloc[0]:g}$", graded(
            "alpha_tilde", by_tilde["alpha_tilde"], "$\\tilde\\alpha$ (A)", palette="flare",
            label=lambda a: f"${power(a)}$")),
        _lines(by_width, f"output, $\\tilde\\alpha={by_width['alpha_tilde'].iloc[0]:g}$",
               graded("width", by_width["width"], "Width $h$ (B)")),
        _rates(varying(found, "width"), "width"), _rates(varying(found, "alpha_tilde"), "alpha"),
    ], columns=2, preset=preset, notes=[
        f"digits, FCN, softplus: {states['seed'].nunique()} data sets; A, B L = 2; C, D L = 5."
    ])  # fmt: skip


def _lines(states: pd.DataFrame, title: str, scale: Scale) -> Panel:
    """A line for each training; a guide of slope 1 above them."""
    early = states[states["x"] <= EARLY]
    steepest = 2 * float((early["scaled"] / early["x"]).max())
    return Panel(title=title, x=TIME, y=OUTPUT, marks=[
        Marks(rows=states, x="x", y="scaled", by=[scale], each=["key"], name="training", marker="",
              line="-", width=0.8, label="a training"),
        law([1e-2, 1.0], [1e-2 * steepest, steepest], "expected slope: 1 (A, B), 0 (C), −1 (D)",
            name="guide"),
        level(1.0, "$t = t_1$", across="y"),
    ])  # fmt: skip


def _rates(found: pd.DataFrame, by: str) -> Panel:
    """Rate times alpha_tilde against h, or the rate against alpha, of each layer."""
    wide = by == "width"
    rows = found.assign(
        status="fitted", shown=found["rate"] * (found["alpha_tilde"] if wide else 1)
    )
    average = partial(averaged, average=over_data_sets, logarithmic=True)
    points = average(rows, "shown", at=by, by=["layer"])
    last = rows[rows["layer"] == rows["layer"].max()]
    x = [float(rows[by].min()), float(rows[by].max())]
    top = 1.4 * float(last.loc[last[by] == x[0], "shown"].mean())
    rate = "\\sqrt{h}\\,\\alpha\\,\\|\\dot{z}\\|" if wide else "\\|\\dot{z}\\|"
    other, value = ("\\tilde\\alpha", found["alpha_tilde"]) if wide else ("h", found["width"])
    return Panel(
        title=f"preactivations, ${other}={value.iloc[0]:g}$",
        x=Axis("width $h$", log=True, ticks={h: f"{h:g}" for h in sorted(set(rows[by]))},
               limits=(x[0] / 1.3, x[1] * 1.3)) if wide else Axis("$\\alpha$", log=True),
        y=Axis(f"${rate}$ at $t=0$", log=True), marks=[
            means(points, by, [coloured("layer", points["layer"], "Layer")], name="rate"),
            law(x, [top, top if wide else top * x[0] / x[1]],
                "expected slope: 1 (A, B), 0 (C), −1 (D)", name="guide"),
        ],
    )  # fmt: skip
