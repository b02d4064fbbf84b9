"""Indices and powers of plain text: P*_S, s_0+1, s^(L/2)."""

import re
from typing import Literal

Kind = Literal["plain", "index", "power"]
PART = re.compile(r"(?<=[\w*)])([_^])(\([^()]*\)|\w+)")


def runs(text: str) -> list[tuple[str, Kind]]:
    """The text in pieces, each plain, an index or a power."""
    found, start = list[tuple[str, Kind]](), 0
    for part in PART.finditer(text):
        found.append((text[start : part.start()], "plain"))
        found.append((part[2].strip("()"), "index" if part[1] == "_" else "power"))
        start = part.end()
    return [(piece, kind) for piece, kind in [*found, (text[start:], "plain")] if piece]
