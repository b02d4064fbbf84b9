"""The cells of a curve, found in the store or trained: one loop for all trainers.

A trainer says which cells it trains together (a batch), and how many batches at a time. All else is
here: the store, checkpoints, requests to stop, failures, and what the log says.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from srhm.jobs.stopping import STOPPED, Stopped, StopRequest
from srhm.store.atomic import StorageError, check_writable
from srhm.store.cells import (
    DamagedCell,
    StoredCell,
    made_by_other_code,
    path_of,
    read_cell,
    write_cell,
)
from srhm.training.cell import TrainedCell
from srhm.training.checkpoints import Interrupted, Keeper, checkpoint_of, remove_checkpoint, resume
from srhm.training.protocol import Unresumable

# A cell to train: {"key", "source", "cell"}; cell: its coordinates.
Entry = Mapping[str, Any]
Batch = Sequence[Entry]


def one_by_one(entries: Sequence[Entry]) -> list[Batch]:
    """A batch for each cell, the largest P first.

    Those are rarely the shortest, and no thread should end alone with one.
    """
    return [[entry] for entry in sorted(entries, key=lambda e: e["cell"]["P"], reverse=True)]


def alone(train: Callable[..., TrainedCell]) -> Callable[..., list[TrainedCell]]:
    """What trains batches of one cell, made of what trains a cell of these coordinates."""
    return lambda batch, **options: [train(entry["cell"], **options) for entry in batch]


def _name(batch: Batch) -> str:
    """A batch for people: its place in the curve."""
    first = batch[0]["cell"]
    if len(batch) == 1:
        return f"the cell P = {first['P']}, seed {first['seed']}"
    return f"the batch P = {first['P']} of {len(batch)} members"


def _result(cells: Sequence[StoredCell]) -> str:
    """How the training of a batch has ended."""
    rows = [cell.row for cell in cells]
    first = rows[0]
    if len(rows) == 1:
        what = "steps" if "steps" in first else "evaluations"
        return (
            f"P = {first['P']}, seed {first['seed']}, {first['status']} after {first[what]} {what},"
            f" test error {first['test_error']:.3f}"
        )
    statuses, errors = [[row[name] for row in rows] for name in ("status", "test_error")]
    counts = ", ".join(f"{statuses.count(status)} {status}" for status in dict.fromkeys(statuses))
    seconds = sum(cell.timing["seconds"] for cell in cells)
    return (
        f"P = {first['P']}, {len(rows)} members in {seconds:.0f} s: {counts};"
        f" test errors {min(errors):.3f} to {max(errors):.3f}"
    )


@dataclass(frozen=True, kw_only=True)
class BatchTrainer:
    """What trains batches of cells: made by the function `prepare` of a trainer's module.

    train: (batch, start=snapshot or None, pause=Pause) -> a trained cell for each entry of it.
        Raises Unresumable if the start is not one of this training.
    versions: of packages and device, for rows that name none of their own.
    batches: cells that are missing -> batches, in the order of training.
    at_once: batches that are trained at a time; None: as many as there are threads. No more are
        begun, so that a request to stop leaves the others untouched.
    after: (error, batch, batches that wait) -> batches to train in place of these, after a failure;
        None: the failure stays.
    size: coordinates of a cell -> about how its time compares with that of the others.
    named, said: a batch, and what has come of its cells, for people.
    """

    train: Callable[..., list[TrainedCell]]
    versions: str
    batches: Callable[[Sequence[Entry]], list[Batch]] = one_by_one
    at_once: int | None = None
    after: Callable[[Exception, Batch, Sequence[Batch]], list[Batch] | None] = (
        lambda error, batch, waiting: None
    )
    size: Callable[[Mapping[str, Any]], float] = lambda cell: cell["P"]
    named: Callable[[Batch], str] = _name
    said: Callable[[Sequence[StoredCell]], str] = _result


def train_or_load(
    entries: Sequence[Entry],
    prepared: Callable[[], BatchTrainer],
    *,
    store: Path,
    checkpoints: Path,
    threads: int,
    keep_weights: bool,
    log: logging.Logger,
    stop: StopRequest,
    arrays_needed: bool = True,
) -> list[StoredCell]:
    """All cells of a curve, in the order given; those of a batch are stored as soon as it is done.

    Cells found whole in the store are not trained; damaged ones are trained again, with a message
    that names the file. A batch that fails does not keep the others from being trained.

    Args:
        entries: cells of the curve, or of a part of it.
        prepared: called where a cell is missing; what trains it.
        store: folder of the stored cells.
        checkpoints: folder of batches in training, each named by the key of its first cell.
        threads: batches that are trained at a time, unless the trainer says otherwise.
        keep_weights: whether cells are stored with their weights.
        log: where messages go.
        stop: request to stop, shared with those who make it.
        arrays_needed: whether a stored cell without weights is trained again, if they are kept.

    Raises:
        Stopped: when asked to stop, after each unfinished batch has left a checkpoint.
        StorageError: if a cell or checkpoint cannot be read now, or the place not be written to:
            before anything is trained, or other batches are stopped as above.
        Exception: of the first batch that fails, with a note that names it, after all others.
    """
    needed = keep_weights and arrays_needed
    place = _Place(store, checkpoints, keep_weights=keep_weights, needed=needed, log=log, stop=stop)
    cells = place.stored(entries)
    for key in cells:
        remove_checkpoint(checkpoints, key)
    missing = [entry for entry in entries if entry["key"] not in cells]
    log.info("%d cells: %d in the store, %d to train", len(entries), len(cells), len(missing))
    if not missing:
        return [cells[entry["key"]] for entry in entries]
    check_writable(store)
    trainer = prepared()
    at_once = trainer.at_once or threads
    waiting = trainer.batches(missing)
    progress = _Progress(trainer, missing)
    kept, failures = 0, list[Exception]()

    def work(batch: Batch) -> dict[str, StoredCell]:
        return place.trained(batch, trainer, threads=at_once)

    for batch, outcome in _outcomes(work, waiting, at_once=at_once):
        if not isinstance(outcome, Exception):
            cells |= outcome
            log.log(
                logging.WARNING
                if any(cell.row.get("status") == "diverged" for cell in outcome.values())
                else logging.INFO,
                "%s",
                progress.after(list(outcome.values())),
            )
        elif isinstance(outcome, Interrupted):
            kept += outcome.kept * len(batch)
        elif (instead := trainer.after(outcome, batch, waiting)) is not None:
            waiting[:] = instead
        else:
            name = trainer.named(batch)
            outcome.add_note(f"while training {name}, key {batch[0]['key']}")
            log.error("%s failed: %r", name, outcome)
            failures.append(outcome)
            if isinstance(outcome, StorageError):
                stop.ask(f"{store} cannot be written to or read")
    lacking = sum(entry["key"] not in cells for entry in entries)
    if stop.reason:
        log.warning(
            "stopped (%s): of %d cells %d are stored, %d go on from a checkpoint and %d from the"
            " beginning when the same command is given again",
            *(stop.reason, len(entries), len(cells), kept, lacking - kept),
        )
    if failures:
        raise failures[0]
    if lacking:
        raise Stopped(STOPPED)
    return [cells[entry["key"]] for entry in entries]


def result_rows(
    curve: str, entries: Sequence[Entry], cells: Sequence[StoredCell], **names: str
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of results and rows of times, each with the name of the curve and the cell's key.

    names: other names of the curve, for the rows of results.
    """
    identifiers = [{"curve": curve, "key": entry["key"]} for entry in entries]
    return (
        [{**names, **name, **cell.row} for name, cell in zip(identifiers, cells, strict=True)],
        [{**name, **cell.timing} for name, cell in zip(identifiers, cells, strict=True)],
    )


