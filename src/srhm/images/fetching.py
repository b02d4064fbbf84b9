"""A command that downloads images: its options, and how it ends."""

import argparse
import http.client
import sys
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path

TIMEOUT = 60  # seconds without a byte


def command(
    download: Callable[[str, Path], None],
    *,
    module: str,
    text: str | None,
    folder: str,
    url: str,
    refusal: type[Exception],
    arguments: Sequence[str] | None,
) -> int:
    """Exit code: 0 where the checked files are there, 1 with a message where they are not.

    download: puts the files of an address into a folder, or raises the refusal.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=text)
    parser.add_argument("--folder", type=Path, default=Path(folder), help="default: %(default)s")
    parser.add_argument("--url", default=url, help="a copy elsewhere; file:// too")
    options = parser.parse_args(arguments)
    try:
        download(options.url, options.folder)
    except refusal as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped: what was downloaded is removed", file=sys.stderr)
        return 130
    return 0


def fetched(address: str, most: int) -> bytes:
    """What the address gives: a byte more than `most` at most, which a sum refuses.

    Raises:
        OSError: if it cannot be read.
    """
    try:
        with urllib.request.urlopen(address, timeout=TIMEOUT) as source:
            return bytes(source.read(most + 1))
    except (ValueError, http.client.HTTPException) as error:
        raise OSError(error) from error
