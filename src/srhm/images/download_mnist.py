"""Download MNIST for a user with a network: `make mnist`, `python -m srhm.images.download_mnist`.

Each file is checked; the folder appears whole or not at all.
"""

import hashlib
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from srhm.images import mnist
from srhm.images.fetching import command, fetched

# A copy that PyTorch's loader names, too: the dataset's own page no longer gives the files.
URL = "https://ossci-datasets.s3.amazonaws.com/mnist/"


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code: 0 where the checked files are there, 1 with a message where they are not."""
    return command(
        download,
        module="srhm.images.download_mnist",
        text=__doc__,
        folder=mnist.FOLDER,
        url=URL,
        refusal=mnist.MnistError,
        arguments=arguments,
    )


def download(url: str, folder: Path, *, files: Mapping[str, mnist.File] = mnist.FILES) -> None:
    """Gets the four files into a new folder, which appears when all of them are checked.

    A folder that is there already is checked, and left as it is.

    Raises:
        MnistError: where a file cannot be had or is not the one that was meant.
    """
    if folder.is_dir():
        mnist.load(folder, files=files)
        print(f"{folder} holds MNIST already; its four files are as they should be")
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".mnist-", dir=folder.parent) as scratch:
        whole = Path(scratch, "whole")
        whole.mkdir()
        for name, file in files.items():
            address = f"{url.rstrip('/')}/{name}"
            print(f"downloading {address}", flush=True)
            content = _fetched(address, file.n_bytes)
            if (found := hashlib.sha256(content).hexdigest()) != file.sha256:
                raise mnist.MnistError(
                    f"{address} is not the file that was meant (SHA-256 {found[:12]}..., not"
                    f" {file.sha256[:12]}...): the download was cut, or the file is another one;"
                    " nothing was kept"
                )
            (whole / name).write_bytes(content)
        mnist.load(whole, files=files)
        whole.rename(folder)
    print(f"{folder}: four files, sums and sizes as they should be")


def _fetched(address: str, most: int) -> bytes:
    try:
        return fetched(address, most)
    except OSError as error:
        raise mnist.MnistError(
            f"{address} cannot be read ({error}). Without a network, get the four files elsewhere"
            f" and put them into {mnist.FOLDER}, or name a copy: --url file:///..."
        ) from error


if __name__ == "__main__":
    sys.exit(main())
