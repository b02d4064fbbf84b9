"""Trained cells of a curve -> its files of rows and of times."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from srhm.results.records import write_table
from srhm.results.store import StoredCell
from srhm.results.tables import SCHEMAS


def write_curve(
    spec: Mapping[str, Any], cells: Sequence[StoredCell], rows: Path, timings: Path
) -> None:
    """Writes both files; the rows last, as their file stands for the curve.

    spec: {"curve", "cells", "columns", "schemas"}; cells in the order of spec["cells"].
    """
    names = [{"curve": spec["curve"], "key": entry["key"]} for entry in spec["cells"]]
    pairs = list(zip(names, cells, strict=True))
    own = spec["columns"]
    write_table(
        [{**name, **cell.timing} for name, cell in pairs],
        timings,
        SCHEMAS[spec["schemas"]["timings"]],
    )
    write_table(
        [{**own, **name, **cell.row} for name, cell in pairs],
        rows,
        SCHEMAS[spec["schemas"]["cells"]],
    )
