"""Rows to Parquet and back, each table under its schema and with its provenance.

No other module writes tables. Files are written whole or not at all, and equal rows give equal
bytes.
"""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from srhm.model.grammar import GrammarParameters
from srhm.model.sampling import Derivations

CURVE_COLUMNS = {
    "net": pa.string(),
    "L": pa.int64(),
    "s": pa.int64(),
    "s0": pa.int64(),
    "v": pa.int64(),
    "m": pa.int64(),
    "n_c": pa.int64(),
    "sparsity": pa.string(),
    "width": pa.int64(),
    "alpha": pa.float64(),
}
TRAINING_COLUMNS = {
    "engine": pa.string(),
    "dtype": pa.string(),
    "whitening": pa.bool_(),
    "bias": pa.bool_(),
    "batch": pa.string(),
    "batch_size": pa.int64(),
    "learning_rate": pa.float64(),
    "momentum": pa.float64(),
    "loss_threshold": pa.float64(),
    "max_steps": pa.int64(),
    "n_checks": pa.int64(),
    "fcn_scale": pa.string(),
}
CELLS = pa.schema(
    {
        "curve": pa.string(),
        "key": pa.string(),
        **CURVE_COLUMNS,
        "P": pa.int64(),
        "seed": pa.int64(),
        "n_test": pa.int64(),
        "n_distinct": pa.float64(),
        **TRAINING_COLUMNS,
        "epochs": pa.int64(),
        "steps": pa.int64(),
        "train_loss": pa.float64(),
        "test_error": pa.float64(),
        "best_test_error": pa.float64(),
        "best_step": pa.int64(),
        "status": pa.string(),
        "source": pa.string(),
        "versions": pa.string(),
    }
)
TIMINGS = pa.schema(
    {
        "curve": pa.string(),
        "key": pa.string(),
        "steps": pa.int64(),
        "seconds": pa.float64(),
        "started": pa.string(),
        "host": pa.string(),
        "processor": pa.string(),
        "threads": pa.int64(),
    }
)
SAMPLE_COMPLEXITY = pa.schema(
    {
        "curve": pa.string(),
        **CURVE_COLUMNS,
        "engine": pa.string(),
        "whitening": pa.bool_(),
        "bias": pa.bool_(),
        "batch": pa.string(),
        "criterion": pa.string(),
        "threshold": pa.float64(),
        "P_star": pa.float64(),
        "P_star_low": pa.float64(),
        "P_star_high": pa.float64(),
        "status": pa.string(),
        "n_seeds": pa.int64(),
        "n_seeds_reached": pa.int64(),
        "n_cells": pa.int64(),
        "n_diverged": pa.int64(),
        "n_capped": pa.int64(),
        "log_sd": pa.float64(),
        "log_se": pa.float64(),
        "dof": pa.int64(),
        "log_sd_pooled": pa.bool_(),
        "n_distinct": pa.float64(),
        "small_pool": pa.bool_(),
        "prediction": pa.float64(),
    }
)
SENSITIVITIES = pa.schema(
    {
        "curve": pa.string(),
        "key": pa.string(),
        **CURVE_COLUMNS,
        "engine": pa.string(),
        "whitening": pa.bool_(),
        "bias": pa.bool_(),
        "batch": pa.string(),
        "P": pa.int64(),
        "seed": pa.int64(),
        "kind": pa.string(),
        "variant": pa.string(),
        "layer": pa.string(),
        "k": pa.int64(),
        "l": pa.int64(),
        "value": pa.float64(),
        "standard_error": pa.float64(),
        "n": pa.int64(),
        "n_draws": pa.int64(),
    }
)
SCORECARD = pa.schema(
    {
        "claim": pa.string(),
        "figure": pa.string(),
        "statement": pa.string(),
        "place": pa.string(),
        "expected": pa.float64(),
        "value": pa.float64(),
        "low": pa.float64(),
        "high": pa.float64(),
        "n": pa.int64(),
        "tolerance": pa.float64(),
        "tolerance_reason": pa.string(),
        "verdict": pa.string(),
        "note": pa.string(),
    }
)
IMAGE_CELLS = pa.schema(
    {
        "curve": pa.string(),
        "key": pa.string(),
        "net": pa.string(),
        "width": pa.int64(),
        "P": pa.int64(),
        "seed": pa.int64(),
        "n_test": pa.int64(),
        "data": pa.string(),
        "batch_size": pa.int64(),
        "learning_rate": pa.float64(),
        "schedule": pa.string(),
        "momentum": pa.float64(),
        "weight_decay": pa.float64(),
        "augmentation": pa.bool_(),
        "loss_threshold": pa.float64(),
        "max_steps": pa.int64(),
        "epochs": pa.int64(),
        "steps": pa.int64(),
        "train_loss": pa.float64(),
        "test_error": pa.float64(),
        "status": pa.string(),
        "device": pa.string(),
        "source": pa.string(),
        "versions": pa.string(),
    }
)
IMAGES = pa.schema(
    [
        *IMAGE_CELLS,
        ("n_points", pa.int64()),
        ("n_draws", pa.int64()),
        ("cutoff", pa.int64()),
        ("displacement", pa.float64()),
        ("temperature", pa.float64()),
        ("average", pa.string()),
        ("noise_norm", pa.float64()),
        ("n_folded", pa.int64()),
        ("D", pa.float64()),
        ("G", pa.float64()),
        ("relative_sensitivity", pa.float64()),
        ("initial_relative_sensitivity", pa.float64()),
    ]
)


class TableError(ValueError):
    """A table that is missing, damaged or of another shape; the message names the file."""


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
    frame = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(list(rows))
    if frame.empty:
        frame = pd.DataFrame({name: [] for name in schema.names})
    missing = [name for name in schema.names if name not in frame.columns]
    extra = [name for name in frame.columns if name not in schema.names]
    if missing or extra:
        raise TableError(f"{path}: missing columns {missing}, unknown columns {extra}")
    try:
        table = pa.Table.from_pandas(frame[schema.names], schema=schema, preserve_index=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise TableError(f"{path}: {error}") from error
    metadata = {"provenance": json.dumps(provenance or {}, sort_keys=True)}
    _write(table.replace_schema_metadata(metadata), path)


def read_table(path: Path, schema: pa.Schema) -> pd.DataFrame:
    """Rows of a table.

    Raises:
        TableError: if the file is missing, cannot be read, or has other columns.
    """
    table = _read(path)
    if table.schema.names != schema.names or table.schema.types != schema.types:
        raise TableError(f"{path} has the columns {table.schema.names}, not {schema.names}")
    return table.to_pandas()


def read_provenance(path: Path) -> dict[str, Any]:
    """What was written beside the rows of a table."""
    metadata = _read(path).schema.metadata or {}
    return json.loads(metadata.get(b"provenance", b"{}"))


_ARRAYS = ("choices", "placements", "features", "positions")


def write_derivations(
    samples: Mapping[tuple[int, str], Derivations],
    path: Path,
    *,
    provenance: Mapping[str, Any],
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
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        pq.write_table(table, partial, compression="zstd", write_page_checksum=True)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _read(path: Path) -> pa.Table:
    if not Path(path).is_file():
        raise TableError(f"{path} does not exist; the rule that makes it has not run")
    try:
        table = pq.read_table(path, partitioning=None, page_checksum_verification=True)
        _ = table.schema.names  # decoded only now
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        raise TableError(f"{path} is damaged ({error}); delete it to have it made again") from error
    return table
