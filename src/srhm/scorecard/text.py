"""The scorecard as text that reads in a terminal of 150 columns as well as rendered."""

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

import pandas as pd

from srhm.scorecard.deciding import open_text
from srhm.scorecard.numbers import expected_text, measured_text
from srhm.scorecard.verdicts import VERDICTS, verdicts_in_words

TERMINAL = 150
OTHER_TOPIC = "Other claims"
# How many claims that disagree are listed at the top: with their counts they fill one screen.
MOST_AT_THE_TOP = 15
# Behind the verdict of a claim whose rule was fixed after a look at rows.
AFTER = "†"
# What all verdicts are, and where a reader of the text finds more.
EQUIVALENCE = (
    "This is a test of equivalence: the whole 95 % interval must lie within the tolerance; a value"
    " alone decides nothing."
)
RULES = "Rules: docs/claims.md."
HEADER = ("expected", "measured (95 %)", "n", "verdict")


def markdown(
    table: pd.DataFrame,
    *,
    topics: Mapping[str, str],
    says: str = "the paper says",
    stated: Sequence[str] = (),
) -> str:
    """A summary; for each topic its counts and a table; the open claims; notes.

    The summary is all before the first heading: counts, and the claims that disagree. The
    launcher shows it alone. Of open claims there is what would decide them. says: heading of the
    statements. stated: lines that a summary has in place of the claims that disagree, which then
    stand below a heading of their own.

    Rows are numbered, the notes have the same numbers. `topics` maps claims to their headings, in
    the order in which they come; other claims come last.
    """
    headings = table["claim"].map(topics).fillna(OTHER_TOPIC)
    order = [*dict.fromkeys([*topics.values(), OTHER_TOPIC])]
    claims = f"{len(table)} claim{'' if len(table) == 1 else 's'}"
    lines, notes, number = [f"{claims}: {_counts(table)}."], list[str](), 0
    if stated:
        lines += ["", *stated, "", "All claims: `make claims`.", "", "## What the verdicts are"]
    lines += ["", *_in_terminal(f"{EQUIVALENCE} {RULES}{_after(table)}"), *_failing(table)]
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
            notes += _in_terminal(text, indent="   ")
        lines += _aligned([["", says, *HEADER], *cells])
    return "\n".join([*lines, *_open(table), "", "## Notes", "", *notes, ""])


def _after(table: pd.DataFrame) -> str:
    """How many rules were fixed after a look, a sentence; empty where none was."""
    count = int((table["fixed"] == "after").sum())
    rules = "The rule of 1 claim was" if count == 1 else f"The rules of {count} claims were"
    return f" {rules} fixed after a look at rows ({AFTER})." if count else ""


def _in_terminal(text: str, *, indent: str = "") -> list[str]:
    return wrap(text, TERMINAL, subsequent_indent=indent, break_on_hyphens=False)


def _figure(name: str) -> str:
    """Figure 4 B, for those of the paper; a figure of another name by that name."""
    return f"Figure {name}" if name[:1].isdigit() else f"figure {name}"


def verdict_counts(table: pd.DataFrame) -> dict[str, int]:
    """Number of rows with each verdict; "no expectation" only where there are any."""
    counts = {word: int((table["verdict"] == word).sum()) for word in VERDICTS}
    return {word: count for word, count in counts.items() if count or word != "no expectation"}


def in_short(table: pd.DataFrame, *, most: int = 3) -> dict[str, list[str]]:
    """The first claims of each verdict with their numbers, `most` and how many more there are."""
    kinds = {
        "Agree or close": ["agrees", "close"], "Disagree": ["disagrees"], "Open": ["open"]
    }  # fmt: skip
    found = {}
    for kind, verdicts in kinds.items():
        rows = table[table["verdict"].isin(verdicts)].to_dict("records")
        said = [
            f"{row['statement']}: {measured_text(row)} (expected {expected_text(row)})"
            for row in rows
        ]
        if said:
            more = [f"and {len(said) - most} more"] if len(said) > most else []
            found[kind] = [*said[:most], *more]
    return found


def _counts(table: pd.DataFrame) -> str:
    return verdicts_in_words(verdict_counts(table))


def _failing(table: pd.DataFrame) -> list[str]:
    """A list of the claims that disagree, with what was measured."""
    rows = table[table["verdict"] == "disagrees"].to_dict("records")
    if not rows:
        return []
    lines = [
        f"- {row['statement']}: {measured_text(row)}, not {expected_text(row)}"
        for row in rows[:MOST_AT_THE_TOP]
    ]
    more = len(rows) - len(lines)
    return ["", "Disagree:", "", *lines, *([f"- and {more} more"] if more else [])]


def _open(table: pd.DataFrame) -> list[str]:
    """A list of the claims that are open, with what would decide them."""
    rows = table[table["verdict"] == "open"].to_dict("records")
    if not rows:
        return []
    texts = [
        f"- {row['statement']}: {measured_text(row)} where {expected_text(row)} is expected;"
        f" {open_text(row)}"
        for row in rows
    ]
    lines = [line for text in texts for line in _in_terminal(text, indent="  ")]
    points = (
        "Points are those of n: curves, pairs of curves, networks, as the note of a claim says."
    )
    return ["", "## Open, and what would decide", "", points, "", *lines]


def _cells(row: Mapping[Any, Any]) -> list[str]:
    after = AFTER if row["fixed"] == "after" else ""
    settled = row["verdict"] in ("agrees", "close", "disagrees")
    return [
        row["statement"].replace("|", "\\|"),
        expected_text(row),
        measured_text(row),
        str(row["n"]),
        (f"**{row['verdict']}**" if settled else row["verdict"]) + after,
    ]


def _aligned(rows: list[list[str]]) -> list[str]:
    """A Markdown table, its header first, with columns of equal width."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return [lines[0], rule, *lines[1:]]
