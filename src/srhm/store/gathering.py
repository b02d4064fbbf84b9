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
from srhm.store.published import check_digests, rows_by_curve
from srhm.store.published_provenance import PROVENANCE_FILE, read_provenance_file
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

    spec: {"planned", "searched", "tables", "store", "published"}: each curve with the keys of its
    cells; what says which of them are rows of a search, by curve; schemas by table; folder of the
    stored cells; folder of published rows, for the curves that have no file, or None. files: files
    of the curves, by table. tables: files to write, by table. That of the cells is written last.

    Raises:
        TableError: if a file lacks planned cells, holds others, or says of one what the stored cell
            does not, naming the file.
        PublicationError: if published rows are damaged.
    """
    planned = dict(spec["planned"])
    schemas = {table: schema_of(name) for table, name in spec["tables"].items()}
    published = {}
    if spec["published"] is not None:
        folder = Path(spec["published"])
        check_digests(folder, read_provenance_file(folder / PROVENANCE_FILE))
        published = rows_by_curve(folder, schemas)
    found = {}
    # The cells first: of a search they say which keys all other tables have.
    for table, schema in sorted(schemas.items(), key=lambda pair: pair[0] != "cells"):
        # Snakemake gives a single file as a text, not as a list.
        given = files.get(table, [])
        paths = [Path(given)] if isinstance(given, str) else [Path(file) for file in given]
        one = table in ("cells", "timings")
        if table == "cells":
            for path in paths:
                rows = read_table(path, schema)
                check_cells(rows, path, Path(spec["store"]))
                curve = path.name.removesuffix(".parquet")
                if curve in spec["searched"]:
                    planned[curve] = keys_of_rows(spec["searched"][curve], rows)
            for curve in published.get(table, {}).keys() & spec["searched"].keys():
                rows = published[table][curve]
                planned[curve] = keys_of_rows(spec["searched"][curve], rows)
        own = published.get(table, {})
        found[table] = gather(paths, planned, schema, one_row_a_cell=one, published=own)
        if table != "cells":
            write_table(found[table], Path(tables[table]), schema)
    cells = found["cells"]
    write_table(cells, Path(tables["cells"]), schemas["cells"])
    log.info(
        "%d cells in %d curves, %.0f s of training; by status: %s",
        *(len(cells), len(planned), found["timings"]["seconds"].sum()),
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
    published: rows of curves that may have no file.

    Raises:
        TableError: if rows are not those of the planned cells; see `checked`.
    """
    found = dict(published)
    options = {"one_row_a_cell": one_row_a_cell, "may_lack": may_lack_cells(schema)}
    for file in files:
        curve = file.name.removesuffix(".parquet").removesuffix(".timings")
        rows = read_table(file, schema)
        found[curve] = checked(rows, keys[curve], str(file), **options)
    for curve in published.keys() & keys.keys():
        checked(found[curve], keys[curve], f"published rows of {curve}", **options)
    frames = [found[curve] for curve in keys if curve in found]
    return pd.concat(frames, ignore_index=True) if frames else schema.empty_table().to_pandas()


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
    found = rows["key"] if one_row_a_cell else rows["key"].drop_duplicates()
    present = set(found)
    if list(found) != [key for key in planned if key in present or not may_lack]:
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
            one = row.get(name, value)
            if one != value and not (pd.isna(one) and pd.isna(value)):
                raise TableError(
                    f"{file} says {name} = {one} of the cell {row['key']}, whose own file says"
                    f" {value}; delete it to have it made again"
                )
