"""Figure 4: a learning curve, and the sample complexities of LCN and CNN against Eq. 3 and Eq. 4.

Letters of the paper: P training points, P* sample complexity, L depth, s branching, s_0 (s0) empty
places for each informative one, v features, m synonyms, n_c classes, ε test error.
"""

from collections.abc import Sequence
from math import isfinite, log10
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.ticker import PercentFormatter

from srhm import theory
from srhm.figures.drawing import empty_panel, page, panel_title, styled
from srhm.sample_complexity import DEFAULT_RULE, IntervalRule

# Vermilion and blue for the paper's red (L = 2) and blue (L = 3); the others for other depths.
HUES = {1: "#009E73", 2: "#D55E00", 3: "#0072B2", 4: "#AA4499"}
OTHER_HUE = "#666666"
# Parts of white and of black in the shades of the smallest and of the largest of many v.
LIGHTEST, DARKEST = 0.65, -0.5
MARKERS = {0: "o", 1: "s", 2: "^", 3: "p", 4: "D", 6: "v"}
OTHER_MARKER = "X"
PUBLISHED_COLOUR = "0.72"
# Intervals from two seeds can span many decades: beyond this factor around the points they run out
# of the panel.
MOST_BEYOND = 5.0
PANELS = (
    ("B", "lcn", "LCN", "prediction of Eq. 3,\n$s^{L/2}(s_0+1)^L\\,n_c\\,m^L$"),
    ("C", "cnn", "CNN", "prediction of Eq. 4,\n$(s_0+1)^2\\,n_c\\,m^L$"),
)
HEIGHT = 4.0


@styled
def draw(
    cells: pd.DataFrame,
    sample_complexity: pd.DataFrame,
    published: pd.DataFrame,
    *,
    width: int,
    threshold: float,
    preset: str,
    rule: IntervalRule = DEFAULT_RULE,
) -> Figure:
    """Figure 4 from the tables of cells, of sample complexities and of published values.

    The panels hold the curves of the text's protocol (`main_curves`) with this width H, their P* at
    this threshold of the test error. `rule` is the one by which the table was made; the legend
    names it, nothing is computed from it. A: ε of every seed, faint, and the average over the seeds
    that did not diverge, for `example_curve`. B, C: a marker for each curve at its prediction;
    censored ones as arrows from the bound; grey, the published values.
    """
    curves = main_curves(sample_complexity, width=width)
    curves = curves[
        (curves["criterion"] == "test_error") & np.isclose(curves["threshold"], threshold)
    ]
    curves = curves[curves["net"].isin([net for _, net, _, _ in PANELS])]
    figure = page(HEIGHT, preset=preset)
    left, pitch, size, top = 0.075, 0.335, 0.235, 0.94
    boxes = [
        figure.add_axes((left + i * pitch, top - size * 6.75 / HEIGHT, size, size * 6.75 / HEIGHT))
        for i in range(3)
    ]
    _learning_curve(boxes[0], cells, example_curve(curves), threshold, preset=preset)
    features = sorted(set(curves["v"].tolist()))
    for axes, (letter, net, name, prediction) in zip(boxes[1:], PANELS, strict=True):
        _against_prediction(
            axes, curves[curves["net"] == net], published[published["net"] == net],
            features=features, preset=preset,
        )  # fmt: skip
        panel_title(axes, letter, name + _counts(curves[curves["net"] == net]))
        axes.set_xlabel(prediction)
        axes.set_ylabel("sample complexity $P^*$ (points)")
    _legends(
        figure, boxes, curves, published,
        features=features, threshold=threshold, rule=rule,
    )  # fmt: skip
    return figure


def main_curves(table: pd.DataFrame, *, width: int) -> pd.DataFrame:
    """Rows of the curves that belong to Figure 4.

    Those of the text's protocol (no whitening, no bias, shuffled batches), sparsity A, this width,
    s = 2, n_c = v and m = v^(s-1).
    """
    chosen = (
        ~table["whitening"].astype(bool)
        & ~table["bias"].astype(bool)
        & (table["batch"] == "shuffled")
        & (table["sparsity"] == "A")
        & (table["width"] == width)
        & (table["s"] == 2)
        & (table["n_c"] == table["v"])
        & (table["m"] == table["v"] ** (table["s"] - 1))
    )
    return table[chosen]


def example_curve(curves: pd.DataFrame) -> pd.Series | None:
    """The row whose learning curve panel A shows: of the LCN, with L = s_0 = 2 as in the paper.

    Where there is no such curve, the next best: one that reached the threshold, then L = 2, then
    s_0 = 2, then the largest v. None without any curve of the LCN.
    """
    lcn = curves[curves["net"] == "lcn"]
    if lcn.empty:
        return None
    wishes = pd.DataFrame(
        {
            "reached": lcn["status"] == "reached",
            "depth": lcn["L"] == 2,
            "empty": lcn["s0"] == 2,
            "v": lcn["v"],
            "s0": lcn["s0"],
        }
    )
    return lcn.loc[wishes.sort_values(list(wishes.columns), ascending=False).index[0]]


