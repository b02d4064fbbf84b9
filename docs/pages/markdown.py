"""Tables of Markdown, and the parts of a page that a command writes between two markers."""

import re
from collections.abc import Iterable, Iterator, Sequence

from srhm.planning.registry import file_of_study

BEGIN, END = "<!-- {}: written by `make readme` -->", "<!-- end -->"


def line(cells: Sequence[str]) -> str:
    """A line of a table."""
    return f"| {' | '.join(cells)} |"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Lines of a table."""
    yield line(heads)
    yield line(["---"] * len(heads))
    yield from map(line, rows)


def escaped(text: str) -> str:
    """Text whose signs mean nothing in a table."""
    return text.replace("*", "\\*").replace("s_0", "s₀").replace("|", "\\|")


def link_to(study: str) -> str:
    """A link from a page of docs to the page of a study."""
    return f"[{study}](../{file_of_study(study)})"


def between(text: str, name: str, lines: Iterable[str], *, of: str) -> str:
    """A page with its part of this name rewritten; of: the page's name, for errors.

    Raises:
        ValueError: if the page has no such part, or several.
    """
    begin = BEGIN.format(name)
    pattern = re.compile(f"{re.escape(begin)}\n.*?{re.escape(END)}", re.DOTALL)
    parts = pattern.split(text)
    if len(parts) != 2:
        raise ValueError(f"{of} needs one part from {begin!r} to {END!r}")
    return "\n".join([begin, *lines, END]).join(parts)
