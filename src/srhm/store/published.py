"""Rows of finished runs that the repository keeps, published/PRESET/STUDY/, and where from.

`make publish` writes them (srhm.commands.publish). `make figures` draws them, and nothing else;
where another preset is drawn, some figures and the report show them beside its own rows, and no fit
sees them then. docs/extending.md says how they are added.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from srhm.declare.study import CurveMeasurement
from srhm.store.cells import made_by_other_code
from srhm.store.published_provenance import (
    PROVENANCE_FILE,
    OtherFormat,
    damaged_file,
    read_provenance_file,
)
from srhm.store.records import OtherColumns, TableError, read_table
from srhm.store.tables import schema_of

# Rows by table, then by curve.
Rows = dict[str, dict[str, pd.DataFrame]]


def published_file(folder: Path, table: str) -> Path:
    """A table of a publication."""
    return folder / f"{table}.parquet"


def digests(folder: Path, tables: Sequence[str]) -> dict[str, str]:
    """SHA-256 (hexadecimal) of tables of a publication, by name."""
    files = {table: published_file(folder, table) for table in tables}
    return {table: hashlib.sha256(file.read_bytes()).hexdigest() for table, file in files.items()}


def check_digests(folder: Path, provenance: Mapping[str, Any]) -> None:
    """Whether the tables are those that the provenance, written after them, was written for.

    Raises:
        PublicationError: if a table is missing or another one, naming it.
    """
    expected = provenance["sha256"]
    for table in expected:
        if not published_file(folder, table).is_file():
            raise damaged_file(published_file(folder, table), "is missing")
    for table, digest in digests(folder, list(expected)).items():
        if digest != expected[table]:
            preset = folder.parent.name
            raise damaged_file(
                published_file(folder, table),
                f"is not the table for which {PROVENANCE_FILE} was written (where `make publish"
                f" PRESET={preset}` was interrupted, the same command again mends it)",
            )


def read_published_table(path: Path, schema: pa.Schema) -> pd.DataFrame:
    """Rows of a table of published/.

    Raises:
        OtherFormat: if it is whole and has other columns.
        PublicationError: if it is missing or damaged.
        StorageError: if it cannot be read now.
    """
    try:
        return read_table(path, schema)
    except OtherColumns as other:
        raise OtherFormat(str(other)) from other
    except TableError as error:
        why, missing = error.__cause__ or error, isinstance(error.__cause__, FileNotFoundError)
        raise damaged_file(path, "is missing" if missing else f"is damaged ({why})") from error


def rows_by_curve(folder: Path, schemas: Mapping[str, pa.Schema]) -> Rows:
    """Rows of a publication by table, then by curve; of these tables those that it has.

    Raises:
        OtherFormat: if a table has other columns.
        PublicationError: if one is damaged.
    """
    by_table = {}
    for table, schema in schemas.items():
        if published_file(folder, table).is_file():
            rows = read_published_table(published_file(folder, table), schema)
            by_table[table] = {
                str(curve): curve_rows for curve, curve_rows in rows.groupby("curve", sort=False)
            }
    return by_table


def published_candidates(
    folder: str | Path, keys: Collection[str], schema: str
) -> dict[str, Mapping[Any, Any]]:
    """Published rows of cells by key, of these keys; schema: name of that of the cells."""
    file = published_file(Path(folder), "cells")
    check_digests(file.parent, read_provenance_file(file.parent / PROVENANCE_FILE))
    rows = read_published_table(file, schema_of(schema))
    rows = rows[rows["key"].isin(keys)].drop_duplicates("key")
    return {row["key"]: row for row in rows.to_dict("records")}


def taken_rows(
    folder: Path,
    schemas: Mapping[str, pa.Schema],
    planned: Mapping[str, Sequence[str]],
    taken: Mapping[str, Mapping[str, Any]],
) -> Rows:
    """Published rows that curves take, by table, then by curve.

    A curve that is published takes all of its own rows; another takes of each of its cells those of
    the first curve that has it. planned: keys of the cells of curves. taken: the curves, each with
    what its rows say in columns of a curve.

    Raises:
        PublicationError: if a table is missing or damaged.
    """
    check_digests(folder, read_provenance_file(folder / PROVENANCE_FILE))
    published = rows_by_curve(folder, schemas)
    holders: dict[str, str] = {}
    for curve, cells in reversed(published["cells"].items()):
        holders |= dict.fromkeys(cells["key"], curve)
    by_table: Rows = {table: {} for table in published}
    for curve, columns in taken.items():
        keys = pd.Series(planned[curve])
        groups = [(curve, keys)] if curve in published["cells"] else keys.groupby(keys.map(holders))
        for table, curves in published.items():
            parts = [
                rows if holder == curve else rows[rows["key"].isin(group)]
                for holder, group in groups
                # Rows of ensembles have no keys: they are of their own curve alone.
                if (rows := curves.get(holder)) is not None and (holder == curve or "key" in rows)
            ]
            if parts:
                rows = pd.concat(parts, ignore_index=True)
                named = {"curve": curve, **columns}
                by_table[table][curve] = rows.assign(
                    **{name: value for name, value in named.items() if name in rows}
                )
    return by_table


def measured_keys(folder: Path, measured: Sequence[CurveMeasurement]) -> frozenset[str]:
    """Keys of the cells of a publication of which all this was measured.

    Without those of other code for GPUs than there is now. Of a measurement that may be empty the
    curve of the cell has some row; a table with other columns has none.

    Raises:
        PublicationError: if a table is missing or damaged.
    """
    check_digests(folder, read_provenance_file(folder / PROVENANCE_FILE))
    cells = _columns(published_file(folder, "cells"), "curve", "key", "versions")
    # Each with the curve whose rows of it are taken: the first that has it.
    cells = cells[~cells.pop("versions").map(made_by_other_code)].drop_duplicates("key")
    for measurement in measured:
        found = []
        for table, schema in measurement.tables.items():
            file = published_file(folder, table)
            there = file.is_file() and pq.read_schema(file).names == schema_of(schema).names
            rows = _columns(file, "curve", "key") if there else cells[:0]
            found.append(rows.drop_duplicates())
        if measurement.may_be_empty:
            cells = cells[cells["curve"].isin(pd.concat(found)["curve"])]
        else:
            cells = reduce(pd.merge, found, cells)
    return frozenset(cells["key"])


def _columns(file: Path, *names: str) -> pd.DataFrame:
    with pq.ParquetFile(file, pre_buffer=False) as opened:
        return opened.read(columns=names, use_threads=False).to_pandas(use_threads=False)


# Significant bits, by table and column. A sensitivity over some thousand data has an error of about
# 1 %, so that single precision and four digits of the error lose nothing. Spectra and kernels are
# drawn, and their summaries are rows of their own: four digits, a third of the size. Six digits
# of histories and gaps move no fit, nor do five of the neurons.
BITS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "sensitivities": {"value": 24, "standard_error": 12},
        "kernels": {"value": 12},
        "hessians": {"eigenvalue": 12},
        "singular_values": {"value": 12},
        "basis": {"value": 12},
        "histories": {"time": 20, "mean_loss": 20, "train_norm": 20},
        "gaps": {"gap": 20},
        "neurons": {"parallel": 16, "second": 16, "perpendicular": 16, "readout": 16},
        "timings": {"seconds": 16},
    }
)


def significant(values: NDArray[np.float64], bits: int) -> NDArray[np.float64]:
    """Values rounded to so many significant bits, of the same shape.

    0, inf and nan stay; a value rounded once stays the same when it is rounded again.
    """
    mantissas, exponents = np.frexp(values)
    return np.ldexp(np.round(np.ldexp(mantissas, bits)), exponents - bits)


def rounded(table: str, rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of a table with its columns of `BITS` rounded; the argument is left as it is."""
    bits = {name: n for name, n in BITS.get(table, {}).items() if name in rows}
    return rows.assign(
        **{name: significant(rows[name].to_numpy(dtype=float), n) for name, n in bits.items()}
    )