def predicted(row: pd.Series) -> float:
    """Abscissa of a row: Eq. 3 or Eq. 4, for our curves and for the published ones."""
    return theory.predicted_sample_complexity(
        str(row["net"]),
        depth=int(row["L"]),
        branching=int(row["s"]),
        n_synonyms=int(row["m"]),
        n_classes=int(row["n_c"]),
        n_empty=int(row["s0"]),
    )


def colour(depth: int, n_features: int, features: Sequence[int]) -> tuple[float, float, float]:
    """Hue by L, darkness by the rank of v among those in the figure; few v span fewer shades."""
    base = np.array(to_rgb(HUES.get(depth, OTHER_HUE)))
    rank = sorted(features).index(n_features) / max(len(features) - 1, 1)
    shade = (LIGHTEST + rank * (DARKEST - LIGHTEST)) * (1 - 1 / len(features) ** 2)
    mixed = base + shade * (1 - base) if shade >= 0 else base * (1 + shade)
    red, green, blue = (float(part) for part in mixed)
    return red, green, blue


def _learning_curve(
    axes: Axes, cells: pd.DataFrame, row: pd.Series | None, threshold: float, *, preset: str
) -> None:
    """Panel A: test error of every seed, their average, the threshold and P* with its interval."""
    if row is None:
        panel_title(axes, "A", "LCN")
        empty_panel(axes, f"no curve of this kind\nin preset {preset}")
        return
    own = cells[cells["curve"] == row["curve"]].sort_values("P")
    tint = to_rgb(HUES.get(int(row["L"]), OTHER_HUE))
    for seed, one in own.groupby("seed"):
        axes.plot(one["P"], one["test_error"], color=tint, alpha=0.35, linewidth=0.7, marker=".",
                  markersize=3, gid=f"seed {seed}")  # fmt: skip
    mean = own.groupby("P")["test_error"].mean()  # leaves out NaN, as the table of P* does
    axes.plot(mean.index, mean, color="black", linewidth=1.2, marker="o", markersize=3, gid="mean")
    for _, cell in own[own["status"] == "capped"].iterrows():
        axes.plot([cell["P"]], [cell["test_error"]], "s", markersize=5, markerfacecolor="none",
                  markeredgecolor=tint, markeredgewidth=0.8, gid="capped")  # fmt: skip
    for _, cell in own[own["test_error"].isna()].iterrows():
        axes.plot([cell["P"]], [1.0], "x", color=tint, markersize=4, gid="diverged",
                  clip_on=False)  # fmt: skip
    axes.axhline(threshold, color="0.35", linewidth=0.8, linestyle="--", gid="threshold")
    ends = [float(end) for end in own["P"].agg(["min", "max"])]
    point: Any = row["P_star"]
    if isfinite(point):
        lower, upper = (float(row[name]) for name in ("P_star_low", "P_star_high"))
        if isfinite(lower) and isfinite(upper):
            axes.plot([lower, upper], [threshold] * 2, color="black", linewidth=2.6, zorder=3,
                      solid_capstyle="butt", gid="interval")  # fmt: skip
            ends += [max(lower, ends[0] / MOST_BEYOND), min(upper, ends[1] * MOST_BEYOND)]
        axes.plot([point], [threshold], "D", markersize=5.5, markerfacecolor="white",
                  markeredgecolor="black", zorder=4, gid="P_star")  # fmt: skip
        note = f"$P^* = {_round(point)}$"
    else:
        note = {"not_reached": "threshold not reached"}.get(row["status"], "below all $P$")
    n_seeds = own["seed"].nunique()
    axes.text(0.98, 0.88, f"{note}\n{n_seeds} {_plural('seed', n_seeds)}, {mean.size} $P$",
              transform=axes.transAxes, ha="right", va="top", fontsize=7,
              linespacing=1.4)  # fmt: skip
    panel_title(axes, "A", f"LCN, $L={row['L']}$, $v={row['v']}$, $s_0={row['s0']}$")
    low, high = min(ends), max(ends)
    margin = max((high / low) ** 0.06, 1.05)
    axes.set(
        xscale="log",
        xlim=(low / margin, high * margin),
        ylim=(-0.02, 1.02),
        xlabel="training points $P$",
        ylabel="test error $\\varepsilon$ (%)",
    )
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=""))
    axes.yaxis.labelpad = 2
    if high / low < 100:
        _few_ticks(axes, low, high)


