"""The scorecard of a folder of results in the terminal: the paper's statements, then all claims.

`srhm claims --results results/quick` prints the forest plot of what the paper states, then how
many claims have which verdict and a line for each.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from math import isfinite
from pathlib import Path

import pandas as pd

from srhm.commands.printing import printing
from srhm.commands.results_folder import REFUSED, NoResults, chosen_folder, parser_for_results
from srhm.forest.text import text
from srhm.results.records import TableError, read_table
from srhm.results.tables import SCHEMAS
from srhm.scorecard.deciding import why_open
from srhm.scorecard.headline import beside_ours, forest_rows
from srhm.scorecard.numbers import expected_text, measured_text
from srhm.studies.registry import STUDIES
from srhm.studies.sparse_hierarchy.headline import HEADLINE

PATTERN = "tables/*/claims.parquet"


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the claims; 2 where there are none."""
    options = parser_for_results("claims", __doc__).parse_args(arguments)
    try:
        folder = chosen_folder(options.results, pattern=PATTERN)
        table = read_claims_in(folder)
    except NoResults as refusal:
        print(refusal, file=sys.stderr)
        return REFUSED
    if rows := forest_rows(HEADLINE, table, authors=beside_ours(table)):
        print(text(rows))
    print("\n".join(verdict_lines(table)))
    print(f"from {folder}")
    return 0


def read_claims_in(folder: Path) -> pd.DataFrame:
    """The claims of all studies in a folder of results, in the order of the studies."""
    files = {file.parent.name: file for file in folder.glob(PATTERN)}
    schema = SCHEMAS["SCORECARD"]
    try:
        tables = [read_table(files[study], schema) for study in STUDIES if study in files]
    except TableError as error:
        command = "make figures or make reproduce"
        raise NoResults(f"{error}: of another version, {command} scores it anew") from error
    return pd.concat([one for one in tables if len(one)] or [schema.empty_table().to_pandas()])


def verdict_lines(table: pd.DataFrame) -> list[str]:
    """Counts of the verdicts, and for each claim a line with verdict, statement, numbers.

    Below an open one where its interval lies.
    """
    counts = Counter(table["verdict"])
    width = max(map(len, counts), default=0)
    lines = [f"{len(table)} claims: {', '.join(f'{n} {word}' for word, n in counts.items())}"]
    for row in table.to_dict("records"):
        numbers = measured_text(row)
        if isfinite(row["expected"]):
            numbers += f", expected {expected_text(row)}"
        lines.append(f"{row['verdict']:{width}}  {row['statement']}: {numbers}")
        if why := why_open(row):
            lines.append(f"{'':{width}}  {why}")
    return lines


if __name__ == "__main__":
    sys.exit(printing(main))