@dataclass(frozen=True)
class _Place:
    """Where cells are kept, finished and in training."""

    store: Path
    checkpoints: Path
    keep_weights: bool
    needed: bool
    log: logging.Logger
    stop: StopRequest

    def stored(self, entries: Sequence[Entry]) -> dict[str, StoredCell]:
        """By their keys, the cells that can be used as they are.

        A damaged file stays until the cell that is trained again replaces it: another process may
        have replaced it since it was read, and a whole file must not be removed.
        """
        usable = {}
        for key in (entry["key"] for entry in entries):
            try:
                cell = read_cell(self.store, key)
            except FileNotFoundError:
                continue
            except DamagedCell as damage:
                self.log.warning("trained again: %s", damage)
                continue
            if made_by_other_code(cell.row["versions"]):
                name = path_of(self.store, key).name
                self.log.info("trained again: %s was trained on a GPU by other code", name)
            elif cell.weights or not self.needed:
                usable[key] = cell
        return usable

    def trained(
        self, batch: Batch, trainer: BatchTrainer, *, threads: int
    ) -> dict[str, StoredCell]:
        """The cells of a batch by their keys, trained and stored.

        Raises:
            Interrupted: when asked to stop.
        """
        if self.stop.reason:
            key = batch[0]["key"]
            raise Interrupted(key, kept=checkpoint_of(self.checkpoints, key).is_file())
        # Another process, an orphan of an earlier run say, may have trained some of them meanwhile.
        cells = self.stored(batch)
        left = [entry for entry in batch if entry["key"] not in cells]
        if not left:
            return cells
        for entry, result in zip(left, self._trained(left, trainer), strict=True):
            stored = StoredCell(
                dict(entry["cell"]),
                row={"versions": trainer.versions, **result.row, "source": entry["source"]},
                timing={**result.timing, "threads": threads},
                weights=result.weights if self.keep_weights else {},
            )
            write_cell(self.store, entry["key"], stored)
            cells[entry["key"]] = stored
        remove_checkpoint(self.checkpoints, left[0]["key"])
        return cells

    def _trained(self, batch: Batch, trainer: BatchTrainer) -> list[TrainedCell]:
        """The cells of a batch, trained on from its checkpoint if there is one that fits."""
        key = batch[0]["key"]
        keeper = Keeper(self.checkpoints, key, self.stop, log=self.log)
        start = resume(self.checkpoints, key, log=self.log)
        if start:
            name, seconds = trainer.named(batch), start.seconds
            self.log.info("%s goes on from its checkpoint, %.0f s in", name, seconds)
            try:
                return trainer.train(batch, start=start, pause=keeper)
            except Unresumable as cause:
                # The file stays until the next checkpoint: the cause may be a lack of memory.
                path = checkpoint_of(self.checkpoints, key)
                what = "cell" if len(batch) == 1 else "batch"
                self.log.warning("%s cannot be resumed, the %s begins anew: %s", path, what, cause)
        return trainer.train(batch, start=None, pause=keeper)


