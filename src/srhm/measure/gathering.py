"""Files of the curves -> one table of a preset, checked against what was planned."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from srhm.results.gathering import gather
from srhm.results.records import TableError, read_table
from srhm.results.tables import SCHEMAS


def of_curve(rows: Sequence[Mapping[str, object]], **names: str) -> list[dict[str, object]]:
    """Rows with the name of their curve (and study)."""
    return [{**names, **row} for row in rows]


def gather_plane(
    table: str, files: Sequence[Path], planned: Mapping[str, Sequence[str]]
) -> pd.DataFrame:
    """All rows of the files of a table, in the order given; a file is named by its curve.

    planned: for each curve the keys of its cells. Tables of cells must hold these keys and no
    others; those of ensembles, which have no keys, as many members.

    Raises:
        TableError: if a file lacks planned cells or holds others, naming the file.
        KeyError: if there is no such table.
    """
    schema = SCHEMAS[table]
    if "key" in schema.names:
        return gather(files, planned, schema, rows_of_a_cell="several")
    frames = [schema.empty_table().to_pandas()] if not files else []
    for file in files:
        rows = read_table(file, schema)
        n_cells = int((rows["n_members"] + rows["n_diverged"]).sum())
        curve = file.name.removesuffix(".parquet")
        if n_cells != len(planned[curve]) or set(rows["curve"]) != {curve}:
            raise TableError(
                f"{file} holds {n_cells} cells and not the {len(planned[curve])} planned ones of"
                " its curve; delete it to have it made again"
            )
        frames.append(rows)
    return pd.concat(frames, ignore_index=True)
