"""Legends as text is set: entries follow each other in rows, as few as the width allows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.offsetbox import (
    AnchoredOffsetbox,
    DrawingArea,
    HPacker,
    OffsetBox,
    TextArea,
    VPacker,
)
from matplotlib.patches import Patch, Rectangle

LEGEND = "legend"  # gid of a legend
SIZE = 7  # points, of the text
BETWEEN_ENTRIES, BETWEEN_GROUPS, BETWEEN_ROWS = 7.0, 16.0, 2.5  # points
LONG, SHORT, HEIGHT = 15.0, 6.0, 6.0  # points, of what stands before a label
LAST = 1000  # rank of what has none: behind the values of a scale


@dataclass(frozen=True)
class Entry:
    """What a mark means: the group of the legend, words, and a line or a patch in its look."""

    group: str
    label: str
    handle: Line2D | Patch
    sample: bool = False  # its shape is one of several
    rank: int = LAST  # in its group

    @property
    def look(self) -> Any:
        """By what entries are compared: colour, marker, line and fill."""
        if isinstance(self.handle, Patch):
            return None
        line, marker = self.handle, self.handle.get_marker()
        fill = marker != "None" and line.get_markerfacecolor()
        return line.get_color(), marker, line.get_linestyle(), fill


class LegendError(ValueError):
    """A legend that would disagree with the marks; the message names the entry."""


def united(entries: Iterable[Entry]) -> list[Entry]:
    """The entries, each once, by group and rank, those without a group last.

    Raises:
        LegendError: if an entry has two looks.
    """
    groups: dict[str, dict[str, Entry]] = {}
    for entry in entries:
        same = groups.setdefault(entry.group, {}).setdefault(entry.label, entry)
        if same.look != entry.look and not entry.sample:
            raise LegendError(f"legend: {entry.group} {entry.label!r} is drawn in two ways")
    return [
        entry
        for group in sorted(groups, key=lambda group: group == "")
        for entry in sorted(groups[group].values(), key=lambda entry: entry.rank)
    ]


def in_rows(entries: Sequence[Entry], *, width: float, figure: Figure) -> OffsetBox:
    """The entries as a box of rows, none wider than width inches, but for a single entry.

    A group with a title that fits into a row is not broken.
    """
    points, filled = 72 * width, 0.0
    rows: list[list[Artist]] = [[]]
    for group, members in groupby(entries, key=lambda entry: entry.group):
        boxes = [_box(entry, group if i == 0 else "") for i, entry in enumerate(members)]
        lengths = [72 * size_of(box, figure)[0] for box in boxes]
        gaps = [BETWEEN_GROUPS, *[BETWEEN_ENTRIES] * (len(boxes) - 1)]
        whole = sum(lengths) + sum(gaps)
        for box, length, gap in zip(boxes, lengths, gaps, strict=True):
            together = group and box is boxes[0] and whole <= points
            if rows[-1] and filled + (whole if together else gap + length) > points:
                rows.append([])
                filled = 0.0
            if rows[-1]:
                rows[-1].append(DrawingArea(gap, HEIGHT))
                filled += gap
            rows[-1].append(box)
            filled += length
    packed: list[Artist] = [
        HPacker(children=row, pad=0, sep=0, align="baseline") for row in rows if row
    ]
    return VPacker(children=packed, pad=0, sep=BETWEEN_ROWS, align="left")


def _box(entry: Entry, title: str) -> OffsetBox:
    heads = [TextArea(f"{title} ", textprops={"size": SIZE, "weight": "bold"})] if title else []
    label = TextArea(" ".join(entry.label.split()), textprops={"size": SIZE})
    children: list[Artist] = [*heads, _sample(entry.handle), label]
    return HPacker(children=children, pad=0, sep=3.0, align="baseline")


def size_of(box: OffsetBox, figure: Figure) -> tuple[float, float]:
    """Width and height in inches."""
    box.set_figure(figure)
    extent = box.get_bbox(FigureCanvasAgg(figure).get_renderer())
    return float(extent.width) / figure.dpi, float(extent.height) / figure.dpi


def place_below(figure: Figure, box: OffsetBox) -> None:
    """Makes the page higher by the box, which stands at its lower edge.

    The layout of the figure is told to leave the room free.
    """
    pad = 0.05  # inches below and above it
    height = size_of(box, figure)[1] + 2 * pad
    total = float(figure.get_figheight()) + height
    figure.set_figheight(total)
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.set(rect=(0, height / total, 1, 1 - height / total))  # type: ignore[call-arg]
    anchored = _anchored(box, "lower center", (0.5, pad / total), figure.transFigure)
    figure.add_artist(anchored)


def place_in(axes: Axes, box: OffsetBox, figure: Figure) -> None:
    """Sets the box into an empty place of the mosaic, which the axes mark."""
    axes.set_axis_off()
    figure.add_artist(_anchored(box, "center left", (0.0, 0.5), axes.transAxes))


def _anchored(box: OffsetBox, loc: str, at: tuple[float, float], transform: Any) -> OffsetBox:
    anchored = AnchoredOffsetbox(
        loc, child=box, pad=0, borderpad=0, frameon=False, bbox_to_anchor=at,
        bbox_transform=transform,
    )  # fmt: skip
    anchored.set_gid(LEGEND)
    anchored.set_in_layout(False)
    return anchored


def _sample(handle: Line2D | Patch) -> DrawingArea:
    """What stands before a label."""
    if isinstance(handle, Patch):
        area = DrawingArea(LONG, HEIGHT)
        box = Rectangle((0, 0), LONG, HEIGHT)
        box.update_from(handle)
        area.add_artist(box)
        return area
    long = str(handle.get_linestyle()) not in ("None", "", " ")
    width, middle = LONG if long else SHORT, HEIGHT / 2 - 0.3
    line = Line2D([0, width / 2, width] if long else [width / 2], [middle] * (3 if long else 1))
    line.update_from(handle)
    line.set_markevery([1 if long else 0])
    area = DrawingArea(width, HEIGHT)
    area.add_artist(line)
    return area
