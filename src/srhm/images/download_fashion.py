"""Download Fashion-MNIST where Debian's package is not: `make fashion`.

Each file is checked; the folder appears whole or not at all.
"""

import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from srhm.images import fashion
from srhm.images.fetching import command, fetched
from srhm.images.mnist import MnistError

# As its own page has it.
URL = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code: 0 where the checked files are there, 1 with a message where they are not."""
    return command(
        download,
        module="srhm.images.download_fashion",
        text=__doc__,
        folder=fashion.FOLDER,
        url=URL,
        refusal=MnistError,
        arguments=arguments,
    )


def download(
    url: str, folder: Path, *, files: Mapping[str, fashion.Content] = fashion.FILES
) -> None:
    """Gets the four files into a new folder, which appears when all of them are checked.

    Where the folder, or Debian's package, is there already, that is checked instead.

    Raises:
        MnistError: where a file cannot be had or is not the one that was meant.
    """
    there = next((one for one in (folder, fashion.DEBIAN) if one.is_dir()), None)
    if there is not None:
        fashion.load(there, files=files)
        print(f"{there} holds Fashion-MNIST already; its four files are as they should be")
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".fashion-", dir=folder.parent) as scratch:
        whole = Path(scratch, "whole")
        whole.mkdir()
        for name in files:
            address = f"{url.rstrip('/')}/{name}"
            print(f"downloading {address}", flush=True)
            try:
                content = fetched(address, fashion.MEGABYTES * 2**20)
            except OSError as error:
                raise MnistError(
                    f"{address} cannot be read ({error}). Without a network, get the four files"
                    f" elsewhere and put them into {fashion.FOLDER}, or install Debian's package"
                    f" {fashion.DEBIAN_PACKAGE}"
                ) from error
            (whole / name).write_bytes(content)
        fashion.load(whole, files=files)
        whole.rename(folder)
    print(f"{folder}: four files, sums as they should be")


if __name__ == "__main__":
    sys.exit(main())
