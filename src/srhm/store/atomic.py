"""Files that are written whole or not at all: first under another name, then renamed.

What the system says of a place is told apart from what a file holds: damage is of content alone.
"""

import errno
import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class StorageError(OSError):
    """A file that cannot be written, or not be read now, whatever it holds.

    The disk is full, read-only or away, the file another user's, or memory short.
    """

    def __repr__(self) -> str:  # that of OSError leaves the file out
        return f"{type(self).__name__}({self})"


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Reads or writes a file: what the system refuses is told with its name.

    Raises:
        FileNotFoundError: if there is none.
        StorageError: if it cannot be read or written now, or a folder is in its place.
    """
    try:
        yield
    except FileNotFoundError:
        raise
    except IsADirectoryError as error:
        what = "a folder is in place of this file: remove it"
        raise StorageError(error.errno, what, str(path)) from error
    except MemoryError as error:
        raise StorageError(errno.ENOMEM, os.strerror(errno.ENOMEM), str(path)) from error
    except OSError as error:
        if error.errno is None:  # Arrow says so of a content
            raise
        raise StorageError(error.errno, os.strerror(error.errno), str(path)) from error


def check_writable(folder: Path) -> None:
    """Makes a folder if there is none, and writes a file that leaves no trace.

    Raises:
        StorageError: if nothing can be written there, or it is a link to what is not there.
    """
    if folder.is_symlink() and not folder.exists():
        what = f"a link to {folder.readlink()}, which is not there: mount it, or remove the link"
        raise StorageError(errno.ENOENT, what, str(folder))
    with naming(folder):
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yields the name of a partial file, which becomes `path` at the end of the block.

    Makes the folder if there is none. If the block fails, an earlier file of this path is as it
    was, and the partial one is removed; what a killed process leaves ends in ".part".
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Process ids repeat on other hosts that write to the same folder.
    partial = path.with_name(f"{path.name}.{socket.gethostname()}-{os.getpid()}.part")
    try:
        yield partial
        partial.replace(path)
    finally:
        with suppress(OSError):  # a folder that cannot be written to holds no partial file either
            partial.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Writes a text in UTF-8, whole or not at all."""
    with replacing(path) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")
