"""Lazy and feature learning of digits: exponents, frozen kernels, collapse on alpha_tilde, time.

t is the time of dw/dt = -grad Loss, where Loss is the mean of l divided by alpha^2.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures import looks
from srhm.figures.averaging import averaged, means, with_diverged
from srhm.figures.looks import Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, level
from srhm.figures.regimes import TILDE, by_family, expected_slope, tildes_of, title, widths_of
from srhm.figures.scales import Scale, by_name
from srhm.figures.words import interval_text, several
from srhm.statistics.regimes import (
    FEATURE,
    Family,
    families,
    feature_minus_lazy,
    feature_slope,
    fitted_in,
    slope_in_scale,
    weight_slope,
)
from srhm_studies.regimes.lazy_feature.analysis import rescaled_errors, with_kernels

STUDY = "lazy_feature"
KINDS = {
    "digits fcn": Look("pixels, FCN", looks.OLIVE, "s"),
    "digits_pca fcn": Look("10 components, FCN", looks.OLIVE, "D", filled=False),
    "digits cnn": Look("pixels, CNN", looks.ORANGE, "o"),
}
INTERVAL = "95 % interval"
CAPPED = "one stopped at its limit"
WIDTHS = {"narrow": Look("narrow $h$ of a row", line=":"), "wide": Look("wide", line="-")}
LOSS = Axis("mean of $\\ell$ (training)", limits=(-0.03, 1.25))


def digits_regimes(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A, B: slopes of the change of kernel and weights; C: error of lazy minus feature learning."""
    shown = [family for family in families(cells, study=STUDY) if _kind(family) in KINDS]
    by = by_name("kind", [_kind(family) for family in shown], KINDS)
    x = Axis("hidden layers $L$", ticks=[family.hidden_layers for family in shown])
    parts = [feature_minus_lazy(family.cells)
             .assign(kind=_kind(family), L=_at(family), status="fitted")
             for family in shown]  # fmt: skip
    errors = pd.concat([part for part in parts if len(part)] or [pd.DataFrame()])
    if len(errors):
        errors = errors.assign(lazy=-100 * errors["difference"])
        errors = averaged(errors, "lazy", at="L", by=["kind"])
    networks = pd.Series([len(family.cells) for family in shown], dtype=int)
    notes = [f"{several(networks, 'network')} behind each point."] if shown else []
    return mosaic([
        _slopes(shown, "kernel_change", feature_slope, by, x,
                "change of the kernel, $\\tilde\\alpha\\leq1$", "$-2/(1+1/L)$", "--"),
        _slopes(shown, "weight_change", weight_slope, by, x,
                "change of the weights, $\\tilde\\alpha\\leq1$", "$-1/(L+1)$", "-."),
        Panel(title="test error", x=x, y=Axis("lazy $-$ feature, $\\varepsilon$ (%)"), marks=[
            Marks(rows=errors, x="L", y="value", low="low", high="high", by=[by],
                  name="difference", bar_label=INTERVAL),
            level(0, "equal (C); above: feature learning errs less", name="equal"),
        ] if len(errors) else []),
    ], columns=3, preset=preset, notes=notes)  # fmt: skip


def _kind(family: Family) -> str:
    return f"{family.data} {family.net}"


def _at(family: Family) -> float:
    """L, a little aside for each kind."""
    return family.hidden_layers + 0.12 * (list(KINDS).index(_kind(family)) - 1)


def _slopes(
    shown: list[Family], column: str, expected: Callable[[int], float], by: Scale, x: Axis,
    title: str, label: str, line: str,
) -> Panel:  # fmt: skip
    fits = [(family, slope_in_scale(family.cells, column, lazy=False)) for family in shown]
    rows = pd.DataFrame(
        [{"kind": _kind(family), "L": _at(family), "slope": slope.slope, "low": slope.low,
          "high": slope.high} for family, slope in fits if slope.n],
        columns=["kind", "L", "slope", "low", "high"],
    )  # fmt: skip
    depths = [family.hidden_layers for family in shown]
    through = np.linspace(min(depths), max(depths), 40) if depths else np.array([])
    return Panel(title=title, x=x, y=Axis("slope against $\\tilde\\alpha$"), marks=[
        Marks(rows=rows, x="L", y="slope", low="low", high="high", by=[by], name="slope",
              bar_label=INTERVAL),
        law(through, lambda depth: expected(depth), f"thesis, {label}", name="expected", line=line),
    ])  # fmt: skip


