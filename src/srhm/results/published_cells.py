"""Published rows of single cells, for curves that were published with other cells beside them.

A size or a seed more gives a curve another name; the keys of its other cells stay.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from srhm.results.outdated import made_by_other_code
from srhm.results.paths import paths
from srhm.results.publications import check_digests, published_file, read_published_table
from srhm.results.published_provenance import (
    PROVENANCE_FILE,
    damaged_file,
    read_provenance_file,
)
from srhm.results.records import read_table, write_table
from srhm.results.tables import schema_of
from srhm.search import Search


def published_keys(folder: Path) -> frozenset[str]:
    """Keys of the cells of a publication, without those of other code for GPUs than there is now.

    Raises:
        PublicationError: if a table is missing or damaged.
    """
    check_digests(folder, read_provenance_file(folder / PROVENANCE_FILE))
    with pq.ParquetFile(published_file(folder, "cells"), pre_buffer=False) as file:
        rows = file.read(columns=["key", "versions"], use_threads=False).to_pylist()
    return frozenset(one["key"] for one in rows if not made_by_other_code(one["versions"]))


def searching(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Of the spec of a curve its search and, by key, published rows that it takes; or nothing.

    spec: {"cells", ...}; "search" where P is searched; "schemas", "published", "order" where the
    curve takes published rows.
    """
    if "search" not in spec:
        return {}
    rows: dict[str, Mapping[Any, Any]] = {}
    if "published" in spec:
        file = published_file(Path(spec["published"]), "cells")
        check_digests(file.parent, read_provenance_file(file.parent / PROVENANCE_FILE))
        others = set(spec["order"]) - {entry["key"] for entry in spec["cells"]}
        taken = read_published_table(file, schema_of(spec["schemas"]["cells"]))
        taken = taken[taken["key"].isin(others)].drop_duplicates("key")
        rows = {row["key"]: row for row in taken.to_dict("records")}
    return {"search": Search(**spec["search"]), "published": rows}


def write_curve(
    spec: Mapping[str, Any],
    rows: Mapping[str, Sequence[Mapping[str, Any]]],
    files: Mapping[str, str],
) -> None:
    """Writes the tables of a curve, with the published rows that the curve takes.

    spec: {"curve", "columns", "schemas"}, and {"published", "order"} where it takes any; of a
    search these are candidates. rows, files: by table, in the order of writing: those that are
    trained here, and where to.

    Raises:
        PublicationError: as `completed`.
    """
    order = _order(spec, rows["cells"]) if "published" in spec else ()
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
        whole = completed(trained, taken, schema, order=order, named=named)
        write_table(whole, Path(file), schema)


def _order(spec: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Sequence[str]:
    """Keys of all rows of a curve that takes published ones."""
    order: Sequence[str] = spec["order"]
    if not (search := searching(spec)):
        return order
    known = {**search["published"], **{row["key"]: row for row in rows}}
    cells = {**known, **{entry["key"]: entry["cell"] for entry in spec["cells"]}}
    return paths(search["search"], {key: cells[key] for key in order}, known)[0]


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
