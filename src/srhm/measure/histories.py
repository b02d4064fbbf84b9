"""Histories of trainings: loss, training and test error against time, as the cells keep them."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from srhm.flow.members import HISTORY
from srhm.measure.members import members_of

WHOLE = ("evaluations", "n_unsatisfied")


def read_histories(
    entries: Sequence[Mapping[str, Any]], *, store: Path, log: logging.Logger
) -> list[dict[str, Any]]:
    """Rows of HISTORIES without the curve, in order of time for each cell that keeps its history.

    The last row of a cell is its end. Of one that diverged the last numbers may be NaN.

    Raises:
        MissingMember: if the store lacks a cell.
    """
    table = []
    for member in members_of(entries, store=store):
        if member.history is None:
            continue
        for numbers in member.history.tolist():
            row = dict(zip(HISTORY, numbers, strict=True))
            table.append({"key": member.key, **row, **{name: int(row[name]) for name in WHOLE}})
    log.info("%d states of %d trainings", len(table), len(entries))
    return table
