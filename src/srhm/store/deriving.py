"""From tables of studies to a derived table or a figure, by the function that a study names."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from srhm.declare.names import resolved
from srhm.store.records import read_table, write_table
from srhm.store.tables import schema_of

# Files whose rows are put together, each with the name of its schema. None in place of a file: the
# preset does not have that study, so that there are no rows.
Files = Sequence[tuple[str | None, str]]


def table_of(files: Files) -> pd.DataFrame:
    """The rows of all files, in order. Without rows it has the columns of the first file.

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
    """What the function of a declaration makes of its tables.

    It gets these by position, and all else by name. spec: {"function", "tables", "settings",
    "files"}; for a figure also {"options"}.
    """
    named = {**spec["settings"], **spec.get("options", {}), **spec.get("files", {})}
    return resolved(spec["function"])(*map(table_of, spec["tables"]), **named)


def write_derived(spec: Mapping[str, Any], path: Path, *, log: logging.Logger) -> None:
    """Writes a derived table. spec: as for `made_of_tables`, and {"schema"}."""
    made = made_of_tables(spec)
    rows = made if isinstance(made, pd.DataFrame) else pd.DataFrame(list(made))
    write_table(rows, path, schema_of(spec["schema"]))
    log.info("%s: %d rows", path.stem, len(rows))
