"""Tables of the documentation that are too long for Markdown: `make docs` makes pages of them.

A page of docs names its table in a comment, `<!-- table: faults -->`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pandas as pd

from pages import first_rules, thesis
from pages.markdown import escaped, link_to, table
from pages.readme import all_scorecards, headline
from srhm.paper.sparse_hierarchy.headline import HEADLINE
from srhm.planning.preset import key_table
from srhm.planning.registry import STUDIES
from srhm.scorecard.expectations import verdicts_in_words
from srhm.scorecard.numbers import expected_text, measured_text, value_text
from srhm.scorecard.text import AFTER, verdict_counts
from srhm.store import places

ROOT = places.PUBLISHED.parent
NAMED = re.compile(r"<!-- table: (\w+) -->")


def with_tables(page: str, root: Path = ROOT) -> str:
    """A page of docs, with its tables in the place of the comments that name them."""
    return NAMED.sub(lambda found: TABLES[found[1]](root), page)


def claims(root: Path) -> str:
    """All claims of the archived results, a table for each study and preset."""
    shipped = all_scorecards(root)
    return "\n".join(
        part
        for study in STUDIES
        for preset, found in shipped.items()
        if study in found
        for part in _of_study(study, preset, found[study])
    )


def quotes(root: Path) -> str:
    """What the paper says in its own words, and each measurement of it."""
    rows = {row.claim: row for row in headline(root)}
    lines = []
    for statement in HEADLINE:
        for row in (rows[claim] for claim in statement.lines.values() if claim in rows):
            quote = f"“{escaped(statement.quote)}” ({escaped(statement.place)})"
            interval, distances = row.measured.partition(" ")[2], "; ".join(row.distances)
            numbers = [row.value, interval, row.expected, distances, row.theirs or "–"]
            lines.append([quote, escaped(row.label), *numbers, row.word])
    heads = ["the paper", "measured", "value ± error", "95 % interval", "expected",
             "distance in errors; tolerances", "authors' points", "verdict"]  # fmt: skip
    return _table(heads, lines)


def counts(root: Path) -> str:
    """Verdicts of each study, counted, in one table."""
    shipped = all_scorecards(root)
    rows = [
        [link_to(study), preset, len(found[study]), *verdict_counts(found[study]).values()]
        for study in STUDIES
        for preset, found in shipped.items()
        if study in found
    ]
    heads = ["study", "preset", "claims", *verdict_counts(pd.DataFrame({"verdict": []}))]
    return _table(heads, rows)


def _of_study(study: str, preset: str, claims: pd.DataFrame) -> Iterator[str]:
    counted = {word: n for word, n in verdict_counts(claims).items() if n}
    yield f"## {study}, `{preset}`"
    yield ""
    yield f"{link_to(study)}: {len(claims)} claims, {verdicts_in_words(counted)}."
    yield ""
    heads = ["claim", "statement", "value ± error", "95 % interval", "expected", "verdict"]
    rows = [
        [
            f"`{row['claim']}`",
            escaped(row["statement"]),
            value_text(row),
            measured_text(row).partition(" ")[2] or "–",
            expected_text(row),
            row["verdict"] + (f" {AFTER}" if row["fixed"] == "after" else ""),
        ]
        for row in claims.to_dict("records")
    ]
    yield _table(heads, rows)
    yield ""


def _of_file(name: str, root: Path) -> str:
    rows = pd.read_csv(root / "reference" / name, dtype=str, keep_default_na=False)
    return _table(list(rows.columns), rows.map(escaped).to_numpy().tolist())


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return "\n".join(table(heads, ([*map(str, cells)] for cells in rows)))


TABLES: dict[str, Callable[[Path], str]] = {
    # What each kind of fault costs; faults that were found, what the program did, and the test that
    # makes them since; what a run makes again after a change.
    "faults": partial(_of_file, "fault_table.csv"),
    "mended": partial(_of_file, "faults.csv"),
    "changes": partial(_of_file, "changes.csv"),
    # Figures and statements of the sources, for each chapter.
    "sources": lambda root: thesis.rows_text(thesis.read(root), all_scorecards(root)),
    "quotes": quotes,
    "claims": claims,
    "counts": counts,
    # Verdicts of each study by the first and by the present rules, and what became of claims.
    "rules": lambda root: "\n".join(
        first_rules.of_studies(first_rules.read_rules(root, all_scorecards(root)))
    ),
    # All keys of a preset, with defaults and meanings.
    "keys": lambda _: key_table(),
}
