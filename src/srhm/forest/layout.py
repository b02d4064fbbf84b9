"""Where everything of the forest plot lies, once for the picture and the SVG.

A row is a claim. Across is (measured - expected) / tolerance, cut at ±EXTENT; of a bound, its
distance from the bound over the bound. The band is what is allowed: half of it for a bound.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

from srhm.scorecard.headline import ForestRow, Mark
from srhm.scorecard.verdicts import VERDICTS, verdicts_in_words

EXTENT = 4.0
Anchor = Literal["start", "middle", "end"]
# What a verdict looks like: its shape, and how it is drawn.
Shape = Literal["dot", "cross", "diamond", "square", "small", "left", "right"]
SHAPES: dict[str, Shape] = {"reproduced": "dot", "differs": "cross", "inconclusive": "diamond"}
HOLLOW = ("diamond", "square")
LINE = 20.0  # of the legend
TICKS = (-4, -2, 0, 2, 4)
AXIS = "distance from what is expected / tolerance"


@dataclass(frozen=True)
class Band:
    """A filled rectangle: what is allowed."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Segment:
    """A line; style: ours, authors, other, expected, axis; verdict of ours."""

    x: float
    y: float
    to_x: float
    to_y: float
    style: str
    verdict: str = ""


@dataclass(frozen=True)
class Symbol:
    """A mark of some shape; style as of a segment."""

    x: float
    y: float
    shape: Shape
    style: str
    verdict: str = ""


@dataclass(frozen=True)
class Words:
    """Text with its baseline at y; style: label, heading, soft."""

    x: float
    y: float
    text: str
    style: str = "label"
    anchor: Anchor = "start"


Part = Band | Segment | Symbol | Words


@dataclass(frozen=True)
class Placed:
    """What belongs to a row, and the rectangle that it takes; row is None of what all share."""

    parts: Sequence[Part]
    row: ForestRow | None = None
    y: float = 0.0
    height: float = 0.0


@dataclass(frozen=True)
class Layout:
    """A forest plot: size in points, and its rows."""

    width: float
    height: float
    placed: Sequence[Placed]
    font: float
    title: str


@dataclass(frozen=True, kw_only=True)
class _Form:
    """Sizes: of a page, or stacked for a phone, where numbers stand above the bars."""

    width: float
    left: float
    right: float
    row: float
    font: float
    stacked: bool

    # Of the bars below the top of a row, of the text's baseline, and half of the band's height.
    bar: float
    text: float
    half: float = 9.0
    heading: float = 27.0

    def x(self, value: float) -> float:
        """Place of a value in units of the tolerance."""
        return self.left + (value + EXTENT) / (2 * EXTENT) * (self.right - self.left)


WIDE = _Form(width=1100, left=380, right=780, row=26, font=14, stacked=False, bar=13, text=18)
NARROW = _Form(width=400, left=8, right=292, row=34, font=12, stacked=True, bar=23, text=12, half=7)


@dataclass
class _Pen:
    """What was laid out so far, from the top down."""

    y: float
    placed: list[Placed] = field(default_factory=list)

    def add(self, parts: Sequence[Part], height: float, row: ForestRow | None = None) -> None:
        self.placed.append(Placed(parts, row, self.y, height))
        self.y += height


def layout(
    rows: Sequence[ForestRow], *, narrow: bool = False, other: str = "", legend: bool = True
) -> Layout:
    """The forest plot of these rows; narrow: for a phone. other: name of the other run."""
    form = NARROW if narrow else WIDE
    pen = _Pen(4.0)
    for line in _legend(rows, form, other, pen.y) if legend else ():
        pen.add(line.parts, line.height)
    for heading, own in groupby(rows, key=lambda row: row.heading):
        names = () if any(placed.row for placed in pen.placed) else _columns(pen.y + 20, form)
        words = Words(form.left if narrow else 0, pen.y + 20, heading, "heading")
        pen.add([words, *names], form.heading)
        for row in own:
            pen.add(list(_row(row, pen.y, form)), form.row, row)
    pen.add(list(_axis(pen.y, form)), 44)
    return Layout(form.width, pen.y, pen.placed, form.font, finding(rows))


