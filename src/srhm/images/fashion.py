"""Fashion-MNIST: 70,000 pictures of clothes, in four gzipped files of the IDX format of MNIST.

Debian has them as a package, whose files are compressed anew: what is checked, always all of it,
is that every file is there, and the SHA-256 sum of what it unpacks to.
"""

import gzip
import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from srhm.images.mnist import Digits, MnistError

FOLDER = "data/fashion-mnist"
DEBIAN, DEBIAN_PACKAGE = Path("/usr/share/datasets/fashion-mnist"), "dataset-fashion-mnist"
MEGABYTES = 30


@dataclass(frozen=True)
class Content:
    """What a file must unpack to: its SHA-256 sum, the dimensions of its numbers."""

    sha256: str
    shape: tuple[int, ...]


FILES: Mapping[str, Content] = {
    "train-images-idx3-ubyte.gz": Content(
        "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888", (60_000, 28, 28)
    ),
    "train-labels-idx1-ubyte.gz": Content(
        "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9", (60_000,)
    ),
    "t10k-images-idx3-ubyte.gz": Content(
        "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b", (10_000, 28, 28)
    ),
    "t10k-labels-idx1-ubyte.gz": Content(
        "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34", (10_000,)
    ),
}


def fashion_folder(directory: Path) -> Path | None:
    """Where the files are: below the folder that holds results/, or Debian's; None: neither."""
    places = (directory / FOLDER, DEBIAN)
    return next((place for place in places if place.is_dir()), None)


def notice(directory: Path) -> str | None:
    """None if the files are there; else what cannot be computed without them, and the cure."""
    if fashion_folder(directory) is not None:
        return None
    return (
        f"Fashion-MNIST needs its files: neither {directory / FOLDER} nor {DEBIAN} exists.\n"
        f"Debian's package {DEBIAN_PACKAGE} has them, and `make fashion` downloads and checks them"
        f" ({MEGABYTES} MB); published rows are drawn without them."
    )


@cache
def images() -> tuple[Digits, Digits]:
    """Pictures for training and for testing, from where this runs.

    Raises:
        MnistError: if the files are missing or altered.
    """
    folder = fashion_folder(Path())
    if folder is None:
        raise MnistError(notice(Path()))
    return load(folder)


def load(folder: Path, *, files: Mapping[str, Content] = FILES) -> tuple[Digits, Digits]:
    """Pictures for training and for testing, after all checks; labels are kinds of clothes.

    files: images and labels for training, images and labels for testing, by name.

    Raises:
        MnistError: if a file is missing or unpacks to something else, by name.
    """
    parts = [read_numbers(folder / name, content) for name, content in files.items()]
    return Digits(parts[0], parts[1]), Digits(parts[2], parts[3])


def read_numbers(path: Path, content: Content) -> NDArray[np.uint8]:
    """The numbers of one file, after its checks.

    Raises:
        MnistError: if it is missing, is not packed, or unpacks to something else.
    """
    if not path.is_file():
        raise MnistError(f"{path} does not exist; the others of {path.parent} do not replace it")
    packed = path.read_bytes()
    try:
        unpacked = gzip.decompress(packed)
    except (OSError, EOFError, zlib.error) as error:
        raise MnistError(f"{path} cannot be unpacked ({error}): get it again") from error
    found = hashlib.sha256(unpacked).hexdigest()
    if found != content.sha256:
        raise MnistError(
            f"{path} is not what it should be (it unpacks to SHA-256 {found[:12]}..., not"
            f" {content.sha256[:12]}...): get it again"
        )
    # Two zeros, the type, the number of dimensions, and these.
    header = 4 * (1 + len(content.shape))
    return np.frombuffer(unpacked, dtype=np.uint8, offset=header).reshape(content.shape)