def _few_ticks(axes: Axes, low: float, high: float) -> None:
    """Ticks at 1 and 3 times powers of ten, where decades are too few, or else at the ends."""
    steps = [a * 10.0**k for k in range(int(log10(low)) - 1, int(log10(high)) + 2) for a in (1, 3)]
    inside = [step for step in steps if low <= step <= high]
    if len(inside) < 2:
        inside = [low] if high < 1.2 * low else [low, high]
    axes.set_xticks(inside, [f"${_round(step)}$" for step in inside])
    axes.set_xticks([], minor=True)


def _against_prediction(
    axes: Axes,
    curves: pd.DataFrame,
    published: pd.DataFrame,
    *,
    features: Sequence[int],
    preset: str,
) -> None:
    """Panels B, C: P* against its prediction, both axes alike, with the line y = x."""
    if curves.empty:
        empty_panel(axes, f"no curve of this kind\nin preset {preset}")
        return
    values = [predicted(row) for table in (curves, published) for _, row in table.iterrows()]
    values += published["sample_complexity"].tolist()
    bound = curves["P_star_low"].where(curves["status"] == "not_reached", curves["P_star_high"])
    shown = curves["P_star"].where(curves["status"] == "reached", bound)
    values += [float(value) for value in shown if isfinite(value) and value > 0]
    lowest, highest = min(values) / MOST_BEYOND, max(values) * MOST_BEYOND
    for name in ("P_star_low", "P_star_high"):
        ends = [float(value) for value in curves[name] if isfinite(value) and value > 0]
        values += [min(max(end, lowest), highest) for end in ends]
    limits = (min(values) / 1.8, max(values) * 1.8)
    axes.plot(limits, limits, color="0.35", linewidth=0.8, linestyle="--", zorder=1, gid="y = x")
    for _, row in published.iterrows():
        marker = _shape(row["s0"])
        axes.plot([predicted(row)], [row["sample_complexity"]], marker, markersize=7,
                  markerfacecolor=PUBLISHED_COLOUR, markeredgecolor="white",
                  markeredgewidth=0.5, zorder=2, gid="published")  # fmt: skip
    for _, row in curves.sort_values("P_star").iterrows():
        _point(axes, row, colour(row["L"], row["v"], features), floor=limits[0])
    axes.set(xscale="log", yscale="log", xlim=limits, ylim=limits)
    axes.yaxis.labelpad = 2


def _point(axes: Axes, row: pd.Series, tint: tuple[float, float, float], *, floor: float) -> None:
    """One curve: its P* and interval, or an arrow from the bound of a censored one."""
    x = predicted(row)
    marker = _shape(row["s0"])
    style: dict[str, Any] = {"color": tint, "markersize": 4.5, "markeredgewidth": 1.0, "zorder": 3}
    low, high = float(row["P_star_low"]), float(row["P_star_high"])
    reached = row["status"] == "reached"
    kind = "small pool" if reached and row["small_pool"] else row["status"]
    if row["small_pool"] or not reached:
        style["markerfacecolor"] = "white"
    if reached:
        y = float(row["P_star"])
        if isfinite(low) and isfinite(high):
            axes.plot([x, x], [low, high], "_-", color=tint, linewidth=1.0, markersize=3,
                      zorder=style["zorder"] - 0.5, gid="interval")  # fmt: skip
    else:
        upwards = row["status"] == "not_reached"
        bound = low if upwards else high
        y = bound if isfinite(bound) and bound > 0 else floor  # or nothing at all is known
        axes.annotate("", xy=(x, y), xytext=(0, 15 if upwards else -15), annotation_clip=False,
                      textcoords="offset points", zorder=2.5,
                      arrowprops={"arrowstyle": "<|-", "color": tint, "linewidth": 1.0,
                                  "mutation_scale": 6, "shrinkA": 0, "shrinkB": 0})  # fmt: skip
    axes.plot([x], [y], marker, **style, gid=f"ours {kind}")


def _counts(curves: pd.DataFrame) -> str:
    """How many curves and seeds a panel holds."""
    if curves.empty:
        return ""
    least, most = curves["n_seeds"].min(), curves["n_seeds"].max()
    seeds = f"{most}" if least == most else f"{least}–{most}"
    n = len(curves)
    return f": {n} {_plural('curve', n)}, {seeds} {_plural('seed', most)}"


