"""CIFAR-10 from its standard binary files: what must be there, whether it is whole, the images.

A file holds records of 3073 bytes: a label 0 ... 9, then 32 x 32 bytes of red, of green, of blue,
row by row. The dataset is five files of 10000 records for training and one for testing.

What is checked, always all of it: that every file is there, that it has the length of its number
of records, its MD5 sum, and that its labels are 0 ... 9. For the dataset itself the sums are those
below; files of the same format with another number of records bring their own in MD5SUMS.
"""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SIZE = 32  # pixels on a side
CHANNELS = 3
N_CLASSES = 10
RECORD = 1 + CHANNELS * SIZE * SIZE  # bytes
RECORDS_PER_FILE = 10_000
FOLDER = "data/cifar-10-batches-bin"
PART = 1000  # images whose moments are summed at once
TRAINING_FILES = tuple(f"data_batch_{number}.bin" for number in range(1, 6))
TEST_FILE = "test_batch.bin"
FILES = (*TRAINING_FILES, TEST_FILE)
# Two public loaders of separate origin agree on them (prabhuomkar/pytorch-cpp and a loader in Go);
# the dataset's own page gives a sum of the archive only.
PUBLISHED_SUMS = {
    "data_batch_1.bin": "5dd7e06a14cb22eb9f671a540d1b7c25",
    "data_batch_2.bin": "5ea93a67294ea407fff1d09f752e9692",
    "data_batch_3.bin": "942cd6a4bcdd0dd3c604fbe906cb4421",
    "data_batch_4.bin": "ae636b3ba5c66a11e91e8cb52e771fcb",
    "data_batch_5.bin": "53f37980c15c3d472c316c40844f3f0d",
    "test_batch.bin": "803d5f7f4d78ea53de84dbe85f74fb6d",
}
SUMS_FILE = "MD5SUMS"  # lines as md5sum prints them
ARCHIVE = "cifar-10-binary.tar.gz"
ARCHIVE_BYTES = 170_052_171
ARCHIVE_SHA256 = "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"


class CifarError(Exception):
    """Data that are absent or damaged; the message names the file and says what to do."""


@dataclass(frozen=True)
class Images:
    """Images (n, channels, size, size) of bytes 0 ... 255, and their labels (n,) 0 ... 9.

    Those of CIFAR-10 are (n, 3, 32, 32).
    """

    pixels: NDArray[np.uint8]
    labels: NDArray[np.int64]

    @cached_property
    def moments(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Mean and standard deviation of each channel over all images, (channels, 1, 1) each.

        A channel of one value only has no scale of its own: 1.
        """
        # Exact sums of integers, over a part of the images at a time to spare memory.
        sums, squares = np.zeros((2, self.pixels.shape[1]), dtype=np.int64)
        for start in range(0, len(self), PART):
            part = self.pixels[start : start + PART].astype(np.int32)
            sums += part.sum(axis=(0, 2, 3), dtype=np.int64)
            squares += (part**2).sum(axis=(0, 2, 3), dtype=np.int64)
        n = len(self) * self.pixels.shape[2] ** 2
        mean = sums / n
        deviation = np.sqrt(squares / n - mean**2)
        deviation[deviation == 0] = 1.0
        shape = (-1, 1, 1)
        return mean.astype(np.float32).reshape(shape), deviation.astype(np.float32).reshape(shape)

    def __len__(self) -> int:
        """Number of images."""
        return len(self.labels)

    def __getitem__(self, chosen: slice | NDArray[np.integer]) -> "Images":
        """Some of the images, in the order chosen."""
        return Images(self.pixels[chosen], self.labels[chosen])


def notice(folder: Path) -> str | None:
    """None if the folder is there; else which panels stay empty without it, and how to get it."""
    if folder.is_dir():
        return None
    return (
        f"Figure 1 A, B need CIFAR-10, and {folder} does not exist.\n"
        f"With a network, `make cifar` downloads ({round(ARCHIVE_BYTES / 2**20)} MB) and checks it,"
        f" into {FOLDER}.\n"
        f"By hand: get {ARCHIVE} (the binary version, SHA-256 {ARCHIVE_SHA256[:12]}...) and unpack"
        f" it, so that {folder} holds {', '.join(FILES)}; images.folder in the configuration names"
        " another place."
    )


def sums(folder: Path, *, records_per_file: int = RECORDS_PER_FILE) -> dict[str, str]:
    """MD5 sum that each file must have: the published ones, or those of MD5SUMS in the folder.

    Raises:
        CifarError: if files with another number of records come without MD5SUMS, or it lacks one.
    """
    if records_per_file == RECORDS_PER_FILE:
        return dict(PUBLISHED_SUMS)
    listed = folder / SUMS_FILE
    if not listed.is_file():
        raise CifarError(
            f"{listed} does not exist: files of {records_per_file} records are not CIFAR-10"
            f" itself (it has {RECORDS_PER_FILE}) and need a list of their sums there"
        )
    found = {}
    for line in listed.read_text().splitlines():
        checksum, _, name = line.partition("  ")
        found[name] = checksum
    missing = [name for name in FILES if name not in found]
    if missing:
        raise CifarError(f"{listed} lacks the sum of {', '.join(missing)}")
    return {name: found[name] for name in FILES}


def load(folder: Path, *, records_per_file: int = RECORDS_PER_FILE) -> tuple[Images, Images]:
    """Training and test images, after all checks.

    Raises:
        CifarError: if the folder or a file is missing, or a file is cut or altered, by name.
    """
    absent = notice(folder)
    if absent is not None:
        raise CifarError(absent)
    expected = sums(folder, records_per_file=records_per_file)
    parts = {
        name: read_file(folder / name, md5=expected[name], n_records=records_per_file)
        for name in FILES
    }
    training = [parts[name] for name in TRAINING_FILES]
    return (
        Images(
            np.concatenate([part.pixels for part in training]),
            np.concatenate([part.labels for part in training]),
        ),
        parts[TEST_FILE],
    )


def read_file(path: Path, *, md5: str, n_records: int) -> Images:
    """The images of one file, after its checks.

    Raises:
        CifarError: if it is missing, cut, altered, or holds a label above 9.
    """
    if not path.is_file():
        raise CifarError(f"{path} does not exist; the others of {path.parent} do not replace it")
    content = path.read_bytes()
    again = f"remove {path.parent} and get it again"
    if len(content) != n_records * RECORD:
        raise CifarError(
            f"{path} has {len(content)} bytes, not {n_records * RECORD} ({n_records} records of"
            f" {RECORD}): {again}"
        )
    found = hashlib.md5(content, usedforsecurity=False).hexdigest()
    if found != md5:
        raise CifarError(f"{path} is not what it should be (MD5 {found}, not {md5}): {again}")
    records = np.frombuffer(content, dtype=np.uint8).reshape(n_records, RECORD)
    labels = records[:, 0].astype(np.int64)
    if labels.max() >= N_CLASSES:
        raise CifarError(f"{path} holds the label {labels.max()}; labels are 0 ... 9: {again}")
    return Images(records[:, 1:].reshape(n_records, CHANNELS, SIZE, SIZE), labels)


def standardised(images: Images, *, by: Images) -> NDArray[np.float32]:
    """Pixels (n, channels, size, size) less mean, over standard deviation, of their channel.

    Both are taken over all pixels of the images `by`, those of training.
    """
    mean, deviation = by.moments
    return (images.pixels.astype(np.float32) - mean) / deviation
