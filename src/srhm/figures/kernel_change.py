"""Change of the tangent kernel, and half time of the loss, against alpha_tilde (chapter 3a).

Letters of the thesis: h width, alpha_tilde = sqrt(h) alpha, L hidden layers, Theta tangent kernel
of f on test points, t_1/2 time of gradient flow at which the loss has halved.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.averaging import averaged, means, with_diverged
from srhm.figures.drawing import styled
from srhm.figures.families import ALPHA_TILDE, interval_text, protocol, title, widths_of
from srhm.figures.marks import power
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, level, power_law
from srhm.figures.scales import Scale
from srhm.statistics.output_scale import (
    FEATURE,
    LAZY,
    SHORT,
    Family,
    at_most,
    families,
    feature_slope,
    fitted_in,
    kernel_change_fit,
    level_set,
    log_of,
    wholly_fitted,
    width_fit,
)

CHANGE = "$\\|\\Delta\\Theta\\|/\\|\\Theta_0\\|$"
TILDE = Axis(ALPHA_TILDE, log=True)
SLOPES = "expected slopes, not fitted: $-1$ (lazy), $-2/(1+1/L)$ (feature)"


@styled
def draw(cells: pd.DataFrame, *, preset: str, study: str) -> Figure:
    """For each family: kernel change and half time against alpha_tilde, kernel change against h.

    cells: rows of FLOW_CELLS, of any studies; study: whose are drawn. The guides have the expected
    slopes and pass through the middle of the fitted points of their regime.
    """
    shown = families(cells, study=study)
    widths = widths_of(shown)
    return mosaic(
        [panel for one in shown for panel in _of_family(one, widths)], columns=3, preset=preset,
        notes=[f"{protocol(one)}." for one in shown],
    )  # fmt: skip


def _of_family(family: Family, widths: Scale) -> list[Panel]:
    cells = family.cells.assign(scaled=family.cells["half_time"] / family.cells["alpha_tilde"])
    change, half = (averaged(cells, column, at="alpha_tilde", by=["width"], logarithmic=True)
                    for column in ("kernel_change", "scaled"))  # fmt: skip
    crossed = level_set(wholly_fitted(cells), 1.0)
    at = np.exp(log_of(crossed, "alpha_tilde").mean()) if len(crossed) else np.nan
    guides, texts = _guides(family)
    crossing = Marks(rows=pd.DataFrame({"at": [at], "one": [1.0]}).dropna(), x="at", y="one",
                     name="crossover", label="crossover", marker="D", filled=False, order=3.0,
                     colour="black")  # fmt: skip
    words = [*texts, f"1 at {at:.3g}"] if len(crossed) else texts
    highest = float(change["value"].max())
    short = at_most(half["alpha_tilde"], SHORT)
    flat = half[short & np.isfinite(half["value"])]["value"]
    constant = [level(float(np.exp(np.log(flat).mean())), "expected constant up to"
                      f" $\\tilde\\alpha={SHORT:g}$", name="window", line="-.")]  # fmt: skip
    return [
        Panel(title=title(family), x=TILDE, y=Axis(CHANGE, log=True, limits=(None, 1e3 * highest)),
              note="\n".join(words), marks=[
            *with_diverged(change, "alpha_tilde", [widths], name="change"), *guides, crossing,
            level(1.0, "change of 1", name="change of 1"),
        ]),
        Panel(title="half time of the loss", x=TILDE, y=Axis("$t_{1/2}/\\tilde\\alpha$", log=True),
              marks=[*with_diverged(half, "alpha_tilde", [widths], name="half time"),
                     *(constant if len(flat) else [])]),
        _against_width(family),
    ]  # fmt: skip


def _guides(family: Family) -> tuple[list[Marks], list[str]]:
    """Lines of the expected slopes beside the points, and the fitted slopes in words."""
    found, texts = [], []
    for lazy, slope in ((True, -1.0), (False, feature_slope(family.hidden_layers))):
        rows = fitted_in(family.cells, lazy=lazy)
        rows = rows[rows["kernel_change"] > 0]
        if rows.empty:
            continue
        x, y = (np.exp(log_of(rows, name).mean()) for name in ("alpha_tilde", "kernel_change"))
        ends = [LAZY, max(family.tildes)] if lazy else [min(family.tildes), FEATURE]
        found.append(power_law(ends, slope, through=(x, y * (5.0 if lazy else 1 / 3.0)),
                               label=SLOPES, name=f"guide {slope:.4f}"))  # fmt: skip
        fit = kernel_change_fit(family.cells, lazy=lazy)
        if fit.n:
            name = "lazy" if lazy else "feature"
            texts.append(f"{name}:\n{interval_text(fit.slope, fit.low, fit.high)}")
    return found, texts


def _against_width(family: Family) -> Panel:
    """Kernel change against h at the largest alpha_tilde: is it a function of alpha_tilde alone?"""
    tilde = max(family.tildes)
    part = family.cells[np.isclose(family.cells["alpha_tilde"], tilde, rtol=1e-6)]
    points = averaged(part, "kernel_change", at="width", logarithmic=True)
    fit, guides = width_fit(family.cells, tilde), []
    text = "slope: not enough widths"
    if fit.n:
        text = f"slope\n{interval_text(fit.slope, fit.low, fit.high)}"
        own = points[points["value"] > 0]
        middle, value = (float(np.exp(log_of(own, name).mean())) for name in ("width", "value"))
        guides = [
            power_law(own["width"].tolist(), slope, through=(middle, 1.6 * value), line=line,
                      label=f"slope {word} in $h$", name=f"guide {slope:g}")
            for slope, word, line in ((0.0, "0", "--"), (-0.5, "−1/2", ":"))
        ]  # fmt: skip
    most = float(points["value"].max())
    return Panel(
        title=f"at $\\tilde\\alpha = {power(tilde)}$", x=Axis("width $h$", log=True), note=text,
        y=Axis(CHANGE, log=True, limits=(None, 3 * most) if np.isfinite(most) else (None, None)),
        marks=[means(points, "width", name="h-slope", label="at the largest $\\tilde\\alpha$"),
               *guides],
    )  # fmt: skip
