"""Files that are written whole or not at all: first under another name, then renamed."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


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
