"""The cells of a curve of experiments: found in the store or computed, by the one loop."""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from srhm.experiments.outcome import DONE, Outcome
from srhm.names import resolved
from srhm.results import provenance
from srhm.training.cell import TrainedCell
from srhm.training.clock import Clock
from srhm.training.loop import Batch, BatchTrainer, Entry
from srhm.training.protocol import Pause, Snapshot

PACKAGES = ("numpy", "scipy", "scikit-learn", "torch")


def prepare(
    entries: Sequence[Entry], *, inputs: Mapping[str, Any], device: str, log: logging.Logger
) -> BatchTrainer:
    """What computes the cells of a curve, each in one piece.

    inputs: experiment: its function, "package.module:function". device: without effect.
    """
    return BatchTrainer(
        train=partial(_computed, function=resolved(inputs["experiment"])),
        versions=provenance.versions(PACKAGES),
        batches=lambda missing: [[entry] for entry in missing],
        size=lambda cell: 1.0,
        named=lambda batch: f"the cell {_text(batch[0]['cell'])}",
        said=lambda cells: "; ".join(f"{_text(cell.cell)}: {cell.row['status']}" for cell in cells),
    )


def _computed(
    batch: Batch,
    *,
    start: Snapshot | None,
    pause: Pause,
    function: Callable[[Mapping[str, Any]], Outcome],
) -> list[TrainedCell]:
    (entry,) = batch
    clock = Clock(None)
    outcome = function(entry["cell"])
    row = {**entry["cell"], "status": DONE, **outcome.row}
    return [TrainedCell(row, clock.timing(), outcome.arrays())]


def _text(cell: Mapping[str, Any]) -> str:
    """A cell for people."""
    return ", ".join(f"{name} = {value}" for name, value in cell.items())
