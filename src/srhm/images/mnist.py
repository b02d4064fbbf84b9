"""MNIST from its four gzipped files of the IDX format: what must be there, the digits.

An IDX file has two bytes of 0, the type of its numbers (8: unsigned bytes), the number of
dimensions, each of these as four bytes with the largest first, and the numbers row by row.

What is checked, always all of it: that every file is there, its SHA-256 sum, type and dimensions,
that as many bytes follow, and that labels are 0 ... 9.
"""

import gzip
import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FOLDER = "data/mnist"
N_CLASSES = 10
UNSIGNED_BYTES = 8


@dataclass(frozen=True)
class File:
    """What a file must be: the SHA-256 sum of the gzipped file, its dimensions, most bytes."""

    sha256: str
    shape: tuple[int, ...]
    n_bytes: int


# As the dataset's own page distributed them; the loaders of TensorFlow and others have these sums.
FILES: Mapping[str, File] = {
    "train-images-idx3-ubyte.gz": File(
        "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
        (60_000, 28, 28),
        9_912_422,
    ),
    "train-labels-idx1-ubyte.gz": File(
        "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c", (60_000,), 28_881
    ),
    "t10k-images-idx3-ubyte.gz": File(
        "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
        (10_000, 28, 28),
        1_648_877,
    ),
    "t10k-labels-idx1-ubyte.gz": File(
        "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6", (10_000,), 4_542
    ),
}


class MnistError(Exception):
    """Data that are absent or damaged; the message names the file and says what to do."""


@dataclass(frozen=True)
class Digits:
    """Digits (n, 28, 28) of bytes 0 ... 255, and their names (n,) 0 ... 9."""

    pixels: NDArray[np.uint8]
    labels: NDArray[np.uint8]


def notice(folder: Path) -> str | None:
    """None if the folder is there; else what stays empty without it, and how to get it."""
    if folder.is_dir():
        return None
    megabytes = round(sum(file.n_bytes for file in FILES.values()) / 2**20)
    return (
        f"Learning curves on MNIST need its files, and {folder} does not exist.\n"
        f"With a network, `make mnist` downloads ({megabytes} MB) and checks them, into {FOLDER}.\n"
        f"By hand: put {', '.join(FILES)} there, as they are."
    )


def load(folder: Path, *, files: Mapping[str, File] = FILES) -> tuple[Digits, Digits]:
    """Training and test digits, after all checks.

    files: images and labels for training, images and labels for testing, by name.

    Raises:
        MnistError: if the folder or a file is missing, or a file is cut or altered, by name.
    """
    if (absent := notice(folder)) is not None:
        raise MnistError(absent)
    parts = [read_idx(folder / name, file) for name, file in files.items()]
    for name, labels in zip(list(files)[1::2], parts[1::2], strict=True):
        if labels.max() >= N_CLASSES:
            raise MnistError(f"{folder / name} holds the label {labels.max()}; labels are 0 ... 9")
    return Digits(parts[0], parts[1]), Digits(parts[2], parts[3])


def read_idx(path: Path, file: File) -> NDArray[np.uint8]:
    """The numbers of one gzipped IDX file, after its checks.

    Raises:
        MnistError: if it is missing, altered, no gzipped IDX file of bytes, of other dimensions, or
            cut.
    """
    again = f"remove {path.parent} and get it again"
    if not path.is_file():
        raise MnistError(f"{path} does not exist; the others of {path.parent} do not replace it")
    packed = path.read_bytes()
    found = hashlib.sha256(packed).hexdigest()
    if found != file.sha256:
        raise MnistError(
            f"{path} is not what it should be (SHA-256 {found[:12]}..., not {file.sha256[:12]}...):"
            f" {again}"
        )
    try:
        content = gzip.decompress(packed)
    except (OSError, EOFError, zlib.error) as error:
        raise MnistError(f"{path} cannot be unpacked ({error}): {again}") from error
    start = 4 * (1 + len(file.shape))
    header = bytes([0, 0, UNSIGNED_BYTES, len(file.shape)])
    header += b"".join(size.to_bytes(4, "big") for size in file.shape)
    if content[:start] != header:
        raise MnistError(f"{path} is no IDX file of bytes of shape {file.shape}: {again}")
    if len(content) != start + prod(file.shape):
        raise MnistError(
            f"{path} has {len(content) - start} numbers, not {prod(file.shape)}: {again}"
        )
    return np.frombuffer(content, dtype=np.uint8, offset=start).reshape(file.shape)
