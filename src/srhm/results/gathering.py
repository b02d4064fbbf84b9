"""From files of curves to the tables of a study, checked against what was planned."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from srhm.results.records import TableError, read_table, write_table
from srhm.results.tables import schema_of


def gather_tables(
    spec: Mapping[str, Any],
    files: Mapping[str, Sequence[str]],
    tables: Mapping[str, str],
    *,
    log: logging.Logger,
) -> None:
    """Writes each table of a study: the rows of its files, in the order of the plan.

    spec: {"planned", "tables"}: keys of the cells by curve; schemas by table. files: files of the
    curves, by table. tables: files to write, by table. That of the cells is written last.

    Raises:
        TableError: if a file lacks planned cells or holds others, naming the file.
    """
    found = {}
    for table, schema in spec["tables"].items():
        # Snakemake gives a single file as a text, not as a list.
        given = files.get(table, [])
        paths = [Path(given)] if isinstance(given, str) else [Path(file) for file in given]
        one = table in ("cells", "timings")
        found[table] = gather(paths, spec["planned"], schema_of(schema), one_row_a_cell=one)
        if table != "cells":
            write_table(found[table], Path(tables[table]), schema_of(schema))
    cells = found["cells"]
    write_table(cells, Path(tables["cells"]), schema_of(spec["tables"]["cells"]))
    log.info(
        "%d cells in %d curves, %.0f s of training; by status: %s",
        *(len(cells), len(spec["planned"]), found["timings"]["seconds"].sum()),
        cells["status"].value_counts().to_dict(),
    )


def gather(
    files: Sequence[Path],
    keys: Mapping[str, Sequence[str]],
    schema: pa.Schema,
    *,
    one_row_a_cell: bool = True,
) -> pd.DataFrame:
    """All rows of the curves' files, in the order given. A file has the name of its curve.

    keys: for each curve the keys of its cells, in order. A key holds the digest of the sources that
    trained its cell, so that rows of other code or other parameters are never mixed in. Tables of
    ensembles have no keys: the number of their members is compared. Without files there are no
    rows, but all columns.

    Raises:
        TableError: if a file lacks planned cells or holds others, naming the file.
    """
    frames = []
    for file in files:
        rows = read_table(file, schema)
        curve = file.name.removesuffix(".parquet").removesuffix(".timings")
        if "key" in schema.names:
            _check_keys(rows, list(keys[curve]), file, one_row_a_cell=one_row_a_cell)
        else:
            _check_members(rows, curve, len(keys[curve]), file)
        frames.append(rows)
    if not frames:
        return schema.empty_table().to_pandas()
    return pd.concat(frames, ignore_index=True)


def _check_keys(
    rows: pd.DataFrame, planned: list[str], file: Path, *, one_row_a_cell: bool
) -> None:
    found = rows["key"] if one_row_a_cell else rows["key"].drop_duplicates()
    if list(found) != planned:
        missing = set(planned) - set(rows["key"])
        raise TableError(
            f"{file} does not hold the planned cells ({len(missing)} of {len(planned)} missing,"
            f" {len(set(rows['key']) - set(planned))} others); delete it to have it made again"
        )


def _check_members(rows: pd.DataFrame, curve: str, planned: int, file: Path) -> None:
    n_cells = int((rows["n_members"] + rows["n_diverged"]).sum())
    if n_cells != planned or set(rows["curve"]) != {curve}:
        raise TableError(
            f"{file} holds {n_cells} cells and not the {planned} planned ones of its curve; delete"
            " it to have it made again"
        )
