"""Published rows of what was measured of single cells.

Apart from `published_cells`, whose code each job that trains has in its digest.
"""

from collections.abc import Sequence, Set
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from srhm.results.publications import check_digests, published_file, read_published_table
from srhm.results.published_cells import published_keys
from srhm.results.published_provenance import PROVENANCE_FILE, read_provenance_file
from srhm.results.tables import schema_of
from srhm.study import CurveMeasurement


def measured_keys(folder: Path, measured: Sequence[CurveMeasurement]) -> frozenset[str]:
    """Those of `published_keys` of which all this was measured.

    Of a measurement that may be empty the curve of the cell has some row; a table with other
    columns has none.

    Raises:
        PublicationError: if a table is missing or damaged.
    """
    known = published_keys(folder)
    curves = {key: curve for key, curve in _curves(folder).items() if key in known}
    for measurement in measured:
        found = [_measured(folder, table, name) for table, name in measurement.tables.items()]
        if measurement.may_be_empty:
            some = {curve for pairs in found for curve, _ in pairs}
            curves = {key: curve for key, curve in curves.items() if curve in some}
        else:
            every = set.intersection(*found)
            curves = {key: curve for key, curve in curves.items() if (curve, key) in every}
    return frozenset(curves)


def _curves(folder: Path) -> dict[str, str]:
    """Each published cell with the curve whose rows of it are taken: the first that has it."""
    rows = _columns(published_file(folder, "cells"), "key", "curve").drop_duplicates("key")
    return dict(zip(rows["key"], rows["curve"], strict=True))


def _measured(folder: Path, table: str, schema: str) -> set[tuple[str, str]]:
    """Pairs of curve and key that a table has rows of; none without it or with other columns."""
    file = published_file(folder, table)
    if not file.is_file() or pq.read_schema(file).names != schema_of(schema).names:
        return set()
    rows = _columns(file, "curve", "key")
    return set(zip(rows["curve"], rows["key"], strict=True))


def _columns(file: Path, *names: str) -> pd.DataFrame:
    with pq.ParquetFile(file, pre_buffer=False) as opened:
        return opened.read(columns=list(names), use_threads=False).to_pandas(use_threads=False)


def published_rows(
    folder: Path, table: str, schema: pa.Schema, *, keys: Set[str]
) -> list[dict[str, Any]]:
    """Rows of these cells in a published table; of a cell of two curves those of the first.

    None where the publication has no such table.

    Raises:
        PublicationError: if a table is missing or damaged.
    """
    known = read_provenance_file(folder / PROVENANCE_FILE)
    check_digests(folder, known)
    if not keys or table not in known["sha256"]:
        return []
    rows = read_published_table(published_file(folder, table), schema)
    rows = rows[rows["key"].isin(keys)]
    rows = rows[rows["curve"] == rows["key"].map(_curves(folder))]
    return pa.Table.from_pandas(rows, schema=schema, preserve_index=False).to_pylist()
