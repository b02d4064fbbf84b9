"""The forest plot as text for a terminal."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from srhm.forest.layout import EXTENT, finding
from srhm.scorecard.headline import ForestRow, Mark

SIGNS = {"agrees": "✓", "close": "≈", "disagrees": "✗", "open": "?", "too few data": "–"}
# Characters of the strip: a fifth of the tolerance each.
CELLS = 41


def text(rows: Sequence[ForestRow]) -> str:
    """A line for each row: sign of its verdict, what is measured, a strip, numbers.

    In the strip █ is ours, ─ its interval, □ the authors' points, │ what is expected, ░ what is
    allowed; ‹ and › lead out of it.
    """
    labels = max((len(row.label) for row in rows), default=0)
    numbers = max((len(row.measured) for row in rows), default=0)
    lines = [f"{finding(rows)}."]
    for heading, own in groupby(rows, key=lambda row: row.heading):
        lines += ["", heading]
        lines += [
            f"  {SIGNS.get(row.verdict, ' ')} {row.label:<{labels}} {''.join(_strip(row))}"
            f" {row.measured:<{numbers}} ({row.expected})"
            for row in own
        ]
    signs = "  ".join(f"{sign} {word}" for word, sign in SIGNS.items())
    return "\n".join([*lines, "", f"  {signs}   █ ours  □ authors' points  ░ allowed", ""])


def _strip(row: ForestRow) -> list[str]:
    low, high = (min(max(end, -EXTENT), EXTENT) for end in row.band)
    cells = [" "] * CELLS
    for at in range(_cell(low), _cell(high) + 1):
        cells[at] = "░"
    cells[_cell(0)] = "│"
    if row.ours is not None:
        for at, sign in _line(row.ours):
            cells[at] = sign
    if row.authors is not None and abs(row.authors.value) <= EXTENT:
        cells[_cell(row.authors.value)] = "□"
    if row.ours is not None and abs(row.ours.value) <= EXTENT:
        cells[_cell(row.ours.value)] = "█"
    return cells


def _line(mark: Mark) -> Iterator[tuple[int, str]]:
    ends = mark.ends
    low, high = (_cell(min(max(end, -EXTENT), EXTENT)) for end in ends)
    yield from ((at, "─") for at in range(low, high + 1))
    if ends[0] < -EXTENT:
        yield 0, "‹"
    if ends[1] > EXTENT:
        yield CELLS - 1, "›"


def _cell(value: float) -> int:
    return round((value + EXTENT) / (2 * EXTENT) * (CELLS - 1))
