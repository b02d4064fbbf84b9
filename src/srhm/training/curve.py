"""The cells of one learning curve: found in the store or trained, several at a time.

`train_cells` does so for cells of any kind, networks on images too; `train_curve` for the SRHM's.
"""

import logging
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from srhm.model.sampling import Derivations
from srhm.results import provenance
from srhm.results.store import DamagedCell, StorageError, StoredCell, path_of, read_cell, write_cell
from srhm.runtime.no_device import NoDevice
from srhm.runtime.stopping import STOPPED, Stopped, StopRequest
from srhm.training.cell import TrainedCell, train_cell
from srhm.training.checkpoints import Interrupted, Keeper, checkpoint_of, remove_checkpoint, resume
from srhm.training.protocol import Unresumable

# The engine of VGG, ResNet and EfficientNet, and of nothing else.
NAMED_ENGINE = "torch"
# By name, so that the fast engine does not pay for torch. A cell's digest covers its own engine.
ENGINES = {
    "reference": ("srhm.training.reference", "ReferenceEngine", ("numpy", "torch")),
    "sparse": ("srhm.training.sparse", "SparseEngine", ("numpy", "numba")),
    NAMED_ENGINE: ("srhm.training.network", "NetworkEngine", ("numpy", "torch")),
}
# The engine of LCN, CNN and FCN that has a form for GPUs.
PACKABLE = "sparse"
# Forms of engines for GPUs, under the same keys: they train the cells of a curve together.
GPU_FORMS = {
    PACKABLE: ("srhm.training.packed", "PackedTraining", ("numpy", "torch", "triton")),
    NAMED_ENGINE: ("srhm.training.stacked", "StackedTraining", ("numpy", "torch")),
}
# What the rows of those forms say in their versions: the module, and the digest of its code.
ON_GPU = re.compile(r"\b(packed|stacked) ([0-9a-f]+) (?:of \d+ )?on ")

# Trains one cell: (its coordinates, start=snapshot or None, pause=Pause) -> row, times, weights.
Train = Callable[..., TrainedCell]


class Trainer(NamedTuple):
    """What trains cells: one of them, packages whose versions belong into its row, how many.

    together: cells that it trains at a time; None: as many as there are threads. No more are
    started, so that a request to stop finds the others where they were.
    """

    train: Train
    packages: Sequence[str]
    together: int | None = None


def train_curve(
    entries: Sequence[Mapping[str, Any]],
    samples: Mapping[tuple[int, str], Derivations],
    *,
    store: Path,
    threads: int,
    keep_weights: bool,
    log: logging.Logger,
    checkpoints: Path | None = None,
    stop: StopRequest | None = None,
    gpu: int = 0,
) -> list[StoredCell]:
    """All cells of a curve of the SRHM, in the order given; see `train_cells`.

    samples: training and test data by seed and part. All cells are of one engine.
    gpu: 1 where the job has a GPU: cells of engines that have a form for GPUs are trained there,
    many together (docs/gpu.md); those of other engines as without one.
    """
    cells = [entry["cell"] for entry in entries]
    engine = cells[0]["engine"]
    on_gpu = gpu == 1 and engine in GPU_FORMS

    def gpu_training() -> Trainer:
        module, name, packages = GPU_FORMS[engine]
        # Here, so that nobody else pays for torch and triton.
        try:
            make_training = getattr(import_module(module), name)
        except ModuleNotFoundError as missing:
            raise NoDevice(
                f"gpu = 1, but {missing.name} is not installed; a torch with CUDA brings it"
                " (docs/gpu.md), and gpu = 0 trains without it"
            ) from missing

        training = make_training(cells, log)

        def train(cell: Mapping[str, Any], **options: Any) -> TrainedCell:
            sample = (samples[cell["seed"], "train"], samples[cell["seed"], "test"])
            return training.train(cell, *sample, **options)

        return Trainer(train, packages, together=training.size)

    def prepared() -> Trainer:
        module, name, packages = ENGINES[engine]
        make_engine = getattr(import_module(module), name)

        def train(cell: Mapping[str, Any], **options: Any) -> TrainedCell:
            sample = (samples[cell["seed"], "train"], samples[cell["seed"], "test"])
            return train_cell(cell, *sample, make_engine=make_engine, **options)

        return Trainer(train, packages)

    return train_cells(
        entries,
        gpu_training if on_gpu else prepared,
        store=store,
        threads=threads,
        keep_weights=keep_weights,
        log=log,
        checkpoints=checkpoints,
        stop=stop,
    )


