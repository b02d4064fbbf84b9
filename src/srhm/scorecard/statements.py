"""What a source states and what was measured of it, a line each."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from srhm.scorecard.expectations import VERDICTS, verdicts_in_words
from srhm.scorecard.headline import ForestRow, Statement, forest_rows

HEADS = ("measured", "this run", "paper", "authors", "verdict")
# Behind the verdict of a number that differs where the authors' does, too.
LIKEWISE = "*"


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
    remark = f" {LIKEWISE}: as theirs does." if likewise else ""
    return StatementTable(
        sentence=f"{len(rows)} numbers of the paper: {words}.",
        rows=[_cells(label, own) for label, own in _grouped(statements, rows)],
        remark="Two numbers: L = 2; 3, or as named. ±: standard error. Authors: by the same fit."
        + remark,
    )


def _grouped(
    statements: Sequence[Statement], rows: dict[str, ForestRow]
) -> Iterator[tuple[str, list[ForestRow]]]:
    """Each short label of the statements with those of its rows that there are."""
    for statement in statements:
        claims = list(statement.lines.values())
        each = len(claims) // len(statement.short)
        for number, label in enumerate(statement.short):
            own = [rows[one] for one in claims[number * each : (number + 1) * each] if one in rows]
            if own:
                yield label, own


def _cells(label: str, rows: Sequence[ForestRow]) -> tuple[str, ...]:
    """A line of the table; two numbers that agree in a column stand there once."""
    columns = [
        [_bare(row.expected.partition(" ±")[0].partition(" within")[0]) for row in rows],
        [_bare(row.theirs.partition(" ")[0]) or "–" for row in rows],
        [row.verdict + LIKEWISE * row.like_authors for row in rows],
    ]
    values = "; ".join(_bare(row.value) if row.ours else "–" for row in rows)
    return (label, values, *("; ".join(one if len(set(one)) > 1 else one[:1]) for one in columns))


def _bare(text: str) -> str:
    """Without spaces, and the sign of a ratio."""
    return text.replace(" ", "").replace("×", "")
