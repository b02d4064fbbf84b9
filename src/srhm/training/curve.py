"""The cells of one learning curve: found in the store or trained, several at a time."""

import logging
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib import import_module
from pathlib import Path
from typing import Any

from srhm import provenance
from srhm.sampling import Derivations
from srhm.store import DamagedCell, StoredCell, path_of, read_cell, write_cell
from srhm.training.cell import train_cell

# By name, so that the fast engine does not pay for torch. A cell's digest covers its own engine.
ENGINES = {
    "reference": ("srhm.training.reference", "ReferenceEngine", ("numpy", "torch")),
    "sparse": ("srhm.training.sparse", "SparseEngine", ("numpy", "numba")),
}


def train_curve(
    entries: Sequence[Mapping[str, Any]],
    samples: Mapping[tuple[int, str], Derivations],
    *,
    store: Path,
    threads: int,
    keep_weights: bool,
    log: logging.Logger,
) -> list[StoredCell]:
    """All cells of a curve, in the order given, each stored as soon as it is trained.

    entries: {"key", "source", "cell"} each; all cells of one engine. Cells found whole in the store
    are not trained; damaged ones are trained again, with a message that names the file.
    """
    found: dict[str, StoredCell] = {}
    for entry in entries:
        try:
            stored = read_cell(store, entry["key"])
        except FileNotFoundError:
            continue
        except DamagedCell as damage:
            log.warning("trained again: %s", damage)
            path_of(store, entry["key"]).unlink(missing_ok=True)
            continue
        if stored.weights or not keep_weights:
            found[entry["key"]] = stored
    missing = [entry for entry in entries if entry["key"] not in found]
    log.info("%d cells: %d in the store, %d to train", len(entries), len(found), len(missing))
    if not missing:
        return [found[entry["key"]] for entry in entries]
    # The largest first: they are rarely the shortest, and no thread should end alone with one.
    missing.sort(key=lambda entry: entry["cell"]["P"], reverse=True)
    module, name, packages = ENGINES[missing[0]["cell"]["engine"]]
    make_engine = getattr(import_module(module), name)
    versions = provenance.versions(packages)

    def work(entry: Mapping[str, Any]) -> tuple[str, StoredCell]:
        cell = entry["cell"]
        sample = (samples[cell["seed"], "train"], samples[cell["seed"], "test"])
        trained = train_cell(cell, *sample, make_engine=make_engine)
        stored = StoredCell(
            dict(cell),
            row={**trained.row, "source": entry["source"], "versions": versions},
            timing={**trained.timing, "threads": threads},
            weights=trained.weights if keep_weights else {},
        )
        write_cell(store, entry["key"], stored)
        return entry["key"], stored

    begun, points = time.perf_counter(), sum(entry["cell"]["P"] for entry in missing)
    done = 0
    pool = ThreadPoolExecutor(max_workers=threads)
    try:
        jobs = [pool.submit(work, entry) for entry in missing]
        for count, job in enumerate(as_completed(jobs), start=1):
            key, found[key] = job.result()
            row = found[key].row
            done += row["P"]
            spent = time.perf_counter() - begun
            log.info(
                "cell %d of %d: P = %d, seed %d, %s after %d steps, test error %.3f;"
                " %.0f s so far, about %.0f s left",
                *(count, len(missing), row["P"], row["seed"], row["status"], row["steps"]),
                *(row["test_error"], spent, spent * (points - done) / done),
            )
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return [found[entry["key"]] for entry in entries]


def rows_of(
    curve: str, entries: Sequence[Mapping[str, Any]], cells: Sequence[StoredCell]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of results and rows of times, each with the name of the curve and the cell's key."""
    names = [{"curve": curve, "key": entry["key"]} for entry in entries]
    return (
        [{**name, **cell.row} for name, cell in zip(names, cells, strict=True)],
        [{**name, **cell.timing} for name, cell in zip(names, cells, strict=True)],
    )
