"""Take an archive back that `srhm crate` has packed: download, check, unpack.

`srhm fetch-archive --url URL` puts it into results/archive; http, https and file addresses will do.
The sum of the download is compared with --sha256, or with the file URL.sha256 where there is one;
every file in it with the sum that its metadata name. The folder appears whole or not at all, and
one that is there is left as it is. `make reproduce FROM=archive` then measures its networks.
"""

import argparse
import hashlib
import http.client
import stat
import sys
import tempfile
import urllib.request
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from srhm.commands.printing import printing
from srhm.results.archives import CHUNK, ArchiveError, checked_archive, is_safe, stored_networks

FOLDER = Path("results/archive")
SCHEMES = ("http", "https", "file")
TIMEOUT = 60  # seconds without a byte
# What an archive may have unpacked, in MB: four times what `srhm crate` packs by default.
LARGEST = 2000
STOPPED = 130  # exit code, 128 + SIGINT


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code: 0 where a whole archive is there, 1 with a sentence where it is not."""
    parser = argparse.ArgumentParser(
        prog="srhm fetch-archive",
        description=__doc__,
        epilog="example: srhm fetch-archive --url file:///media/disk/crate.zip",
    )
    parser.add_argument("--url", default="", help="address of the archive, a zip file")
    parser.add_argument("--sha256", help="of the zip file, as its publisher names it")
    parser.add_argument("--output", type=Path, default=FOLDER, help="default: %(default)s")
    parser.add_argument(
        "--megabytes", type=float, default=LARGEST, help="largest size; default: %(default)s"
    )
    options = parser.parse_args(arguments)
    try:
        if options.output.exists():
            checked_archive(options.output)
            print(f"{options.output} holds a whole archive already, and is left as it is")
        else:
            fetch(options.url, options.output, sha256=options.sha256, megabytes=options.megabytes)
    except ArchiveError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped: what was downloaded is removed", file=sys.stderr)
        return STOPPED
    print(
        f"{options.output}: {len(stored_networks(options.output))} networks;"
        " `make reproduce FROM=archive` measures them"
    )
    return 0


def fetch(url: str, folder: Path, *, sha256: str | None, megabytes: float) -> None:
    """Downloads, checks and unpacks an archive into a new folder.

    Raises:
        ArchiveError: where it cannot be had, or is not what was packed; the folder is not made.
    """
    if urlsplit(url).scheme not in SCHEMES:
        raise ArchiveError(
            f"{url!r} is no address of an archive: allowed are http://, https:// and file:///"
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".archive-", dir=folder.parent) as scratch:
        packed, unpacked = Path(scratch, "archive.zip"), Path(scratch, "archive")
        expected = sha256 or _sum_beside(url)
        print(f"downloading {url}", flush=True)
        found = _download(url, packed, largest=int(megabytes * 1e6))
        if expected is None:
            print("no sum is named for it; those of its files are looked at")
        elif found != expected.lower():
            raise ArchiveError(
                f"{url} is not the archive that was meant: SHA-256 {found}, not {expected.lower()};"
                " nothing was unpacked"
            )
        _unpack(packed, unpacked, url=url, largest=int(megabytes * 1e6))
        packed.unlink()
        checked_archive(unpacked)
        unpacked.rename(folder)


def _sum_beside(url: str) -> str | None:
    """The sum in the file URL.sha256, if there is one."""
    try:
        with urllib.request.urlopen(f"{url}.sha256", timeout=TIMEOUT) as source:
            words = source.read(200).decode("ascii", "replace").split()
    except (OSError, ValueError, http.client.HTTPException):
        return None
    return words[0] if words and len(words[0]) == 64 else None


def _download(url: str, target: Path, *, largest: int) -> str:
    """Writes what the address gives to a file; returns its SHA-256."""
    digest, done = hashlib.sha256(), 0
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT) as source, target.open("wb") as file:
            while chunk := source.read(CHUNK):
                done += len(chunk)
                if done > largest:
                    raise ArchiveError(
                        f"{url} gives more than {largest / 1e6:.0f} MB; --megabytes allows more"
                    )
                file.write(chunk)
                digest.update(chunk)
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise ArchiveError(f"{url} cannot be read ({error})") from error
    return digest.hexdigest()


def _unpack(packed: Path, folder: Path, *, url: str, largest: int) -> None:
    """Writes the files of a zip file below a new folder.

    A name that leads out of it, a link, a file that stands twice, or more than the largest size end
    it before anything is written.
    """
    try:
        with zipfile.ZipFile(packed) as archive:
            members = [one for one in archive.infolist() if not one.is_dir()]
            names = [one.filename for one in members]
            for one in members:
                kind = stat.S_IFMT(one.external_attr >> 16)  # 0 where the packer knows no kinds
                if not is_safe(one.filename) or kind not in (0, stat.S_IFREG):
                    raise ArchiveError(
                        f"{url} has {one.filename!r}, which is no file within its folder;"
                        " nothing was unpacked"
                    )
            if len(set(names)) < len(names) or sum(one.file_size for one in members) > largest:
                raise ArchiveError(
                    f"{url} has a file twice, or more than {largest / 1e6:.0f} MB (--megabytes);"
                    " nothing was unpacked"
                )
            for one in members:
                target = folder / one.filename
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(one) as content, target.open("wb") as file:
                    while chunk := content.read(CHUNK):
                        file.write(chunk)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
        raise ArchiveError(f"{url} is no whole zip file ({error})") from error
    except OSError as error:
        raise ArchiveError(f"{url} cannot be unpacked ({error})") from error


if __name__ == "__main__":
    sys.exit(printing(main))
