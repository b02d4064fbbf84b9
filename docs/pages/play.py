"""The page to play with, docs/front/play.html, of its scripts and the archived results."""

from srhm.report.play.page import archive_curves, page_text
from srhm.store import places
from srhm.store.published import published_file, read_published_table
from srhm.store.tables import CELLS, SENSITIVITIES

PAGE = "docs/front/play.html"
ROWS = places.PUBLISHED / "grid" / "sparse_hierarchy"


def page_of_shipped_rows() -> str:
    """The page, next to the curves of the main preset.

    Raises:
        PublicationError: if a table is missing or damaged, naming it.
    """
    cells = read_published_table(published_file(ROWS, "cells"), CELLS)
    sensitivities = read_published_table(published_file(ROWS, "sensitivities"), SENSITIVITIES)
    return page_text(archive_curves(cells, sensitivities))
