"""The scorecard as text that reads in a terminal of 150 columns as well as rendered."""

from collections.abc import Mapping
from math import isfinite
from textwrap import fill
from typing import Any, get_args

import pandas as pd

from srhm.scorecard.claims import Verdict

TERMINAL = 150
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
OTHER_TOPIC = "Other claims"
HEADER = ("expected", "measured (95 %)", "n", "verdict")


def markdown(
    table: pd.DataFrame, *, topics: Mapping[str, str], says: str = "the paper says"
) -> str:
    """Counts over all, then for each topic its counts and a table, then a note for each row.

    says: heading of the statements.

    Rows are numbered, the notes have the same numbers. `topics` maps claims to their headings, in
    the order in which they come; other claims come last.
    """
    headings = table["claim"].map(topics).fillna(OTHER_TOPIC)
    order = [*dict.fromkeys([*topics.values(), OTHER_TOPIC])]
    lines, notes, number = [f"{len(table)} claims: {_counts(table)}."], [], 0
    for topic in order:
        rows = table[headings == topic].to_dict("records")
        if not rows:
            continue
        lines += ["", f"## {topic}", "", f"{_counts(table[headings == topic])}.", ""]
        cells = []
        for row in rows:
            number += 1
            cells.append([str(number), *_cells(row)])
            place = f"{row['place']}; {_figure(row['figure'])}"
            text = f"{number}. `{row['claim']}` ({place}): {row['note']}"
            notes.append(fill(text, TERMINAL, subsequent_indent="   ", break_on_hyphens=False))
        lines += _aligned([["", says, *HEADER], *cells])
    return "\n".join([*lines, "", "## Notes", "", *notes, ""])


def _figure(name: str) -> str:
    """Figure 4 B, for those of the paper; a figure of another name by that name."""
    return f"Figure {name}" if name[:1].isdigit() else f"figure {name}"


def _counts(table: pd.DataFrame) -> str:
    """How many rows have each verdict; "reported" only where there are any."""
    counts = {word: int((table["verdict"] == word).sum()) for word in VERDICTS}
    return ", ".join(
        f"{count} {word}" for word, count in counts.items() if count or word != "reported"
    )


def _cells(row: Mapping[Any, Any]) -> list[str]:
    measured = "–"
    if isfinite(row["value"]):
        bounds = f" [{row['low']:.2f}, {row['high']:.2f}]"
        measured = f"{row['value']:.2f}" + (bounds if isfinite(row["low"]) else " [unknown]")
    settled = row["verdict"] in ("holds", "does not hold")
    return [
        row["statement"].replace("|", "\\|"),
        _expected(row["expected"], row["tolerance"]),
        measured,
        str(row["n"]),
        f"**{row['verdict']}**" if settled else row["verdict"],
    ]


def _expected(expected: float, tolerance: float) -> str:
    if not isfinite(expected):
        return "–"
    return f"{expected:g} ± {tolerance:.2g}" if isfinite(tolerance) else f"< {expected:g}"


def _aligned(rows: list[list[str]]) -> list[str]:
    """A Markdown table, its header first, with columns of equal width."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return [lines[0], rule, *lines[1:]]
