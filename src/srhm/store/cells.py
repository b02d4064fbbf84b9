"""The store of trained cells: one file a cell, named by its key, written whole or not at all.

A file holds the final weights as tensors, and as text the cell, its row and its times, with a
checksum over all of it. A key is made of the cell's scientific coordinates and of the digest of
the sources that trained it, so that a file found under a key is the result that is wanted.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from srhm.store.atomic import naming, replacing
from srhm.store.sources import digest_of


class DamagedFile(Exception):
    """A sealed file that cannot be trusted; the message names the file and the damage."""


class DamagedCell(DamagedFile):
    """A stored cell that cannot be trusted."""


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
        StorageError: if the file cannot be read now.
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
    with naming(path), replacing(path) as partial, partial.open("wb") as file:
        file.write(save(arrays, metadata))
        file.flush()
        os.fsync(file.fileno())
    return path


def read_sealed(
    path: Path, key: str, names: Iterable[str]
) -> tuple[dict[str, str], dict[str, NDArray[Any]]]:
    """Texts of these names and all arrays of a file, checked against key and checksum.

    Raises:
        FileNotFoundError: if there is none.
        StorageError: if it cannot be read now, or there is a folder in its place.
        DamagedFile: if the file is cut, altered, or belongs to another key.
    """
    with naming(path):
        content = path.read_bytes()
    try:
        arrays, metadata = load(content), _texts_in(content)
    except (SafetensorError, ValueError, KeyError) as error:
        raise DamagedFile(f"{path} holds no cell ({error})") from error
    missing = {*names, "key", "checksum"} - metadata.keys()
    if missing:
        raise DamagedFile(f"{path} lacks {', '.join(sorted(missing))}")
    if metadata["key"] != key:
        raise DamagedFile(f"{path} holds the cell {metadata['key']}")
    texts = {name: metadata[name] for name in names}
    if metadata["checksum"] != _checksum(key, texts, arrays):
        raise DamagedFile(f"{path} does not match its checksum")
    return texts, arrays


def _texts_in(content: bytes) -> dict[str, str]:
    """The texts of a sealed file, of which the head is enough.

    Raises:
        ValueError: if they cannot be told.
    """
    end = 8 + int.from_bytes(content[:8], "little")
    head = json.loads(content[8:end])
    texts = head.get("__metadata__", {}) if isinstance(head, dict) else {}
    return texts if isinstance(texts, dict) else {}


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


# What a row of a network that was trained in a stack says in its versions: the digest of CODE.
ON_GPU = re.compile(r"\bstacked ([0-9a-f]+) on ")
CODE = "srhm.training.stacked:train_stack"


def made_by_other_code(versions: str) -> bool:
    """Whether a row's `versions` name a form for GPUs whose code has been changed since."""
    form = ON_GPU.search(versions)
    return form is not None and form[1] != digest_of(CODE)


def row_of(path: Path) -> Mapping[str, Any]:
    """Row of a stored cell as its file says, not checked; empty if there is none or it is damaged.

    Only the head of the file is read: 0.15 s for 10,000 small cells that the system has cached,
    where asking whether they exist takes 0.025 s.

    Raises:
        StorageError: if the file cannot be read now.
    """
    try:
        with naming(path), path.open("rb") as file:
            length = file.read(8)
            rest = os.fstat(file.fileno()).st_size
            head = length + file.read(min(rest, int.from_bytes(length, "little")))
        row = json.loads(_texts_in(head).get("row", "{}"))
    except (FileNotFoundError, ValueError):
        return {}
    return row if isinstance(row, dict) else {}


def is_outdated(row: Mapping[str, Any]) -> bool:
    """Whether a stored cell with this row was trained on a GPU by other code."""
    return made_by_other_code(str(row.get("versions", "")))


def remark(number: int) -> str:
    """A line about so many outdated cells; empty for none."""
    if not number:
        return ""
    return (
        f"{number} cells are stored, but were trained on a GPU by other code: they are counted as"
        " missing, and the next run trains them again"
    )
