"""Rows to Parquet and back, each table under its schema (`tables.py`) and with its provenance.

No other module writes tables. Files are written whole or not at all, and equal rows give equal
bytes.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from srhm.model.grammar import GrammarParameters
from srhm.model.sampling import Derivations
from srhm.store.atomic import StorageError, naming, replacing
from srhm.store.tables import may_lack_columns


class TableError(ValueError):
    """A table that is missing, damaged or of another shape; the message names the file."""


class OtherColumns(TableError):
    """A table that is whole and has other columns."""


def write_table(
    rows: pd.DataFrame | Iterable[Mapping[str, Any]],
    path: Path,
    schema: pa.Schema,
    *,
    provenance: Mapping[str, Any] | None = None,
) -> None:
    """Writes rows under a schema, atomically, with their provenance in the metadata.

    Raises:
        TableError: if a column is missing or does not fit.
    """
    metadata = {"provenance": json.dumps(provenance or {}, sort_keys=True)}
    _write(_under(schema, rows, path).replace_schema_metadata(metadata), path)


def holds(path: Path, rows: pd.DataFrame, schema: pa.Schema) -> bool:
    """Whether the file can be read under the schema and has equal rows, whatever its bytes.

    Raises:
        TableError: if the rows do not fit the schema.
    """
    wanted = _under(schema, rows, path).to_pandas()
    try:
        return read_table(path, schema).equals(wanted)
    except TableError:  # none, damaged, or of another schema
        return False


def _under(
    schema: pa.Schema, rows: pd.DataFrame | Iterable[Mapping[str, Any]], path: Path
) -> pa.Table:
    frame = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(list(rows))
    if frame.empty:
        frame = pd.DataFrame({name: [] for name in schema.names})
    missing = [name for name in schema.names if name not in frame.columns]
    if may_lack_columns(schema):
        frame, missing = frame.assign(**dict.fromkeys(missing)), []
    extra = [name for name in frame.columns if name not in schema.names]
    if missing or extra:
        raise TableError(f"{path}: missing columns {missing}, unknown columns {extra}")
    try:
        return pa.Table.from_pandas(frame[schema.names], schema=schema, preserve_index=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise TableError(f"{path}: {error}") from error


def read_table(path: Path, schema: pa.Schema) -> pd.DataFrame:
    """Rows of a table.

    Raises:
        TableError: if the file is missing or damaged.
        OtherColumns: if it has other columns.
        StorageError: if it cannot be read now.
    """
    table = _read(path)
    if not table.schema.equals(schema):
        unlike = sorted({field.name for field in {*table.schema} ^ {*schema}})
        raise OtherColumns(f"{path} was written under another schema (columns {', '.join(unlike)})")
    return table.to_pandas(use_threads=False)


_ARRAYS = ("choices", "placements", "features", "positions")


def write_derivations(
    samples: Mapping[tuple[int, str], Derivations], path: Path, *, provenance: Mapping[str, Any]
) -> None:
    """Writes samples by (seed, "train" or "test"): labels, choices, placements, features, places.

    Lists of small integers, a row a datum, in the order of the sample.
    """
    tables = []
    for (seed, part), data in samples.items():
        columns: dict[str, pa.Array] = {
            "seed": pa.array(np.full(len(data), seed, dtype=np.int64)),
            "part": pa.array([part] * len(data), pa.string()),
            "label": pa.array(data.labels),
        }
        for name in _ARRAYS:
            array = getattr(data, name)
            flat = pa.array(np.ascontiguousarray(array).ravel())
            columns[name] = pa.FixedSizeListArray.from_arrays(flat, array.shape[1])
        tables.append(pa.table(columns))
    metadata = {"provenance": json.dumps(provenance, sort_keys=True)}
    _write(pa.concat_tables(tables).replace_schema_metadata(metadata), path)


def read_derivations(
    path: Path, parameters: GrammarParameters
) -> dict[tuple[int, str], Derivations]:
    """Samples by (seed, "train" or "test").

    Raises:
        TableError: if the file is missing, damaged, or of another grammar's shape.
        StorageError: if it cannot be read now.
    """
    table = _read(path).combine_chunks()
    shapes = {
        "choices": (parameters.n_nodes, np.int16),
        "placements": (parameters.n_nodes, np.int32),
        "features": (parameters.n_leaves, np.int16),
        "positions": (parameters.n_leaves, np.int32),
    }
    arrays: dict[str, Any] = {}
    try:
        arrays["labels"] = table["label"].to_numpy().astype(np.int16)
        for name, (size, dtype) in shapes.items():
            flat = table[name].combine_chunks().flatten().to_numpy()
            arrays[name] = flat.reshape(len(table), size).astype(dtype)
        seeds, parts = table["seed"].to_numpy(), np.array(table["part"].to_pylist())
    except (KeyError, ValueError) as error:
        raise TableError(f"{path} holds no derivations of this grammar ({error})") from error
    data = Derivations(**arrays)
    return {
        (int(seed), part): data[np.flatnonzero((seeds == seed) & (parts == part))]
        for seed in np.unique(seeds)
        for part in ("train", "test")
    }


def _write(table: pa.Table, path: Path) -> None:
    with replacing(path) as partial:
        pq.write_table(
            table, partial, compression="zstd", write_page_checksum=True, **_encodings(table)
        )


def _encodings(table: pa.Table) -> dict[str, list[str]]:
    """Which columns are split into bytes of equal place, which are kept as a list of their values.

    Measured numbers, hardly two of them equal, take a quarter less space if they are split.
    """
    split = [
        name
        for name, kind in zip(table.schema.names, table.schema.types, strict=True)
        if pa.types.is_floating(kind) and 2 * len(np.unique(table[name])) > len(table)
    ]
    others = [name for name in table.schema.names if name not in split]
    return {"use_byte_stream_split": split, "use_dictionary": others}


def _read(path: Path) -> pa.Table:
    try:
        # In this thread: where memory is short, Arrow's own threads may wait for ever.
        with (
            naming(Path(path)),
            pq.ParquetFile(path, pre_buffer=False, page_checksum_verification=True) as file,
        ):
            table = file.read(use_threads=False)
        _ = table.schema.names  # decoded only now
    except FileNotFoundError as error:
        raise TableError(f"{path} does not exist; the rule that makes it has not run") from error
    except StorageError:
        raise
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        raise TableError(f"{path} is damaged ({error}); delete it to have it made again") from error
    return table
