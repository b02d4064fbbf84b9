"""The table of docs/reliability.md: rows that several calls may have written."""

import os
import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from faults.scene import REPOSITORY
from srhm.results.commit import commit_of
from srhm.results.provenance import versions
from srhm.training.cell import processor

DOCUMENT = REPOSITORY / "docs" / "reliability.md"
BEGIN, END = "<!-- faults: written by `make faults` -->", "<!-- end of faults -->"
COLUMNS = ("fault", "lost", "said", "the run after it", "call")
CALL = re.compile(r"^- call (\d+): (.*)$")


@dataclass(frozen=True)
class Row:
    """A line of the table, as text."""

    fault: str
    lost: str
    said: str
    rerun: str


def short_commit() -> str:
    """Commit of the repository, nine letters, and whether files differ from it."""
    commit, *changes = commit_of().split(" ", 1)
    return " ".join([commit[:9], *changes])


@dataclass
class Table:
    """Rows by fault, each with the number of the call that made it, and the calls."""

    calls: dict[int, str] = field(default_factory=dict)
    rows: dict[str, tuple[Row, int]] = field(default_factory=dict)

    @classmethod
    def read(cls, document: Path = DOCUMENT) -> "Table":
        """What a document holds; rows of other columns are left out."""
        text = document.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
        table = cls()
        for line in text.splitlines():
            if found := CALL.match(line):
                table.calls[int(found[1])] = found[2]
            cells = [one.strip() for one in re.split(r"(?<!\\)\|", line)[1:-1]]
            if len(cells) == len(COLUMNS) and cells[-1].isdecimal():
                table.rows[cells[0]] = (Row(*cells[:-1]), int(cells[-1]))
        return table

    def begin(self) -> int:
        """Number of a new call."""
        number = max(self.calls, default=0) + 1
        self.calls[number] = (
            f"{datetime.now(UTC):%Y-%m-%d}, commit {short_commit()}, {processor()},"
            f" {len(os.sched_getaffinity(0))} cores, {platform.system()};"
            f" {versions(['snakemake', 'numba', 'numpy', 'safetensors', 'pyarrow'])}"
        )
        return number

    def text(self, order: Sequence[str]) -> str:
        """The table as Markdown: of the faults of these titles, in this order.

        Calls of which no row is left are not named, and the others are numbered anew.
        """
        rows = [self.rows[fault] for fault in order if fault in self.rows]
        numbers = {old: new for new, old in enumerate(sorted({call for _, call in rows}), 1)}
        counts = {call: sum(one == call for _, one in rows) for call in numbers}
        return "\n".join(
            [
                *(f"- call {new}: {self.calls[old]}" for old, new in numbers.items()),
                "",
                "Rows: " + ", ".join(f"{counts[old]} of call {numbers[old]}" for old in numbers),
                "",
                f"| {' | '.join(COLUMNS)} |",
                "|---" * len(COLUMNS) + "|",
                *(
                    f"| {row.fault} | {row.lost} | {row.said} | {row.rerun} | {numbers[call]} |"
                    for row, call in rows
                ),
            ]
        )

    def write(self, order: Sequence[str], document: Path = DOCUMENT) -> None:
        """Puts the table into a document, in the place of the one there."""
        before, rest = document.read_text(encoding="utf-8").split(BEGIN)
        after = rest.split(END)[1]
        text = f"{before}{BEGIN}\n{self.text(order)}\n{END}{after}"
        partial = document.with_suffix(".part")
        partial.write_text(text, encoding="utf-8")
        partial.replace(document)
