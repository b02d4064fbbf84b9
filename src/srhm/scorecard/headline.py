"""What a source says in its own words, and the claims that measure each statement.

A study declares its statements in a tuple (`srhm.studies.sparse_hierarchy.headline`). From these
and a scorecard come the rows of the forest plot and of the table in the README.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isfinite, isnan, nan
from typing import Any

import pandas as pd

from srhm.scorecard.deciding import BESIDE, why_open
from srhm.scorecard.numbers import Row, band, expected_text, measured_text, unit

# A number and its interval, where one is known, as a note has them.
NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)(?: \[(-?\d+(?:\.\d+)?), (-?\d+(?:\.\d+)?)\])?")


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A statement of a source.

    heading: under which it is shown. says: the statement in a few words. quote: the source's own
    words, or its formula. place: section, equation or figure. lines: for each claim that measures
    it, what is measured, and the claim's identifier.
    """

    heading: str
    says: str
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
    expected, theirs: numbers as text; why: of an open claim where its interval lies; authors,
    other: the same claim in the authors' points and in another run.
    """

    claim: str
    heading: str
    label: str
    says: str
    place: str
    verdict: str
    band: tuple[float, float]
    measured: str
    expected: str
    theirs: str
    ours: Mark | None
    why: str = ""
    authors: Mark | None = None
    other: Mark | None = None

    @property
    def sentence(self) -> str:
        """The row in words, for a title or a reader of screens."""
        theirs = f"; the authors' points {self.theirs}" if self.theirs else ""
        verdict = f"{self.verdict}, {self.why}" if self.why else self.verdict
        return f"{self.label}: {self.measured}, expected {self.expected}{theirs}: {verdict}"


def forest_rows(
    statements: Sequence[Statement],
    scorecard: pd.DataFrame,
    *,
    authors: pd.DataFrame | None = None,
    other: pd.DataFrame | None = None,
) -> list[ForestRow]:
    """Rows of the forest plot, in the order of the statements.

    scorecard: SCORECARD_COLUMNS, of our run. authors, other: scorecards of the authors' points and
    of another run. Claims that the scorecard lacks, or of which nothing is expected, are left out.
    """
    ours, theirs, others = map(_by_claim, (scorecard, authors, other))
    return [
        ForestRow(
            claim=claim,
            heading=statement.heading,
            label=label,
            says=statement.says,
            place=statement.place,
            verdict=str(row["verdict"]),
            band=band(row),
            measured=measured_text(row),
            expected=expected_text(row),
            theirs=measured_text(row | _numbers(theirs[claim])) if _known(theirs, claim) else "",
            ours=_mark(row, row) if _known(ours, claim) else None,
            why=why_open(row),
            authors=_mark(theirs[claim], row) if _known(theirs, claim) else None,
            other=_mark(others[claim], row) if _known(others, claim) else None,
        )
        for statement in statements
        for label, claim in statement.lines.items()
        for row in [ours.get(claim, {})]
        if row and isfinite(row["expected"])
    ]


def in_words(rows: Sequence[ForestRow]) -> dict[str, list[str]]:
    """Statements by their verdicts, in the words of the rows.

    Agree or close: every interval lies within its tolerance. Disagree: one lies wholly outside. Of
    a row that does not agree its L and value stand beside what is expected, of one that disagrees
    what the authors' points give, too: "like" it where the interval holds it. Kinds without any
    statement are left out.
    """
    found: dict[str, list[str]] = {"Agree or close": [], "Disagree": [], "Open": []}
    for says, group in groupby(rows, key=lambda row: row.says):
        own = list(group)
        short = [row for row in own if row.verdict == "disagrees"]
        unsettled = [row for row in own if row.verdict not in ("agrees", "close")]
        kind = "Disagree" if short else "Open" if unsettled else "Agree or close"
        details = "; ".join(
            dict.fromkeys(_beside(row, authors=bool(short)) for row in short or unsettled)
        )
        found[kind].append(f"{says} ({details})" if details else says)
    return {kind: statements for kind, statements in found.items() if statements}


def _beside(row: ForestRow, *, authors: bool) -> str:
    """L and the transformation where the row has them, value, expectation; authors: theirs, too.

    Beside a bound the interval stands, too: the value alone may lie on its side. An interval that
    holds what is expected is too wide to tell.
    """
    named = [re.search(pattern, row.label) for pattern in (r"\bL = \d", r"P\*_[SD]\b")]
    of = ", ".join(found[0] for found in named if found)
    if row.ours is None:
        words = "not measured"
    elif row.expected[0] in "<>":
        words = f"{row.measured}, expected {row.expected}"
    else:
        number = row.expected.split(" ± ")[0].split(" within ")[0]
        low, high = row.ours.ends
        words = f"{row.measured.split()[0]}, not {number}"
        words = "wide interval" if low <= 0 <= high else words
    theirs = ""
    if authors and row.theirs:
        like = row.ours and row.authors and row.ours.low <= row.authors.value <= row.ours.high
        theirs = f", {'like ' if like else ''}authors' {row.theirs.split()[0]}"
    return f"{of}: {words}{theirs}" if of else words + theirs


def identifiers(statements: Iterable[Statement]) -> list[str]:
    """Identifiers of the claims of all statements, in their order."""
    return [claim for statement in statements for claim in statement.lines.values()]


def beside_ours(scorecard: pd.DataFrame) -> pd.DataFrame:
    """What the notes of a scorecard say of the authors' points: claim, value, low, high."""
    found = []
    for claim, note in zip(scorecard["claim"], scorecard["note"], strict=True):
        numbers = NUMBER.search(str(note).partition(BESIDE)[2])
        if numbers:
            ends = [nan if end is None else float(end) for end in numbers.groups()]
            found.append((claim, *ends))
    return pd.DataFrame(found, columns=["claim", "value", "low", "high"])


def _by_claim(table: pd.DataFrame | None) -> dict[str, dict[Any, Any]]:
    return {} if table is None else {row["claim"]: row for row in table.to_dict("records")}


def _numbers(row: Row) -> dict[str, float]:
    return {name: row[name] for name in ("value", "low", "high")}


def _known(rows: Mapping[str, Row], claim: str) -> bool:
    return claim in rows and isfinite(rows[claim]["value"])


def _mark(row: Row, scale: Row) -> Mark:
    """Numbers of one row in units of the expectation of another."""
    ends = [(row[name] - scale["expected"]) / unit(scale) if isfinite(row[name]) else nan
            for name in ("value", "low", "high")]  # fmt: skip
    return Mark(*ends)
