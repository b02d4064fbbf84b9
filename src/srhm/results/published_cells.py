"""Published rows of single cells, for curves that were published with other cells beside them.

A size or a seed more gives a curve another name; the keys of its other cells stay.
"""

from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from srhm.results.outdated import made_by_other_code
from srhm.results.publications import check_digests, published_file, read_published_table
from srhm.results.published_provenance import (
    PROVENANCE_FILE,
    damaged_file,
    read_provenance_file,
)
from srhm.results.records import read_table, write_table
from srhm.results.tables import schema_of
from srhm.study import CurveMeasurement


def published_keys(folder: Path, measured: Sequence[CurveMeasurement] = ()) -> frozenset[str]:
    """Keys of the cells of a publication, without those of other code for GPUs than there is now.

    measured: only cells that this was measured of count. Of a measurement that may be empty the
    curve of the cell has some row; a table with other columns has none.

    Raises:
        PublicationError: if a table is missing or damaged.
    """
    check_digests(folder, read_provenance_file(folder / PROVENANCE_FILE))
    rows = _columns(published_file(folder, "cells"), "key", "versions")
    code = dict(zip(rows["key"], rows["versions"], strict=True))
    curves = {key: one for key, one in _curves(folder).items() if not made_by_other_code(code[key])}
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


def write_curve(
    spec: Mapping[str, Any],
    rows: Mapping[str, Sequence[Mapping[str, Any]]],
    files: Mapping[str, str],
) -> None:
    """Writes the tables of a curve, with the published rows that the curve takes.

    spec: {"curve", "columns", "schemas"}, and {"published", "order"} where it takes any. rows,
    files: by table, in the order of writing: those that are trained here, and where to.

    Raises:
        PublicationError: as `completed`.
    """
    for table, file in files.items():
        schema, own = schema_of(spec["schemas"][table]), rows[table]
        if "published" not in spec:
            write_table(own, Path(file), schema)
            continue
        with TemporaryDirectory() as folder:  # as their file has them: numbers of one type
            write_table(own, path := Path(folder, "own.parquet"), schema)
            trained = read_table(path, schema)
        named = {"curve": spec["curve"], **(spec["columns"] if table == "cells" else {})}
        taken = published_file(Path(spec["published"]), table)
        whole = completed(trained, taken, schema, order=spec["order"], named=named)
        write_table(whole, Path(file), schema)


def completed(
    trained: pd.DataFrame,
    file: Path,
    schema: pa.Schema,
    *,
    order: Sequence[str],
    named: Mapping[str, Any],
) -> pd.DataFrame:
    """Rows of a curve in this order of keys: those given, and for all other keys published ones.

    file: of the published rows. named: values that all rows of the curve have, its name among them.

    Raises:
        PublicationError: if published rows are damaged, or lack one of the keys.
    """
    check_digests(file.parent, read_provenance_file(file.parent / PROVENANCE_FILE))
    published = read_published_table(file, schema).drop_duplicates("key")
    others = set(order) - set(trained["key"])
    taken = published[published["key"].isin(others)].assign(**named)
    if lacking := others - set(taken["key"]):
        raise damaged_file(file, f"lacks {len(lacking)} cells, {min(lacking)} among them")
    frames = [frame for frame in (trained, taken) if len(frame)]
    both = pd.concat(frames, ignore_index=True).set_index("key", drop=False)
    return both.loc[list(order)].reset_index(drop=True)
