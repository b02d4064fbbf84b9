"""Download CIFAR-10 for a user with a network: `make cifar`, or `python -m srhm.images.download`.

The archive is checked before anything is unpacked, and every file after it; the folder appears
whole or not at all.
"""

import hashlib
import http.client
import shutil
import sys
import tarfile
import tempfile
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from srhm.images import cifar
from srhm.images.fetching import TIMEOUT, command

# Where the authors of the dataset publish it.
URL = f"https://www.cs.toronto.edu/~kriz/{cifar.ARCHIVE}"
CHUNK = 1 << 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code: 0 where the checked files are there, 1 with a message where they are not."""
    return command(
        download,
        module="srhm.images.download",
        text=__doc__,
        folder=cifar.FOLDER,
        url=URL,
        refusal=cifar.CifarError,
        arguments=arguments,
    )


def download(
    url: str,
    folder: Path,
    *,
    sha256: str = cifar.ARCHIVE_SHA256,
    records_per_file: int = cifar.RECORDS_PER_FILE,
) -> None:
    """Gets the archive, checks it, unpacks its six files into the folder, checks them.

    A folder that holds the files already is checked, and left as it is.

    Raises:
        CifarError: where the archive cannot be had or is not the one that was meant, or a file is
            missing, cut or altered.
    """
    if folder.is_dir():
        cifar.load(folder, records_per_file=records_per_file)
        print(f"{folder} holds CIFAR-10 already; its six files are as they should be")
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".cifar-", dir=folder.parent) as scratch:
        archive, unpacked = Path(scratch, cifar.ARCHIVE), Path(scratch, "unpacked")
        print(f"downloading {url}", flush=True)
        found = _fetch(url, archive)
        if found != sha256:
            raise cifar.CifarError(
                f"{url} is not the archive that was meant (SHA-256 {found}, not {sha256}):"
                " the download was cut, or the file is another one; nothing was unpacked"
            )
        _unpack(archive, unpacked)
        cifar.load(unpacked, records_per_file=records_per_file)
        unpacked.rename(folder)
    print(f"{folder}: six files, sizes and MD5 sums as they should be")


def _fetch(url: str, target: Path) -> str:
    """Writes what the address gives to a file; returns its SHA-256."""
    digest, done, shown = hashlib.sha256(), 0, 0
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT) as source, target.open("wb") as file:
            while chunk := source.read(CHUNK):
                file.write(chunk)
                digest.update(chunk)
                done += len(chunk)
                if done > cifar.ARCHIVE_BYTES:
                    raise cifar.CifarError(
                        f"{url} gives more than the {cifar.ARCHIVE_BYTES} bytes of"
                        f" {cifar.ARCHIVE}: it is another file; nothing was unpacked"
                    )
                if done >= shown + 16 * CHUNK:
                    shown = done
                    print(f"  {done // 2**20} MB", flush=True)
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise cifar.CifarError(
            f"{url} cannot be read ({error}). Without a network, get {cifar.ARCHIVE} elsewhere and"
            " unpack it by hand, or name a copy: --url file:///..."
        ) from error
    return digest.hexdigest()


def _unpack(archive: Path, folder: Path) -> None:
    """Writes the files of the dataset, and nothing else of the archive, into a new folder."""
    wanted = {*cifar.FILES, cifar.SUMS_FILE}
    folder.mkdir()
    try:
        with tarfile.open(archive, "r:gz") as tar:
            for member in tar:
                name = Path(member.name).name
                content = tar.extractfile(member) if member.isreg() and name in wanted else None
                if content is not None:
                    with content, (folder / name).open("wb") as file:
                        shutil.copyfileobj(content, file)
    except tarfile.TarError as error:
        raise cifar.CifarError(f"{archive.name} cannot be unpacked ({error})") from error


if __name__ == "__main__":
    sys.exit(main())
