"""Open the index of a folder of results in a browser; without one, print where it is.

`srhm open --results results/quick` opens results/quick/index.html.
"""

import argparse
import os
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from srhm.commands.printing import Refused
from srhm.store.places import INDEX


class NoResults(Refused):
    """There is no folder of results; the message says how to make one."""


def parser_for_results(command: str, description: str | None) -> argparse.ArgumentParser:
    """Parser of a command about a folder of results."""
    parser = argparse.ArgumentParser(
        prog=f"srhm {command}",
        description=description,
        epilog=f"example: srhm {command} --results results/quick",
    )
    parser.add_argument(
        "--results", type=Path, metavar="FOLDER", help="default: the latest folder of results/"
    )
    return parser


def chosen_folder(named: Path | None, *, pattern: str) -> Path:
    """The folder of results that is named; without a name the one whose file is the latest.

    pattern: of the file that the command reads, in the folder.

    Raises:
        NoResults: if there is no such file.
    """
    parent, folders = (named.parent, named.name) if named else (Path("results"), "*")
    found = max(
        parent.glob(f"{folders}/{pattern}"), key=lambda file: file.stat().st_mtime, default=None
    )
    if found is None:
        where = named or parent
        raise NoResults(
            f"{where} has no {pattern}: `make figures` makes one in about a minute. The key"
            " `preset` of a file names its folder"
        )
    return found.parents[pattern.count("/")]


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the path of the index, and opens it where a browser would open a window."""
    options = parser_for_results("open", __doc__).parse_args(arguments)
    index = chosen_folder(options.results, pattern=INDEX).resolve() / INDEX
    print(index)
    if sys.platform != "linux" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY"))):
        webbrowser.open(index.as_uri())
    return 0
