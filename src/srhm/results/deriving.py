"""Tables of a study -> another table, or a figure, by a function that its declaration names."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from srhm.names import resolved
from srhm.results.records import read_table, write_table
from srhm.results.tables import schema_of

# Files of a table with their schemas; None: a study that the preset does not have.
Files = Sequence[tuple[str | None, str]]


def table_of(files: Files) -> pd.DataFrame:
    """The rows of all files, in order; the columns of the first where there are none.

    Raises:
        TableError: if a file is missing, damaged or of another shape, naming it.
    """
    tables = [
        schema_of(schema).empty_table().to_pandas()
        if file is None
        else read_table(Path(file), schema_of(schema))
        for file, schema in files
    ]
    filled = [table for table in tables if len(table)] or tables[:1]
    return filled[0] if len(filled) == 1 else pd.concat(filled, ignore_index=True)


def made_of_tables(spec: Mapping[str, Any]) -> Any:
    """What the function of a declaration makes of its tables, by position, and settings, by name.

    spec: {"function", "tables", "settings"} and, of a figure, {"options", "files"}.
    """
    named = {**spec["settings"], **spec.get("options", {}), **spec.get("files", {})}
    return resolved(spec["function"])(*map(table_of, spec["tables"]), **named)


def derive(spec: Mapping[str, Any], path: Path, *, log: logging.Logger) -> None:
    """Writes a derived table; spec: of `made_of_tables`, with {"schema"}."""
    made = made_of_tables(spec)
    rows = made if isinstance(made, pd.DataFrame) else pd.DataFrame(list(made))
    write_table(rows, path, schema_of(spec["schema"]))
    log.info("%s: %d rows", path.stem, len(rows))
