"""The store of trained cells: one file a cell, named by its key, written whole or not at all.

A file holds the final weights as tensors, and as text the cell, its row and its times, with a
checksum over all of it. A key is made of the cell's scientific coordinates and of the digest of
the sources that trained it, so that a file found under a key is the result that is wanted.
"""

import errno
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from srhm.results.atomic import replacing


class DamagedFile(Exception):
    """A sealed file that cannot be trusted; the message names the file and the damage."""


class DamagedCell(DamagedFile):
    """A stored cell that cannot be trusted."""


class StorageError(OSError):
    """A file that cannot be written: the disk is full, read-only, or not ours to write to."""


# What the writing of a file fails with when the place is at fault, not the file.
_OF_THE_PLACE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EFBIG)


@dataclass(frozen=True)
class StoredCell:
    """A trained cell: its coordinates, its row of results, its times, its final weights."""

    cell: dict[str, Any]
    row: dict[str, Any]
    timing: dict[str, Any]
    weights: dict[str, NDArray[np.floating]]


def path_of(folder: Path, key: str) -> Path:
    """Where the cell of a key is stored."""
    return folder / key[:2] / f"{key}.safetensors"


def write_cell(folder: Path, key: str, stored: StoredCell) -> Path:
    """Stores a cell under its key, atomically; returns its path.

    Two processes that write one key at a time do no harm: either file is whole, and equal in all
    but its times.
    """
    texts = {name: json.dumps(getattr(stored, name)) for name in ("cell", "row", "timing")}
    return write_sealed(path_of(folder, key), key, texts, stored.weights)


def read_cell(folder: Path, key: str) -> StoredCell:
    """The cell of a key, checked against its checksum.

    Raises:
        FileNotFoundError: if there is none.
        DamagedCell: if the file is cut, altered, or belongs to another key.
    """
    try:
        texts, weights = read_sealed(path_of(folder, key), key, ("cell", "row", "timing"))
    except DamagedFile as damage:
        raise DamagedCell(str(damage)) from damage
    return StoredCell(weights=weights, **{name: json.loads(text) for name, text in texts.items()})


def write_sealed(
    path: Path, key: str, texts: Mapping[str, str], arrays: Mapping[str, NDArray[Any]]
) -> Path:
    """Writes texts and arrays with a checksum over both and the key, atomically; returns the path.

    Raises:
        StorageError: if the disk is full or the folder cannot be written to; an earlier file of
            this path is then as it was.
    """
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    metadata = {**texts, "key": key, "checksum": _checksum(key, texts, arrays)}
    try:
        with replacing(path) as partial, partial.open("wb") as file:
            file.write(save(arrays, metadata))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        if error.errno in _OF_THE_PLACE:
            raise StorageError(error.errno, os.strerror(error.errno), str(path)) from error
        raise
    return path


def read_sealed(
    path: Path, key: str, names: Iterable[str]
) -> tuple[dict[str, str], dict[str, NDArray[Any]]]:
    """Texts of these names and all arrays of a file, checked against key and checksum.

    Raises:
        FileNotFoundError: if there is none.
        StorageError: if there is a folder in its place, so that none can be written.
        DamagedFile: if the file is cut, altered, or belongs to another key.
    """
    if path.is_dir():
        raise StorageError(errno.EISDIR, "a folder is in place of this file: remove it", str(path))
    if not path.is_file():
        raise FileNotFoundError(path)
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError) as error:
        if not path.is_file():  # another process has removed it meanwhile
            raise FileNotFoundError(path) from error
        raise DamagedFile(f"{path} cannot be read ({error})") from error
    missing = {*names, "key", "checksum"} - metadata.keys()
    if missing:
        raise DamagedFile(f"{path} lacks {', '.join(sorted(missing))}")
    if metadata["key"] != key:
        raise DamagedFile(f"{path} holds the cell {metadata['key']}")
    texts = {name: metadata[name] for name in names}
    if metadata["checksum"] != _checksum(key, texts, arrays):
        raise DamagedFile(f"{path} does not match its checksum")
    return texts, arrays


def _checksum(
    key: str, texts: Mapping[str, str], weights: Mapping[str, NDArray[np.floating]]
) -> str:
    digest = hashlib.sha256(key.encode())
    for name in sorted(texts):
        digest.update(f"\n{name}:{texts[name]}".encode())
    for name in sorted(weights):
        digest.update(f"\n{name}:{weights[name].dtype}{weights[name].shape}".encode())
        digest.update(np.ascontiguousarray(weights[name]).data)
    return digest.hexdigest()
