"""Figures of lazy and feature learning: three that studies share, and what others are made of.

A family (`srhm.statistics.regimes.Family`) is a net with its activation at one P; each has
panels of its own. Letters of the thesis (chapters 3a, 3b): h width, alpha_tilde = sqrt(h) alpha,
F = alpha (f - f_0), L hidden layers, Theta tangent kernel of f on test points, t_1/2 time of
gradient flow at which the loss has halved, Var F the variance over members that share their data,
averaged over test points. Small alpha_tilde is feature learning, large alpha_tilde lazy learning.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from numpy.typing import NDArray

from srhm.figures.averaging import averaged, geometric_mean, means, with_diverged
from srhm.figures.legends import Entry
from srhm.figures.looks import Look, data, net
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, level, power_law
from srhm.figures.scales import Scale, graded
from srhm.figures.words import endings, interval_text, power, several
from srhm.statistics import regimes
from srhm.statistics.regimes import families

ALPHA_TILDE = "$\\tilde\\alpha = \\sqrt{h}\\,\\alpha$"
TILDE, WIDTH = Axis(ALPHA_TILDE, log=True), Axis("width $h$", log=True)
WAYS = {"flow": "gradient flow", "adam": "Adam", "sgd": "SGD"}  # to train
CHANGE = "$\\|\\Delta\\Theta\\|/\\|\\Theta_0\\|$"
SLOPES = "expected slopes, not fitted: $-1$ (lazy), $-2/(1+1/L)$ (feature)"


def tildes(values: Sequence[float] | pd.Series, title: str = "$\\tilde\\alpha$") -> Scale:
    """A shade for each alpha_tilde."""
    return graded("alpha_tilde", values, title, label=lambda a: f"${power(a)}$", palette="flare")


def widths_of(families: Sequence[regimes.Family]) -> Scale:
    """A shade for each width that a figure has."""
    return graded("width", [h for family in families for h in family.widths], "Width $h$")


def tildes_of(families: Sequence[regimes.Family]) -> Scale:
    """A shade for each alpha_tilde that a figure has."""
    return tildes([a for family in families for a in family.tildes])


def by_family(
    shown: Sequence[regimes.Family],
    panels_of: Callable[[regimes.Family], Sequence[Panel]],
    **others: Any,
) -> Figure:
    """The panels of each family; notes say how its members were trained, and how that ended."""
    return mosaic([panel for family in shown for panel in panels_of(family)],
                  notes=[f"{protocol(family)}." for family in shown], **others)  # fmt: skip


def title(family: regimes.Family) -> str:
    """ "CNN, softplus, L = 2, P = 256"; on other data than the SRHM's these data in front."""
    name = f"{net(family.net).label}, {family.activation}"
    if family.data != "srhm":
        kind = data(family.data).label
        name = kind if family.net == "fcn" else f"{kind}, {name}"
    return f"{name}, $L={family.hidden_layers}$, $P={family.P}$"


def protocol(family: regimes.Family) -> str:
    """How the members of a family were trained, and how that ended."""
    first, status = family.cells.iloc[0], family.cells["status"]
    per_point = family.cells.groupby(["width", "alpha_tilde"]).size()
    loss = str(first["loss"]).replace("_", " ")
    on = "" if family.data == "srhm" else f"{data(family.data).label}: "
    return (
        f"{on}{net(family.net).label}, {family.activation}, L = {family.hidden_layers},"
        f" P = {family.P}: {first['labels']}, {loss},"
        f" {WAYS[str(first['optimiser'])]}, at most {first['budget']:,} gradient evaluations;"
        f" {several(per_point, 'network')} at each point, {len(status)} together:"
        f" {endings(status)}"
    )


def edges(values: Sequence[float]) -> NDArray[np.float64]:
    """Ends of the fields around positive values: their geometric means, and as far beyond."""
    x = np.log(np.asarray(sorted(values), dtype=float))
    if len(x) == 1:
        return np.exp(np.array([x[0] - 0.5, x[0] + 0.5]))
    middle = (x[1:] + x[:-1]) / 2
    return np.exp(np.concatenate([[2 * x[0] - middle[0]], middle, [2 * x[-1] - middle[-1]]]))


def shares(cells: pd.DataFrame, x: str, y: str) -> pd.DataFrame:
    """Whether all, some or none of the networks at each x and y fit: x, y, share."""
    part = (cells["status"] == "fitted").groupby([cells[x], cells[y]]).mean().rename("part")
    rows = part.reset_index()
    rows["share"] = np.select([rows["part"] == 1, rows["part"] > 0], ["all", "some"], "none")
    return rows


def changes(cells: pd.DataFrame, title: str = CHANGE) -> Marks:
    """Lines of equal kernel change in the plane of h and alpha_tilde."""
    levels = pd.concat([regimes.level_set(cells, at).assign(level=at) for at in regimes.LEVELS])
    styles = dict(zip(regimes.LEVELS, ("--", "-", ":"), strict=True))
    known = {at: Look(f"{at:g}", line=style) for at, style in styles.items()}
    by = [Scale(column="level", looks=known, title=title)]
    return Marks(rows=levels, x="width", y="alpha_tilde", name="level", colour="black", marker="",
                 line="-", order=3.0, by=by)  # fmt: skip


