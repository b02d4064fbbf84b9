"""Write docs/front/play.html, the page to play with, from its scripts and the shipped rows."""

import sys
from collections.abc import Sequence
from pathlib import Path

from srhm.commands.printing import printing
from srhm.report.play.page import archive_curves, page_text
from srhm.store import places
from srhm.store.atomic import write_text
from srhm.store.published import published_file, read_published_table
from srhm.store.tables import CELLS, SENSITIVITIES

ROOT = places.PUBLISHED.parent
PAGE = Path("docs/front/play.html")
ROWS = places.PUBLISHED / "grid" / "sparse_hierarchy"


def page_of_shipped_rows() -> str:
    """The page, beside the curves of the main preset.

    Raises:
        PublicationError: if a table is missing or damaged, naming it.
    """
    cells = read_published_table(published_file(ROWS, "cells"), CELLS)
    sensitivities = read_published_table(published_file(ROWS, "sensitivities"), SENSITIVITIES)
    return page_text(archive_curves(cells, sensitivities))


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the page and prints where it is."""
    text = page_of_shipped_rows()
    write_text(ROOT / PAGE, text)
    print(f"{PAGE}, {len(text.encode()) / 1e3:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(printing(main))
