"""The forest plot: what was measured over what is expected, claim by claim.

A row is a claim. Across is (measured - expected) / tolerance, cut at ±EXTENT; of a bound, its
distance from the bound over the bound. The band is what is allowed: half of it for a bound. As SVG
it is light and dark, and a row leads to its claim.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import groupby

import matplotlib as mpl
import numpy as np
from markupsafe import Markup, escape
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from srhm.figures.drawing import styled
from srhm.figures.looks import BLACK
from srhm.scorecard.expectations import VERDICTS, verdicts_in_words
from srhm.scorecard.headline import ForestRow, Mark

EXTENT = 4.0
SOFT, GREY, BAND = "#555555", "#8a8a8a", "#dfe5ea"
COLOURS = {"reproduced": "#00558c", "differs": "#a33b00", "inconclusive": SOFT}
# Marker of matplotlib, its size in points, whether it is hollow.
LOOKS = {"reproduced": ("o", 9, False), "differs": ("X", 10, False), "inconclusive": ("D", 7, True),
         "authors": ("s", 6, True), "other": ("o", 5, False)}  # fmt: skip
INDEX = re.compile(r"(?<=[\w*)])([_^])(\([^()]*\)|\w+)")  # P*_S, s_0+1, s^(L/2)
STYLE = """
.forest { width: 100%; height: auto; display: block; --f-ink: #1c1c1c; --f-soft: #555; --f-band: #dfe5ea; --f-paper: #fff;
  --f-reproduced: #00558c; --f-differs: #a33b00; --f-grey: #8a8a8a; print-color-adjust: exact; -webkit-print-color-adjust: exact }
@media screen and (prefers-color-scheme: dark) { .forest { --f-ink: #ececec; --f-soft: #b4b4b4; --f-band: #39424a; --f-paper: #161616;
  --f-reproduced: #8cc4f5; --f-differs: #f08a4b; --f-grey: #9a9a9a } }
.forest text { fill: var(--f-ink); font-family: system-ui, "Segoe UI", Roboto, Arial, "Noto Sans", sans-serif }
.forest a path { pointer-events: all } .forest a:hover path { fill: var(--f-grey) !important; opacity: .12 !important }
.forest a:focus-visible { outline: 3px solid #e69f00; outline-offset: -1px }
""".strip()  # noqa: E501
IN_BOTH = {BLACK: "ink", SOFT: "soft", GREY: "grey", BAND: "band", "#ffffff": "paper"}
IN_BOTH |= {COLOURS[verdict]: verdict for verdict in ("reproduced", "differs")}


@dataclass(frozen=True, kw_only=True)
class _Form:
    """Sizes in points: of a page, or narrow for a phone, where numbers stand above the bars.

    bar, text: of the bars and of the text's baseline below the top of a row. half: of a band.
    """

    width: float
    left: float
    right: float
    row: float
    font: float
    bar: float
    text: float
    half: float
    narrow: bool


WIDE = _Form(width=1100, left=380, right=780, row=26, font=14, bar=13, text=18, half=9,
             narrow=False)  # fmt: skip
NARROW = _Form(width=400, left=8, right=292, row=34, font=12, bar=23, text=12, half=7, narrow=True)


def finding(rows: Sequence[ForestRow]) -> str:
    """The finding of the plot in one sentence."""
    counts = Counter(row.verdict for row in rows)
    words = verdicts_in_words({word: counts[word] for word in VERDICTS if counts[word]})
    return f"{len(rows)} measurements of what the paper states: {words}"


@styled
def draw(
    rows: Sequence[ForestRow], *, other: str = "", narrow: bool = True, legend: bool = True,
    link: str = "", math: bool = True,
) -> Figure:  # fmt: skip
    """The forest plot of these rows. other: name of the grey run. link: of a row, with {claim}."""
    form = NARROW if narrow else WIDE
    figure = Figure(layout=None)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, form.width))
    axes.set_axis_off()
    plot = _Plot(axes, form, math)
    y = 4.0
    for line in _legend(rows, form, other) if legend else ():
        x = form.left
        for look, words in line:
            if look in LOOKS:
                plot.symbol(x + 5, y + 10, look)
            else:
                axes.add_patch(Rectangle((x - 2, y + 4), 14, 12, fc=BAND, lw=0))
            plot.words(x + 15, y + 14, words, soft=look not in COLOURS)
            x += _length(words, form)
        y += 20
    for number, (heading, group) in enumerate(groupby(rows, key=lambda row: row.heading)):
        plot.words(form.left if narrow else 0, y + 20, heading, bold=True)
        if number == 0:
            plot.numbers(y + 20, y + 20, "value ± error", "expected", heads=True)
        y += 27
        for row in group:
            plot.row(row, y, link)
            y += form.row
    plot.axis(y)
    y += 44
    axes.set_ylim(y, 0)
    figure.set_size_inches(form.width / 72, y / 72)
    return figure


def svg(rows: Sequence[ForestRow], *, narrow: bool, other: str = "", link: str) -> Markup:
    """The forest plot of these rows as an SVG element."""
    figure = draw(rows, other=other, narrow=narrow, link=link, math=False)
    file = StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "forest"}):
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    text = file.getvalue()
    text = text[text.index("</metadata>") + len("</metadata>") : text.rindex("</svg>")]
    unneeded = (
        r"<!--.*?-->|<defs>\s*<(?:style|clipPath).*?</defs>|(?<=<g) id=\"[^\"]*\""
        r"| clip-path=\"[^\"]*\"| font-family: [^;]*;| transform=\"rotate\(-0[^\"]*\""
        r"| target=\"_blank\""
    )
    text = re.sub(unneeded, "", text, flags=re.DOTALL)
    # Two plots stand in a page, and no two elements have the same id.
    text = re.sub(r'((?: id|xlink:href)="#?)(?=m[0-9a-f]{8,})', rf"\1{'n' if narrow else 'w'}",
                  text)  # fmt: skip
    for colour, name in IN_BOTH.items():
        text = text.replace(colour.lower(), f"var(--f-{name})")
    text = re.sub(r"(<text[^>]*>)([^<]*)", lambda found: found[1] + _raised(found[2]), text)
    for row in rows:
        link_of, name = escape(link.format(claim=row.claim)), escape(row.sentence)
        text = text.replace(
            f'<a xlink:href="{link_of}">',
            f'<a href="{link_of}" aria-label="{name}"><title>{name}</title>',
        )
    size = " ".join(f"{72 * inches:g}" for inches in figure.get_size_inches())
    return Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
        ' class="forest" role="group" aria-label="{title}" viewBox="0 0 {size}"'
        "><title>{title}</title><style>{style}</style>{text}</svg>"
    ).format(title=finding(rows), size=size, style=Markup(STYLE), text=Markup(text))


class _Plot:
    """What draws in points from the upper left corner."""

    def __init__(self, axes: Axes, form: _Form, math: bool) -> None:
        self.axes, self.form, self.math = axes, form, math

    def x(self, value: float) -> float:
        """Place of a value in units of the tolerance."""
        left, right = self.form.left, self.form.right
        return float(np.interp(value, [-EXTENT, EXTENT], [left, right]))

    def words(self, x: float, y: float, text: str, *, soft: bool = False, bold: bool = False,
              ha: str = "left") -> None:  # fmt: skip
        size = 0.93 * self.form.font * (0.92 if soft else 1)
        if self.math:
            text = INDEX.sub(
                lambda index: f"${{}}{index[1]}{{\\mathregular{{{index[2].strip('()')}}}}}$", text
            )
        self.axes.text(x, y, text, fontsize=size, fontweight="bold" if bold else "normal", ha=ha,
                       color=SOFT if soft else BLACK, parse_math=self.math)  # fmt: skip

    def numbers(self, y: float, below: float, value: str, expected: str, *, heads: bool = False
                ) -> None:  # fmt: skip
        """Value and expected number: beside each other, or one below the other."""
        end = self.form.width - 4
        if self.form.narrow and heads:
            self.words(end, y, f"{value}, {expected}", soft=True, ha="right")
            return
        place = (end, "right") if self.form.narrow else (self.form.right + 20, "left")
        self.words(place[0], y, value, soft=heads, ha=place[1])
        self.words(end, below, expected, soft=True, ha="right")

    def row(self, row: ForestRow, y: float, link: str) -> None:
        form, centre = self.form, y + self.form.bar
        low, high = map(self.x, row.band)
        self.axes.add_patch(Rectangle((low, centre - form.half), high - low, 2 * form.half, fc=BAND,
                                      lw=0))  # fmt: skip
        self.line((0, 0), (centre - form.half, centre + form.half), GREY, 0.8, 1.5)
        self.words(form.left if form.narrow else 0, y + form.text, row.label)
        self.mark(row.other, centre - form.half + 3, "other")
        self.mark(row.authors, centre + form.half - 3, "authors")
        self.mark(row.ours, centre, row.verdict)
        below = y + (form.bar + 4 if form.narrow else form.text)
        self.numbers(y + form.text, below, row.value, row.expected)
        if link:
            self.axes.add_patch(Rectangle((0, y), form.width, form.row, fc=BLACK, alpha=0, lw=0,
                                          zorder=9, url=link.format(claim=row.claim)))  # fmt: skip

    def mark(self, mark: Mark | None, y: float, look: str) -> None:
        """Interval and value; an end beyond the plot is an arrow, one that is not known nothing."""
        if mark is None:
            return
        colour, order = COLOURS.get(look, GREY), 4.0 if look in COLOURS else 3.0
        low, high = mark.ends
        if low < high:
            self.line((low, high), (y, y), colour, 2.4 if look in COLOURS else 1.2, order)
        for beyond, end, arrow in ((low < -EXTENT, -EXTENT, "<"), (high > EXTENT, EXTENT, ">")):
            if beyond:
                self.axes.plot(self.x(end), y, arrow, ms=7, mfc=colour, mew=0, zorder=order)
        if abs(mark.value) <= EXTENT:
            self.symbol(self.x(mark.value), y, look)

    def line(self, ends: tuple[float, float], y: tuple[float, float], colour: str, width: float,
             order: float) -> None:  # fmt: skip
        self.axes.plot([self.x(end) for end in ends], y, color=colour, lw=width, zorder=order,
                       solid_capstyle="butt")  # fmt: skip

    def symbol(self, x: float, y: float, look: str) -> None:
        marker, size, hollow = LOOKS[look]
        colour = COLOURS.get(look, GREY)
        self.axes.plot(x, y, marker, ms=size, mfc="white" if hollow else colour, mec=colour,
                       mew=1.8 if hollow else 0,
                       zorder=4 if look in COLOURS else 3)  # fmt: skip

    def axis(self, y: float) -> None:
        self.line((-EXTENT, EXTENT), (y + 2, y + 2), GREY, 0.8, 3)
        for tick in (-4, -2, 0, 2, 4):
            self.line((tick, tick), (y + 2, y + 6), GREY, 0.8, 3)
            self.words(self.x(tick), y + 20, f"{tick}".replace("-", "−"), soft=True, ha="center")
        words = "distance from what is expected / tolerance"
        self.words(self.x(0), y + 37, words, soft=True, ha="center")


def _legend(rows: Sequence[ForestRow], form: _Form, other: str) -> Iterator[list[tuple[str, str]]]:
    """Lines above the plot: verdicts with their counts, then what is grey, broken where full."""
    counts = Counter(row.verdict for row in rows)
    grey = [("authors", "authors' points"), ("allowed", "allowed")]
    if any(row.other for row in rows):
        grey.insert(1, ("other", other))
    for entries in ([(word, f"{word} {counts[word]}") for word in COLOURS if counts[word]], grey):
        line, x = list[tuple[str, str]](), form.left
        for look, words in entries:
            if x + _length(words, form) > form.width:
                yield line
                line, x = [], form.left
            line.append((look, words))
            x += _length(words, form)
        yield line


def _length(words: str, form: _Form) -> float:
    return 30 + 0.56 * form.font * len(words)


def _raised(text: str) -> str:
    """Indices and powers of a text in SVG, and what follows on the line again."""

    def pieces(found: re.Match[str]) -> str:
        # dy counts in the font of its own span.
        down, back = (0.35, -0.25) if found[1] == "_" else (-0.49, 0.35)
        small = f'<tspan dy="{down}em" font-size="72%">{found[2].strip("()")}</tspan>'
        return f'{small}<tspan dy="{back}em">{found[3]}</tspan>'

    return re.sub(INDEX.pattern + "([^_^]*)", pieces, text)