class _Progress:
    """What the log says after each batch: its result, and when all are expected to be done."""

    def __init__(self, trainer: BatchTrainer, entries: Sequence[Entry]) -> None:
        self._begun, self._trainer = time.perf_counter(), trainer
        self._n_cells = len(entries)
        self._size = sum(trainer.size(entry["cell"]) for entry in entries)
        self._n_done, self._size_done = 0, 0.0

    def after(self, cells: Sequence[StoredCell]) -> str:
        """A line after these cells of a batch."""
        self._n_done += len(cells)
        self._size_done += sum(self._trainer.size(cell.cell) for cell in cells)
        spent = time.perf_counter() - self._begun
        left = spent * (self._size - self._size_done) / self._size_done
        return (
            f"cell {self._n_done} of {self._n_cells}: {self._trainer.said(cells)};"
            f" {spent:.0f} s so far, about {left:.0f} s left"
        )


def _outcomes(
    work: Callable[[Batch], dict[str, StoredCell]], waiting: list[Batch], *, at_once: int
) -> Iterator[tuple[Batch, dict[str, StoredCell] | Exception]]:
    """Each batch with its cells, or with its exception, as soon as it has ended.

    One at a time they are trained in this thread. `waiting` may be changed meanwhile.
    """

    def tried(batch: Batch) -> dict[str, StoredCell] | Exception:
        try:
            return work(batch)
        except Exception as error:  # noqa: BLE001
            return error

    if at_once == 1:
        while waiting:
            batch = waiting.pop(0)
            yield batch, tried(batch)
        return
    running: dict[Future[dict[str, StoredCell] | Exception], Batch] = {}
    with ThreadPoolExecutor(max_workers=at_once) as pool:
        while waiting or running:
            while waiting and len(running) < at_once:
                batch = waiting.pop(0)
                running[pool.submit(tried, batch)] = batch
            ended, _ = wait(running, return_when=FIRST_COMPLETED)
            for job in ended:
                yield running.pop(job), job.result()
