"""The cells of a curve of experiments: found in the store or computed, by the one loop."""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from srhm.experiments.outcome import DONE, Outcome
from srhm.names import resolved
from srhm.results import provenance
from srhm.results.store import StoredCell
from srhm.runtime.stopping import StopRequest
from srhm.training.cell import TrainedCell
from srhm.training.clock import Clock
from srhm.training.loop import Batch, Entry, Trainer, train_or_load
from srhm.training.protocol import Pause, Snapshot

PACKAGES = ("numpy", "scipy", "scikit-learn", "torch")


def train_entries(
    entries: Sequence[Entry],
    *,
    inputs: Mapping[str, Any],
    store: Path,
    checkpoints: Path,
    threads: int,
    keep_weights: bool,
    log: logging.Logger,
    stop: StopRequest,
    gpu: int,
) -> list[StoredCell]:
    """All cells of a curve, in the order given; see `loop.train_or_load`.

    Args:
        entries: {"key", "source", "cell"} each.
        inputs: experiment: its function, "package.module:function".
        store: folder of the stored cells.
        checkpoints: without effect: a cell is computed in one piece.
        threads: cells that are computed at a time.
        keep_weights: without effect: the long tables of a cell are kept with it.
        log: where messages go.
        stop: request to stop; what is being computed is finished first.
        gpu: without effect.

    Raises:
        Exception: as `loop.train_or_load`.
    """

    def prepared() -> Trainer:
        return Trainer(
            train=partial(_computed, function=resolved(inputs["experiment"])),
            versions=provenance.versions(PACKAGES),
            batches=lambda missing: [[entry] for entry in missing],
            size=lambda cell: 1.0,
            named=lambda batch: f"the cell {_text(batch[0]['cell'])}",
            said=lambda cells: "; ".join(
                f"{_text(cell.cell)}: {cell.row['status']}" for cell in cells
            ),
        )

    return train_or_load(
        entries,
        prepared,
        store=store,
        checkpoints=checkpoints,
        threads=threads,
        keep_weights=True,
        log=log,
        stop=stop,
        arrays_needed=False,
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
