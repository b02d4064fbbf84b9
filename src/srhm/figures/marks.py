"""What the figures of curves share: colours, markers, points with their intervals, legends.

Letters of the paper: L depth, s_0 empty places for each informative one, v features, P* sample
complexity.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, log10
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from srhm.figures.drawing import Handle
from srhm.statistics.sample_complexity import IntervalRule

Colour = tuple[float, float, float]

# Vermilion and blue for the paper's red (L = 2) and blue (L = 3); the others for other depths.
HUES = {1: "#009E73", 2: "#D55E00", 3: "#0072B2", 4: "#AA4499"}
OTHER_HUE = "#666666"
# Parts of white and of black in the shades of the smallest and of the largest of many v.
LIGHTEST, DARKEST = 0.65, -0.5
MARKERS = {0: "o", 1: "s", 2: "^", 3: "p", 4: "D", 6: "v"}
OTHER_MARKER = "X"
GUIDE = "0.35"
# Intervals from two seeds can span many decades: beyond this factor around the points they run out
# of the panel.
MOST_BEYOND = 5.0
ARROW = 15  # points
ARROW_SHARE = 0.14  # of an axis, that an arrow and its head take

EQUATIONS = {
    "lcn": ("Eq. 3", "s^{L/2}(s_0+1)^L\\,n_c\\,m^L"),
    "cnn": ("Eq. 4", "(s_0+1)^2\\,n_c\\,m^L"),
}


@dataclass(frozen=True)
class Estimate:
    """A coordinate: its value, the ends of its bar (None: no bar), and on which side it is open.

    beyond is 0, or +1 (the value is a lower bound) or -1 (an upper bound) for a censored one; the
    value of a censored one of which no bound is known is None.
    """

    value: float | None
    bar: tuple[float, float] | None = None
    beyond: int = 0


@dataclass(frozen=True, kw_only=True)
class Point:
    """A curve in a panel of two sample complexities, or of one and its prediction."""

    x: Estimate
    y: Estimate
    tint: Colour
    marker: str
    small_pool: bool = False


def estimate(row: pd.Series) -> Estimate:
    """The P* of a row of the table of sample complexities."""
    low, high = float(row["P_star_low"]), float(row["P_star_high"])
    if row["status"] == "reached":
        bar = (low, high) if isfinite(low) and isfinite(high) else None
        return Estimate(float(row["P_star"]), bar)
    beyond = 1 if row["status"] == "not_reached" else -1
    bound = low if beyond > 0 else high
    return Estimate(bound if isfinite(bound) and bound > 0 else None, beyond=beyond)


def divided(one: Estimate, scale: float) -> Estimate:
    """The estimate in units of scale."""
    bar = (one.bar[0] / scale, one.bar[1] / scale) if one.bar else None
    return Estimate(None if one.value is None else one.value / scale, bar, one.beyond)


def limits(estimates: Sequence[Estimate]) -> tuple[float, float]:
    """Ends of a logarithmic axis that shows all values, arrows and, within reason, bars."""
    values = [one.value for one in estimates if one.value is not None] or [1.0, 10.0]
    lowest, highest = min(values) / MOST_BEYOND, max(values) * MOST_BEYOND
    ends = [end for one in estimates if one.bar for end in one.bar]
    values += [min(max(end, lowest), highest) for end in ends]
    low, high = min(values) / 1.8, max(values) * 1.8
    room = (high / low) ** ARROW_SHARE
    above = [one.value * room for one in estimates if one.value and one.beyond > 0]
    below = [one.value / room for one in estimates if one.value and one.beyond < 0]
    return min([low, *below]), max([high, *above])


def scatter(
    axes: Axes, points: Sequence[Point], *, shown: Sequence[float] = (), both_axes: bool = True
) -> None:
    """All points on logarithmic axes, with the line y = x if both axes are alike.

    The limits hold the values `shown` too.
    """
    extra = [Estimate(value) for value in shown]
    y_limits = limits([one.y for one in points] + extra)
    x_limits = limits([one.x for one in points] + extra)
    if both_axes:
        x_limits = y_limits = (min(x_limits[0], y_limits[0]), max(x_limits[1], y_limits[1]))
        axes.plot(x_limits, y_limits, color=GUIDE, linewidth=0.8, linestyle="--", zorder=1,
                  gid="y = x")  # fmt: skip
    for one in points:
        draw_point(axes, one, x_floor=x_limits[0], y_floor=y_limits[0])
    axes.set(xscale="log", yscale="log", xlim=x_limits, ylim=y_limits)
    for axis, (low, high) in ((axes.xaxis, x_limits), (axes.yaxis, y_limits)):
        if high / low < 100:  # hardly a decade to label
            few_ticks(axis, low, high)
    axes.yaxis.labelpad = 2


def draw_point(axes: Axes, point: Point, *, x_floor: float, y_floor: float) -> None:
    """One curve: its marker and bars, or arrows from the bounds of what is censored.

    Where nothing at all is known of a coordinate it is drawn at the floor.
    """
    x = x_floor if point.x.value is None else point.x.value
    y = y_floor if point.y.value is None else point.y.value
    censored = bool(point.x.beyond or point.y.beyond)
    words = {1: "not_reached", -1: "below_range"}
    kind = words.get(point.y.beyond, "")
    if point.x.beyond:
        kind = f"{kind} x {words[point.x.beyond]}".strip()
    kind = f"{kind} (bound)" if kind else ("small pool" if point.small_pool else "reached")
    bars: Any = {"color": point.tint, "linewidth": 1.0, "markersize": 3, "zorder": 2.5}
    if point.y.bar:
        axes.plot([x, x], point.y.bar, "_-", **bars, gid="interval")
    if point.x.bar:
        axes.plot(point.x.bar, [y, y], "|-", **bars, gid="interval of x")
    for shift in ((ARROW * point.x.beyond, 0), (0, ARROW * point.y.beyond)):
        if any(shift):
            draw_arrow(axes, (x, y), shift, tint=point.tint)
    face = "white" if censored or point.small_pool else point.tint
    axes.plot([x], [y], point.marker, color=point.tint, markersize=4.5, markeredgewidth=1.0,
              markerfacecolor=face, zorder=3, gid=f"ours {kind}")  # fmt: skip


def draw_arrow(
    axes: Axes, start: tuple[float, float], shift: tuple[float, float], *, tint: Colour
) -> None:
    """An arrow from a bound into the direction in which the value lies; shift is in points."""
    axes.annotate("", xy=start, xytext=shift, annotation_clip=False, zorder=2.5,
                  textcoords="offset points", gid=f"arrow {shift}",
                  arrowprops={"arrowstyle": "<|-", "color": tint, "linewidth": 1.0,
                              "mutation_scale": 6, "shrinkA": 0, "shrinkB": 0})  # fmt: skip


def colour(depth: int, n_features: int, features: Sequence[int]) -> Colour:
    """Hue by L, darkness by v as in `shaded`."""
    return shaded(HUES.get(depth, OTHER_HUE), n_features, features)


def shaded(hue: str, n_features: int, features: Sequence[int]) -> Colour:
    """Darkness by the rank of v among those in the figure; few v span fewer shades."""
    rank = sorted(features).index(n_features) / max(len(features) - 1, 1)
    shade = (LIGHTEST + rank * (DARKEST - LIGHTEST)) * (1 - 1 / len(features) ** 2)
    return blended(("black", hue, "white"), (100 + round(100 * shade)) / 200)


def blended(colours: Sequence[str], place: float) -> Colour:
    """The colour at a place between 0, the first of these, and 1, the last."""
    red, green, blue, _ = LinearSegmentedColormap.from_list("blend", list(colours))(place)
    return float(red), float(green), float(blue)


def shape(n_empty: int) -> str:
    """Marker of an s_0."""
    return MARKERS.get(n_empty, OTHER_MARKER)


def counts(curves: pd.DataFrame) -> str:
    """How many curves and seeds a panel holds, for its title."""
    if curves.empty:
        return ""
    seeds = between(curves["n_seeds"])
    n = len(curves)
    return f": {n} {plural('curve', n)}, {seeds} {plural('seed', int(curves['n_seeds'].max()))}"


def curves_and_seeds(rows: pd.DataFrame) -> str:
    """ "4 curves, 3–5 seeds", from cells or from rows of P*."""
    if rows.empty:
        return "no curve"
    seeds = rows["n_seeds"] if "n_seeds" in rows else rows.groupby("curve")["seed"].nunique()
    n = rows["curve"].nunique()
    return f"{n} {plural('curve', n)}, {between(seeds)} {plural('seed', int(seeds.max()))}"


def between(numbers: pd.Series) -> str:
    """The number, or the least and the most of them."""
    least, most = numbers.min(), numbers.max()
    return f"{most}" if least == most else f"{least}–{most}"


def plural(word: str, n: int) -> str:
    """The word in the number that n asks for."""
    return word if n == 1 else f"{word}s"


def three_digits(value: float) -> str:
    """Three significant digits, for use inside $ $."""
    number = float(f"{value:.3g}")
    if number < 1e5:
        return f"{number:.3g}" if number < 100 else f"{number:.0f}"
    power = int(log10(number))
    factor = f"{number / 10**power:.3g}\\times " if number > 10**power else ""
    return f"{factor}10^{{{power}}}"


def few_ticks(axis: Axis, low: float, high: float) -> None:
    """Ticks with plain labels where decades are too few, even ones within a fifth."""
    powers = [10.0**k for k in range(int(log10(low)) - 2, int(log10(high)) + 2)]
    inside: list[float] = []
    for factors in ((1, 3), (1, 2, 5), (1, 2, 3, 5, 7), (1, 1.5, 2, 3, 5, 7)):
        if len(inside) < 3:
            inside = [a * power for power in powers for a in factors if low <= a * power <= high]
    if len(inside) < 2:
        even = MaxNLocator(3, steps=[1, 2, 5, 10]).tick_values(low, high)
        inside = [step for step in even if low <= step <= high] or [low]
    axis.set_ticks(inside, labels=[f"${three_digits(step)}$" for step in inside])
    axis.set_ticks([], minor=True)


def point_handles(rule: IntervalRule, *, narrow: bool = False) -> dict[str, Line2D]:
    """What a panel of P* may hold, by a part of the name under which it is drawn.

    Narrow: for a narrow legend, and for panels of two P*.
    """
    level = f"{100 * rule.confidence:.3g} %"
    break_ = "\n" if narrow else " "
    pool = f"ours, small pool: $P^*$ above{break_}{100 * rule.small_pool:.3g} % of all data"
    thin = {"markersize": 7, "markeredgewidth": 0.3, "markerfacecolor": "0.3"}
    handles = {
        "ours reached": marker("o", "ours", markerfacecolor="0.3"),
        "ours small pool": marker("o", pool),
        "interval": marker("|", f"{level} interval{break_}(Student $t$ over seeds)", markersize=8),
    }
    if narrow:
        handles["(bound)"] = marker("$\\rightarrow$", "censored: only a bound is\nknown, $P^*$ lies"
                                    " that way", **thin)  # fmt: skip
    else:
        handles["not_reached"] = marker("$\\uparrow$", "not reached: $P^*$ is above", **thin)
        handles["below_range"] = marker("$\\downarrow$", "below the range: $P^*$ is below", **thin)
    return handles


def shown(handles: Mapping[str, Line2D], panels: Iterable[Axes]) -> list[Line2D]:
    """The handles of what is in the panels."""
    drawn = [str(one.get_gid()) for axes in panels for one in axes.get_lines()]
    return [handle for name, handle in handles.items() if any(name in one for one in drawn)]


def depth_handles(depths: Sequence[int]) -> list[Line2D]:
    """A patch for each L."""
    return [patch(f"$L={L}$", to_rgb(HUES.get(L, OTHER_HUE))) for L in depths]


def empty_handles(places: Sequence[int]) -> list[Line2D]:
    """A marker for each s_0."""
    return [marker(shape(s0), f"$s_0={s0}$") for s0 in places]


def feature_handles(features: Sequence[int], depths: Sequence[int]) -> list[tuple[Line2D, ...]]:
    """For each v a patch in the shade of each L."""
    return [tuple(patch(f"${v}$", colour(L, v, features)) for L in depths) for v in features]


def curve_groups(
    curves: pd.DataFrame, features: Sequence[int]
) -> list[tuple[str, Sequence[Handle]]]:
    """Groups of a legend: L, v and s_0 of the curves."""
    depths = sorted(set(curves["L"].tolist()))
    return [
        ("Depth", depth_handles(depths)),
        ("Features $v$", feature_handles(features, depths) if depths else []),
        ("Empty places", empty_handles(sorted(set(curves["s0"].tolist())))),
    ]


def line(label: str, **style: Any) -> Line2D:
    """A handle that is a line."""
    return Line2D([], [], label=label, solid_capstyle="butt", **style)


def patch(label: str, tint: Colour) -> Line2D:
    """A handle that is a short thick line."""
    return line(label, color=tint, linewidth=4)


def marker(symbol: str, label: str, **style: Any) -> Line2D:
    """A handle that is a marker."""
    style = {"markersize": 4.5, "markerfacecolor": "white", "markeredgecolor": "0.3", **style}
    return Line2D([], [], linestyle="", marker=symbol, label=label, **style)


def shades(values: Sequence[float], palette: str) -> dict[float, Colour]:
    """A colour for each value, by its rank, out of a palette without its lightest part.

    palette: name of a colour map of matplotlib.
    """
    ramp = matplotlib.colormaps[palette](np.linspace(0, 1, 103)[1:-1])
    ends = (5, 88)
    found: dict[float, Colour] = {}
    for i, value in enumerate(sorted(set(values))):
        at = ends[0] + round((ends[1] - ends[0]) * i / max(len(set(values)) - 1, 1))
        red, green, blue = ramp[at][:3]
        found[value] = (float(red), float(green), float(blue))
    return found


def power(value: float) -> str:
    """10^k for powers of ten, else three digits; for use inside $ $."""
    exponent = log10(value)
    if abs(exponent - round(exponent)) < 1e-9 and not 0.09 < value < 101:
        return f"10^{{{round(exponent)}}}"
    return f"{value:.3g}"
