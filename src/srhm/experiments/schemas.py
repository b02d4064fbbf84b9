"""Schemas of the tables of a study of experiments."""

from collections.abc import Mapping

import pyarrow as pa

from srhm.results.tables import LACKING_IS_NULL, OF_SOME_CELLS

Kind = type[str] | type[int] | type[float] | type[bool]
_TYPES: Mapping[Kind, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
}


def schema(columns: Mapping[str, Kind], *, long: bool = False) -> pa.Schema:
    """Columns of the cells: curve and key, those given, and how and by what they were computed.

    columns: coordinates and results with their types; what a cell lacks is null.
    long: a table that has several rows of one cell, or none; it has curve and key besides.

    Raises:
        ValueError: if a column is given that all such tables have.
    """
    before: dict[str, Kind] = {"curve": str, "key": str}
    after: dict[str, Kind] = {} if long else {"status": str, "source": str, "versions": str}
    if "seed" not in columns and not long:
        before["seed"] = int
    if twice := (before.keys() | after.keys()) & columns.keys():
        raise ValueError(f"every such table has the columns {', '.join(sorted(twice))}")
    types = [(name, _TYPES[kind]) for name, kind in {**before, **columns, **after}.items()]
    return pa.schema(types, metadata=LACKING_IS_NULL | (OF_SOME_CELLS if long else {}))
