"""From files of curves, and from published rows, to the tables of a study, checked by the plan."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd
import pyarrow as pa

from srhm.store.cells import path_of, row_of
from srhm.store.paths import keys_of_rows
from srhm.store.published import Rows, taken_rows
from srhm.store.records import TableError, read_table, write_table
from srhm.store.tables import may_lack_cells, schema_of


def gather_tables(
    spec: Mapping[str, Any],
    files: Mapping[str, Sequence[str]],
    tables: Mapping[str, str],
    *,
    log: logging.Logger,
) -> None:
    """Writes each table of a study: the rows of its curves, in the order of the plan.

    spec: {"planned", "searched", "tables", "store", "published", "taken"}: each curve with the keys
    of its cells; what says which of them are rows of a search, by curve; schemas by table; folder
    of the stored cells; folder of published rows, or nothing; the curves that take what their files
    lack of them (`taken_rows`).
    files: files of the curves, by table. tables: files to write, by table. That of the cells is
    written last.

    Raises:
        TableError: if a file lacks planned cells, holds others, or says of one what the stored cell
            does not, naming the file.
        PublicationError: if published rows are damaged.
    """
    planned = dict(spec["planned"])
    schemas = {table: schema_of(name) for table, name in spec["tables"].items()}
    published: Rows = {}
    if spec["published"]:
        published = taken_rows(Path(spec["published"]), schemas, planned, spec["taken"])
    gathered = {}
    # The cells first: of a search they say which keys all other tables have.
    for table, schema in sorted(schemas.items(), key=lambda pair: pair[0] != "cells"):
        # Snakemake gives a single file as a text, not as a list.
        given = files.get(table, [])
        paths = [Path(given)] if isinstance(given, str) else [Path(file) for file in given]
        taken = published.get(table, {})
        if table == "cells":
            known = dict(taken)
            for path in paths:
                rows = read_table(path, schema)
                check_cells(rows, path, Path(spec["store"]))
                curve = path.name.removesuffix(".parquet")
                known[curve] = pd.concat([known[curve], rows]) if curve in known else rows
            for curve in spec["searched"].keys() & known.keys():
                planned[curve] = keys_of_rows(spec["searched"][curve], known[curve])
        one_row = table in ("cells", "timings")
        gathered[table] = gather(paths, planned, schema, one_row_a_cell=one_row, published=taken)
        if table != "cells":
            write_table(gathered[table], Path(tables[table]), schema)
    cells = gathered["cells"]
    write_table(cells, Path(tables["cells"]), schemas["cells"])
    log.info(
        "%d cells in %d curves, %.0f s of training; by status: %s",
        *(len(cells), len(planned), gathered["timings"]["seconds"].sum()),
        cells["status"].value_counts().to_dict(),
    )


def gather(
    files: Sequence[Path],
    keys: Mapping[str, Sequence[str]],
    schema: pa.Schema,
    *,
    one_row_a_cell: bool = True,
    published: Mapping[str, pd.DataFrame] = MappingProxyType({}),
) -> pd.DataFrame:
    """All rows of the curves, in the order of the plan; without any no rows, but all columns.

    files: each has the name of its curve. keys: for each curve the keys of its cells, in order.
    published: rows that curves take of published ones, all or those that their files lack.

    Raises:
        TableError: if rows are not those of the planned cells; see `checked`.
    """
    options = {"one_row_a_cell": one_row_a_cell, "may_lack": may_lack_cells(schema)}
    of_curve = {path.name.removesuffix(".parquet").removesuffix(".timings"): path for path in files}
    frames = []
    for curve, planned in keys.items():
        file, more = of_curve.get(curve), published.get(curve)
        if file is not None or more is not None:
            rows = read_table(file, schema) if file else schema.empty_table().to_pandas()
            name = str(file or f"published rows of {curve}")
            frames.append(checked(completed(rows, more, planned), planned, name, **options))
    return pd.concat(frames, ignore_index=True) if frames else schema.empty_table().to_pandas()


def completed(
    rows: pd.DataFrame, published: pd.DataFrame | None, keys: Sequence[str]
) -> pd.DataFrame:
    """Rows of a curve and published ones of keys that it lacks, in the order of these keys."""
    if published is None:
        return rows
    if "key" not in published:  # of ensembles
        return rows if len(rows) else published
    lacking = published["key"].isin(keys) & ~published["key"].isin(rows["key"])
    parts = [part for part in (rows, published[lacking]) if len(part)]
    both = pd.concat(parts or [rows], ignore_index=True)
    places = both["key"].map({key: place for place, key in enumerate(keys)})
    return both.iloc[places.argsort(kind="stable")].reset_index(drop=True)


def checked(
    rows: pd.DataFrame,
    planned: Sequence[str],
    name: str,
    *,
    one_row_a_cell: bool = True,
    may_lack: bool = False,
) -> pd.DataFrame:
    """The rows of a curve, if they are of its planned cells, in their order, and of no others.

    A key holds the digest of the sources that trained its cell, so that rows of other code or other
    parameters are never mixed in. Tables of ensembles have no keys: the number of their members is
    compared. name: of the file, for people. may_lack: whether a cell may have no row.

    Raises:
        TableError: if cells are missing or are others, naming the file.
    """
    again = "delete it to have it made again"
    if "key" not in rows:
        n_cells = int((rows["n_members"] + rows["n_diverged"]).sum())
        if n_cells != len(planned):
            raise TableError(
                f"{name} holds {n_cells} cells and not the {len(planned)} planned ones of its"
                f" curve; {again}"
            )
        return rows
    keys = rows["key"] if one_row_a_cell else rows["key"].drop_duplicates()
    present = set(keys)
    if list(keys) != [key for key in planned if key in present or not may_lack]:
        missing = set(planned) - set(rows["key"])
        raise TableError(
            f"{name} does not hold the planned cells ({len(missing)} of {len(planned)} missing,"
            f" {len(set(rows['key']) - set(planned))} others); {again}"
        )
    return rows


def check_cells(rows: pd.DataFrame, file: Path, store: Path) -> None:
    """Whether the rows of a curve are those that its cells themselves hold, as far as stored.

    Raises:
        TableError: if they are not, naming the file, the cell and what differs.
    """
    for row in rows.to_dict("records"):
        for name, value in row_of(path_of(store, row["key"])).items():
            row_value = row.get(name, value)
            if row_value != value and not (pd.isna(row_value) and pd.isna(value)):
                raise TableError(
                    f"{file} says {name} = {row_value} of the cell {row['key']}, whose own file"
                    f" says {value}; delete it to have it made again"
                )
