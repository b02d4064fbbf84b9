"""What the claims of a folder of results say, on one screen.

`srhm claims --results results/quick` prints what the paper states beside what was measured, or of
other studies how many claims are reproduced, and which differ.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from srhm.commands.printing import printing
from srhm.commands.results_folder import REFUSED, NoResults, chosen_folder, parser_for_results
from srhm.results import places
from srhm.results.records import TableError, read_table
from srhm.scorecard.card import SCHEMA
from srhm.scorecard.numbers import expected_text, value_text
from srhm.scorecard.statements import statement_lines
from srhm.scorecard.text import verdict_counts
from srhm.scorecard.verdicts import verdicts_in_words
from srhm.studies.registry import STUDIES
from srhm.studies.sparse_hierarchy.headline import HEADLINE

PATTERN = "tables/*/claims.parquet"
# Lines of claims that differ, of studies of which the paper states nothing.
MOST = 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the claims; 2 where there are none."""
    options = parser_for_results("claims", __doc__).parse_args(arguments)
    try:
        folder = chosen_folder(options.results, pattern=PATTERN)
        print("\n".join(screen(folder)))
    except NoResults as refusal:
        print(refusal, file=sys.stderr)
        return REFUSED
    return 0


def screen(folder: Path) -> list[str]:
    """What the claims in a folder of results say, and where the rest is.

    Raises:
        NoResults: if a scorecard is of another version.
    """
    table = read_claims_in(folder)
    lines = statement_lines(HEADLINE, table) or _lines_of_others(table)
    index = folder / places.INDEX
    return [*lines, f"All {len(table)} claims, figures, tables: open {index}"]


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


def read_claims_in(folder: Path) -> pd.DataFrame:
    """The claims of all studies in a folder of results, in the order of the studies."""
    files = {file.parent.name: file for file in folder.glob(PATTERN)}
    try:
        tables = [read_table(files[study], SCHEMA) for study in STUDIES if study in files]
    except TableError as error:
        command = "make figures or make reproduce"
        raise NoResults(f"{error}: of another version, {command} scores it anew") from error
    return pd.concat([one for one in tables if len(one)] or [SCHEMA.empty_table().to_pandas()])


if __name__ == "__main__":
    sys.exit(printing(main))