def error_map(
    axes: Axes, *, errors: pd.DataFrame, scale: Normalize | None = None, label: str = ""
) -> Sequence[Entry]:
    """Test errors as colours: a row for each alpha_tilde, a column for each width, with a bar.

    A field reaches half-way, in logarithms, to its neighbours.
    """
    mesh = axes.pcolormesh(
        edges([float(h) for h in errors.columns]), edges(errors.index.tolist()),
        np.ma.masked_invalid(errors.to_numpy(dtype=float)), cmap="YlGnBu", norm=scale, linewidth=0,
        rasterized=True, gid="error",
    )  # fmt: skip
    bar = axes.figure.colorbar(mesh, ax=axes, pad=0.02, label=label)
    bar.ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol="", decimals=0))
    return []


def expected_slope(
    rows: pd.DataFrame, x: str, y: str, slope: float, *, label: str, factor: float,
    lowest: bool = False, ends: Sequence[float] = (), name: str = "",
) -> Marks:  # fmt: skip
    """A line of a slope that is not fitted, beside the positive points.

    Through a factor times their geometric mean, or times the lowest of them at the least x.
    """
    used = rows[rows[y] > 0]
    at, height = (geometric_mean(used[column]) for column in (x, y))
    if lowest:
        at = float(used[x].min())
        height = float(used.loc[used[x] == at, y].min())
    return power_law(ends or used[x].tolist(), slope, through=(at, factor * height), label=label,
                     name=name or f"guide {slope:.4f}")  # fmt: skip


def error_by_scale(
    cells: pd.DataFrame, ensembles: pd.DataFrame, *, preset: str, study: str
) -> Figure:
    """Test error against alpha_tilde: for each family single networks, and their mean output.

    study: whose are drawn. The ensemble's error is the mean over seeds of that of the mean output
    of a seed's members.
    """
    shown = families(cells, ensembles, study=study)
    widths = widths_of(shown)

    def panels(family: regimes.Family) -> list[Panel]:
        single = averaged(family.cells, "test_error", at="alpha_tilde", by=["width"])
        together = _over_seeds(family.ensembles, "ensemble_error")
        values = pd.concat([single["value"], single["low"], single["high"], together["value"]])
        low, high = float(values.min()), float(values.max())
        room = 0.05 * (high - low) or 0.01
        error = Axis("test error $\\varepsilon$ (%)", percent=0,
                     limits=(max(low - room, 0.0), high + room))  # fmt: skip
        sizes = family.ensembles["n_members"]
        many = f"mean output of {several(sizes, 'network')}" if len(sizes) else ""
        return [
            Panel(title=text, x=TILDE, y=error,
                  marks=with_diverged(rows, "alpha_tilde", [widths], name="error"))
            for text, rows in ((f"{title(family)}: single networks", single), (many, together))
        ]  # fmt: skip

    return by_family(shown, panels, columns=2, preset=preset)