def digits_frozen(cells: pd.DataFrame, frozen_kernels: pd.DataFrame, *, preset: str) -> Figure:
    """For each family: error against h beside the kernel at the start; the kernel at the end."""
    frozen = cells[cells["curve"].isin(frozen_kernels["curve"])] if len(cells) else cells
    shown = families(frozen, study=STUDY) if len(frozen) else []
    tildes, widths = tildes_of(shown), widths_of(shown)

    def panels(family: Family) -> list[Panel]:
        rows = with_kernels(family.cells, frozen_kernels)
        start, end = (rows[rows["kernel"] == when] for when in ("initial", "end"))
        # One kernel at the start is that of all alpha_tilde.
        alone = start.drop_duplicates(["width", "seed", "member"])
        alone = alone.assign(status=start["status_kernel"])
        capped = (end[["status", "status_kernel"]] == "capped").any(axis=1)
        end = end.assign(status=end["status"].mask(capped, "capped"))
        networks = averaged(family.cells, "test_error", at="width", by=["alpha_tilde"])
        differences = averaged(end, "difference", at="alpha_tilde", by=["width"])
        return [
            Panel(title=title(family), x=Axis("width $h$", log=True, ticks=family.widths),
                  y=Axis("test error $\\varepsilon$ (%)", percent=True), marks=[
                means(networks, "width", [tildes], name="network", label="network",
                      open_label=CAPPED),
                means(averaged(alone, "test_error_kernel", at="width"), "width", name="start",
                      label="kernel at the start, frozen", colour="black", line="--",
                      open_label=CAPPED),
            ]),
            Panel(title="kernel at the end, frozen, minus network", x=TILDE,
                  y=Axis("difference of $\\varepsilon$ (points)", percent=True), marks=[
                means(differences, "alpha_tilde", [widths], name="difference", open_label=CAPPED),
                level(0.0, "no difference", name="none"),
            ]),
        ]  # fmt: skip

    return by_family(shown, panels, columns=2, preset=preset)


def digits_collapse(cells: pd.DataFrame, *, preset: str) -> Figure:
    """For each family: error against alpha, rescaled error and weights against alpha_tilde."""
    shown = families(cells, study=STUDY)
    widths = widths_of(shown)

    def panels(family: Family) -> list[Panel]:
        cells = family.cells
        cells = cells.assign(change=cells["width"] ** 0.5 * cells["weight_change"])
        rescaled = [pd.DataFrame({"alpha_tilde": 10**x, "error": y, "width": width})
                    for width, x, y in rescaled_errors(cells)]  # fmt: skip
        errors = averaged(cells, "test_error", at="alpha", by=["width"])
        change = averaged(cells, "change", at="alpha_tilde", by=["width"], logarithmic=True)
        fit = slope_in_scale(cells, "weight_change", lazy=False)
        highest = float(change["value"].max())
        words = f"$\\tilde\\alpha\\leq{FEATURE:g}$:\n{interval_text(fit.slope, fit.low, fit.high)}"
        fitted = fitted_in(cells, lazy=False)
        guide = [expected_slope(
            fitted, "alpha_tilde", "change", weight_slope(family.hidden_layers), factor=0.5,
            label="expected slope $-1/(L+1)$, not fitted", ends=[min(family.tildes), FEATURE],
        )] if len(fitted) else []  # fmt: skip
        return [
            Panel(title=title(family), x=Axis("$\\alpha$", log=True),
                  y=Axis("test error $\\varepsilon$"),
                  marks=with_diverged(errors, "alpha", [widths], name="error")),
            Panel(title="each curve from 0 to 1", x=TILDE, y=Axis("rescaled $\\varepsilon$"),
                  marks=[Marks(rows=pd.concat(rescaled), x="alpha_tilde", y="error", by=[widths],
                               line="-", name="rescaled", size=3.6)] if rescaled else []),
            Panel(title="change of the weights", x=TILDE, note=words if fit.n else "",
                  y=Axis("$\\sqrt{h}\\,\\|w-w_0\\|/\\|w_0\\|$", log=True,
                         limits=(None, 4 * highest)),
                  marks=[*with_diverged(change, "alpha_tilde", [widths], name="change"), *guide]),
        ]  # fmt: skip

    return by_family(shown, panels, columns=3, preset=preset)


def digits_times(cells: pd.DataFrame, histories: pd.DataFrame, *, preset: str) -> Figure:
    """For each family with histories: loss against t, and against t/alpha_tilde.

    At the narrowest and the widest h that keep histories: member 0 of seed 0.
    """
    known = set(histories["key"])
    kept = [family for family in families(cells, study=STUDY) if known & set(family.cells["key"])]
    tildes = tildes_of(kept)

    def panels(family: Family) -> list[Panel]:
        drawn = family.cells[family.cells["key"].isin(histories["key"])]
        drawn = drawn[(drawn["member"] == 0) & (drawn["seed"] == drawn["seed"].min())]
        narrow, wide = drawn["width"].min(), drawn["width"].max()
        ends = {narrow: "narrow", wide: "wide"}
        drawn = drawn[drawn["width"].isin(ends)].assign(end=drawn["width"].map(ends))
        columns = ["key", "width", "alpha_tilde", "end"]
        rows = histories[["key", "time", "mean_loss"]].merge(drawn[columns], on="key")
        rows = rows[rows["time"] > 0].assign(scaled=rows["time"] / rows["alpha_tilde"])
        by = [tildes, by_name("end", rows["end"], WIDTHS)]
        return [
            Panel(title=text, x=Axis(label, log=True), y=LOSS, marks=[
                Marks(rows=rows, x=x, y="mean_loss", by=by, each=["key"], marker="", line="-",
                      name=x, sort=False),
            ])
            for text, x, label in (
                (title(family), "time", "time $t$"),
                (f"narrow: $h={narrow}$, wide: $h={wide}$", "scaled", "$t/(\\sqrt{h}\\,\\alpha)$"),
            )
        ]  # fmt: skip

    return by_family(kept, panels, columns=2, height=2.6, preset=preset)
