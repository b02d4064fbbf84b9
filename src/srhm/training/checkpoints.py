"""Cells in training, kept from time to time, so that an interrupted one goes on where it was.

One file a cell, named by the cell's key, written whole or not at all and with a checksum, as the
cells of the store. A key covers the sources that train the cell, but not the versions of packages:
a checkpoint that no longer fits is named, and its cell begins anew. The last writer wins: two
processes that train one cell make the same steps, and either file continues to the same row.
"""

import json
import logging
import time
from collections.abc import Callable
from pathlib import Path

from srhm.jobs.stopping import StopRequest
from srhm.store.atomic import StorageError
from srhm.store.cells import DamagedFile, read_sealed, write_sealed
from srhm.training.protocol import Snapshot

# Seconds of a cell's training between two checkpoints; for a cell whose checkpoint takes long to
# write, so many times that long: checkpoints take at most 5 % of the time.
INTERVAL = 120.0
TIMES_WRITING = 20.0


class Interrupted(Exception):
    """A training that has stopped because it was asked to. kept: whether it left a checkpoint."""

    def __init__(self, key: str, *, kept: bool) -> None:
        super().__init__(key)
        self.key, self.kept = key, kept


def checkpoint_of(folder: Path, key: str) -> Path:
    """Where the checkpoint of a cell is kept."""
    return folder / f"{key}.safetensors"


def write_checkpoint(folder: Path, key: str, snapshot: Snapshot) -> Path:
    """Keeps a snapshot, atomically; returns its path.

    Raises:
        StorageError: if the place cannot be written to; an earlier checkpoint is as it was.
    """
    # Position and seconds as JSON: Python writes floats so that they are read back bit for bit.
    texts = {"position": json.dumps(snapshot.position), "seconds": json.dumps(snapshot.seconds)}
    return write_sealed(checkpoint_of(folder, key), key, texts, snapshot.engine)


def remove_checkpoint(folder: Path, key: str) -> None:
    """Removes the checkpoint of a cell, if there is one."""
    path = checkpoint_of(folder, key)
    if path.is_file():  # on a read-only file system even the removal of nothing is an error
        path.unlink(missing_ok=True)


def resume(folder: Path, key: str, *, log: logging.Logger) -> Snapshot | None:
    """The snapshot from which to go on; None: from the beginning, with a word if it is damaged.

    Raises:
        StorageError: if it cannot be read now.
    """
    try:
        texts, arrays = read_sealed(checkpoint_of(folder, key), key, ("position", "seconds"))
    except FileNotFoundError:
        return None
    except DamagedFile as damage:
        log.warning("damaged checkpoint, the cell begins anew: %s", damage)
        remove_checkpoint(folder, key)
        return None
    return Snapshot(json.loads(texts["position"]), arrays, json.loads(texts["seconds"]))


class Keeper:
    """What a training calls between two steps: keeps a checkpoint when one is due, or stops it."""

    def __init__(
        self,
        folder: Path,
        key: str,
        stop: StopRequest,
        *,
        log: logging.Logger,
        interval: float = INTERVAL,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder, self._key, self._stop, self._log = folder, key, stop, log
        self._interval, self._clock = interval, clock
        self._last = clock()
        self._writing = 0.0

    def __call__(self, snapshot: Callable[[], Snapshot]) -> None:
        """Writes a checkpoint if the last one is older than the interval, or if asked to stop.

        The interval is longer where the last checkpoint took long to write. A checkpoint that
        cannot be written is a warning: the training itself goes on.

        Raises:
            Interrupted: if asked to stop.
        """
        if self._stop.reason:
            raise Interrupted(self._key, kept=self._write(snapshot))
        begun = self._clock()
        if begun - self._last >= max(self._interval, TIMES_WRITING * self._writing):
            self._write(snapshot)
            self._last = self._clock()
            self._writing = self._last - begun

    def _write(self, snapshot: Callable[[], Snapshot]) -> bool:
        try:
            write_checkpoint(self._folder, self._key, snapshot())
        except StorageError as error:
            self._log.warning("no checkpoint can be written, training goes on: %s", error)
            return False
        return True
