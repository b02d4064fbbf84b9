"""What is wrong with the look of a figure: marks without a name, entries without a mark, ...

Found in what matplotlib holds, so that the way in which a figure is made does not matter.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import Collection, LineCollection, PathCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Annotation, Text

from srhm.figures.legends import LEGEND

MOST_HEIGHT = 0.15  # of a legend, of the figure's
NEAR_WHITE = 0.87  # luminance
CHROMATIC = 0.12  # difference of the largest and the least of red, green, blue
SMALLEST = 6  # points
BLANK_PARTS = 3  # a cell of so many by so many is not blank


@dataclass(frozen=True)
class Look:
    """What a mark or an entry looks like; rgb is None for grey."""

    rgb: tuple[float, ...] | None
    grey: float
    marker: str
    line: str

    def names(self, mark: "Look") -> bool:
        """Whether an entry of this look says what the mark is."""
        if mark.rgb is not None:
            return self.rgb is not None and np.allclose(self.rgb, mark.rgb, atol=0.02)
        if mark.marker:
            return mark.marker == self.marker
        return mark.line == self.line or (abs(mark.grey - self.grey) < 0.02 and bool(self.marker))


def _look(colour: Any, marker: Any = "", line: Any = "") -> Look:
    rgb = to_rgb(colour)
    coloured = max(rgb) - min(rgb) > CHROMATIC
    luminance = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]
    symbol = "" if marker in ("None", "none", None, " ", "") else str(marker)
    style = "" if line in ("None", "none", None, " ", "") else str(line)
    return Look(rgb if coloured else None, luminance, symbol, style)


def _of_line(line: Line2D) -> Look:
    colour = line.get_color()
    if str(line.get_linestyle()) in ("None", "", " ") and line.get_marker() not in ("None", ""):
        colour = line.get_markeredgecolor()
    return _look(colour, line.get_marker(), line.get_linestyle())


def _of_collection(one: Collection) -> Iterator[Look]:
    if one.get_array() is not None:  # a colour bar says what its colours are
        return
    edges = one.get_edgecolor()
    colours = edges if len(edges) else one.get_facecolor()
    for colour in np.unique(np.atleast_2d(colours), axis=0) if len(colours) else ():
        if isinstance(one, PathCollection | LineCollection):
            yield _look(colour, line="" if isinstance(one, PathCollection) else "-")


def legends(figure: Figure) -> list[Any]:
    """Boxes of entries."""
    return [one for one in figure.findobj() if one.get_gid() == LEGEND]


def _entries(figure: Figure) -> list[tuple[Look, str]]:
    found = []
    for legend in legends(figure):
        for one in legend.findobj(Line2D):
            found.append((_of_line(one), str(one.get_label())))
        for one in legend.findobj(Patch):
            if one.get_visible():
                found.append((_look(one.get_facecolor()), str(one.get_label())))
    return found


def _marks(axes: Axes) -> list[tuple[Look, str]]:
    found = []
    for line in axes.get_lines():
        xy = np.asarray(line.get_xydata(), dtype=float)
        if line.get_visible() and len(xy) and np.isfinite(xy).all(axis=1).any():
            found.append((_of_line(line), str(line.get_gid())))
    for one in axes.collections:
        found += [(look, str(one.get_gid())) for look in _of_collection(one)]
    for one in axes.images:
        colours = np.unique(one.to_rgba(one.get_array()).reshape(-1, 4), axis=0)
        found += [(_look(colour), str(one.get_gid())) for colour in colours[:9]]
    for one in axes.patches:
        if one.get_gid() not in ("feature", "empty", "frame"):
            found.append((_look(one.get_facecolor()), str(one.get_gid())))
    return found


def faults(figure: Figure) -> list[str]:
    """All that is wrong, a sentence each. The figure has been rendered."""
    found = (_unnamed, _without_mark, _tall, _pale, _blank, _small)
    return [fault for one in found for fault in one(figure)]


def _small(figure: Figure) -> Iterator[str]:
    for text in figure.findobj(Text):
        if text.get_text().strip() and text.get_visible() and text.get_fontsize() < SMALLEST:
            yield f"{text.get_text()!r} has {text.get_fontsize():.0f} points"


def _unnamed(figure: Figure) -> Iterator[str]:
    entries = [look for look, _ in _entries(figure)]
    for number, axes in enumerate(figure.axes):
        marks = _marks(axes)
        kinds = {(look.rgb, look.marker, look.line) for look, _ in marks}
        words = [_look(text.get_color()) for text in axes.texts if text.get_text()]
        if len(kinds) <= 1 or not axes.axison:  # the axes say what it is; a drawing
            continue
        said = set()
        for look, gid in marks:
            named = any(entry.names(look) for entry in entries) or any(
                look.rgb is not None and word.names(look) for word in words
            )
            if not named and (look, gid) not in said:
                said.add((look, gid))
                yield f"panel {number}: {gid!r} has no name ({look})"


def _without_mark(figure: Figure) -> Iterator[str]:
    marks = [look for axes in figure.axes for look, _ in _marks(axes)]
    arrows = any(text.arrow_patch is not None for text in figure.findobj(Annotation))
    for entry, label in _entries(figure):
        arrow = entry.marker.startswith("$") and "arrow" in entry.marker
        coloured = [one for one in marks if entry.rgb is None or entry.names(one)]
        shaped = [one for one in coloured if entry.marker in ("", one.marker)]
        lined = [one for one in coloured if entry.line in ("", one.line)]
        bar = entry.marker in ("|", "_") and any(one.line == "-" for one in marks)
        if not ((arrow and arrows) or bar or (shaped and (lined or entry.line == "-"))):
            yield f"legend: {label or entry} has no mark"


def _tall(figure: Figure) -> Iterator[str]:
    height = float(figure.bbox.height)
    for legend in legends(figure):
        box = legend.get_window_extent(figure.canvas.get_renderer())
        share = box.height / height
        centre = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
        inside = any(
            not axes.axison and axes.get_window_extent().contains(*centre) for axes in figure.axes
        )
        if share > MOST_HEIGHT and not inside:
            yield f"a legend takes {100 * share:.0f} % of the height"
        if any(axes.axison and box.overlaps(axes.get_window_extent()) for axes in figure.axes):
            yield "a legend covers a panel"


def _pale(figure: Figure) -> Iterator[str]:
    for axes in figure.axes:
        for look, gid in _marks(axes):
            if look.grey > NEAR_WHITE and (look.marker or look.line):
                yield f"{gid!r} is near white"


def _blank(figure: Figure) -> Iterator[str]:
    if not figure.axes:  # a line says that there is nothing to draw
        return
    ink = np.asarray(figure.canvas.buffer_rgba())[..., :3].min(axis=2) < 250
    height, width = ink.shape
    for axes in figure.axes:
        if axes.axison:
            box = axes.get_window_extent()
            rows = slice(max(0, height - int(box.y1)), max(0, height - int(box.y0)))
            ink[rows, max(0, int(box.x0)) : int(box.x1)] = True
    for i in range(BLANK_PARTS):
        for j in range(BLANK_PARTS):
            cell = ink[i * height // BLANK_PARTS : (i + 1) * height // BLANK_PARTS,
                       j * width // BLANK_PARTS : (j + 1) * width // BLANK_PARTS]  # fmt: skip
            if not cell.any():
                yield f"blank: ninth {i}, {j} of the page"
