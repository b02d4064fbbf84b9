"""The cells of a curve of the plane: found in the store or trained, and read again to be measured.

A cell is stored as those of the core are: key, coordinates, row, times, final weights (float64),
and with them F on the test set. What decides a cell is in `srhm.flow.members`.
"""

import json
import logging
import socket
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, groupby
from pathlib import Path
from traceback import clear_frames
from typing import Any

import torch
from torch import Tensor

from srhm.flow.cost import expected_bytes
from srhm.flow.flow import Arrays
from srhm.flow.gpu import device_of, free_bytes, name_of
from srhm.flow.members import alpha_of, network_of, predictor_of, train_members
from srhm.flow.networks import Weights
from srhm.flow.predictor import Predictor
from srhm.flow.tables import COORDINATES
from srhm.flow.task import n_inputs
from srhm.results import provenance
from srhm.results.provenance import short_hash
from srhm.results.store import DamagedCell, StorageError, StoredCell, path_of, read_cell, write_cell
from srhm.runtime.stopping import STOPPED, Stopped, StopRequest
from srhm.training.cell import processor
from srhm.training.checkpoints import Interrupted, Keeper, checkpoint_of, remove_checkpoint, resume
from srhm.training.protocol import Snapshot

TEST_OUTPUTS = "test_outputs"
# Bytes that the training of a batch may need, where it has more than one member, on the CPU.
BATCH_BYTES = 1e9


@dataclass(frozen=True)
class TrainedMember:
    """One stored cell: weights (1, ...) by name, float64; test_outputs: F, (n_test, O)."""

    key: str
    cell: dict[str, Any]
    row: dict[str, Any]
    weights: Weights
    test_outputs: Tensor

    @property
    def predictor(self) -> Predictor:
        """F of this member alone."""
        return predictor_of([self.cell], self.weights)


def load(store: Path, entry: Mapping[str, Any]) -> TrainedMember:
    """A cell of the store.

    Raises:
        FileNotFoundError: if there is none.
        DamagedCell: if its file is cut, altered, or belongs to another key.
    """
    stored = read_cell(store, entry["key"])
    arrays = {name: torch.from_numpy(array) for name, array in stored.weights.items()}
    outputs = arrays.pop(TEST_OUTPUTS)
    order = network_of(stored.cell).weight_shapes()  # a file has its arrays in another one
    return TrainedMember(
        key=entry["key"],
        cell=stored.cell,
        row=stored.row,
        weights={name: arrays[name][None] for name in order},
        test_outputs=outputs,
    )


def stacked(members: Sequence[TrainedMember]) -> tuple[Predictor, Weights]:
    """F and final weights (E, ...) of members of one curve."""
    names = members[0].weights
    weights = {name: torch.cat([member.weights[name] for member in members]) for name in names}
    return predictor_of([member.cell for member in members], weights), weights


def batches(
    entries: Iterable[Mapping[str, Any]], *, room: float | None = None
) -> list[list[Mapping[str, Any]]]:
    """Entries of equal P in the order given, cut where a batch would not fit into memory.

    room: bytes that a batch of more than one member may be expected to take; None: BATCH_BYTES.
    """
    room = BATCH_BYTES if room is None else room
    found = []
    ordered = sorted(entries, key=lambda entry: entry["cell"]["P"])
    for _, group in groupby(ordered, key=lambda entry: entry["cell"]["P"]):
        members = list(group)
        n = max(1, int(room / expected_bytes(members[0]["cell"], members=1)))
        found += [members[i : i + n] for i in range(0, len(members), n)]
    return found


def coordinates_of(cell: Mapping[str, Any]) -> dict[str, Any]:
    """The coordinates of a cell as columns of the table of cells."""
    network = network_of(cell)
    own = {name: cell[name] for name in COORDINATES if name in cell}
    return {
        **own,
        "n_inputs": n_inputs(cell),
        "n_parameters": network.n_parameters,
        "n_weights": network.n_weights,
        "alpha": float(alpha_of([cell])[0]),
        "optimiser": cell["optimiser"]["name"],
        "settings": json.dumps(
            cell["optimiser"] | {k: cell[k] for k in ("loss_threshold", "slack")}
        ),
        "budget": cell["optimiser"]["max_evaluations"],
    }


