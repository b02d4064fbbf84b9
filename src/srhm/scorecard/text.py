"""The scorecard as Markdown, and for programs as JSON."""

import json
from collections.abc import Mapping, Sequence
from math import isfinite
from textwrap import wrap
from typing import Any

import pandas as pd

from srhm.scorecard.card import AUTHORS
from srhm.scorecard.expectations import VERDICTS, Expectation, verdicts_in_words
from srhm.scorecard.numbers import (
    authors_text,
    differs_like_authors,
    distances_text,
    error,
    expected_text,
    in_errors,
    in_tolerances,
    measured_text,
    value_text,
)

# Of lines of prose.
WIDTH = 150
# How many claims that differ are listed at the top: with their counts they fill one screen.
MOST_AT_THE_TOP = 15
# Behind the verdict of a claim whose rule was changed after seeing results.
AFTER = "†"
# What all verdicts are, and where a reader of the text finds more.
EQUIVALENCE = (
    "Reproduced: the 95 % interval lies within the tolerance. Differs: the interval excludes the"
    " expected number, and the value lies beyond the tolerance. Inconclusive: all else."
)
RULES = "Rules: docs/claims.md."
HEADER = ("value ± error", "expected", "errors", "tolerances", "verdict")
# Of a claim in JSON.
TEXTS = ("claim", "statement", "place", "figure", "scale", "fixed", "verdict", "note")
NUMBERS = ("expected", "tolerance", "value", "low", "high", *AUTHORS)


def markdown(
    table: pd.DataFrame,
    *,
    topics: Mapping[str, str],
    says: str = "the paper says",
    stated: Sequence[str] = (),
) -> str:
    """A summary; for each topic its counts and a table; notes with the intervals.

    The summary is all before the first heading: counts, and the claims that differ. says: heading
    of the statements. stated: lines that a summary has in place of the claims that differ, which
    then stand below a heading of their own.

    Rows are numbered, the notes have the same numbers. `topics` maps claims to their headings, in
    the order in which they come.
    """
    headings = table["claim"].map(topics)
    claims = f"{len(table)} claim{'' if len(table) == 1 else 's'}"
    lines, notes, number = [f"{claims}: {_counts(table)}."], list[str](), 0
    if stated:
        lines += ["", *stated, "", "## What the verdicts are"]
    lines += ["", *_wrapped(f"{EQUIVALENCE} {RULES}{_after(table)}"), *_differing(table)]
    for topic in dict.fromkeys(topics.values()):
        rows = table[headings == topic]
        if rows.empty:
            continue
        lines += ["", f"## {topic}", "", f"{_counts(rows)}.", ""]
        cells = []
        for row in rows.to_dict("records"):
            number += 1
            cells.append([str(number), *_cells(row)])
            # Of the paper's figures a number and a letter.
            figure = "Figure" if row["figure"][:1].isdigit() else "figure"
            place = f"{row['place']}; {figure} {row['figure']}"
            too = " differ, too:" if differs_like_authors(row) else ""
            theirs = f"; the authors' points{too} {authors_text(row)}" if authors_text(row) else ""
            said = f"{measured_text(row)}{theirs}; {row['note']}"
            notes += _wrapped(f"{number}. `{row['claim']}` ({place}): {said}", indent="   ")
        lines += _aligned([["", says, *HEADER], *cells])
    return "\n".join([*lines, "", "## Notes", "", *notes, ""])


def _after(table: pd.DataFrame) -> str:
    """How many rules were changed after seeing results, a sentence; empty where none was."""
    count = int((table["fixed"] == "after").sum())
    rules = "The rule of 1 claim was" if count == 1 else f"The rules of {count} claims were"
    return f" {rules} changed after seeing results ({AFTER})." if count else ""


def _wrapped(text: str, *, indent: str = "") -> list[str]:
    return wrap(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)


def verdict_counts(table: pd.DataFrame) -> dict[str, int]:
    """Number of rows with each verdict."""
    return {word: int((table["verdict"] == word).sum()) for word in VERDICTS}


def in_short(table: pd.DataFrame) -> dict[str, list[str]]:
    """The first claims of each verdict with their numbers, three and how many more there are."""
    short = {}
    for word in VERDICTS:
        rows = table[table["verdict"] == word].to_dict("records")
        said = [
            f"{row['statement']}: {value_text(row)} (expected {expected_text(row)})" for row in rows
        ]
        if said:
            short[word.capitalize()] = shortened(said, 3)
    return short


def shortened(texts: Sequence[str], most: int) -> list[str]:
    """The first of these texts, and how many more there are."""
    more = len(texts) - most
    return [*texts[:most], *([f"and {more} more"] if more > 0 else [])]


def _counts(table: pd.DataFrame) -> str:
    return verdicts_in_words(verdict_counts(table))


def _differing(table: pd.DataFrame) -> list[str]:
    """A list of the claims that differ, with what was measured."""
    rows = table[table["verdict"] == "differs"].to_dict("records")
    said = [f"{row['statement']}: {value_text(row)}, not {expected_text(row)}" for row in rows]
    lines = [f"- {one}" for one in shortened(said, MOST_AT_THE_TOP)]
    return ["", "Differ:", "", *lines] if lines else []


def _cells(row: Mapping[Any, Any]) -> list[str]:
    return [
        row["statement"].replace("|", "\\|"),
        value_text(row),
        expected_text(row),
        *distances_text(row),
        row["verdict"] + (AFTER if row["fixed"] == "after" else ""),
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


def scorecard_data(parts: Sequence[tuple[pd.DataFrame, Mapping[str, str]]], *, commit: str) -> str:
    """A JSON list with an object for each claim, and what made it.

    low, high: the 95 % interval; null: not known, or not bounded. error: standard error; in_errors,
    in_tolerances: distance from the expected number. authors_value: by the same fit of the authors'
    points, with its interval. allowed: the range of what is expected. Of the scale "factor" all are
    logarithms. parts: for each study its scorecard, and {"study", "command"}.
    """
    claims: list[dict[str, Any]] = []
    for table, made in parts:
        for row in table.to_dict("records"):
            numbers = {name: _known(row[name]) for name in NUMBERS}
            ends = Expectation(row["expected"], row["tolerance"]).ends
            allowed = {"allowed": [_known(end) for end in ends]}
            of_row = {"error": error, "in_errors": in_errors, "in_tolerances": in_tolerances}
            numbers |= {name: _known(function(row)) for name, function in of_row.items()}
            texts = {name: row[name] for name in TEXTS}
            claims.append({**texts, **numbers, **allowed, "n": row["n"], **made, "commit": commit})
    return json.dumps(claims, ensure_ascii=False, indent=1) + "\n"


def _known(number: float) -> float | None:
    return number if isfinite(number) else None
