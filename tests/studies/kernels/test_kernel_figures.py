"""Figures on invented tables: what they show, and that empty ones say so."""

import numpy as np
import pandas as pd
import pytest
from drawn import lines, points, texts

from srhm.studies.kernels.exponents import crossings, exponents
from srhm.studies.kernels.figures import (
    digits,
    dimensions,
    hierarchy,
    mnist5k,
    neighbours,
    pca,
    stripe,
    students,
    teachers,
)


@pytest.fixture(scope="module")
def drawn(cells, spectra, networks):
    table = pd.DataFrame(exponents(cells, spectra))
    crossed = pd.DataFrame(crossings(cells, 0.1))
    return {
        "teachers": teachers.draw(cells, preset="x"),
        "dimensions": dimensions.draw(table, preset="x"),
        "students": students.draw(cells, preset="x"),
        "digits": digits.draw(cells, preset="x", experiment="digits"),
        "pca": pca.draw(cells, spectra, preset="x"),
        "mnist5k": mnist5k.draw(cells, spectra, preset="x"),
        "neighbours": neighbours.draw(cells, preset="x"),
        "stripe": stripe.draw(cells, preset="x"),
        "hierarchy": hierarchy.draw(cells, crossed, networks, preset="x", threshold=0.1),
    }


def test_no_panel_is_left_out(drawn):
    for name, figure in drawn.items():
        assert "Without" not in texts(figure), name


def test_learning_curves_are_means_with_guides_of_the_law(drawn, cells):
    figure = drawn["teachers"]
    (curve,) = lines(figure.get_axes()[0], "curve d=3")
    own = cells[
        (cells["experiment"] == "teacher_student")
        & (cells["d"] == 3)
        & (cells["data"] == "sphere")
        & (cells["teacher"] == "laplace")
    ]
    np.testing.assert_allclose(curve[:, 1], own.groupby("P")["expected_mse"].mean())
    (guide,) = lines(figure.get_axes()[1], "guide d=1")
    slope = np.diff(np.log(guide[:, 1])) / np.diff(np.log(guide[:, 0]))
    assert slope == pytest.approx(-4)
    assert len(lines(figure.get_axes()[2], "curve matern")) == 5


def test_exponents_stand_on_their_law(drawn):
    left, middle, right = drawn["dimensions"].get_axes()
    for axes in (left, middle):
        law = dict(points(axes, "law"))
        for x, y in points(axes, "exponent last decade"):
            assert y == pytest.approx(law[round(x)], rel=1e-6)
    assert max(y for _, y in points(right, "exponent")) == pytest.approx(4)


def test_gauss_and_gauss_is_a_line_in_the_root_of_p(drawn):
    (curve,) = lines(drawn["students"], "curve stretched")
    slopes = np.diff(np.log(curve[:, 1])) / np.diff(curve[:, 0])
    np.testing.assert_allclose(slopes, -3, rtol=1e-6)


def test_machines_have_no_squared_error(drawn):
    left, middle, right = drawn["digits"].get_axes()
    assert len(lines(left, "curve")) == 2
    assert len(lines(middle, "curve")) == 4
    assert len(lines(right, "curve sigma=")) == 3


def test_spectra_tails_and_their_convergence(drawn):
    tails, spheres, values, ratios = drawn["pca"].get_axes()
    assert len(lines(tails, "tail")) == 3
    assert lines(tails, "curve error")
    for axes, quantity, exponent in ((spheres, "tail", 1 / 2), (values, "eigenvalue", 3 / 2)):
        (curve,) = lines(axes, f"{quantity} d=2")
        slope = np.polyfit(np.log(curve[:, 0]), np.log(curve[:, 1]), 1)[0]
        assert slope == pytest.approx(-exponent, rel=1e-3)
    expected = (1 + 100 / 512) / (1 + 100 / 1024)
    np.testing.assert_allclose(np.array(points(ratios, "ratio P=512"))[:, 1], expected, rtol=1e-6)


def test_distances_of_spheres_lie_on_the_law(drawn):
    left, right = drawn["neighbours"].get_axes()
    curve, law = (np.array(points(left, f"{name} d=2")) for name in ("curve", "law"))
    np.testing.assert_allclose(curve, law, rtol=0.02)
    assert np.array(points(right, "relative digits"))[0, 1] == pytest.approx(1)


def test_mnist_has_learning_curves_spectra_and_distances_of_its_own(drawn, cells):
    squared, wrong, widths, tails, ratios, nearest = drawn["mnist5k"].get_axes()
    counts = [len(lines(axes, "curve")) for axes in (squared, wrong, widths)]
    assert counts == [2, 4, 3]
    assert len(lines(tails, "tail")) == len(lines(ratios, "ratio")) == 3
    own = cells[(cells["experiment"] == "neighbours") & (cells["data"] == "mnist5k")]
    (curve,) = lines(nearest, "distance")
    np.testing.assert_allclose(curve[:, 1], own.groupby("P")["distance"].mean())


def test_censored_kernels_are_arrows_at_the_largest_p(drawn):
    panel = drawn["hierarchy"].get_axes()[2]
    arrows = [text.xy[1] for text in panel.texts if str(text.get_gid()).startswith("arrow")]
    assert set(arrows) == {1024.0}
    assert sum(y < 1024 for _, y in points(panel, "kernel kernel=laplace")) == 4
    # Eq. 3 at v = m = n_c = 4: 2 (s_0 + 1)^2 4^3.
    np.testing.assert_allclose(points(panel, "law lcn"), [(1, 128), (2, 512), (3, 1152)])


def test_networks_stand_at_their_own_p_star(drawn, networks):
    left, _, right = drawn["hierarchy"].get_axes()
    assert points(left, "P* net=cnn s0=1") == [(400.0, 0.1)]
    assert not points(left, "P* net=lcn")
    assert [round(y) for _, y in points(right, "measured net=lcn")] == [160, 640]
    assert [round(x) for x, _ in points(right, "measured net=cnn")] == [1, 2, 3]


def test_empty_tables_give_labelled_empty_figures(cells, spectra, networks):
    none, no_spectra = cells.iloc[:0], spectra.iloc[:0]
    table = pd.DataFrame(exponents(cells, spectra)).iloc[:0]
    crossed = pd.DataFrame(crossings(cells, 0.1)).iloc[:0]
    for figure in (
        teachers.draw(none, preset="x"),
        dimensions.draw(table, preset="x"),
        students.draw(none, preset="x"),
        digits.draw(none, preset="x", experiment="digits"),
        pca.draw(none, no_spectra, preset="x"),
        mnist5k.draw(none, no_spectra, preset="x"),
        neighbours.draw(none, preset="x"),
        hierarchy.draw(none, crossed, networks, preset="x", threshold=0.1),
    ):
        assert "not in this preset" in texts(figure)


def test_without_the_files_the_panels_of_mnist_say_how_to_get_them(cells):
    own = cells["experiment"] == "mnist"
    figure = digits.draw(cells[~own], preset="x", experiment="mnist")
    assert "make mnist" in texts(figure)
    figure = digits.draw(cells[own], preset="x", experiment="mnist")
    assert len(lines(figure.get_axes()[1], "curve")) == 4
