"""What commands print: letters that a terminal lacks, and a reader that is gone, are no errors.

No new syntax and quoted annotations: `srhm doctor` runs this with a Python of any age.
"""

import io
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TextIO

REFUSED = 2  # exit code of a command that touched nothing


class Refused(Exception):
    """A command that cannot be; the message says why. Nothing was touched."""


def printing(main: "Callable[[], int]") -> int:
    """Exit code of a command; 0 where its reader has gone (`| head`) before it was done.

    What cannot be printed for another reason, as the disk is full, makes it 1 at least.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by `>&-`
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    code = 0
    with suppress(BrokenPipeError):
        code = main()
    try:
        sys.stdout.flush()
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            print(f"not all is printed: {error}", file=sys.stderr)
            code = code or 1
        # What is not printed yet goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


class _Outlasting(io.FileIO):
    """A file that takes all that is written to it, whether its reader or disk takes it or not."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def outlasting(stream: TextIO) -> TextIO:
    """The stream for a command that goes on when its reader has gone; itself if it is no file."""
    try:
        number = stream.fileno()
    except OSError:
        return stream
    stream.flush()
    raw = _Outlasting(number, "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding=stream.encoding, errors="replace", line_buffering=True
    )
