"""The forest plot as SVG: light and dark, each row with a title and in reach of the keyboard."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup, escape

from srhm.forest.layout import HOLLOW, Band, Layout, Part, Placed, Segment, Symbol, layout
from srhm.forest.letters import runs
from srhm.scorecard.headline import ForestRow

STYLE = """
.forest { font-family: system-ui, "Segoe UI", Roboto, Arial, "Noto Sans", sans-serif; width: 100%; height: auto; display: block;
  --f-ink: #1c1c1c; --f-soft: #555; --f-band: #dfe5ea; --f-paper: #fff; --f-reproduced: #00558c; --f-differs: #a33b00; --f-grey: #8a8a8a;
  print-color-adjust: exact; -webkit-print-color-adjust: exact }
@media screen and (prefers-color-scheme: dark) { .forest { --f-ink: #ececec; --f-soft: #b4b4b4; --f-band: #39424a; --f-paper: #161616;
  --f-reproduced: #8cc4f5; --f-differs: #f08a4b; --f-grey: #9a9a9a } }
.forest text { fill: var(--f-ink) } .forest .soft { fill: var(--f-soft) } .forest .heading { font-weight: 600 }
.forest .band { fill: var(--f-band) } .forest .hit { fill: transparent }
.forest g { --f-own: var(--f-soft) } .forest .reproduced { --f-own: var(--f-reproduced) } .forest .differs { --f-own: var(--f-differs) }
.forest line { stroke: var(--f-grey); stroke-width: 1.2 } .forest line.ours { stroke: var(--f-own); stroke-width: 2.6 }
.forest path { fill: var(--f-grey); stroke: var(--f-grey) } .forest path.ours { fill: var(--f-own); stroke: var(--f-own) }
.forest path.hollow { fill: var(--f-paper); stroke-width: 2 } .forest path.cross { fill: none; stroke-width: 3 }
.forest a:hover .hit, .forest g[tabindex]:hover .hit { fill: var(--f-grey); fill-opacity: .12 }
.forest :focus-visible { outline: 3px solid #e69f00; outline-offset: -1px }
""".strip()  # noqa: E501
PATHS = {
    "dot": "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
    "cross": "M-4.5-4.5L4.5 4.5M-4.5 4.5L4.5-4.5",
    "diamond": "M0-6L6 0L0 6L-6 0z",
    "square": "M-3-3H3V3H-3z",
    "small": "M-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0z",
    "left": "M-1 0L6-4.5V4.5z",
    "right": "M1 0L-6-4.5V4.5z",
}
SHIFTS = {"index": 0.25, "power": -0.35}


def svg(
    rows: Sequence[ForestRow], *, narrow: bool = False, other: str = "", link: str = ""
) -> Markup:
    """The forest plot of these rows as an SVG element.

    narrow: for a phone. other: name of the other run. link: where a row leads, with {claim} in it;
    without one a row takes the focus and leads nowhere.
    """
    made = layout(rows, narrow=narrow, other=other)
    return Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" class="forest" role="group" aria-label="{title}"'
        ' viewBox="0 0 {width:g} {height:g}" font-size="{font:g}"><title>{title}</title>'
        "<style>{style}</style>{body}</svg>"
    ).format(
        title=made.title, width=made.width, height=made.height, font=made.font,
        style=Markup(STYLE),
        body=Markup().join(_placed(one, made, link) for one in made.placed),
    )  # fmt: skip


def _placed(one: Placed, made: Layout, link: str) -> Markup:
    body = Markup().join(_part(part) for part in one.parts)
    if one.row is None:
        return body
    hit = Markup('<rect class="hit" x="0" y="{:g}" width="{:g}" height="{:g}"/>').format(
        one.y, made.width, one.height
    )
    inner = Markup("<title>{}</title>{}{}").format(one.row.sentence, hit, body)
    if link:
        return Markup('<a href="{}" aria-label="{}"><g class="{}">{}</g></a>').format(
            link.format(claim=one.row.claim), one.row.sentence, one.row.verdict, inner
        )
    return Markup('<g class="{}" tabindex="0" role="img" aria-label="{}">{}</g>').format(
        one.row.verdict, one.row.sentence, inner
    )


def _part(part: Part) -> Markup:
    if isinstance(part, Band):
        return Markup(
            '<rect class="band" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:g}"/>'
        ).format(part.x, part.y, part.width, part.height)
    if isinstance(part, Segment):
        return Markup('<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>').format(
            part.style, part.x, part.y, part.to_x, part.to_y
        )
    if isinstance(part, Symbol):
        kind = " hollow" if part.shape in HOLLOW else " cross" if part.shape == "cross" else ""
        path = Markup('<path class="{}{}" transform="translate({:.1f} {:.1f})" d="{}"/>').format(
            part.style, kind, part.x, part.y, PATHS[part.shape]
        )
        # In the legend there is no row whose verdict gives the colour.
        return Markup('<g class="{}">{}</g>').format(part.verdict, path) if part.verdict else path
    return Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(
        part.style, part.x, part.y, part.anchor, Markup().join(_letters(part.text))
    )


def _letters(text: str) -> Iterator[Markup]:
    """Pieces of text, each back on the line after an index."""
    shift = 0.0
    for piece, kind in runs(text):
        wanted = SHIFTS.get(kind, 0.0)
        size = Markup(' font-size="72%"') if kind != "plain" else ""
        # dy counts in the font of its own span.
        moved = (wanted - shift) / (0.72 if kind != "plain" else 1)
        yield (
            Markup('<tspan dy="{:.2f}em"{}>{}</tspan>').format(moved, size, piece)
            if moved
            else escape(piece)
        )
        shift = wanted
