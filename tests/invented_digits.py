"""Small files in the format of MNIST."""

import gzip
import hashlib
from pathlib import Path

import numpy as np

from srhm.images.readers import File


def idx(array):
    """An IDX file of bytes, as its format says."""
    sizes = b"".join(size.to_bytes(4, "big") for size in array.shape)
    return bytes([0, 0, 8, array.ndim]) + sizes + array.astype(np.uint8).tobytes()


def write_mnist(folder: Path, *, generator: np.random.Generator, n_train=60, n_test=30):
    """Four files of random digits; returns what they must be, and the arrays, by name."""
    folder.mkdir(parents=True)
    arrays = {}
    for part, count in (("train", n_train), ("t10k", n_test)):
        pixels = generator.integers(0, 256, size=(count, 28, 28))
        arrays[f"{part}-images-idx3-ubyte.gz"] = pixels
        arrays[f"{part}-labels-idx1-ubyte.gz"] = generator.integers(0, 10, size=count)
    files = {name: written(folder / name, array) for name, array in arrays.items()}
    return files, arrays


def written(path: Path, array, content=None):
    """Writes one file, or other content under its name; returns what it must be."""
    packed = gzip.compress(idx(array) if content is None else content, mtime=0)
    path.write_bytes(packed)
    return File(hashlib.sha256(packed).hexdigest(), array.shape, len(packed))
