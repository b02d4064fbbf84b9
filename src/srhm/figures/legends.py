"""Legends as text is set: entries follow each other in rows, as few as the width allows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, SubFigure
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
    """What a mark means: the group of the legend, words, and one or several lines in its look."""

    group: str
    label: str
    handles: tuple[Line2D | Patch, ...]
    sample: bool = False  # its shape is one of several
    rank: int = LAST  # in its group

    @property
    def looks(self) -> list[Any]:
        """By what entries are compared: colour, marker, line and fill of each handle."""
        return [
            (handle.get_color(), handle.get_marker(), handle.get_linestyle(),
             handle.get_marker() != "None" and handle.get_markerfacecolor())
            for handle in self.handles
            if isinstance(handle, Line2D)
        ]  # fmt: skip


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
        if same.looks != entry.looks and not entry.sample:
            raise LegendError(f"legend: {entry.group} {entry.label!r} is drawn in two ways")
    order = sorted(groups, key=lambda group: group == "")
    return [
        entry
        for group in order
        for entry in sorted(groups[group].values(), key=lambda entry: entry.rank)
    ]


def in_rows(entries: Sequence[Entry], *, width: float, part: Figure | SubFigure) -> OffsetBox:
    """The entries as a box of rows, none wider than width inches, but for a single entry.

    A group with a title that fits into a row is not broken.

    part: the figure that will hold the box, or the part of it.
    """
    figure = part.get_figure(root=True)
    renderer = FigureCanvasAgg(figure).get_renderer()
    unit = figure.dpi / 72

    def size(box: OffsetBox) -> float:
        box.set_figure(part)
        return float(box.get_bbox(renderer).width) / unit

    begins = [i == 0 or entry.group != entries[i - 1].group for i, entry in enumerate(entries)]
    boxes = []
    for entry, begin in zip(entries, begins, strict=True):
        title = [entry.group + " "] if begin and entry.group else []
        heads = [TextArea(text, textprops={"size": SIZE, "weight": "bold"}) for text in title]
        samples = [_sample(handle, alone=len(entry.handles) == 1) for handle in entry.handles]
        label = TextArea(" ".join(entry.label.split()), textprops={"size": SIZE})
        children: list[Artist] = [*heads, *samples, label]
        boxes.append(HPacker(children=children, pad=0, sep=3.0, align="baseline"))
    gaps = [BETWEEN_GROUPS if begin else BETWEEN_ENTRIES for begin in begins]
    lengths = [size(box) for box in boxes]
    groups = [entry.group for entry in entries]
    rows: list[list[Artist]] = []
    for row in _parted(lengths, gaps, groups, width=72 * width):
        rows.append([])
        for i in row:
            if i > row[0]:
                rows[-1].append(DrawingArea(gaps[i], HEIGHT))
            rows[-1].append(boxes[i])
    packed: list[Artist] = [
        HPacker(children=row, pad=0, sep=0, align="baseline") for row in rows if row
    ]
    box = VPacker(children=packed, pad=0, sep=BETWEEN_ROWS, align="left")
    box.set_figure(part)
    return box


def _parted(
    lengths: Sequence[float], gaps: Sequence[float], groups: Sequence[str], *, width: float
) -> list[list[int]]:
    rows: list[list[int]] = [[]]
    filled = 0.0
    for i, group in enumerate(groups):
        begins = bool(group) and (i == 0 or groups[i - 1] != group)
        together = [j for j, other in enumerate(groups) if begins and other == group] or [i]
        needed = sum(gaps[j] + lengths[j] for j in together)
        if needed > width:
            needed = gaps[i] + lengths[i]
        if rows[-1] and filled + needed > width:
            rows.append([])
            filled = 0.0
        filled += lengths[i] + (gaps[i] if rows[-1] else 0)
        rows[-1].append(i)
    return rows


def size_of(box: OffsetBox, figure: Figure) -> tuple[float, float]:
    """Width and height in inches."""
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


def _sample(handle: Line2D | Patch, *, alone: bool) -> DrawingArea:
    """What stands before a label."""
    middle = HEIGHT / 2 - 0.3
    if isinstance(handle, Patch):
        area = DrawingArea(LONG, HEIGHT)
        box = Rectangle((0, 0), LONG, HEIGHT)
        box.update_from(handle)
        area.add_artist(box)
        return area
    long = str(handle.get_linestyle()) not in ("None", "", " ")
    width = LONG if long and alone else SHORT
    line = Line2D([0, width / 2, width] if long else [width / 2], [middle] * (3 if long else 1))
    line.update_from(handle)
    line.set_markevery([1 if long else 0])
    area = DrawingArea(width, HEIGHT)
    area.add_artist(line)
    return area
