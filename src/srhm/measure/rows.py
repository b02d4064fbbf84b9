"""What is measured of a curve, by the measurement that its declaration names."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from srhm.declare.names import resolved
from srhm.store.records import read_table, write_table
from srhm.store.tables import schema_of

Rows = Mapping[str, Sequence[Mapping[str, Any]]]


def of_rows(spec: Mapping[str, Any], rows: Path) -> Mapping[str, Any]:
    """The spec of a curve with the cells alone that its rows have: of a search, those of its paths.

    rows: file of the rows of the curve.
    """
    if "search" not in spec:
        return spec
    keys = read_table(rows, schema_of(spec["rows"]))["key"].tolist()
    cells = [entry for entry in spec["cells"] if entry["key"] in keys]
    return {**spec, "cells": cells}


def measured_rows(
    spec: Mapping[str, Any],
    *,
    derivations: Sequence[str],
    store: Path,
    log: logging.Logger,
    gpu: int = 0,
) -> Rows:
    """Rows by table. A measurement knows neither the curve's name nor that of its study.

    spec: {"cells", "function", "options", "inputs", "tables", "gpu"}; derivations: file of the
    samples, or nothing.
    """
    named = {**spec["options"], **spec["inputs"]}
    if derivations:
        (named["derivations"],) = derivations
    if spec["gpu"]:
        named["gpu"] = gpu
    made = resolved(spec["function"])(spec["cells"], store=store, log=log, **named)
    if isinstance(made, Mapping):
        return {table: made.get(table, ()) for table, _ in spec["tables"]}
    tables = made if isinstance(made, tuple) else (made,)
    return {table: rows for (table, _), rows in zip(spec["tables"], tables, strict=True)}


def write_measured(spec: Mapping[str, Any], rows: Rows, files: Mapping[str, str]) -> None:
    """Writes a file for each table, with the name of the curve and the columns that it gives."""
    for table, name in spec["tables"]:
        schema = schema_of(name)
        names = {"curve": spec["curve"], **spec["columns"]}
        known = {name: value for name, value in names.items() if name in schema.names}
        write_table([{**known, **row} for row in rows[table]], Path(files[table]), schema)
