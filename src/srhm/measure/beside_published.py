"""What is measured of a curve some cells of which are published rows: of the other cells alone.

Rows of a cell of a `CellMeasurement` are the same without the others.
"""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from srhm.measure.any_measurement import Rows, measured_rows
from srhm.results.published_measurements import published_rows
from srhm.results.tables import schema_of


def measure_lacking(
    entries: Sequence[Mapping[str, Any]],
    *,
    measurement: Mapping[str, Any],
    published: str,
    order: Sequence[str],
    store: Path,
    log: logging.Logger,
    derivations: Path | str = "",
    gpu: int = 0,
    **inputs: Any,
) -> Rows:
    """Rows by table in this order of keys, without the curve and the columns that it gives.

    entries: the cells that are trained here. measurement: what a spec of `any_measurement` says of
    it. published: folder of the rows of all other keys. All else: as the measurement gets it.

    Raises:
        PublicationError: if published rows are damaged.
    """
    spec = {**measurement, "cells": entries, "inputs": inputs}
    samples = [str(derivations)] if derivations else []
    own: Rows = {}
    if entries:
        own = measured_rows(spec, derivations=samples, store=store, log=log, gpu=gpu)
    others = set(order) - {entry["key"] for entry in entries}
    place = {key: i for i, key in enumerate(order)}
    found = {}
    for table, name in spec["tables"]:
        taken = published_rows(Path(published), table, schema_of(name), keys=others)
        given = {"curve", *spec["columns"]}
        rows = [{k: v for k, v in row.items() if k not in given} for row in taken]
        found[table] = sorted([*own.get(table, ()), *rows], key=lambda row: place[row["key"]])
    log.info("%d cells measured here, rows of %d are published", len(entries), len(others))
    return found
