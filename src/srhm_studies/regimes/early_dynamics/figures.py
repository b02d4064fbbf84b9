"""The beginning of training, three regimes of ReLU networks, and checks (thesis, chapter 3a).

z are preactivations; up to t1 = alpha_tilde training is expected to be linear.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.averaging import geometric_mean, means
from srhm.figures.looks import BLUE, ORANGE, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import POINTS, Axis, Marks, Panel, law, level
from srhm.figures.regimes import TILDE, expected_slope, tildes
from srhm.figures.scales import Scale, by_name, coloured, graded
from srhm.figures.words import power
from srhm.statistics.regimes import FEATURE, feature_slope
from srhm_studies.regimes.early_dynamics import analysis
from srhm_studies.regimes.early_dynamics.analysis import over_data_sets, variances

TIME = Axis("$t/t_1 = t/(\\sqrt{h}\\,\\alpha)$", log=True)
OUTPUT = Axis("$\\|f_t-f_0\\|/\\sqrt{h}$", log=True)
VARIANCE = Axis("Var $F$", log=True)
GUIDE = "slopes of the thesis, not fitted"
EXPECTED = "expected slope: 1 (A, B), 0 (C), −1 (D)"
STEPS = {
    f"{coarse:g} {fine:g}": Look(f"${power(coarse)}$ to ${power(fine)}$", tint)
    for coarse, fine, tint in (
        (analysis.OURS, analysis.THESIS, ORANGE),
        (analysis.THESIS, analysis.FINE, BLUE),
    )
}
TAUS = {
    at: Look(f"$\\tau={power(at)}\\sqrt{{h}}\\,\\alpha$", tint)
    for at, tint in zip(analysis.MOMENTA, (ORANGE, BLUE), strict=True)
}
KINDS = {
    "plain": Look("$\\alpha\\,(f-f_0)$", line="-"),
    "whole": Look("$\\alpha f$", line="--"),
    "biased": Look("with biases", line=":"),
}
INTERVAL = "95 % interval (Student $t$ over data sets)"


def early_times(
    cells: pd.DataFrame, histories: pd.DataFrame, rates: pd.DataFrame, *, preset: str
) -> Figure:
    """A, B: norm over sqrt(h) against t/t1 by alpha_tilde, by h; C, D: rates against h, alpha."""
    states, untrained = analysis.beginnings(cells, histories), analysis.of_kind(cells, "rates")
    if states.empty or untrained.empty or rates.empty:
        return mosaic([], columns=2, preset=preset)
    states = states.assign(scaled=states["norm"] / states["width"] ** 0.5)
    networks = rates.merge(untrained.drop(columns="curve"), on="key")
    by_tilde, by_width = (analysis.varying(states, name) for name in ("alpha_tilde", "width"))
    return mosaic([
        _lines(by_tilde, f"output, $h={by_tilde['width'].iloc[0]:g}$",
               tildes(by_tilde["alpha_tilde"], "$\\tilde\\alpha$ (A)")),
        _lines(by_width, f"output, $\\tilde\\alpha={by_width['alpha_tilde'].iloc[0]:g}$",
               graded("width", by_width["width"], "Width $h$ (B)")),
        _rates(analysis.varying(networks, "width"), "width"),
        _rates(analysis.varying(networks, "alpha_tilde"), "alpha"),
    ], columns=2, preset=preset, notes=[
        f"digits, FCN, softplus: {states['seed'].nunique()} data sets; A, B L = 2; C, D L = 5."
    ])  # fmt: skip


def _lines(states: pd.DataFrame, title: str, scale: Scale) -> Panel:
    """A line for each training; a guide of slope 1 above them."""
    early = states[states["x"] <= analysis.EARLY]
    steepest = 2 * float((early["scaled"] / early["x"]).max())
    return Panel(title=title, x=TIME, y=OUTPUT, marks=[
        Marks(rows=states, x="x", y="scaled", by=[scale], each=["key"], name="training", marker="",
              line="-", width=0.8, label="a training"),
        law([1e-2, 1.0], [1e-2 * steepest, steepest], EXPECTED, name="guide"),
        level(1.0, "$t = t_1$", across="y"),
    ])  # fmt: skip


def _rates(found: pd.DataFrame, by: str) -> Panel:
    """Rate times alpha_tilde against h, or the rate against alpha, of each layer."""
    wide = by == "width"
    shown = found["rate"] * (found["alpha_tilde"] if wide else 1)
    rows = found.assign(status="fitted", shown=shown)
    points = over_data_sets(rows, "shown", by=[by, "layer"], logarithmic=True)
    last = rows[rows["layer"] == rows["layer"].max()]
    x = [float(rows[by].min()), float(rows[by].max())]
    top = 1.4 * float(last.loc[last[by] == x[0], "shown"].mean())
    rate = "\\sqrt{h}\\,\\alpha\\,\\|\\dot{z}\\|" if wide else "\\|\\dot{z}\\|"
    other, value = ("\\tilde\\alpha", found["alpha_tilde"]) if wide else ("h", found["width"])
    return Panel(
        title=f"preactivations, ${other}={value.iloc[0]:g}$",
        x=Axis("width $h$", log=True, ticks=rows[by],
               limits=(x[0] / 1.3, x[1] * 1.3)) if wide else Axis("$\\alpha$", log=True),
        y=Axis(f"${rate}$ at $t=0$", log=True), marks=[
            means(points, by, [coloured("layer", points["layer"], "Layer")], name="rate"),
            law(x, [top, top if wide else top * x[0] / x[1]], EXPECTED, name="guide"),
        ],
    )  # fmt: skip


def early_regimes(cells: pd.DataFrame, ensembles: pd.DataFrame, *, preset: str) -> Figure:
    """A: kernel change of ReLU networks against alpha_tilde; B, C: Var F against h and P."""
    kinks, variances = analysis.of_kind(cells, "kinks"), analysis.lazy_variances(cells, ensembles)
    if kinks.empty or variances.empty:
        return mosaic([], columns=3, preset=preset)
    widths = graded("width", [*kinks["width"], *variances["width"]], "Width $h$ (A, C)")
    sizes = graded("P", variances["P"], "$P$ (B)", palette="flare")
    slopes = [expected_slope(variances, by, "variance", slope, factor=0.6, lowest=True,
                             label=GUIDE, name=f"guide {slope:g}")
              for by, slope in (("width", -1.0), ("P", 0.5))]  # fmt: skip
    tilde, windows = kinks["alpha_tilde"], []
    for low, high, slope in (
        (tilde.min(), FEATURE, feature_slope(5)), (*analysis.BETWEEN, -0.5),
        (analysis.SMOOTH, max(tilde.max(), analysis.SMOOTH), -1.0),
    ):  # fmt: skip
        first = kinks[np.isclose(tilde, low, rtol=1e-6)]
        if len(first):
            above = 3 * geometric_mean(first["kernel_change"])
            windows.append(law([low, high], [above, above * (high / low) ** slope], GUIDE,
                               name=f"guide {slope:.3g}"))  # fmt: skip
    counts = [f"{rows['seed'].nunique()} data sets" for rows in (kinks, variances)]
    return mosaic([
        Panel(title=title, x=x, y=y, marks=[
            means(over_data_sets(rows, column, by=[at, scale.column], logarithmic=True), at,
                  [scale]),
            *guides,
        ])
        for title, rows, column, at, x, y, scale, guides in (
            ("kernel change, ReLU", kinks, "kernel_change", "alpha_tilde", TILDE,
             Axis("$\\|\\Theta-\\Theta_0\\|/\\|\\Theta_0\\|$", log=True), widths, windows),
            ("variance against $h$", variances, "variance", "width",
             Axis("width $h$", log=True, ticks=variances["width"]), VARIANCE, sizes, slopes[:1]),
            ("variance against $P$", variances, "variance", "P",
             replace(POINTS, ticks=variances["P"]), VARIANCE, widths, slopes[1:]),
        )
    ], columns=3, preset=preset, notes=[
        f"digits, FCN; A: ReLU, L = 5, P = {kinks['P'].iloc[0]}, {counts[0]}; B, C: softplus,"
        f" L = 3, α̃ = 10⁶, {counts[1]} of {variances['n_members'].max()} networks each."
    ])  # fmt: skip


def early_checks(
    cells: pd.DataFrame, ensembles: pd.DataFrame, outputs: pd.DataFrame, *, preset: str
) -> Figure:
    """Tolerance, momentum, F = alpha f, biases (appendices G, I, J)."""
    plain = analysis.of_kind(cells, "plain")
    if plain.empty or ensembles.empty or outputs.empty:
        return mosaic([], columns=2, preset=preset)
    widths, kinds = graded("width", plain["width"], "Width $h$"), analysis.with_kinds(cells)
    spread = variances(cells, ensembles)
    spread = spread.assign(scaled=spread["width"] * spread["variance"])
    tolerances = pd.concat([
        analysis.tolerance_pairs(cells, outputs, coarse=a, fine=b).assign(step=f"{a:g} {b:g}")
        for a, b in ((analysis.OURS, analysis.THESIS), (analysis.THESIS, analysis.FINE))
    ])  # fmt: skip
    momenta = analysis.momentum_pairs(cells, outputs)
    limits = {"difference": 1e-3, "evaluations": 2.0}
    members = plain.groupby(["width", "alpha_tilde", "seed"]).size()
    return mosaic([
        *_against_plain("a hundredth of the tolerance", tolerances, "finer over coarser",
                        by_name("step", tolerances["step"], STEPS, "Tolerance"), limits),
        *(_against_plain("momentum", momenta, "with over without", by_name(
            "momentum_time", momenta["momentum_time"], TAUS, "Momentum"), {})
          if len(momenta) else []),
        *_compared(kinds, spread, "whole", Axis("$\\alpha$", log=True), widths),
        *_compared(kinds, spread, "biased", TILDE, widths),
    ], columns=2, preset=preset, notes=[
        f"digits, FCN, softplus, L = 3, P = {plain['P'].iloc[0]}: {plain['seed'].nunique()} data"
        f" sets of {members.max()} networks at each point; of tolerances and of the output one"
        " network each."
    ])  # fmt: skip


def _against_plain(
    words: str, rows: pd.DataFrame, ratio: str, by: Scale, limits: dict[str, float]
) -> list[Panel]:
    """Relative change of F, and evaluations, of pairs of networks; limits: of the thesis."""
    panels: list[Panel] = []
    for column, what, label in (
        ("difference", "change of $F$", "$\\|F-F'\\|/\\|F'\\|$"),
        ("evaluations", "evaluations, ratio", ratio),
    ):
        pairs = rows.assign(status="fitted").dropna(subset=column)
        if pairs["alpha_tilde"].nunique() < 2:
            continue
        points = over_data_sets(pairs, column, by=["alpha_tilde", by.column], logarithmic=True)
        thesis = [level(limits[column], "thesis: below $10^{-3}$ (A), 2 (B)", name="thesis",
                        line="--")] if limits else []  # fmt: skip
        panels.append(Panel(
            title=f"{words}: {what}", x=TILDE, y=Axis(label, log=True),
            marks=[means(points, "alpha_tilde", [by], name=column, bar_label=INTERVAL), *thesis],
        ))  # fmt: skip
    return panels


def _compared(
    cells: pd.DataFrame, spread: pd.DataFrame, kind: str, x: Axis, widths: Scale
) -> list[Panel]:
    """Test error and variance of networks of a kind and of the plain ones, of widths of both."""
    kinds = by_name("kind", (kind, "plain"), KINDS, "Network")
    at = "alpha" if kind == "whole" else "alpha_tilde"
    shared = set(cells.loc[cells["kind"] == kind, "width"])
    panels: list[Panel] = []
    for rows, y, text, axis in (
        (cells, "test_error", "test error", Axis("test error $\\varepsilon$")),
        (spread, "scaled", "variance", Axis("$h$ Var $F$", log=True)),
    ):
        compared = rows[rows["kind"].isin(kinds.looks) & rows["width"].isin(shared)]
        points = over_data_sets(compared, y, by=[at, "width", "kind"],
                                logarithmic=y == "scaled")  # fmt: skip
        panels.append(Panel(
            title=f"{text}: {KINDS[kind].label}", x=x, y=axis,
            marks=[means(points, at, [widths, kinds], name=text, bar_label=INTERVAL)],
        ))  # fmt: skip
    return panels
