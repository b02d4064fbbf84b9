"""Tables of Markdown whose numbers are those of claims: a page has the words, a scorecard the rest.

A marker of a page says what each line has, `words :: claim claim`, where * and ? of a claim stand
for any letters: a number that moves is written anew, and none is typed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

import pandas as pd

from srhm.scorecard.numbers import expected_text, measured_text

BEGIN, END = "<!-- {}: written by `make readme` -->", "<!-- end -->"
# Of a table of a study's README: the preset whose rows it is of, and its lines.
FOUND = re.compile(
    r"(<!-- found in (\w+): written by `make readme`, a line for each of\n(.*?)-->\n).*?"
    + re.escape(END),
    re.DOTALL,
)
HEADS = ("", "expected", "found", "verdict")


def line(cells: Sequence[str]) -> str:
    """A line of a table."""
    return f"| {' | '.join(cells)} |"


def once(cells: Sequence[str]) -> str:
    """Cells of a line together, one for all where they are equal."""
    return "; ".join(cells if len(set(cells)) > 1 else cells[:1])


def markdown(text: str) -> str:
    """Text whose signs mean nothing in a table."""
    return text.replace("*", "\\*").replace("s_0", "s₀").replace("|", "\\|")


def found_tables(text: str, of: str, scorecards: Mapping[str, pd.DataFrame]) -> str:
    """README of a study with its tables of claims written anew.

    of: the study. scorecards: of its shipped rows, by preset.

    Raises:
        ValueError: if a marker names a preset without rows, or a claim that its scorecard lacks.
    """

    def part(found: re.Match[str]) -> str:
        marker, preset, spec = found.groups()
        if preset not in scorecards:
            raise ValueError(f"{of}: no rows of {preset!r} are shipped, but of {[*scorecards]}")
        lines = [line(HEADS), line(["---"] * len(HEADS))]
        for one in spec.splitlines():
            words, sign, patterns = one.partition(" :: ")
            if not sign:
                raise ValueError(f"{of}: {one!r} has no ' :: ' between words and claims")
            rows = [*_rows(scorecards[preset], patterns.split(), of)]
            cells = [[expected_text(row) for row in rows], [measured_text(row) for row in rows],
                     [row["verdict"] for row in rows]]  # fmt: skip
            lines.append(line([words, once(cells[0]), "; ".join(cells[1]), once(cells[2])]))
        return marker + "\n".join([*lines, END])

    return FOUND.sub(part, text)


def _rows(table: pd.DataFrame, patterns: Sequence[str], of: str) -> Iterator[dict]:
    """Rows of a scorecard whose claims match, pattern by pattern."""
    for pattern in patterns:
        rows = [row for row in table.to_dict("records") if fnmatchcase(row["claim"], pattern)]
        if not rows:
            raise ValueError(f"{of} has no claim {pattern!r}")
        yield from rows
