"""What holds for the pages of all figures."""

from matplotlib.figure import Figure
from matplotlib.text import Text

from srhm.figures.drawing import styled


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
            assert box.x0 >= page.x0 - 1, text.get_text()
            assert box.x1 <= page.x1 + 1, text.get_text()
            assert box.y0 >= page.y0 - 1, text.get_text()
            assert box.y1 <= page.y1 + 1, text.get_text()
