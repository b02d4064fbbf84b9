"""What a source says in its own words, and the claims that measure each statement.

A study declares its statements in a tuple (`srhm.paper.sparse_hierarchy.headline`). From these
and a scorecard come the rows of the forest plot and of the table in the README.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isfinite, isnan, nan

import pandas as pd

from srhm.scorecard.expectations import VERDICTS, verdicts_in_words
from srhm.scorecard.numbers import Row, authors_row, band, texts, unit

# Heads of the table of statements.
HEADS = ("measured", "this run", "paper", "authors", "verdict")
# Behind the verdict of a number that differs where the authors' does, too.
LIKEWISE = "*"


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A statement of a source.

    heading: under which it is shown. says: the statement in a few words. short: what is measured,
    for a line of a terminal, each label for as many of `lines`, in their order. quote: the source's
    own words, or its formula. place: section, equation or figure. lines: for each claim that
    measures it, what is measured, and the claim's identifier.
    """

    heading: str
    says: str
    short: Sequence[str]
    quote: str
    place: str
    lines: Mapping[str, str]


@dataclass(frozen=True)
class Mark:
    """A number with its interval in units of the tolerance, 0 where it is what is expected.

    Of a one-sided expectation 0 is the bound and the unit its size. An end that is not known is
    NaN.
    """

    value: float
    low: float
    high: float

    @property
    def ends(self) -> tuple[float, float]:
        """What is drawn of the interval: an end that is not known lies at the value."""
        low, high = (self.value if isnan(end) else end for end in (self.low, self.high))
        return low, high


@dataclass(frozen=True, kw_only=True)
class ForestRow:
    """A claim as a row of the forest plot; ours is None where nothing was measured.

    says: the statement that it belongs to. band: what is allowed, in the units of a mark. measured,
    value, expected, theirs: value and interval, value and error, the expected number and the
    authors' by the same fit as text; distances: of the value from the expected number in errors and
    in tolerances. like_authors: whether it differs, and the authors' value does likewise. authors,
    other: marks of the same claim in the authors' points and in another run.
    """

    claim: str
    heading: str
    label: str
    says: str
    place: str
    verdict: str
    band: tuple[float, float]
    measured: str
    value: str
    expected: str
    theirs: str
    distances: tuple[str, str]
    ours: Mark | None
    like_authors: bool
    authors: Mark | None = None
    other: Mark | None = None

    @property
    def word(self) -> str:
        """The verdict; where the authors' points differ by the same fit, it says so."""
        return f"{self.verdict}, like the authors'" if self.like_authors else self.verdict

    @property
    def details(self) -> str:
        """L and the transformation where it has them, value and what is expected."""
        named = [re.search(pattern, self.label) for pattern in (r"\bL = \d", r"P\*_[SD]\b")]
        subject = ", ".join(match[0] for match in named if match)
        expected = self.expected.partition(" ±")[0].partition(" within")[0]
        words = f"{self.value}, not {expected}" if self.ours else "not measured"
        words += f", like the authors' {self.theirs.split()[0]}" if self.like_authors else ""
        return f"{subject}: {words}" if subject else words

    @property
    def sentence(self) -> str:
        """The row in words, for a title or a reader of screens."""
        theirs = f"; the authors' points {self.theirs}" if self.theirs else ""
        return f"{self.label}: {self.measured}, expected {self.expected}{theirs}: {self.word}"


def forest_rows(
    statements: Sequence[Statement], scorecard: pd.DataFrame, *, other: pd.DataFrame | None = None
) -> list[ForestRow]:
    """Rows of the forest plot, in the order of the statements.

    scorecard: SCORECARD_COLUMNS, of our run. other: scorecard of another run. Claims that the
    scorecard lacks are left out.
    """
    ours, others = (
        {} if table is None else {str(row["claim"]): row for row in table.to_dict("records")}
        for table in (scorecard, other)
    )
    return [
        ForestRow(
            claim=claim,
            heading=statement.heading,
            label=label,
            says=statement.says,
            place=statement.place,
            verdict=str(row["verdict"]),
            band=band(row),
            **texts(row),
            ours=mark_of(row, row),
            authors=mark_of(authors_row(row), row),
            other=mark_of(others[claim], row) if claim in others else None,
        )
        for statement in statements
        for label, claim in statement.lines.items()
        if (row := ours.get(claim))
    ]


