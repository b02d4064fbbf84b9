"""Which folder of results a command shows: the one that is named, or that of the latest run."""

import argparse
from pathlib import Path

REFUSED = 2


class NoResults(Exception):
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
        raise NoResults(f"{where} has no {pattern}: `make figures` makes one in about a minute")
    return found.parents[pattern.count("/")]
