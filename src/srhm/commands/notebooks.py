"""Write the tutorials as notebooks for a notebook service: a first cell installs the library.

`srhm notebooks` writes one for each tutorial of docs/tutorials that the library alone runs, without
outputs. They are made of the same text as the pages of `make docs`, which link them.
"""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from srhm.commands.printing import printing
from srhm.results.atomic import write_text
from srhm.results.commit import REPOSITORY

TUTORIALS = REPOSITORY / "docs" / "tutorials"
# Tutorials that need no clone, and the extras of the package that each loads.
EXTRAS = {
    "draw_a_datum": "",
    "measure_one_p_star": "[torch,analysis]",
    "sensitivities": "[torch,analysis]",
}
INSTALL = """\
# Address of the project's repository, as `git clone` takes it.
REPOSITORY = "{address}"
{check}%pip install --quiet "srhm{extras} @ git+{{REPOSITORY}}"
"""
# Without an address the first cell says what is missing, before pip fails.
CHECK = 'assert REPOSITORY, "write the address of the repository into the line above"\n'
NO_ADDRESS = """\
The first cells lack the address of the repository (CITATION.cff has no repository-code):
make notebooks ARGS="--repository ADDRESS" writes it."""
LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Cell:
    """A cell of a tutorial in the percent format.

    kind: "code" or "markdown". script: whether it is about running the file, not a notebook.
    """

    kind: str
    text: str
    script: bool = False


def tutorial_cells(tutorial: str) -> list[Cell]:
    """The cells of a tutorial, Python in the percent format, in their order."""
    found = []
    for part in re.split(r"^# %%", tutorial, flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n")
        words = head.split()
        if words[:1] == ["[markdown]"]:
            text = re.sub(r"^# ?", "", body, flags=re.MULTILINE).strip()
            found.append(Cell("markdown", text, script="script" in words))
        else:
            found.append(Cell("code", body.strip()))
    return found


def notebook(name: str, *, address: str) -> dict[str, Any]:
    """A tutorial as a notebook (nbformat 4.5): its installation, then its cells, without outputs.

    address: of the repository that the first cell installs from; empty: that cell asks for it.
    """
    cells = tutorial_cells((TUTORIALS / f"{name}.py").read_text(encoding="utf-8"))
    check = "" if address else CHECK
    install = INSTALL.format(address=address, check=check, extras=EXTRAS[name])
    first = Cell("code", install.strip())
    kept = [first, *(cell for cell in cells if not cell.script)]
    return {
        "cells": [_cell(number, cell) for number, cell in enumerate(kept)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cell(number: int, cell: Cell) -> dict[str, Any]:
    text = LINK.sub(_linked, cell.text) if cell.kind == "markdown" else cell.text
    found = {
        "cell_type": cell.kind,
        "id": f"cell-{number}",
        "metadata": {},
        "source": text.splitlines(keepends=True),
    }
    return found | ({"execution_count": None, "outputs": []} if cell.kind == "code" else {})


def _linked(link: re.Match[str]) -> str:
    """A link to another tutorial leads to its notebook; files of the clone are not beside it."""
    text, target = link.groups()
    name = Path(target).stem
    if name in EXTRAS:
        return f"[{text}]({name}.ipynb)"
    return link[0] if "://" in target else text


def address_of_repository() -> str:
    """Where the project can be cloned from, as CITATION.cff says; empty if it does not."""
    citation = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text(encoding="utf-8"))
    return str(citation.get("repository-code", ""))


def write_notebooks(folder: Path, *, address: str) -> list[Path]:
    """Writes all notebooks into a folder; returns their files."""
    files = []
    for name in EXTRAS:
        files.append(folder / f"{name}.ipynb")
        text = json.dumps(notebook(name, address=address), indent=1, ensure_ascii=False)
        write_text(files[-1], f"{text}\n")
    return files


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0."""
    parser = argparse.ArgumentParser(
        prog="srhm notebooks",
        description=__doc__,
        epilog="example: srhm notebooks --repository https://HOST/NAME.git",
    )
    parser.add_argument(
        "--output", type=Path, default=Path("results/notebooks"), help="default: %(default)s"
    )
    parser.add_argument(
        "--repository",
        default=address_of_repository(),
        help="address to install from; without one, repository-code of CITATION.cff",
    )
    options = parser.parse_args(arguments)
    for file in write_notebooks(options.output, address=options.repository):
        print(file)
    if not options.repository:
        print(NO_ADDRESS)
    return 0


if __name__ == "__main__":
    sys.exit(printing(main))
