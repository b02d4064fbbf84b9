"""Claims of a study measured on its tables: a row for each."""

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from srhm.declare.study import Study
from srhm.scorecard.claims import Claim, RememberedTables, Tables, verdict
from srhm.scorecard.siblings import with_pooled_scatter
from srhm.store.deriving import table_of
from srhm.store.records import write_table
from srhm.store.tables import SCHEMAS

# Columns of what the authors' points give by the same fit: value and 95 % interval.
AUTHORS = ("authors_value", "authors_low", "authors_high")
SCHEMA = pa.schema([*SCHEMAS["SCORECARD"], *((name, pa.float64()) for name in AUTHORS)])
# Of the shipped rows, as they are kept for comparison.
SCORECARDS = "tests/guard/scorecards"
COLUMNS = tuple(SCHEMA.names)


def scorecard(tables: Tables, claims: Sequence[Claim]) -> pd.DataFrame:
    """A row (COLUMNS) for each claim; claims whose tables are missing are inconclusive.

    A NaN tolerance makes the expected number an upper bound, an infinite one a lower bound.
    """
    rows, remembered = [], RememberedTables(tables)
    measurements = with_pooled_scatter([claim.measure(remembered) for claim in claims])
    for claim, measured in zip(claims, measurements, strict=True):
        rows.append(
            {
                "claim": claim.identifier,
                "figure": claim.figure,
                "statement": claim.says,
                "place": claim.place,
                "expected": claim.expected.expected,
                "value": float(measured.value),
                "low": float(measured.low),
                "high": float(measured.high),
                "n": measured.n,
                "tolerance": claim.expected.tolerance,
                "tolerance_reason": claim.why,
                "scale": claim.expected.scale,
                "fixed": claim.fixed,
                "verdict": verdict(claim, measured),
                "note": measured.note,
                **dict(zip(AUTHORS, map(float, measured.authors), strict=True)),
            }
        )
    return pd.DataFrame(rows, columns=list(COLUMNS))


def read_scorecards(root: Path, preset: str) -> dict[str, pd.DataFrame]:
    """Scorecards of the shipped rows of a preset, by study."""
    numbers = ("expected", "tolerance", "value", "low", "high", *AUTHORS)
    cards = {}
    for file in sorted((root / SCORECARDS / preset).glob("*.jsonl")):
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        cards[file.stem] = pd.DataFrame(rows).astype(dict.fromkeys(numbers, float))
    return cards


def claims_in(module: str) -> tuple[Claim, ...]:
    """CLAIMS of a module, in their order."""
    claims: tuple[Claim, ...] = import_module(module).CLAIMS
    return claims


def claims_of(studies: Iterable[Study]) -> tuple[Claim, ...]:
    """Claims of these studies as they are shown: in the order of the studies, then of CLAIMS."""
    return tuple(claim for study in studies if study.claims for claim in claims_in(study.claims))


def score(spec: Mapping[str, Any], path: Path, *, log: logging.Logger) -> None:
    """Writes the scorecard of a study.

    spec: {"module", "tables"}: of the claims; files of each table by the name under which they know
    it.
    """
    tables = {name: table_of(files) for name, files in spec["tables"].items()}
    table = scorecard(tables, claims_in(spec["module"]))
    write_table(table, path, SCHEMA)
    log.info("%d claims: %s", len(table), table["verdict"].value_counts().to_dict())
