"""What the claims of a folder of results say, on one screen.

`srhm claims --results results/quick` prints what the paper states beside what was measured, or of
other studies how many claims are reproduced, and which differ.
"""

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from srhm.commands.open_results import NoResults, chosen_folder, parser_for_results
from srhm.paper.sparse_hierarchy.headline import HEADLINE
from srhm.planning.registry import STUDIES
from srhm.scorecard.archived_run import compare_tables
from srhm.scorecard.card import SCHEMA, read_scorecards
from srhm.scorecard.expectations import verdicts_in_words
from srhm.scorecard.headline import StatementTable, identifiers, statement_table
from srhm.scorecard.numbers import expected_text, value_text
from srhm.scorecard.text import verdict_counts
from srhm.store import places
from srhm.store.published_provenance import PublicationError
from srhm.store.records import TableError, read_table

PATTERN = "tables/*/claims.parquet"
# Lines of claims that differ, of studies of which the paper states nothing.
MOST = 20
# Of the terminal.
COLUMNS = 100


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the claims; refused where there are none."""
    options = parser_for_results("claims", __doc__).parse_args(arguments)
    folder = chosen_folder(options.results, pattern=PATTERN)
    print("\n".join(answer_in(folder).screen(folder)))
    return 0


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the claims of a folder of results say.

    n_claims: of all. stated: the paper's statements, or None without one; others: what is said
    then. compared: how the run compares with the archive of its preset, where there is one.
    """

    n_claims: int
    stated: StatementTable | None
    others: Sequence[str]
    compared: Sequence[str]

    def screen(self, folder: Path) -> list[str]:
        """The answer for a terminal, and where the rest is."""
        lines = [*(self.stated.lines() if self.stated else self.others), *self.compared]
        index = os.path.relpath(folder / places.INDEX)
        lines.append(f"All {self.n_claims} claims, figures: open {index}")
        return [shorten_line(one) for one in lines]


def answer_in(folder: Path, studies: Collection[str] = STUDIES) -> Answer:
    """What the claims of studies in a folder of results say.

    Raises:
        NoResults: if a scorecard is of another version.
    """
    table = read_claims_in(folder, studies)
    stated = statement_table(HEADLINE, table)
    return Answer(
        n_claims=len(table),
        stated=stated,
        others=[] if stated else _lines_of_others(table),
        compared=_archive_lines(folder, table),
    )


def shorten_line(line: str) -> str:
    """A line of at most COLUMNS letters; longer ones end in …"""
    return line if len(line) <= COLUMNS else f"{line[: COLUMNS - 1]}…"


def _archive_lines(folder: Path, scores: pd.DataFrame) -> list[str]:
    """How the paper's study compares with the published rows of its preset."""
    study = "sparse_hierarchy"
    tables, published = folder / "tables" / study, places.PUBLISHED / folder.name / study
    archived = read_scorecards(places.PUBLISHED.parent, folder.name).get(study)
    if archived is None or not (tables / "cells.parquet").is_file():
        return []
    try:
        found = compare_tables(
            tables, published, claims=identifiers(HEADLINE), scores=scores,
            archived_scores=archived,
        )  # fmt: skip
    except (TableError, PublicationError) as error:
        return [f"not compared with the archive: {error}"]
    return found.lines() if found else []


def _lines_of_others(table: pd.DataFrame) -> list[str]:
    """Counts, and the claims that differ."""
    lines = [f"{len(table)} claims: {verdicts_in_words(verdict_counts(table))}."]
    rows = table[table["verdict"] == "differs"].to_dict("records")
    said = [
        f"differs: {row['statement']}: {value_text(row)}, expected {expected_text(row)}"
        for row in rows[:MOST]
    ]
    more = [f"and {len(rows) - MOST} more"] if len(rows) > MOST else []
    return [*lines, *said, *more]


def read_claims_in(folder: Path, studies: Collection[str] = STUDIES) -> pd.DataFrame:
    """The claims of these studies in a folder of results, in the order of the studies."""
    files = {file.parent.name: file for file in folder.glob(PATTERN)}
    try:
        shown = [one for one in STUDIES if one in studies and one in files]
        tables = [read_table(files[study], SCHEMA) for study in shown]
    except TableError as error:
        command = "make figures or make reproduce"
        raise NoResults(f"{error}: of another version, {command} computes it again") from error
    return pd.concat([one for one in tables if len(one)] or [SCHEMA.empty_table().to_pandas()])
