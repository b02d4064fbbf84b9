"""Tables of Markdown whose numbers are those of claims: a page has the words, a scorecard the rest.

A marker of a page says what each line has, `words :: claim claim`, where * and ? of a claim stand
for any letters: a number that moves is written anew, and none is typed. A verdict with † is of a
claim that was changed after a look at rows.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

import pandas as pd

from srhm.scorecard.numbers import expected_text, measured_text
from srhm.scorecard.text import AFTER

BEGIN, END = "<!-- {}: written by `make readme` -->", "<!-- end -->"
# Of a table of a study's README: the preset whose rows it is of, and its lines.
FOUND = re.compile(
    r"(<!-- found in (\w+): written by `make readme`, a line for each of\n(.*?)-->\n).*?"
    + re.escape(END),
    re.DOTALL,
)


def line(cells: Sequence[str]) -> str:
    """A line of a table."""
    return f"| {' | '.join(cells)} |"


def in_one_cell(cells: Sequence[str]) -> str:
    """Cells of a line together, one for all where they are equal."""
    return "; ".join(cells if len(set(cells)) > 1 else cells[:1])


def escaped(text: str) -> str:
    """Text whose signs mean nothing in a table."""
    return text.replace("*", "\\*").replace("s_0", "s₀").replace("|", "\\|")


def found_tables(text: str, of: str, scorecards: Mapping[str, pd.DataFrame]) -> str:
    """README of a study with its tables of claims written anew.

    of: the study. scorecards: of its shipped rows, by preset.

    Raises:
        ValueError: if a marker is misspelt or has no end, or names a preset without rows, a claim
            that its scorecard lacks, or words that would break the table.
    """
    markers = [found[0].count("<!--") for found in FOUND.finditer(text)]
    if len(markers) != text.count("<!-- found in ") or any(n != 2 for n in markers):
        raise ValueError(f"{of}: a table of claims whose marker is misspelt, or has no {END}")

    def part(found: re.Match[str]) -> str:
        marker, preset, spec = found.groups()
        if preset not in scorecards:
            raise ValueError(f"{of}: no rows of {preset!r} are shipped, but of {[*scorecards]}")
        lines = []
        for one in spec.splitlines():
            words, sign, patterns = one.partition(" :: ")
            if not sign or re.search(r"(?<!\\)\|", words):
                raise ValueError(f"{of}: {one!r} has no ' :: ' between words and claims, or a |")
            rows = [*_rows(scorecards[preset], patterns.split(), of)]
            expected, measured = ([*map(text, rows)] for text in (expected_text, measured_text))
            verdicts = [row["verdict"] + AFTER * (row["fixed"] == "after") for row in rows]
            cells = [in_one_cell(expected), "; ".join(measured), in_one_cell(verdicts)]
            lines.append(line([words, *cells]))
        said = f" ({AFTER}: changed after a look)" if any(AFTER in one for one in lines) else ""
        heads = ["", "expected", "found", f"verdict{said}"]
        lines = [line(heads), line(["---"] * len(heads)), *lines]
        return marker + "\n".join([*lines, END])

    return FOUND.sub(part, text)


def _rows(table: pd.DataFrame, patterns: Sequence[str], of: str) -> Iterator[dict]:
    """Rows of a scorecard whose claims match, pattern by pattern."""
    for pattern in patterns:
        rows = [row for row in table.to_dict("records") if fnmatchcase(row["claim"], pattern)]
        if not rows:
            raise ValueError(f"{of} has no claim {pattern!r}")
        yield from rows