def _legends(
    figure: Figure,
    panels: Sequence[Axes],
    curves: pd.DataFrame,
    published: pd.DataFrame,
    *,
    features: Sequence[int],
    threshold: float,
    rule: IntervalRule,
) -> None:
    """Legends below the panels, of what they hold: panel A; L; v; s_0; kinds of points."""
    first, *others = panels
    interval = f"{100 * rule.confidence:.3g} % interval"
    depths = sorted(set(curves["L"].tolist()))
    beside = published[published["net"].isin(curves["net"])]
    places = sorted({*curves["s0"].tolist(), *beside["s0"].tolist()})
    top = 0.33
    for x, handles, title in (
        (0.015, _shown(_example_handles(interval, threshold), [first]), "Panel A"),
        (0.245, [_patch(f"$L={L}$", to_rgb(HUES.get(L, OTHER_HUE))) for L in depths], "Depth"),
        (0.5, [_marker(_shape(s0), f"$s_0={s0}$") for s0 in places], "Empty places"),
        (0.635, _shown(_point_handles(interval, rule.small_pool), others), "Panels B, C"),
    ):
        if handles:
            _legend(figure, handles, [str(one.get_label()) for one in handles], x, top, title)
    if features:
        shades = [tuple(_patch("", colour(L, v, features)) for L in depths) for v in features]
        labels = [f"${v}$" for v in features]
        _legend(figure, shades, labels, 0.345, top, "Features $v$", n_columns=2)


def _example_handles(interval: str, threshold: float) -> dict[str, Line2D]:
    """What panel A may hold, by the name under which it is drawn."""
    return {
        "seed": _line("one seed", color="0.5", linewidth=0.7, marker=".", markersize=3),
        "mean": _line("average over seeds", color="black", marker="o", markersize=3),
        "threshold": _line(f"threshold {100 * threshold:.3g} %", color="0.35", linestyle="--"),
        "P_star": _marker("D", "$P^*$", markeredgecolor="black"),
        "interval": _line(f"{interval} of $P^*$", color="black", linewidth=2.6),
        "capped": _marker("s", "stopped at the cap"),
        "diverged": _marker("x", "diverged"),
    }


def _point_handles(interval: str, small_pool: float) -> dict[str, Line2D]:
    """What panels B and C may hold, by the name under which it is drawn."""
    pool = f"ours, small pool: $P^*$ above {100 * small_pool:.3g} % of all data"
    thin = {"markersize": 7, "markeredgewidth": 0.3, "markerfacecolor": "0.3"}
    return {
        "ours reached": _marker("o", "ours", markerfacecolor="0.3"),
        "ours small pool": _marker("o", pool),
        "interval": _marker("|", f"{interval} (Student $t$ over seeds)", markersize=8),
        "ours not_reached": _marker("$\\uparrow$", "not reached: $P^*$ is above", **thin),
        "ours below_range": _marker("$\\downarrow$", "below the range: $P^*$ is below", **thin),
        "published": _marker("o", "published (Tomasini & Wyart 2024), 1 seed", markersize=7,
                             markeredgecolor="white", markerfacecolor=PUBLISHED_COLOUR),
        "y = x": _line("$y=x$", color="0.35", linestyle="--"),
    }  # fmt: skip


def _shown(handles: dict[str, Line2D], panels: Sequence[Axes]) -> list[Line2D]:
    """The handles of what is in the panels."""
    drawn = [str(line.get_gid()) for axes in panels for line in axes.get_lines()]
    return [
        handle for name, handle in handles.items() if any(one.startswith(name) for one in drawn)
    ]


def _legend(
    figure: Figure,
    handles: Sequence[Any],
    labels: Sequence[str],
    x: float,
    y: float,
    title: str,
    *,
    n_columns: int = 1,
) -> None:
    """A legend with its upper left corner at x, y of the page; a handle is a line or a tuple."""
    figure.legend(
        list(handles), list(labels), loc="upper left", bbox_to_anchor=(x, y), title=title,
        alignment="left", ncols=n_columns, columnspacing=1.0,
        handler_map={tuple: HandlerTuple(ndivide=None, pad=0.0)},
    )  # fmt: skip


def _line(label: str, **style: Any) -> Line2D:
    return Line2D([], [], label=label, solid_capstyle="butt", **style)


def _patch(label: str, tint: tuple[float, float, float]) -> Line2D:
    return _line(label, color=tint, linewidth=4)


def _marker(marker: str, label: str, **style: Any) -> Line2D:
    style = {"markersize": 4.5, "markerfacecolor": "white", "markeredgecolor": "0.3", **style}
    return Line2D([], [], linestyle="", marker=marker, label=label, **style)


def _shape(n_empty: int) -> str:
    return MARKERS.get(n_empty, OTHER_MARKER)


def _plural(word: str, n: int) -> str:
    return word if n == 1 else f"{word}s"


def _round(value: float) -> str:
    """Three significant digits, for use inside $ $."""
    rounded = float(f"{value:.3g}")
    if rounded < 1e5:
        return f"{rounded:.0f}"
    power = int(log10(rounded))
    factor = f"{rounded / 10**power:.3g}\\times " if rounded > 10**power else ""
    return f"{factor}10^{{{power}}}"
