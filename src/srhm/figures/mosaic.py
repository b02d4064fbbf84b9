"""A figure as a mosaic of declared panels with one legend, made of what they drew."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from srhm.figures import legends
from srhm.figures.drawing import PAGE_WIDTH, laid_out_page, page, styled
from srhm.figures.panels import Panel, draw_panel, finish_panel

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
HEIGHT = 2.2  # inches of a row, with titles and labels
ROOM = 0.8  # part of the height of an empty place that a legend may fill
LABELS = 0.75  # inches that labels take of the width of a place


@styled
def mosaic(
    panels: Sequence[Panel],
    *,
    columns: int,
    preset: str,
    height: float = HEIGHT,
    notes: Sequence[str] = (),
    share: str = "",
    absent: str = "",
    letters: Sequence[str] = LETTERS,
) -> Figure:
    """The panels in rows of so many columns.

    A panel without rows is left out, the others keep their letters, and the notes name it. Without
    any panel the figure is a line that says so. The legend stands in an empty place of the last row
    if it fits there, else below. share: "x" or "y": axes that the panels of a column, or of a row,
    have in common. A label that the panel at the left has, too, is left out. absent: why there may
    be no rows at all. letters: of the panels; an empty one is not set.
    """
    lettered = list(zip(letters[: len(panels)], panels, strict=True))
    there = [(letter, panel) for letter, panel in lettered if panel.has_rows]
    if not there:
        blank = page(0.4, preset=preset)
        blank.text(0.01, 0.5, f"Nothing to draw: not in this preset. {absent}".strip(), va="center")
        return blank
    lacking = [letter for letter, panel in lettered if not panel.has_rows]
    missing = [f"Without {', '.join(lacking)}: not in this preset."] if lacking else []
    columns = min(columns, len(there))
    n_rows = -(-len(there) // columns)
    figure, part = laid_out_page(height * n_rows, preset=preset, foot=[*notes, *missing])
    grid = part.subplots(
        n_rows, columns, squeeze=False, sharex="col" if "x" in share else False,
        sharey="row" if "y" in share else False,
    )  # fmt: skip
    places = grid.ravel()
    entries = []
    for i, (axes, (letter, panel)) in enumerate(zip(places, there, strict=False)):
        entries += draw_panel(axes, panel, letter=letter if len(panels) > 1 else "")
        if i % columns and there[i - 1][1].y.label == panel.y.label:
            axes.set_ylabel("")
    for axes, (_, panel) in zip(places, there, strict=False):
        finish_panel(axes, panel)
    empty = places[len(there) :]
    for axes in empty:
        axes.set_axis_off()
    legend = legends.united(entries)
    if not legend:
        return figure
    if len(empty):
        cell = PAGE_WIDTH / columns
        box = legends.in_rows(legend, width=cell * len(empty) - LABELS, figure=figure)
        width, high = legends.size_of(box, figure)
        if high < ROOM * height and width < cell * len(empty) - LABELS + 0.1:
            legends.place_in(empty[0], box, figure)
            return figure
    box = legends.in_rows(legend, width=PAGE_WIDTH - 0.2, figure=figure)
    legends.place_below(figure, box)
    return figure
