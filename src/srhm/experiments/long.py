"""Tables that have several rows of one cell: from what is stored with it."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from srhm.experiments.outcome import tables_of
from srhm.results.store import read_cell


def long_rows(
    entries: Sequence[Mapping[str, Any]], *, store: Path, log: logging.Logger, experiment: str
) -> dict[str, list[dict[str, Any]]]:
    """Rows by table, each with the key of its cell.

    experiment: its function; without effect.

    Raises:
        FileNotFoundError, DamagedCell: as `store.read_cell`.
    """
    found = dict[str, list[dict[str, Any]]]()
    for entry in entries:
        for table, columns in tables_of(read_cell(store, entry["key"]).weights).items():
            own = found.setdefault(table, [])
            for values in zip(*columns.values(), strict=True):
                own.append({"key": entry["key"], **dict(zip(columns, values, strict=True))})
    for table, rows in found.items():
        log.info("%s: %d rows of %d cells", table, len(rows), len(entries))
    return found