def train_curve(
    entries: Sequence[Mapping[str, Any]],
    *,
    store: Path,
    log: logging.Logger,
    checkpoints: Path | None = None,
    stop: StopRequest | None = None,
    gpu: int = 0,
) -> list[StoredCell]:
    """All cells of a curve, in the order given; those that the store lacks are trained.

    Cells of equal P are trained at once, the smallest P first, and stored as soon as all of them
    are. A damaged cell is trained again, with a message that names its file. Where a batch does not
    fit the memory of a GPU, it and those after it are cut to half its size, with a warning.

    Args:
        entries: {"key", "source", "cell"} each, equal in all but P, alpha_tilde, seed, member.
        store: folder of the stored cells.
        log: where messages go.
        checkpoints: folder of batches in training; None: beside the store.
        stop: request to stop; None: nobody asks.
        gpu: 1 where the job has a GPU, on which then is trained (docs/gpu.md).

    Raises:
        NoDevice: if there is something to train, on a GPU, and torch sees none.
        Stopped: when asked to stop, after the batch in training has left a checkpoint.
        StorageError: if the place cannot be written to.
        Exception: of the first batch that fails, with a note that names it, after all others.
    """
    stop = stop or StopRequest()
    checkpoints = checkpoints or store.parent / "checkpoints"
    found: dict[str, StoredCell] = {}
    for entry in entries:
        stored = _stored(store, entry["key"], log)
        if stored:
            found[entry["key"]] = stored
            remove_checkpoint(checkpoints, entry["key"])
    missing = [entry for entry in entries if entry["key"] not in found]
    log.info("%d cells: %d in the store, %d to train", len(entries), len(found), len(missing))
    device = device_of(gpu if missing else 0)
    room = BATCH_BYTES if device.type == "cpu" else free_bytes(device)
    kept, failures = False, list[Exception]()
    waiting = batches(missing, room=room)
    while waiting:
        batch = waiting.pop(0)
        if stop.reason is not None:
            continue
        # The job of another study may have trained them since.
        for key in [e["key"] for e in batch if path_of(store, e["key"]).is_file()]:
            if stored := _stored(store, key, log):
                found[key] = stored
        batch = [entry for entry in batch if entry["key"] not in found]
        if not batch:
            continue
        try:
            found |= _train_batch(
                batch, device=device, store=store, checkpoints=checkpoints, stop=stop, log=log
            )
        except Interrupted as interruption:
            kept = interruption.kept
        except StorageError:
            raise
        except Exception as error:  # noqa: BLE001
            P = batch[0]["cell"]["P"]
            clear_frames(error.__traceback__)  # they hold the batch's tensors
            if isinstance(error, torch.cuda.OutOfMemoryError) and len(batch) > 1:
                size = len(batch) // 2
                log.warning(
                    "P = %d: out of memory with %d members at once, now %d", P, len(batch), size
                )
                room = (size + 0.5) * expected_bytes(batch[0]["cell"], members=1)
                waiting = batches(chain(batch, *waiting), room=room)
                continue
            error.add_note(f"in the batch P = {P} of {len(batch)} members, {batch[0]['key']} first")
            log.error("the batch P = %d of %d members failed: %r", P, len(batch), error)
            failures.append(error)
    if failures:
        raise failures[0]
    if len(found) < len(entries):
        log.warning(
            "stopped (%s): of %d cells %d are stored; %s when the same command is given again",
            *(stop.reason, len(entries), len(found)),
            "the batch in training goes on from its checkpoint" if kept else "the others begin",
        )
        raise Stopped(STOPPED)
    return [found[entry["key"]] for entry in entries]


