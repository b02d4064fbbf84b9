"""What commands print: letters that a terminal lacks, and a reader that is gone, are no errors."""

import io
import os
import sys
from collections.abc import Callable


def printing(main: "Callable[[], int]") -> int:
    """Exit code of a command; 0 where its reader has gone (`| head`) before it was done."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    code = 0
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # What is not printed yet goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code
