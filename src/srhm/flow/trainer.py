"""The cells of a flow curve: found in the store or trained, and read again to be measured.

A cell is stored as those of the core are: key, coordinates, row, times, final weights (float64),
and with them F on the test set. What decides a cell is in `srhm.flow.cell`.
"""

import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, groupby
from traceback import clear_frames
from typing import Any

import torch

from srhm.flow.cell import alpha_of, network_of, train_members
from srhm.flow.cost import BATCH_BYTES, expected_bytes
from srhm.flow.descents import Arrays
from srhm.flow.task import n_inputs
from srhm.store import provenance
from srhm.store.provenance import short_hash
from srhm.store.tables import FLOW_COORDINATES
from srhm.training.cell import Clock, TrainedCell
from srhm.training.loop import Batch, BatchTrainer, Entry
from srhm.training.protocol import Pause, Snapshot, Unresumable

TEST_OUTPUTS = "test_outputs"
HISTORIES = "history"
# Of the free memory of a GPU, what the expected bytes of a batch may take: the expectation is a
# rule of thumb (0.6 to 1.4 times what was measured), and libraries and fragments need some.
SHARE_OF_MEMORY = 0.5


def batches(entries: Iterable[Entry], *, room: float) -> list[Batch]:
    """Entries of equal P in the order given, cut where a batch would not fit into memory.

    room: bytes that a batch of more than one member may be expected to take.
    """
    in_batches = list[Batch]()
    ordered = sorted(entries, key=lambda entry: entry["cell"]["P"])
    for _, group in groupby(ordered, key=lambda entry: entry["cell"]["P"]):
        members = list(group)
        n = max(1, int(room / expected_bytes(members[0]["cell"])))
        in_batches += [members[i : i + n] for i in range(0, len(members), n)]
    return in_batches


def columns_of(cell: Mapping[str, Any]) -> dict[str, Any]:
    """The coordinates of a cell as columns of the table of cells."""
    network = network_of(cell)
    coordinates = {name: cell[name] for name in FLOW_COORDINATES if name in cell}
    return {
        **coordinates,
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


def prepare(
    entries: Sequence[Entry], *, inputs: Mapping[str, Any], device: str, log: logging.Logger
) -> BatchTrainer:
    """What trains the members of a curve in batches of equal P, the smallest P first.

    Where a batch does not fit the memory of a GPU, it and those after it are cut to half its size,
    with a warning.

    Args:
        entries: equal in all but P, alpha_tilde, seed, member.
        inputs: none; the data are drawn from the coordinates.
        device: "cpu", or "cuda": the job's GPU (docs/gpu.md).
        log: where messages go.
    """
    room, versions, made_by = BATCH_BYTES, provenance.versions(("numpy", "torch")), None
    if device != "cpu":
        torch.cuda.empty_cache()  # what earlier batches have left counts as free
        room = SHARE_OF_MEMORY * torch.cuda.mem_get_info()[0]
        made_by = torch.cuda.get_device_name()
        versions += f" on {made_by}"

    def smaller(error: Exception, batch: Batch, waiting: Sequence[Batch]) -> list[Batch] | None:
        clear_frames(error.__traceback__)  # they hold the batch's tensors
        if not isinstance(error, torch.cuda.OutOfMemoryError) or len(batch) == 1:
            return None
        size, cell = len(batch) // 2, batch[0]["cell"]
        log.warning(
            "P = %d: out of memory with %d members at once, now %d", cell["P"], len(batch), size
        )
        room = (size + 0.5) * expected_bytes(cell)
        return batches(chain(batch, *waiting), room=room)

    return BatchTrainer(
        train=partial(_train_batch, device=torch.device(device), made_by=made_by),
        versions=versions,
        batches=partial(batches, room=room),
        at_once=1,
        after=smaller,
    )


def _train_batch(
    batch: Batch,
    *,
    start: Snapshot | None,
    pause: Pause,
    device: torch.device,
    made_by: str | None,
) -> list[TrainedCell]:
    """Trains the members of one batch. made_by: name of the GPU; None: the processor's.

    Raises:
        Unresumable: if the start is of other members, another kind of device, or does not fit.
    """
    position = {"members": short_hash([entry["key"] for entry in batch]), "device": device.type}
    if start and start.position != position:
        # A training has the bits of one kind of device.
        if (made_on := start.position.get("device")) != device.type:
            raise Unresumable(f"it is of a training on {made_on}, not on {device.type}")
        raise Unresumable("it is of other members")
    cells, clock = [entry["cell"] for entry in batch], Clock(start)

    def keep(arrays: Callable[[], Arrays]) -> None:
        pause(lambda: Snapshot(position, arrays(), clock.seconds))

    engine = start.engine if start else None
    try:
        trained = train_members(cells, device=device, pause=keep, start=engine)
    except (KeyError, ValueError, RuntimeError) as misfit:
        if start is None or isinstance(misfit, torch.cuda.OutOfMemoryError):
            raise
        raise Unresumable(f"it does not fit ({misfit!r})") from misfit
    total = sum(row["evaluations"] for row in trained.rows)
    trained_cells = []
    for e, (cell, row) in enumerate(zip(cells, trained.rows, strict=True)):
        timing = clock.timing(evaluations=row["evaluations"])
        # Of the batch's time each member has the part that its evaluations are.
        timing["seconds"] *= row["evaluations"] / max(total, 1)
        timing["processor"] = made_by or timing["processor"]
        weights = {name: array[e].numpy() for name, array in trained.weights.items()}
        weights[TEST_OUTPUTS] = trained.test_outputs[e].numpy()
        if (history := trained.histories[e]) is not None:
            weights[HISTORIES] = history
        trained_cells.append(TrainedCell({**columns_of(cell), **row}, timing, weights))
    return trained_cells