def finding(rows: Sequence[ForestRow]) -> str:
    """The finding of the plot in one sentence."""
    counts = Counter(row.verdict for row in rows)
    words = verdicts_in_words({word: counts[word] for word in VERDICTS if counts[word]})
    return f"{len(rows)} measurements of what the paper states: {words}"


def _columns(y: float, form: _Form) -> Iterator[Part]:
    """What the numbers of a row are, above the first of them."""
    measured = "value ± error"
    if form.stacked:
        yield Words(form.width - 4, y, f"{measured}, expected", "soft", "end")
    else:
        yield Words(form.right + 20, y, measured, "soft")
        yield Words(form.width - 4, y, "expected", "soft", "end")


def _row(row: ForestRow, y: float, form: _Form) -> Iterator[Part]:
    centre = y + form.bar
    low, high = (min(max(end, -EXTENT), EXTENT) for end in row.band)
    top, bottom = centre - form.half, centre + form.half
    yield Band(form.x(low), top, form.x(high) - form.x(low), bottom - top)
    yield Segment(form.x(0), top, form.x(0), bottom, "expected")
    yield Words(form.left if form.stacked else 0, y + form.text, row.label)
    own = SHAPES[row.verdict]
    if row.other is not None:
        yield from _mark(row.other, centre - form.half + 3, form, "other", "small")
    if row.authors is not None:
        yield from _mark(row.authors, centre + form.half - 3, form, "authors", "square")
    if row.ours is not None:
        yield from _mark(row.ours, centre, form, "ours", own, row.verdict)
    if form.stacked:
        yield Words(form.width - 4, y + form.text, row.value, anchor="end")
        yield Words(form.width - 4, y + form.bar + 4, row.expected, "soft", "end")
    else:
        yield Words(form.right + 20, y + form.text, row.value)
        yield Words(form.width - 4, y + form.text, row.expected, "soft", "end")


def _mark(
    mark: Mark, y: float, form: _Form, style: str, shape: Shape, verdict: str = ""
) -> Iterator[Part]:
    """Interval and value; an end beyond the plot is an arrow, without known ends there is none."""
    low, high = mark.ends
    if low < high:
        left, right = (form.x(min(max(end, -EXTENT), EXTENT)) for end in (low, high))
        yield Segment(left, y, right, y, style, verdict)
    if low < -EXTENT:
        yield Symbol(form.x(-EXTENT), y, "left", style, verdict)
    if high > EXTENT:
        yield Symbol(form.x(EXTENT), y, "right", style, verdict)
    if abs(mark.value) <= EXTENT:
        yield Symbol(form.x(mark.value), y, shape, style, verdict)


def _legend(rows: Sequence[ForestRow], form: _Form, other: str, y: float) -> Iterator[Placed]:
    """Lines above the plot: verdicts with their counts, then what is grey."""
    counts = Counter(row.verdict for row in rows)
    verdicts = [
        (shape, "ours", f"{word} {counts[word]}", word)
        for word, shape in SHAPES.items()
        if counts[word]
    ]
    grey: list[tuple[Shape | None, str, str, str]] = [("square", "authors", "authors' points", "")]
    if any(row.other for row in rows):
        grey.append(("small", "other", other, ""))
    grey.append((None, "allowed", "allowed", ""))
    for entries in (verdicts, grey):
        x, parts = form.left, list[Part]()
        for shape, style, text, verdict in entries:
            length = 30 + 0.56 * form.font * len(text)
            if x + length > form.width:
                yield Placed(parts, None, y, LINE)
                x, y, parts = form.left, y + LINE, []
            swatch = Band(x - 2, y + 4, 14, 12)
            parts.append(Symbol(x + 5, y + 10, shape, style, verdict) if shape else swatch)
            parts.append(Words(x + 15, y + 14, text, "label" if style == "ours" else "soft"))
            x += length
        yield Placed(parts, None, y, LINE)
        y += LINE


def _axis(y: float, form: _Form) -> Iterator[Part]:
    yield Segment(form.left, y + 2, form.right, y + 2, "axis")
    for tick in TICKS:
        yield Segment(form.x(tick), y + 2, form.x(tick), y + 6, "axis")
        yield Words(form.x(tick), y + 20, f"{tick}".replace("-", "−"), "soft", "middle")
    yield Words(form.x(0), y + 37, AXIS, "soft", "middle")
