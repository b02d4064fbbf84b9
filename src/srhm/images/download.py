"""Download a set of images: `make cifar`, `make mnist`, `make fashion`.

An archive is checked before anything is unpacked, and every file after it; the folder appears
whole or not at all.
"""

import argparse
import http.client
import sys
import tarfile
import tempfile
import urllib.request
from collections.abc import Sequence
from hashlib import sha256
from io import BytesIO
from pathlib import Path

from srhm.images.readers import SETS, SUMS_FILE, ImagesError, ImageSet, load_files

TIMEOUT = 60  # seconds without a byte
CHUNK = 1 << 24
DOWNLOADED = [name for name, images in SETS.items() if images.url]


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code: 0 where the checked files are there, 1 with a message where they are not."""
    parser = argparse.ArgumentParser(prog="python -m srhm.images.download", description=__doc__)
    parser.add_argument("name", choices=DOWNLOADED)
    parser.add_argument("--folder", type=Path, help="default: where the configuration looks")
    parser.add_argument("--url", help="a copy elsewhere; file:// too")
    options = parser.parse_args(arguments)
    image_set = SETS[options.name]
    try:
        download(image_set, options.url or image_set.url, options.folder or Path(image_set.folder))
    except ImagesError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped: what was downloaded is removed", file=sys.stderr)
        return 130
    return 0


def download(one: ImageSet, url: str, folder: Path) -> None:
    """Gets the files into a new folder, which appears when all of them are checked.

    A place that holds them already is checked, and left as it is.

    Raises:
        ImagesError: where they cannot be had, or are not those that were meant.
    """
    if (there := one.place(Path(), str(folder))) is not None:
        load_files(there, one.files)
        print(f"{there} holds {one.title} already; its files are as they should be")
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".images-", dir=folder.parent) as scratch:
        whole = Path(scratch, "whole")
        whole.mkdir()
        if one.archive:
            content = _fetched(url, one.archive.n_bytes)
            if (digest := sha256(content).hexdigest()) != one.archive.sum:
                raise ImagesError(
                    f"{url} is not the archive that was meant (SHA-256 {digest}, not"
                    f" {one.archive.sum}): the download was cut, or the file is another one;"
                    " nothing was unpacked"
                )
            _unpack(content, whole, {*one.files, SUMS_FILE})
        else:
            for name, file in one.files.items():
                (whole / name).write_bytes(_fetched(f"{url.rstrip('/')}/{name}", file.n_bytes))
        load_files(whole, one.files)
        whole.rename(folder)
    print(f"{folder}: {len(one.files)} files, sums and sizes as they should be")


def _fetched(address: str, most: int) -> bytes:
    """What the address gives."""
    print(f"downloading {address}", flush=True)
    content = bytearray()
    try:
        with urllib.request.urlopen(address, timeout=TIMEOUT) as source:
            while chunk := source.read(CHUNK):
                content += chunk
                if len(content) > most:
                    raise ImagesError(f"{address} gives more than {most} bytes: it is another file")
                if len(content) > CHUNK:
                    print(f"  {len(content) // 2**20} MB", flush=True)
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise ImagesError(
            f"{address} cannot be read ({error}). Without a network, get the files elsewhere and"
            " put them there by hand, or name a copy: --url file:///..."
        ) from error
    return bytes(content)


def _unpack(content: bytes, folder: Path, wanted: set[str]) -> None:
    """Writes the files of the set, and nothing else of the archive, into the folder."""
    try:
        with tarfile.open(fileobj=BytesIO(content), mode="r:gz") as tar:
            for member in tar:
                name = Path(member.name).name
                # Python 3.11.2, of Debian 12, knows no filters of `extract`.
                file = tar.extractfile(member) if member.isreg() and name in wanted else None
                if file is not None:
                    (folder / name).write_bytes(file.read())
    except tarfile.TarError as error:
        raise ImagesError(f"the archive cannot be unpacked ({error})") from error


if __name__ == "__main__":
    sys.exit(main())
