"""Rows of finished runs that the repository keeps, published/PRESET/STUDY/, and where from.

`make publish` writes them (srhm.commands.publish). `make figures` draws them, and nothing else;
where another preset is drawn, some figures and the report show them beside its own rows, and no fit
sees them then. docs/extending.md says how they are added.
"""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from srhm.results.atomic import StorageError, naming
from srhm.results.published_provenance import (
    PROVENANCE_FILE,
    OtherFormat,
    PublicationError,
    damaged_file,
    read_provenance_file,
)
from srhm.results.records import TableError, read_table

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
                f"is not the table that {PROVENANCE_FILE} beside it was written for (where `make"
                f" publish PRESET={preset}` was interrupted, the same command again mends it)",
            )


def read_published_table(path: Path, schema: pa.Schema) -> pd.DataFrame:
    """Rows of a table of published/.

    Raises:
        OtherFormat: if it is whole and has other columns.
        PublicationError: if it is missing or damaged.
        StorageError: if it cannot be read now.
    """
    try:
        with naming(path):
            found = pq.read_schema(path)
        fields = list(zip(found.names, found.types, strict=True))
    except FileNotFoundError as error:
        raise damaged_file(path, "is missing") from error
    except StorageError:
        raise
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        raise _unreadable(path, error) from error
    expected = list(zip(schema.names, schema.types, strict=True))
    if fields != expected:
        unlike = sorted({name for name, _ in set(fields) ^ set(expected)})
        raise OtherFormat(f"{path} was written under another schema (columns {', '.join(unlike)})")
    try:
        return read_table(path, schema)
    except TableError as error:
        raise _unreadable(path, error.__cause__ or error) from error


def _unreadable(path: Path, error: BaseException) -> PublicationError:
    """What is wrong with a table that cannot be read: the file, or the pyarrow that reads it."""
    with suppress(PublicationError, OSError):
        known = read_provenance_file(path.with_name(PROVENANCE_FILE))["sha256"]
        if digests(path.parent, [path.stem])[path.stem] == known.get(path.stem):
            return PublicationError(
                f"{path}: pyarrow {pa.__version__} cannot read it ({error}), though it is as it was"
                " published: install another version (19.0.0 is known for it)"
            )
    return damaged_file(path, f"is damaged ({error})")


def rows_by_curve(folder: Path, schemas: Mapping[str, pa.Schema]) -> Rows:
    """Rows of a publication by table, then by curve; of these tables those that it has.

    Raises:
        OtherFormat: if a table has other columns.
        PublicationError: if one is damaged.
    """
    found = {}
    for table, schema in schemas.items():
        if published_file(folder, table).is_file():
            rows = read_published_table(published_file(folder, table), schema)
            found[table] = {str(curve): own for curve, own in rows.groupby("curve", sort=False)}
    return found