def in_words(rows: Sequence[ForestRow]) -> dict[str, list[str]]:
    """Statements by the verdicts of their rows, in words; kinds without any are left out.

    Reproduced: all rows are. Differ: a row does. Beside another statement stand its rows that are
    not reproduced, with L, value and what is expected.
    """
    kinds: dict[str, list[str]] = {"Reproduced": [], "Differ": [], "Inconclusive": []}
    for says, group in groupby(rows, key=lambda row: row.says):
        unsettled = [row for row in group if row.verdict != "reproduced"]
        short = [row for row in unsettled if row.verdict == "differs"]
        kind = "Differ" if short else "Inconclusive" if unsettled else "Reproduced"
        details = "; ".join(dict.fromkeys(row.details for row in short or unsettled))
        kinds[kind].append(f"{says} ({details})" if details else says)
    return {kind: statements for kind, statements in kinds.items() if statements}


def identifiers(statements: Iterable[Statement]) -> list[str]:
    """Identifiers of the claims of all statements, in their order."""
    return [claim for statement in statements for claim in statement.lines.values()]


def mark_of(row: Row, scale: Row) -> Mark | None:
    """Numbers of one row in units of the expectation of another; None where it has no value."""
    if not isfinite(row["value"]):
        return None
    ends = [(row[name] - scale["expected"]) / unit(scale) if isfinite(row[name]) else nan
            for name in ("value", "low", "high")]  # fmt: skip
    return Mark(*ends)


@dataclass(frozen=True, kw_only=True)
class StatementTable:
    """What a source states and what was measured.

    sentence: how many numbers have which verdict. rows: cells under HEADS, with up to two numbers
    each. remark: what the signs mean.
    """

    sentence: str
    rows: Sequence[tuple[str, ...]]
    remark: str

    def lines(self) -> list[str]:
        """The table for a terminal of 100 columns."""
        cells = [HEADS, *self.rows]
        widths = [max(len(line[i]) for line in cells) for i in range(len(HEADS))]
        table = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in cells
        ]
        return [self.sentence, "", *table, "", self.remark]


def statement_table(
    statements: Sequence[Statement], scorecard: pd.DataFrame
) -> StatementTable | None:
    """The statements with what a scorecard has of them; None where it has no claim of theirs."""
    rows = {row.claim: row for row in forest_rows(statements, scorecard)}
    if not rows:
        return None
    counts = Counter(row.verdict for row in rows.values())
    words = verdicts_in_words({word: counts[word] for word in VERDICTS if counts[word]})
    likewise = any(row.like_authors for row in rows.values())
    lines = []
    for statement in statements:
        claims = list(statement.lines.values())
        each = len(claims) // len(statement.short)
        for number, label in enumerate(statement.short):
            of_label = claims[number * each : (number + 1) * each]
            if known := [rows[claim] for claim in of_label if claim in rows]:
                lines.append(_cells(label, known))
    remark = f" {LIKEWISE}: as theirs does." if likewise else ""
    return StatementTable(
        sentence=f"{len(rows)} numbers of the paper: {words}.",
        rows=lines,
        remark="Two numbers: L = 2; 3, or as named. ±: standard error. Authors: by the same fit."
        + remark,
    )


def _cells(label: str, rows: Sequence[ForestRow]) -> tuple[str, ...]:
    """A line of the table; two numbers that agree in a column stand there once."""
    cells = [
        [_bare(row.expected.partition(" ±")[0].partition(" within")[0]) for row in rows],
        [_bare(row.theirs.partition(" ")[0]) or "–" for row in rows],
        [row.verdict + LIKEWISE * row.like_authors for row in rows],
    ]
    values = "; ".join(_bare(row.value) if row.ours else "–" for row in rows)
    return (label, values, *("; ".join(cell if len(set(cell)) > 1 else cell[:1]) for cell in cells))


def _bare(text: str) -> str:
    """Without spaces, and the sign of a ratio."""
    return text.replace(" ", "").replace("×", "")
