"""One run at a time in a folder: who holds results/.lock, and who works there without it."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import psutil

from srhm.commands.printing import Refused


@contextmanager
def locked(folder: Path) -> Iterator[IO[str]]:
    """The lock of the folder that holds results/, while the block runs.

    Raises:
        Refused: if another run holds it, or the folder cannot be written to.
    """
    results = folder / "results"
    try:
        results.mkdir(parents=True, exist_ok=True)
        lock_file = (results / ".lock").open("a+", encoding="utf-8")
    except OSError as error:
        raise Refused(
            f"{results} cannot be written to: {error.strerror}{whose(error)}; nothing was started"
        ) from error
    with lock_file as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read() or "it is just starting"
            raise Refused(f"another run works in {folder}: {holder}") from None
        except OSError as error:
            raise Refused(
                f"{lock_file.name} cannot be locked ({error.strerror}): two runs at a time could"
                " not be told apart here. --directory elsewhere puts results/ on a file system that"
                " has locks; nothing was started"
            ) from error
        yield lock


def snakemake_by_hand(folder: Path) -> int | None:
    """Process id of a Snakemake on this host that was started in the folder by hand, if any.

    Those that wrap a job (`--mode`) may outlive the run that sent the job, and do no harm.
    """
    for process in psutil.process_iter(["cmdline", "cwd"]):
        line = process.info["cmdline"] or []
        words = [Path(word).name for word in line[:3]]
        wraps_a_job = "--mode" in line
        if "snakemake" in words and not wraps_a_job and process.info["cwd"] == str(folder):
            return process.pid
    return None


def whose(error: OSError) -> str:
    """Of which user the file or folder is that may not be read or written, and what would let us.

    Empty where the system says something else of it.
    """
    if error.errno not in (errno.EACCES, errno.EPERM) or error.filename is None:
        return ""
    path = Path(error.filename)
    while not os.path.lexists(path):
        path = path.parent
    try:
        owner = path.owner()
    except KeyError:
        owner = f"user {path.lstat().st_uid}"
    return f". {path} belongs to {owner}: a group shares results that are made under umask 002"