def _train_batch(
    batch: Sequence[Mapping[str, Any]],
    *,
    device: torch.device,
    store: Path,
    checkpoints: Path,
    stop: StopRequest,
    log: logging.Logger,
) -> dict[str, StoredCell]:
    """Trains and stores the members of one batch."""
    # Named by the first member, so that it is known from the plan alone whose checkpoint it is.
    key = batch[0]["key"]
    position = {"members": short_hash([entry["key"] for entry in batch]), "device": device.type}
    cells = [entry["cell"] for entry in batch]
    snapshot = resume(checkpoints, key, log=log)
    if snapshot and snapshot.position != position:
        # A training has the bits of one kind of device.
        other = "other members"
        if (made_on := snapshot.position.get("device")) != device.type:
            other = f"a training on {made_on}, not on {device.type}"
        log.warning("%s is of %s, they begin anew", checkpoint_of(checkpoints, key), other)
        snapshot = None
    if snapshot:
        log.info("P = %d goes on from its checkpoint, %.0f s in", cells[0]["P"], snapshot.seconds)
    keeper = Keeper(checkpoints, key, stop, log=log)
    begun, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.perf_counter()
    before = snapshot.seconds if snapshot else 0.0

    def seconds() -> float:
        return before + time.perf_counter() - clock

    def pause(arrays: Callable[[], Arrays]) -> None:
        keeper(lambda: Snapshot(position, arrays(), seconds()))

    start = snapshot.engine if snapshot else None
    try:
        trained = train_members(cells, device=device, pause=pause, start=start)
    except (KeyError, ValueError, RuntimeError) as misfit:
        if snapshot is None or isinstance(misfit, torch.cuda.OutOfMemoryError):
            raise
        log.warning("%s does not fit (%r), P = %d begins anew", *(
            checkpoint_of(checkpoints, key), misfit, cells[0]["P"]
        ))  # fmt: skip
        before = 0.0
        trained = train_members(cells, device=device, pause=pause)
    versions, made_by = provenance.versions(("numpy", "torch")), processor()
    if device.type != "cpu":
        made_by = name_of(device)
        versions += f" on {made_by}"
    total = sum(row["evaluations"] for row in trained.rows)
    found = {}
    for e, (entry, row) in enumerate(zip(batch, trained.rows, strict=True)):
        # Of the batch's time each member has the part that its evaluations are.
        timing = {
            "seconds": seconds() * row["evaluations"] / max(total, 1),
            "evaluations": row["evaluations"],
            "started": begun,
            "host": socket.gethostname(),
            "processor": made_by,
            "threads": 1,
        }
        weights = {name: array[e].numpy() for name, array in trained.weights.items()}
        stored = StoredCell(
            dict(entry["cell"]),
            row={
                **coordinates_of(entry["cell"]),
                **row,
                "source": entry["source"],
                "versions": versions,
            },
            timing=timing,
            weights={**weights, TEST_OUTPUTS: trained.test_outputs[e].numpy()},
        )
        write_cell(store, entry["key"], stored)
        found[entry["key"]] = stored
    remove_checkpoint(checkpoints, key)
    statuses = [row["status"] for row in trained.rows]
    log.info(
        "P = %d, %d members in %.0f s: %s; test errors %.3f to %.3f",
        *(cells[0]["P"], len(cells), seconds()),
        ", ".join(f"{statuses.count(status)} {status}" for status in dict.fromkeys(statuses)),
        *(pick(row["test_error"] for row in trained.rows) for pick in (min, max)),
    )
    return found


def rows_of(
    study: str, curve: str, entries: Sequence[Mapping[str, Any]], cells: Sequence[StoredCell]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of PLANE_CELLS and of PLANE_TIMINGS."""
    names = [{"curve": curve, "key": entry["key"]} for entry in entries]
    return (
        [{"study": study, **name, **cell.row} for name, cell in zip(names, cells, strict=True)],
        [{**name, **cell.timing} for name, cell in zip(names, cells, strict=True)],
    )


def _stored(store: Path, key: str, log: logging.Logger) -> StoredCell | None:
    try:
        return read_cell(store, key)
    except FileNotFoundError:
        return None
    except DamagedCell as damage:
        log.warning("trained again: %s", damage)
        return None