def _over_seeds(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """Mean over seeds of what an ensemble has, without a bar: seeds are few."""
    means_of = rows.groupby(["width", "alpha_tilde"]).agg(
        value=(column, "mean"), n_capped=("n_capped", "sum"), n_diverged=("n_diverged", "sum")
    )
    return means_of.reset_index().assign(low=np.nan, high=np.nan)


def output_variance(
    cells: pd.DataFrame, ensembles: pd.DataFrame, *, preset: str, study: str
) -> Figure:
    """For each family Var F against h, a line for each alpha_tilde, and h Var F against it.

    study: whose are drawn. Var F is the mean over seeds; its guide has the expected slope of -1.
    """
    shown = families(cells, ensembles, study=study)
    by_tilde, by_width = tildes_of(shown), widths_of(shown)

    def panels(family: regimes.Family) -> list[Panel]:
        rows = family.ensembles[family.ensembles["variance"] > 0]
        variances = _over_seeds(rows, "variance")
        scaled_title = f"$h$ Var $F$; expected constant for $h\\geq{regimes.WIDE}$"
        if rows.empty:
            return [Panel(title=title(family)), Panel(title=scaled_title)]
        first = rows["width"].min()
        lowest = 0.6 * float((rows["width"] * rows["variance"]).min()) / first
        guide = power_law(rows["width"].tolist(), -1, through=(first, lowest), name="guide -1",
                          label="expected slope $-1$, not fitted")  # fmt: skip
        scaled = variances.assign(value=variances["width"] * variances["value"])
        return [
            Panel(title=title(family), x=WIDTH, y=Axis("Var $F$", log=True),
                  marks=[*with_diverged(variances, "width", [by_tilde], name="variance"), guide]),
            Panel(title=scaled_title, x=TILDE, y=Axis("$h$ Var $F$", log=True),
                  marks=with_diverged(scaled, "alpha_tilde", [by_width], name="scaled")),
        ]  # fmt: skip

    return by_family(shown, panels, columns=2, preset=preset)


def kernel_change(cells: pd.DataFrame, *, preset: str, study: str) -> Figure:
    """For each family: kernel change and half time against alpha_tilde, kernel change against h.

    study: whose are drawn. The guides have the expected slopes and pass through the middle of the
    fitted points of their regime.
    """
    shown = families(cells, study=study)
    widths = widths_of(shown)

    def panels(family: regimes.Family) -> list[Panel]:
        cells = family.cells.assign(scaled=family.cells["half_time"] / family.cells["alpha_tilde"])
        change, half = (averaged(cells, column, at="alpha_tilde", by=["width"], logarithmic=True)
                        for column in ("kernel_change", "scaled"))  # fmt: skip
        crossed = regimes.level_set(regimes.wholly_fitted(cells), 1.0)
        at = np.exp(regimes.log_of(crossed, "alpha_tilde").mean()) if len(crossed) else np.nan
        guides, texts = _slopes_and_words(family)
        crossing = Marks(rows=pd.DataFrame({"at": [at], "one": [1.0]}).dropna(), x="at", y="one",
                         name="crossover", label="crossover", marker="D", filled=False, order=3.0,
                         colour="black")  # fmt: skip
        words = [*texts, f"1 at {at:.3g}"] if len(crossed) else texts
        highest = float(change["value"].max())
        short = regimes.at_most(half["alpha_tilde"], regimes.SHORT)
        flat = half.loc[short & np.isfinite(half["value"]), "value"]
        words_of = f"expected constant up to $\\tilde\\alpha={regimes.SHORT:g}$"
        constant = [level(geometric_mean(flat), words_of, name="window", line="-.")]
        return [
            Panel(title=title(family), x=TILDE,
                  y=Axis(CHANGE, log=True, limits=(None, 1e3 * highest)),
                  note="\n".join(words), marks=[
                *with_diverged(change, "alpha_tilde", [widths], name="change"), *guides, crossing,
                level(1.0, "change of 1", name="change of 1"),
            ]),
            Panel(title="half time of the loss", x=TILDE,
                  y=Axis("$t_{1/2}/\\tilde\\alpha$", log=True),
                  marks=[*with_diverged(half, "alpha_tilde", [widths], name="half time"),
                         *(constant if len(flat) else [])]),
            _against_width(family),
        ]  # fmt: skip

    return by_family(shown, panels, columns=3, preset=preset)


def _slopes_and_words(family: regimes.Family) -> tuple[list[Marks], list[str]]:
    """Lines of the expected slopes beside the points, and the fitted slopes in words."""
    guides, texts = [], []
    for lazy, slope in ((True, -1.0), (False, regimes.feature_slope(family.hidden_layers))):
        rows = regimes.fitted_in(family.cells, lazy=lazy)
        rows = rows[rows["kernel_change"] > 0]
        if rows.empty:
            continue
        ends = [regimes.LAZY, max(family.tildes)] if lazy else [min(family.tildes), regimes.FEATURE]
        guides.append(expected_slope(rows, "alpha_tilde", "kernel_change", slope, label=SLOPES,
                                    factor=5.0 if lazy else 1 / 3.0, ends=ends))  # fmt: skip
        fit = regimes.slope_in_scale(family.cells, "kernel_change", lazy=lazy)
        if fit.n:
            name = "lazy" if lazy else "feature"
            texts.append(f"{name}:\n{interval_text(fit.slope, fit.low, fit.high)}")
    return guides, texts


def _against_width(family: regimes.Family) -> Panel:
    """Kernel change against h at the largest alpha_tilde: is it a function of alpha_tilde alone?"""
    tilde = max(family.tildes)
    part = family.cells[np.isclose(family.cells["alpha_tilde"], tilde, rtol=1e-6)]
    points = averaged(part, "kernel_change", at="width", logarithmic=True)
    fit, guides, text = regimes.width_fit(family.cells, tilde), [], "slope: not enough widths"
    if fit.n:
        text = f"slope\n{interval_text(fit.slope, fit.low, fit.high)}"
        guides = [
            replace(expected_slope(points, "width", "value", slope, factor=1.6,
                                   label=f"slope {word} in $h$", name=f"guide {slope:g}"),
                    line=line)
            for slope, word, line in ((0.0, "0", "--"), (-0.5, "−1/2", ":"))
        ]  # fmt: skip
    most = float(points["value"].max())
    return Panel(
        title=f"at $\\tilde\\alpha = {power(tilde)}$", x=WIDTH, note=text,
        y=Axis(CHANGE, log=True, limits=(None, 3 * most) if np.isfinite(most) else (None, None)),
        marks=[means(points, "width", name="h-slope", label="at the largest $\\tilde\\alpha$"),
               *guides],
    )  # fmt: skip
