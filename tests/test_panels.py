"""Declared panels: legends made of what is drawn, bars, arrows, what is left out."""

import pandas as pd
import pytest
from drawn import points, rendered, texts
from figure_faults import faults, legends
from matplotlib.figure import Figure
from matplotlib.text import Text

from srhm.figures.drawing import notes_of, styled
from srhm.figures.legends import LegendError
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, level
from srhm.figures.scales import nets, shaped

ROWS = pd.DataFrame(
    {"x": [1, 2, 1, 2], "y": [1.0, 2.0, 3.0, 4.0], "net": ["lcn", "lcn", "cnn", "cnn"],
     "low": [0.5, 1.5, 1e-9, 3.0], "high": [1.5, 2.5, 1e9, 5.0], "beyond": [0, 1, 0, -1],
     "capped": [False, True, False, False]}
)  # fmt: skip
LOGS = {"x": Axis("x", log=True), "y": Axis("y", log=True)}


def drawn(*panels: Panel, columns: int = 2) -> Figure:
    return rendered(styled(mosaic)(panels, columns=columns, preset="invented"))


def legend_texts(figure: Figure) -> list[str]:
    return [text.get_text() for box in legends(figure) for text in box.findobj(Text)]


def test_the_legend_names_what_is_drawn_and_nothing_else():
    marks = Marks(rows=ROWS, x="x", y="y", by=[nets(["lcn", "cnn", "fcn"])], line="-",
                  open="capped", open_label="open: capped")  # fmt: skip
    figure = drawn(Panel(title="one", marks=[marks, level(2, "two")]))
    assert set(legend_texts(figure)) == {"LCN", "CNN", "open: capped", "two"}
    assert points(figure, "y net=cnn") == [(1, 3), (2, 4)]
    assert points(figure, "y net=lcn open") == [(2, 2)]
    assert faults(figure) == []


def test_what_has_no_name_is_refused_unless_it_is_alone():
    bare = Marks(rows=ROWS, x="x", y="y")
    drawn(Panel(title="alone", marks=[bare, level(2, "two")]))
    with pytest.raises(LegendError, match="'y' has neither label nor scale"):
        drawn(Panel(title="two", marks=[bare, Marks(rows=ROWS, x="x", y="low", label="low")]))


def test_panels_without_rows_are_left_out_and_named_once():
    full = Panel(title="full", marks=[Marks(rows=ROWS, x="x", y="y")])
    none = Panel(
        title="none", marks=[Marks(rows=ROWS[:0], x="x", y="y"), law([1, 2], [1, 2], "law")]
    )
    figure = drawn(full, none, full)
    assert len(figure.axes) == 2
    assert "Without B: not in this preset." in notes_of(figure)
    assert "$\\bf{C}$" in texts(figure)
    assert "Nothing to draw" in texts(drawn(none))


def test_arrows_of_censored_points_stay_inside_the_panel():
    marks = Marks(rows=ROWS, x="x", y="y", beyond="beyond", arrow_label="lies", by=[
        shaped("net", ROWS["net"])])  # fmt: skip
    figure = drawn(Panel(title="", marks=[marks], **LOGS))
    panel = figure.axes[0].get_window_extent()
    arrows = [one for one in figure.axes[0].texts if str(one.get_gid()).startswith("arrow")]
    heads = [arrow.get_window_extent() for arrow in arrows]
    assert len(heads) == 2
    assert all(panel.y0 <= head.y0 and head.y1 <= panel.y1 for head in heads)
    assert {"lies above", "lies below"} <= set(legend_texts(figure))