def train_cells(
    entries: Sequence[Mapping[str, Any]],
    prepared: Callable[[], Trainer],
    *,
    store: Path,
    threads: int,
    keep_weights: bool,
    log: logging.Logger,
    checkpoints: Path | None = None,
    stop: StopRequest | None = None,
) -> list[StoredCell]:
    """All cells of a curve, in the order given, each stored as soon as it is trained.

    Cells found whole in the store are not trained; damaged ones are trained again, with a message
    that names the file. A cell that fails does not keep the others from being trained.

    Args:
        entries: {"key", "source", "cell"} each.
        prepared: called where a cell is missing; what trains it.
        store: folder of the stored cells.
        threads: cells that are trained at a time.
        keep_weights: whether stored cells need their weights.
        log: where messages go.
        checkpoints: folder of cells in training; None: beside the store.
        stop: request to stop, shared with those who make it; None: nobody asks.

    Raises:
        Stopped: when asked to stop, after each unfinished cell has left a checkpoint.
        StorageError: if the place cannot be written to; other cells are stopped as above.
        Exception: of the first cell that fails, with a note that names it, after all others.
    """
    stop = stop or StopRequest()
    checkpoints = checkpoints or store.parent / "checkpoints"
    found: dict[str, StoredCell] = {}
    for entry in entries:
        stored = _stored(store, entry["key"], keep_weights=keep_weights, log=log)
        if stored:
            found[entry["key"]] = stored
            remove_checkpoint(checkpoints, entry["key"])
    missing = [entry for entry in entries if entry["key"] not in found]
    log.info("%d cells: %d in the store, %d to train", len(entries), len(found), len(missing))
    if not missing:
        return [found[entry["key"]] for entry in entries]
    # The largest first: they are rarely the shortest, and no thread should end alone with one.
    missing.sort(key=lambda entry: entry["cell"]["P"], reverse=True)
    train, packages, together = prepared()
    threads = together or threads
    versions = provenance.versions(packages)

    def work(entry: Mapping[str, Any]) -> StoredCell:
        key, cell = entry["key"], entry["cell"]
        if stop.reason:
            raise Interrupted(key, kept=checkpoint_of(checkpoints, key).is_file())
        # Another process, an orphan of an earlier run say, may have trained it meanwhile.
        stored = _stored(store, key, keep_weights=keep_weights, log=log)
        if stored:
            return stored
        start = resume(checkpoints, key, log=log)
        if start:
            log.info("%s goes on from its checkpoint, %.0f s in", _name(cell), start.seconds)
        keeper = Keeper(checkpoints, key, stop, log=log)
        try:
            trained = train(cell, start=start, pause=keeper)
        except Unresumable as cause:
            # The file stays until the next checkpoint: the cause may be a lack of memory.
            path = checkpoint_of(checkpoints, key)
            log.warning("%s cannot be resumed, the cell begins anew: %s", path, cause)
            trained = train(cell, start=None, pause=keeper)
        stored = StoredCell(
            dict(cell),
            row={"versions": versions, **trained.row, "source": entry["source"]},
            timing={**trained.timing, "threads": threads},
            weights=trained.weights if keep_weights else {},
        )
        write_cell(store, key, stored)
        remove_checkpoint(checkpoints, key)
        return stored

    begun, points = time.perf_counter(), sum(entry["cell"]["P"] for entry in missing)
    done, kept, failures = 0, 0, []
    pool = ThreadPoolExecutor(max_workers=threads)
    try:
        jobs = {pool.submit(work, entry): entry for entry in missing}
        for job in as_completed(jobs):
            key, cell = jobs[job]["key"], jobs[job]["cell"]
            error = job.exception()
            if isinstance(error, Interrupted):
                kept += error.kept
                continue
            if error:
                error.add_note(f"while training {_name(cell)}, key {key}")
                log.error("%s failed: %r", _name(cell), error)
                failures.append(error)
                if isinstance(error, StorageError):
                    stop.ask(f"{store} cannot be written to")
                continue
            found[key] = job.result()
            row = found[key].row
            done += row["P"]
            spent = time.perf_counter() - begun
            log.info(
                "cell %d of %d: P = %d, seed %d, %s after %d steps, test error %.3f;"
                " %.0f s so far, about %.0f s left",
                *(len(missing) - _n_lacking(missing, found), len(missing)),
                *(row["P"], row["seed"], row["status"], row["steps"]),
                *(row["test_error"], spent, spent * (points - done) / done),
            )
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    lacking = _n_lacking(entries, found)
    if stop.reason:
        log.warning(
            "stopped (%s): of %d cells %d are stored, %d go on from a checkpoint and %d from the"
            " beginning when the same command is given again",
            *(stop.reason, len(entries), len(found), kept, lacking - kept),
        )
    if failures:
        raise failures[0]
    if lacking:
        raise Stopped(STOPPED)
    return [found[entry["key"]] for entry in entries]


def _stored(store: Path, key: str, *, keep_weights: bool, log: logging.Logger) -> StoredCell | None:
    """The cell of a key if it can be used as it is.

    A damaged file stays until the cell that is trained again replaces it: another process may have
    replaced it since it was read, and a whole file must not be removed.
    """
    try:
        stored = read_cell(store, key)
    except FileNotFoundError:
        return None
    except DamagedCell as damage:
        log.warning("trained again: %s", damage)
        return None
    if made_by_other_code(stored.row["versions"]):
        log.info("trained again: %s was trained on a GPU by other code", path_of(store, key).name)
        return None
    return stored if stored.weights or not keep_weights else None


def made_by_other_code(versions: str) -> bool:
    """Whether a row's `versions` name a form for GPUs whose code has been changed since."""
    form = ON_GPU.search(versions)
    if form is None:
        return False
    return form[2] != provenance.source_digest(Path(__file__).with_name(f"{form[1]}.py"))


def _name(cell: Mapping[str, Any]) -> str:
    """A cell for people: its place in the curve."""
    return f"the cell P = {cell['P']}, seed {cell['seed']}"


def _n_lacking(entries: Iterable[Mapping[str, Any]], found: Mapping[str, StoredCell]) -> int:
    return sum(entry["key"] not in found for entry in entries)


def rows_of(
    curve: str, entries: Sequence[Mapping[str, Any]], cells: Sequence[StoredCell]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of results and rows of times, each with the name of the curve and the cell's key."""
    names = [{"curve": curve, "key": entry["key"]} for entry in entries]
    return (
        [{**name, **cell.row} for name, cell in zip(names, cells, strict=True)],
        [{**name, **cell.timing} for name, cell in zip(names, cells, strict=True)],
    )
