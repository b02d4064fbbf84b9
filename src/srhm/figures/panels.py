"""A panel as it is declared: y against x, in families, with laws; what is drawn names itself.

`Marks` draw rows of a table; each family of rows has the look that scales give it. `law` and
`level` are guides. The entries of the legend are made of what has been drawn.

Names of what is drawn (gid): "NAME column=value ...", by which tests find it; bars and arrows have
"bar" and "arrow" before it, open markers " open" behind.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, PercentFormatter

from srhm.figures.legends import Entry, LegendError
from srhm.figures.scales import Scale
from srhm.figures.words import GUIDE, few_ticks

NEUTRAL = GUIDE  # colour where a scale gives others
ARROW_SHARE = 0.14  # of a logarithmic axis, that an arrow and its head take
BAR_BEYOND = 5.0  # factor around the values beyond which bars run out of a logarithmic panel
# Opens the markers of rows, draws arrows from them: columns with these words.
OPEN, ABOVE, BELOW = "open", 1, -1


@dataclass(frozen=True, kw_only=True)
class Marks:
    """Rows of a table as marks: a line, markers, bars, arrows.

    x, y: columns; without x a line across the panel at each y, without y one at each x. low, high:
    columns of the ends of bars, or of a band; x_low, x_high: of horizontal bars. words: column of
    what stands at the right end. by: scales, the later ones first. each: columns that part lines
    but not looks (seeds). open: column of what is drawn hollow (capped). beyond: column that is 1
    where y is a lower bound, -1 where an upper one: an arrow shows where it lies; x_beyond: the
    same of x. name: in the gid; the column y without one. label, bar_label, open_label,
    arrow_label: entries of the legend; without label and scales the axes name what is drawn.
    faint_arrows: arrows are thin and grey, where most marks have them.
    guide: a law, which makes no panel of its own.
    """

    rows: pd.DataFrame
    x: str = ""
    y: str = ""
    low: str = ""
    high: str = ""
    x_low: str = ""
    x_high: str = ""
    band: bool = False
    words: str = ""
    by: Sequence[Scale] = ()
    each: Sequence[str] = ()
    open: str = ""
    beyond: str = ""
    x_beyond: str = ""
    name: str = ""
    label: str = ""
    bar_label: str = ""
    open_label: str = ""
    arrow_label: str = ""
    faint_arrows: bool = False
    colour: Any = NEUTRAL
    marker: str = "o"
    line: str = ""
    filled: bool = True
    size: float = 4.0
    width: float = 1.0
    alpha: float = 1.0
    order: float = 2.0
    guide: bool = False
    sort: bool = True


@dataclass(frozen=True)
class Axis:
    """An axis: label, whether it is logarithmic, limits (None: as wide as the marks), ticks.

    ticks: values with their words, or values alone. whole: whole numbers alone are ticks.
    upright: words of ticks stand upright. linear: an axis that is linear up to this number and
    logarithmic beyond, stretch: how many decades the linear part takes. percent: parts as percents,
    of so many decimals if it is a number.
    """

    label: str = ""
    log: bool = False
    limits: tuple[float | None, float | None] = (None, None)
    ticks: Mapping[float, str] | Iterable[float] | None = None
    whole: bool = False
    upright: bool = False
    linear: float = 0.0
    stretch: float = 1.0
    percent: bool | int = False


POINTS = Axis("training points $P$", log=True)
STAR = Axis("sample complexity $P^*$", log=True)


@dataclass(frozen=True, kw_only=True)
class Panel:
    """A panel of a mosaic.

    square: both axes alike, of equal length.

    extra: draws what no marks can say (tiles, images, heat maps) and returns its entries; has_extra
    says whether there is something to draw. note: words in the upper right corner, or the lower
    one where marks rise.
    """

    title: str
    marks: Sequence[Marks] = ()
    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    note: str = ""
    extra: Callable[[Axes], Sequence[Entry]] | None = None
    has_extra: bool = False
    square: bool = False

    @property
    def has_rows(self) -> bool:
        """Whether it shows anything but guides."""
        return self.has_extra or any(len(marks.rows) > 0 for marks in self.marks if not marks.guide)


def law(
    x: Sequence[float] | np.ndarray, y: Sequence[float] | np.ndarray | Callable[[Any], Any],
    label: str, **look: Any,
) -> Marks:  # fmt: skip
    """A guide through points, or that of a function of x; look as of `laws`."""
    at = np.asarray(x, dtype=float)
    values = [y(value) for value in at] if callable(y) else y
    rows = pd.DataFrame({"x": at, "y": np.asarray(values, dtype=float)})
    return laws(rows, "x", "y", label, **{"width": 0.9, "sort": False, **look})


def equality(*values: Any, room: float = 1.0, label: str = "$y=x$", name: str = "y = x") -> Marks:
    """The guide y = x from the least of the known values to the largest, and a factor beyond.

    values: columns of numbers; room: the factor.
    """
    known = np.concatenate([np.asarray(column, dtype=float) for column in values])
    known = known[np.isfinite(known)]
    ends = [known.min() / room, known.max() * room] if len(known) else []
    return law(ends, ends, label, name=name)


def laws(rows: pd.DataFrame, x: str, y: str, label: str, **look: Any) -> Marks:
    """A guide for each family, in its colour: a line through the rows; a level each without x.

    look: of `Marks`, in place of what is drawn else; the name is the label without one.
    """
    looks = {"line": "--", "marker": "", "colour": GUIDE, "width": 0.8, "order": 1.0, **look}
    looks["name"] = look.get("name") or label
    return Marks(rows=rows, x=x, y=y, label=label, guide=True, **looks)


def levels(rows: pd.DataFrame, y: str, label: str, **look: Any) -> Marks:
    """Guides across the panel at the y of the rows; look as of `laws`."""
    return laws(rows, "", y, label, **look)


def power_law(
    x: Sequence[float], exponent: float, *, through: tuple[float, float], label: str, name: str = ""
) -> Marks:
    """A guide of this slope on logarithmic axes between the least and the largest x."""
    ends = np.array([min(x), max(x)], dtype=float)
    return law(ends, through[1] * (ends / through[0]) ** exponent, label, name=name)


def level(at: float, label: str, *, name: str = "", line: str = ":", across: str = "x") -> Marks:
    """A guide at one y across all x, or at one x across all y."""
    x, y = ("", "at") if across == "x" else ("at", "")
    return laws(pd.DataFrame({"at": [at]}), x, y, label, name=name, line=line)


def bars_of_seeds(rows: pd.DataFrame, x: str, y: str, *, name: str = "") -> list[Marks]:
    """Means at each place as wide bars, and the rows beside each other on them."""
    if rows.empty:
        return []
    means = rows.groupby(x)[y].mean().reset_index()
    ranks = rows.groupby(x).cumcount()
    middle = ranks.groupby(rows[x]).transform("mean")
    dots = rows.assign(**{x: rows[x] + 0.1 * (ranks - middle)})
    return [
        Marks(rows=means.assign(zero=0.0), x=x, y=y, low="zero", high=y, name=f"mean {name or y}",
              marker="", width=18, alpha=0.35, colour="0.5", label="mean"),
        Marks(rows=dots, x=x, y=y, name=name or y, filled=False, size=3.5, label="seeds"),
    ]  # fmt: skip


def draw_panel(axes: Axes, panel: Panel, *, letter: str = "") -> list[Entry]:
    """Draws a panel and returns the entries of its legend.

    Raises:
        LegendError: if something would be drawn that neither legend nor axes name.
    """
    shown = [marks for marks in panel.marks if len(marks.rows)]
    unnamed = [marks for marks in shown if not marks.label and not marks.by]
    if unnamed and len(shown) > 1 + sum(marks.guide for marks in shown):
        raise LegendError(f"panel {panel.title!r}: {unnamed[0].y!r} has neither label nor scale")
    if panel.title or letter:
        axes.set_title(rf"$\bf{{{letter}}}$  {panel.title}", loc="left")
    axes.set(
        xscale="log" if panel.x.log else "linear", yscale="log" if panel.y.log else "linear",
        xlabel=panel.x.label, ylabel=panel.y.label,
    )  # fmt: skip
    entries = [entry for marks in shown for entry in _draw(axes, marks)]
    for scaled, axis, declared in (
        (axes.set_xscale, axes.xaxis, panel.x), (axes.set_yscale, axes.yaxis, panel.y),
    ):  # fmt: skip
        if declared.linear:
            scaled("symlog", linthresh=declared.linear, linscale=declared.stretch)
        if declared.percent is not False:
            decimals = None if declared.percent is True else declared.percent
            axis.set_major_formatter(PercentFormatter(1.0, symbol="", decimals=decimals))
    if panel.extra is not None:
        entries += panel.extra(axes)
    if panel.note:
        y, va = (0.03, "bottom") if panel.square else (0.97, "top")
        axes.text(0.98, y, panel.note, transform=axes.transAxes, ha="right", va=va)
    return entries


def _draw(axes: Axes, marks: Marks) -> Iterator[Entry]:
    families = _families(marks)
    for values, rows in families:
        _draw_family(axes, marks, values, rows)
    for i, scale in enumerate(marks.by):
        used = {values[i] for values, _ in families} if scale.named else set()
        for rank, (value, look) in enumerate(scale.looks.items()):
            if value in used:
                marker = look.marker or ("o" if look.filled is not None else "")
                alone = not marker and not look.line  # a colour: a patch
                style = {"colour": look.colour or NEUTRAL, "marker": marker,
                         "line": "-" if alone else look.line,
                         "filled": look.filled is not False}  # fmt: skip
                handle = _handle(style, width=4 if alone else 1.2)
                yield Entry(scale.title, look.label, handle, rank=rank)
    yield from _kind_entries(marks)


def _families(marks: Marks) -> list[tuple[tuple[Any, ...], pd.DataFrame]]:
    """Rows of equal values of the scales and of `each`, in the order of the scales."""
    columns = [*(scale.column for scale in marks.by), *marks.each]
    if not columns:
        return [((), marks.rows)]

    def rank(family: tuple[Any, pd.DataFrame]) -> list[int]:
        for value, scale in zip(family[0], marks.by, strict=False):
            if value not in scale.looks:
                raise KeyError(f"{scale.column}: no look for {value!r}")
        return [list(scale.looks).index(value)
                for value, scale in zip(family[0], marks.by, strict=False)]  # fmt: skip

    return sorted(marks.rows.groupby(columns, sort=False), key=rank)


def _style(marks: Marks, values: Sequence[Any]) -> dict[str, Any]:
    """Colour, marker, line and fill of a family: those of its scales, else those of the marks."""
    style = {"colour": marks.colour, "marker": marks.marker, "line": marks.line,
             "filled": marks.filled}  # fmt: skip
    for value, scale in zip(values, marks.by, strict=False):
        look = vars(scale.looks[value])
        style |= {name: look[name] for name in style if look[name] not in ("", None)}
    return style | {name: "" for name in ("marker", "line") if not getattr(marks, name)}


def _draw_family(axes: Axes, marks: Marks, values: Sequence[Any], rows: pd.DataFrame) -> None:
    """Draws the rows of equal values; the group of what is drawn is named after these."""
    style = _style(marks, values)
    columns = [*(scale.column for scale in marks.by), *marks.each]
    gid = " ".join([marks.name or marks.y or marks.x,
                    *(f"{c}={v:g}" if isinstance(v, int | float) else f"{c}={v}"
                      for c, v in zip(columns, values, strict=True))])  # fmt: skip
    plain: dict[str, Any] = {"color": style["colour"], "linewidth": marks.width, "gid": gid,
                             "alpha": marks.alpha, "zorder": marks.order}  # fmt: skip
    if not (marks.x and marks.y):
        _draw_across(axes, marks, rows, {**plain, "linestyle": style["line"] or "-"})
        return
    rows = rows[np.isfinite(rows[marks.y].astype(float))]
    rows = rows.sort_values(marks.x, kind="stable") if marks.sort else rows
    _draw_bars(axes, marks, rows, plain)
    _draw_points(axes, marks, rows, style, plain)
    for column, right, up in ((marks.beyond, 0, 12), (marks.x_beyond, 12, 0)):
        if column:
            for x, y, side in rows[[marks.x, marks.y, column]].itertuples(index=False):
                if side and isfinite(side):
                    _draw_arrow(axes, marks, (x, y), (right * side, up * side), style["colour"])


def _draw_across(axes: Axes, marks: Marks, rows: pd.DataFrame, looks: dict[str, Any]) -> None:
    """Lines from end to end of the panel, at each value of the only coordinate."""
    across = axes.axhline if marks.y else axes.axvline
    for at in sorted(set(rows[marks.y or marks.x])):
        across(at, **looks)
    if marks.words and marks.y:
        for at, words in zip(rows[marks.y], rows[marks.words], strict=True):
            axes.text(1.01, at, words, transform=axes.get_yaxis_transform(), va="center",
                      color=looks["color"])  # fmt: skip


def _draw_bars(axes: Axes, marks: Marks, rows: pd.DataFrame, plain: dict[str, Any]) -> None:
    """Intervals of what stands up and to the right, below the points; or a band."""
    looks = {**plain, "zorder": marks.order - 0.1}
    for low, high, at, draw, name in (
        (marks.low, marks.high, marks.x, axes.vlines, f"bar {plain['gid']}"),
        (marks.x_low, marks.x_high, marks.y, axes.hlines, f"bar x {plain['gid']}"),
    ):
        bars = rows[np.isfinite(rows[low]) & np.isfinite(rows[high])] if low else rows[:0]
        if marks.band and at == marks.x:
            axes.fill_between(bars[at], bars[low], bars[high], linewidth=0,
                              color=plain["color"], alpha=0.2, gid=name)  # fmt: skip
        elif len(bars):
            width = marks.width if marks.width > 2 and at == marks.x else 0.8
            draw(bars[at], bars[low], bars[high], **{**looks, "linewidth": width, "gid": name})


def _draw_points(
    axes: Axes, marks: Marks, rows: pd.DataFrame, style: dict[str, Any], plain: dict[str, Any]
) -> None:
    """Markers, and the line through them: by itself where some are open or have arrows."""
    hollow = rows[marks.open].astype(bool) if marks.open else pd.Series(False, index=rows.index)
    parted = bool(hollow.any()) or (bool(marks.beyond) and bool((rows[marks.beyond] != 0).any()))
    if parted and style["line"]:
        axes.plot(rows[marks.x], rows[marks.y], linestyle=style["line"],
                  **{**plain, "gid": "joined"})  # fmt: skip
    if not (style["marker"] or style["line"]):
        return
    groups = [(rows[~hollow], ""), (rows[hollow], f" {OPEN}")] if parted else [(rows, "")]
    for part, opened in groups:
        if not part.empty:
            axes.plot(
                part[marks.x], part[marks.y], marker=style["marker"] or None, markersize=marks.size,
                linestyle="" if parted else style["line"], markeredgewidth=0.9,
                markerfacecolor=style["colour"] if style["filled"] and not opened else "white",
                **{**plain, "gid": plain["gid"] + opened,
                   "zorder": marks.order + (1 if style["marker"] else 0)},
            )  # fmt: skip


def _draw_arrow(
    axes: Axes, marks: Marks, start: tuple[float, float], shift: tuple[float, float], tint: Any
) -> None:
    """An arrow from a bound into the direction in which the value lies; shift is in points."""
    faint = marks.faint_arrows
    axes.annotate("", xy=start, xytext=shift, annotation_clip=False, zorder=1.5 if faint else 2.5,
                  textcoords="offset points", gid=f"arrow {shift}",
                  arrowprops={"arrowstyle": "<|-", "color": "0.65" if faint else tint,
                              "linewidth": 0.6 if faint else 1.0,
                              "mutation_scale": 4 if faint else 6,
                              "shrinkA": 0, "shrinkB": 0})  # fmt: skip


def _handle(style: Mapping[str, Any], *, size: float = 4.0, width: float = 1.2) -> Line2D:
    tint = style["colour"]
    return Line2D([], [], color=tint, marker=style["marker"] or None, markersize=size,
                  linestyle=style["line"] or "", linewidth=width, markeredgewidth=0.9,
                  markerfacecolor=tint if style["filled"] else "white",
                  solid_capstyle="butt")  # fmt: skip


def _kind_entries(marks: Marks) -> Iterator[Entry]:
    """What the marks are, and what bars, open markers and arrows of them mean, if there are any."""
    looks = [look for scale in marks.by for look in scale.looks.values()]
    several = any(look.colour for look in looks)
    base = {"colour": NEUTRAL if several else marks.colour, "marker": marks.marker,
            "line": marks.line, "filled": marks.filled}  # fmt: skip
    if marks.label:
        sample = base if base["marker"] or base["line"] else {**base, "line": "-"}
        handle = _handle(sample, size=min(marks.size, 6), width=min(marks.width, 4))
        handle.set_alpha(marks.alpha)
        yield Entry("", marks.label, handle, any(look.marker for look in looks))
    lone: dict[str, Any] = {**base, "line": "", "colour": NEUTRAL}
    if marks.bar_label and marks.low and np.isfinite(marks.rows[marks.low]).any():
        yield Entry("", marks.bar_label, _handle({**lone, "marker": "|"}, size=7))
    if marks.open_label and marks.open and marks.rows[marks.open].astype(bool).any():
        yield Entry("", marks.open_label, _handle({**lone, "filled": False}))
    arrows = (
        (marks.beyond, ABOVE, "uparrow", "above"), (marks.beyond, BELOW, "downarrow", "below"),
        (marks.x_beyond, ABOVE, "rightarrow", "further right"),
        (marks.x_beyond, BELOW, "leftarrow", "further left"),
    )  # fmt: skip
    for column, side, arrow, where in arrows:
        if marks.arrow_label and column and (marks.rows[column] == side).any():
            yield Entry("", f"{marks.arrow_label} {where}",
                        _handle({**lone, "marker": f"$\\{arrow}$"}, size=6))  # fmt: skip


def finish_panel(axes: Axes, panel: Panel) -> None:
    """Limits and ticks, once all panels that share an axis are drawn."""
    shown = [marks for marks in panel.marks if len(marks.rows)]
    barred = [marks for marks in shown if marks.low and marks.x and marks.y]
    if panel.y.log and barred:
        values = np.concatenate([marks.rows[marks.y].astype(float) for marks in barred])
        values = values[np.isfinite(values) & (values > 0)]
        low, high = axes.get_ylim()
        if len(values):
            axes.set_ylim(max(low, values.min() / BAR_BEYOND), min(high, values.max() * BAR_BEYOND))
    for marks in shown:
        _room_for_arrows(axes, marks)
    axes.set(xlim=panel.x.limits, ylim=panel.y.limits)
    for axis, declared, (low, high) in (
        (axes.xaxis, panel.x, sorted(axes.get_xlim())),
        (axes.yaxis, panel.y, sorted(axes.get_ylim())),
    ):
        if declared.ticks is not None:
            at = sorted(set(declared.ticks))
            words = declared.ticks if isinstance(declared.ticks, Mapping) else {}
            axis.set_ticks(at, labels=[words.get(tick, f"{tick:g}") for tick in at])
            axis.set_ticks([], minor=True)
            if declared.upright:
                axis.set_tick_params(labelrotation=90, labelsize=6)
        elif declared.whole:
            axis.set_major_locator(MaxNLocator(integer=True))
        elif declared.log and high / low < 100:
            few_ticks(axis, low, high)
    if panel.square:
        ends = [*axes.get_xlim(), *axes.get_ylim()]
        axes.set(xlim=(min(ends), max(ends)), ylim=(min(ends), max(ends)), box_aspect=1)


def _room_for_arrows(axes: Axes, marks: Marks) -> None:
    """Wider limits of logarithmic axes where an arrow would leave the panel."""
    for side, at, get, set_ in (
        (marks.beyond, marks.y, axes.get_ylim, axes.set_ylim),
        (marks.x_beyond, marks.x, axes.get_xlim, axes.set_xlim),
    ):
        if not side:
            continue
        low, high = get()
        room = (high / low) ** ARROW_SHARE
        above, below = (marks.rows.loc[marks.rows[side] == way, at] for way in (ABOVE, BELOW))
        ends = [low, high, *(above * room), *(below / room)]
        known = [end for end in ends if isfinite(end)]
        set_(min(known), max(known))
