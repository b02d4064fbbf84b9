"""The store of trained cells: one file a cell, named by its key, written whole or not at all.

A file holds the final weights as tensors, and as text the cell, its row and its times, with a
checksum over all of it. A key is made of the cell's scientific coordinates and of the digest of
the sources that trained it, so that a file found under a key is the result that is wanted.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save


class DamagedCell(Exception):
    """A stored cell that cannot be trusted; the message names the file and the damage."""


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
    weights = {name: np.ascontiguousarray(array) for name, array in stored.weights.items()}
    metadata = {**texts, "key": key, "checksum": _checksum(key, texts, weights)}
    path = path_of(folder, key)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}.part")
    try:
        with partial.open("wb") as file:
            file.write(save(weights, metadata))
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return path


def read_cell(folder: Path, key: str) -> StoredCell:
    """The cell of a key, checked against its checksum.

    Raises:
        FileNotFoundError: if there is none.
        DamagedCell: if the file is cut, altered, or belongs to another key.
    """
    path = path_of(folder, key)
    if not path.is_file():
        raise FileNotFoundError(path)
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError) as error:
        raise DamagedCell(f"{path} cannot be read ({error})") from error
    missing = {"cell", "row", "timing", "key", "checksum"} - metadata.keys()
    if missing:
        raise DamagedCell(f"{path} lacks {', '.join(sorted(missing))}")
    if metadata["key"] != key:
        raise DamagedCell(f"{path} holds the cell {metadata['key']}")
    texts = {name: metadata[name] for name in ("cell", "row", "timing")}
    if metadata["checksum"] != _checksum(key, texts, weights):
        raise DamagedCell(f"{path} does not match its checksum")
    return StoredCell(weights=weights, **{name: json.loads(text) for name, text in texts.items()})


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
