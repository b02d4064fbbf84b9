"""The figure of double descent, on invented tables."""

import warnings

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from tables import jamming_cells, jamming_ensembles

from srhm.figures.drawing import styled
from srhm.studies.double_descent.figures import error_and_norm as plane_double_descent


@styled
def render(figure: Figure) -> Figure:
    """Draws it in memory under the style in which it is saved; a warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FigureCanvasAgg(figure).draw()
    return figure


def marks(figure: Figure, name: str) -> list[tuple[float, float]]:
    """Points of all lines whose name has this in it."""
    return [
        (float(x), float(y))
        for axes in figure.get_axes()
        for one in axes.get_lines()
        if name in str(one.get_gid())
        for x, y in zip(one.get_xdata(), one.get_ydata(), strict=True)
    ]


def texts(figure: Figure) -> str:
    found = [text.get_text() for text in figure.texts]
    found += [text.get_text() for axes in figure.get_axes() for text in axes.texts]
    return "\n".join(found)


def test_double_descent_shows_errors_ensembles_norms_and_h_star():
    table = jamming_cells(study="double_descent")
    figure = render(plane_double_descent.draw(table, jamming_ensembles(table), preset="x"))
    error = dict(marks(figure, "test_error P=256 parity line"))
    expected = table.query("P == 256").groupby("width")["test_error"].mean()
    assert error == pytest.approx(expected.to_dict())
    together = dict(marks(figure, "ensemble P=256"))
    assert together == pytest.approx((expected - 0.02).to_dict())
    jammed = {x for x, _ in marks(figure, "test_norm P=256 parity jammed")}
    assert jammed == {2, 4}
    bands = [
        p for axes in figure.get_axes() for p in axes.patches if "h* P=256" in str(p.get_gid())
    ]
    assert len(bands) == 3
    assert {(p.get_x(), p.get_x() + p.get_width()) for p in bands} == {(4.0, 8.0)}
    assert "18 capped" in texts(figure)


def test_double_descent_without_ensembles_or_cells():
    table = jamming_cells(study="double_descent")
    figure = render(plane_double_descent.draw(table, jamming_ensembles(table).iloc[:0], preset="x"))
    assert not marks(figure, "ensemble")
    empty = render(
        plane_double_descent.draw(jamming_cells(), jamming_ensembles(jamming_cells()), preset="x")
    )
    assert "not in this preset" in texts(empty)
