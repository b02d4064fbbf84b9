"""What the claims of a folder of results say, on one screen; its index in a browser.

`srhm claims --results results/quick` prints what the paper states beside what was measured, or of
other studies how many claims are reproduced, and which differ. `srhm open` opens index.html there.
"""

import argparse
import os
import sys
import webbrowser
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from srhm.commands.printing import Refused
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


class NoResults(Refused):
    """There is no folder of results; the message says how to make one."""


def show_claims(arguments: Sequence[str]) -> int:
    """Prints the claims; refused where there are none."""
    folder = _chosen_folder("claims", arguments, pattern=PATTERN)
    print("\n".join(answer_in(folder).screen(folder)))
    return 0


def open_index(arguments: Sequence[str]) -> int:
    """Prints the path of the index, and opens it where a browser would open a window."""
    index = _chosen_folder("open", arguments, pattern=places.INDEX).resolve() / places.INDEX
    print(index)
    if sys.platform != "linux" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY"))):
        webbrowser.open(index.as_uri())
    return 0


def _chosen_folder(command: str, arguments: Sequence[str], *, pattern: str) -> Path:
    """The folder of results that is named; without a name the one whose file is the latest."""
    parser = argparse.ArgumentParser(
        prog=f"srhm {command}",
        description=__doc__,
        epilog=f"example: srhm {command} --results results/quick",
    )
    parser.add_argument(
        "--results", type=Path, metavar="FOLDER", help="default: the latest folder of results/"
    )
    named = parser.parse_args(arguments).results
    parent, folders = (named.parent, named.name) if named else (Path("results"), "*")
    files = sorted(parent.glob(f"{folders}/{pattern}"), key=lambda file: file.stat().st_mtime)
    if not files:
        raise NoResults(
            f"{named or parent} has no {pattern}: `make figures` makes one in about a minute. The"
            " key `preset` of a file names its folder"
        )
    return files[-1].parents[pattern.count("/")]


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
        return [shorten_line(line) for line in lines]


def answer_in(folder: Path, studies: Collection[str] = STUDIES) -> Answer:
    """What the claims of studies in a folder of results say.

    Raises:
        NoResults: if a scorecard is of another version.
    """
    files = {file.parent.name: file for file in folder.glob(PATTERN)}
    shown = [study for study in STUDIES if study in studies and study in files]
    try:
        tables = [read_table(files[study], SCHEMA) for study in shown]
    except TableError as error:
        command = "make figures or make reproduce"
        raise NoResults(f"{error}: of another version, {command} computes it again") from error
    claims = pd.concat(
        [table for table in tables if len(table)] or [SCHEMA.empty_table().to_pandas()]
    )
    stated = statement_table(HEADLINE, claims)
    others = []
    if not stated:
        rows = claims[claims["verdict"] == "differs"].to_dict("records")
        others = [
            f"{len(claims)} claims: {verdicts_in_words(verdict_counts(claims))}.",
            *(
                f"differs: {row['statement']}: {value_text(row)}, expected {expected_text(row)}"
                for row in rows[:MOST]
            ),
            *([f"and {len(rows) - MOST} more"] if len(rows) > MOST else []),
        ]
    compared = _archive_lines(folder, claims)
    return Answer(n_claims=len(claims), stated=stated, others=others, compared=compared)


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
        comparison = compare_tables(
            tables, published, claims=identifiers(HEADLINE), scores=scores,
            archived_scores=archived,
        )  # fmt: skip
    except (TableError, PublicationError) as error:
        return [f"not compared with the archive: {error}"]
    return comparison.lines() if comparison else []
