"""Stored cells that a run trains again although they are there.

A cell's key holds the digest of its engine on processors. A cell that was trained on a GPU names
the GPU's code in its row: only the file tells whether that is the present code.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from srhm.results.sources import digest_of
from srhm.results.store import read_texts

# What a row of a network that was trained in a stack says in its versions: the digest of CODE.
ON_GPU = re.compile(r"\bstacked ([0-9a-f]+) on ")
CODE = "srhm.training.stacked:train_stack"


def made_by_other_code(versions: str) -> bool:
    """Whether a row's `versions` name a form for GPUs whose code has been changed since."""
    form = ON_GPU.search(versions)
    if form is None:
        return False
    return form[1] != digest_of(CODE)


def row_of(path: Path) -> Mapping[str, Any]:
    """Row of a stored cell as its file says, not checked; empty if there is none or it is damaged.

    Raises:
        StorageError: if the file cannot be read now.
    """
    try:
        row = json.loads(read_texts(path).get("row", "{}"))
    except (FileNotFoundError, ValueError):
        return {}
    return row if isinstance(row, dict) else {}


def is_outdated(path: Path) -> bool:
    """Whether a stored cell was trained on a GPU by other code; False where it is damaged.

    Only the head of the file is read: 0.15 s for 10,000 small cells that the system has cached,
    where asking whether they exist takes 0.025 s.

    Raises:
        StorageError: if the file cannot be read now.
    """
    return made_by_other_code(str(row_of(path).get("versions", "")))


def remark(number: int) -> str:
    """A line about so many outdated cells; empty for none."""
    if not number:
        return ""
    return (
        f"{number} cells are stored, but were trained on a GPU by other code: they are counted as"
        " missing, and the next run trains them again"
    )
