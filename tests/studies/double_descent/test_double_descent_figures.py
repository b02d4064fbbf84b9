"""The figure of double descent, on invented tables."""

import pytest
from drawn import points, rendered, texts
from tables import jamming_cells, jamming_ensembles

from srhm.studies.double_descent.figures import error_and_norm as plane_double_descent


def test_double_descent_shows_errors_ensembles_norms_and_h_star():
    table = jamming_cells(study="double_descent")
    figure = rendered(plane_double_descent.draw(table, jamming_ensembles(table), preset="x"))
    error = dict(points(figure.axes[0], "test_error size=$P=256$"))
    expected = table.query("P == 256").groupby("width")["test_error"].mean()
    assert error == pytest.approx(expected.to_dict())
    together = dict(points(figure, "ensemble size=$P=256$"))
    assert together == pytest.approx((expected - 0.02).to_dict())
    jammed = {x for x, _ in points(figure, "test_norm size=$P=256$ open")}
    assert jammed == {2, 4}
    bands = [
        p for axes in figure.get_axes() for p in axes.patches if "h* P=256" in str(p.get_gid())
    ]
    assert len(bands) == 3
    assert {(p.get_x(), p.get_x() + p.get_width()) for p in bands} == {(4.0, 8.0)}
    assert "18 capped" in texts(figure)


def test_double_descent_without_ensembles_or_cells():
    table = jamming_cells(study="double_descent")
    figure = rendered(
        plane_double_descent.draw(table, jamming_ensembles(table).iloc[:0], preset="x")
    )
    assert not points(figure, "ensemble")
    empty = rendered(
        plane_double_descent.draw(jamming_cells(), jamming_ensembles(jamming_cells()), preset="x")
    )
    assert "not in this preset" in texts(empty)
