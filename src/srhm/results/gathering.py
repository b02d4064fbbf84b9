"""Curve files -> one table of all cells, checked against what was planned."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import pandas as pd
import pyarrow as pa

from srhm.results.records import TableError, read_table


def gather(
    files: Sequence[Path],
    keys: Mapping[str, Sequence[str]],
    schema: pa.Schema,
    *,
    rows_of_a_cell: Literal["one", "several"] = "one",
) -> pd.DataFrame:
    """All rows of the curves' files, in the order of the plan.

    keys: for each curve the keys of its cells, in order. A key holds the digest of the sources that
    trained its cell, so that rows of other code or other parameters are never mixed in. Without
    files there are no rows, but all columns.

    Raises:
        TableError: if a file lacks planned cells or holds others, naming the file.
    """
    frames = []
    for file in files:
        rows = read_table(file, schema)
        curve = file.name.removesuffix(".parquet").removesuffix(".timings")
        planned = list(keys[curve])
        found = rows["key"] if rows_of_a_cell == "one" else rows["key"].drop_duplicates()
        if list(found) != planned:
            missing = set(planned) - set(rows["key"])
            raise TableError(
                f"{file} does not hold the planned cells ({len(missing)} of {len(planned)} missing,"
                f" {len(set(rows['key']) - set(planned))} others); delete it to have it made again"
            )
        frames.append(rows)
    if not frames:
        return schema.empty_table().to_pandas()
    return pd.concat(frames, ignore_index=True)
