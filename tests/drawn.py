"""What a figure shows: its points, its texts, and whether all of it is on the page."""

import warnings

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from srhm.figures.drawing import notes_of, styled


def rendered(figure: Figure) -> Figure:
    """Draws it in memory under the style in which it is saved; a warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FigureCanvasAgg(figure).draw()
    return figure


def points(where: Figure | Axes, part: str) -> list[tuple[float, float]]:
    """All points of the lines whose name holds a part."""
    panels = [where] if isinstance(where, Axes) else where.get_axes()
    found = [line for axes in panels for line in axes.get_lines() if part in str(line.get_gid())]
    return [(float(x), float(y)) for line in found for x, y in line.get_xydata()]


def texts(figure: Figure) -> str:
    """All texts of a figure and what its caption adds: titles, labels, legends, a line each."""
    return "\n".join([*(text.get_text() for text in figure.findobj(Text)), *notes_of(figure)])


def assert_on_page(figure: Figure) -> None:
    """No text of a figure that has been drawn is beyond the edges of the page.

    Labels of ticks are left out: those beyond the ends of an axis are kept, but not drawn.
    """
    ticks = [
        label
        for axes in figure.axes
        for minor in (False, True)
        for label in axes.get_xticklabels(minor=minor) + axes.get_yticklabels(minor=minor)
    ]
    page = figure.bbox
    for text in figure.findobj(Text):
        if text.get_text().strip() and text.get_visible() and text not in ticks:
            box = styled(text.get_window_extent)()
            assert page.x0 - 1 <= box.x0 <= box.x1 <= page.x1 + 1, text.get_text()
            assert page.y0 - 1 <= box.y0 <= box.y1 <= page.y1 + 1, text.get_text()
