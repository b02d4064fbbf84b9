"""The figures of the crossover draw what the tables hold, and mark what is not as planned."""

import warnings
from functools import partial

import drawn
import numpy as np
import pandas as pd
import pytest
from drawn import rendered, texts
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from tables import CROSSOVER_TILDES as TILDES
from tables import CROSSOVER_WIDTHS as WIDTHS
from tables import crossover_tables as invented

from srhm.figures import error_by_scale as plane_error
from srhm.figures import kernel_change as plane_kernel_change
from srhm.figures import output_variance as plane_variance
from srhm.figures.families import edges
from srhm.figures.marks import power
from srhm.results import tables as schemas
from srhm.statistics.output_scale import families, kernel_change_fit
from srhm.studies.crossover.figures import diagram as plane_diagram
from srhm.studies.crossover.figures import kernels as plane_kernels

Tables = tuple[pd.DataFrame, pd.DataFrame]

points = partial(drawn.points, whole=True)


def points_of(axes: Axes, name: str) -> list[tuple[float, float]]:
    """Full and open points of a family, in the order of x."""
    return sorted(points(axes, name) + points(axes, f"{name} open"))


@pytest.fixture(scope="module")
def tables() -> Tables:
    return invented()


@pytest.fixture(scope="module")
def kernels(tables: Tables) -> pd.DataFrame:
    """Eigenvalues that fall as 1/rho; after training the first eigenvector is the labels."""
    rows = []
    own = tables[0][tables[0]["width"] == 40]
    for _, cell in own[own["alpha_tilde"].isin([1e-3, 1e3])].iterrows():
        for when in ("initial", "end"):
            for rank in range(1, 11):
                first = float(rank == 1) if when == "end" else 0.1
                for quantity, target, value in (
                    ("eigenvalue", "", 1 / rank),
                    ("projection", "labels", first),
                    ("projection", "level2", 0.1),
                ):
                    rows.append(
                        {"curve": cell["curve"], "key": cell["key"], "when": when,
                         "quantity": quantity, "target": target, "rank": rank, "value": value}
                    )  # fmt: skip
    return pd.DataFrame(rows)


def damaged(tables: Tables) -> Tables:
    """One network of h = 40 capped at alpha_tilde = 1, one diverged at 10."""
    cells, ensembles = (table.copy() for table in tables)
    own = (cells["net"] == "cnn") & (cells["width"] == 40)
    capped = cells.index[own & np.isclose(cells["alpha_tilde"], 1)][0]
    cells.loc[capped, ["status", "n_unsatisfied"]] = ["capped", 1]
    lost = cells.index[own & np.isclose(cells["alpha_tilde"], 10)][0]
    cells.loc[lost, ["status", "test_error", "kernel_change", "half_time"]] = [
        "diverged", np.nan, np.nan, np.nan
    ]  # fmt: skip
    return cells, ensembles


def test_errors_are_drawn_at_their_averages(tables: Tables) -> None:
    cells, ensembles = tables
    figure = rendered(plane_error.draw(cells, ensembles, preset="invented", study="crossover"))
    for row, net in enumerate(("cnn", "fcn")):
        single, together = figure.axes[2 * row : 2 * row + 2]
        for width in WIDTHS:
            own = cells[(cells["net"] == net) & (cells["width"] == width)]
            expected = own.groupby("alpha_tilde")["test_error"].mean()
            shown = points_of(single, f"error width={width}")
            np.testing.assert_allclose(shown, list(expected.items()))
            of = ensembles[ensembles["curve"] == own["curve"].iloc[0]]
            shown = points_of(together, f"error width={width}")
            np.testing.assert_allclose(shown, of[["alpha_tilde", "ensemble_error"]])
        # Those of h = 4 are all capped.
        assert len(points(single, "error width=4 open")) == len(TILDES)
        assert not points(single, "error width=40 open")


def test_capped_points_are_open_and_diverged_ones_crossed(tables: Tables) -> None:
    cells, ensembles = damaged(tables)
    figure = rendered(plane_error.draw(cells, ensembles, preset="invented", study="crossover"))
    axes = figure.axes[0]
    (marks,) = [one for one in axes.get_lines() if one.get_gid() == "error width=40 open"]
    np.testing.assert_allclose(np.asarray(marks.get_xdata()), [1.0])
    assert to_rgba(marks.get_markerfacecolor())[:3] == (1.0, 1.0, 1.0)
    np.testing.assert_allclose([x for x, _ in points(axes, "diverged error width=40")], [10.0])
    assert "a network diverged" in texts(figure)
    foot = " ".join(texts(figure).split())
    assert "at most 5,000 gradient evaluations" in foot
    assert "140 together: 110 fitted, 29 capped, 1 diverged" in foot


def test_kernel_change_has_guides_of_the_expected_slopes_and_the_fitted_ones_in_words(
    tables: Tables,
) -> None:
    figure = rendered(plane_kernel_change.draw(tables[0], preset="invented", study="crossover"))
    axes = figure.axes[0]
    for slope in (-1.0, -4 / 3):
        (x0, y0), (x1, y1) = points(axes, f"guide {slope:.4f}")
        assert np.log(y1 / y0) / np.log(x1 / x0) == pytest.approx(slope)
    text = "\n".join(t.get_text() for t in axes.texts)
    assert "-2/(1+1/L)" in texts(figure)
    fit = kernel_change_fit(tables[0][tables[0]["net"] == "cnn"], lazy=True)
    assert f"{fit.slope:.2f} [{fit.low:.2f}, {fit.high:.2f}]".replace("-", "\u2212") in text
    ((at, level),) = points(axes, "crossover")
    assert at == pytest.approx(10, rel=0.05)
    assert level == 1
    own = tables[0].query("net == 'cnn' and width == 160")
    expected = np.exp(
        np.log(own["half_time"] / own["alpha_tilde"]).groupby(own["alpha_tilde"]).mean()
    )
    np.testing.assert_allclose(
        points(figure.axes[1], "half time width=160"), list(expected.items())
    )


def test_variance_is_drawn_against_width_and_scaled_by_it(tables: Tables) -> None:
    figure = rendered(plane_variance.draw(*tables, preset="invented", study="crossover"))
    against, scaled = figure.axes[:2]
    of = tables[1][tables[1]["curve"].str.startswith("cnn")]
    at = of[np.isclose(of["alpha_tilde"], 1e3)]
    np.testing.assert_allclose(
        points_of(against, "variance alpha_tilde=1000"), at[["width", "variance"]]
    )
    wide = of[of["width"] == 160]
    np.testing.assert_allclose(
        points_of(scaled, "scaled width=160"),
        np.column_stack([wide["alpha_tilde"], 160 * wide["variance"]]),
    )
    (x0, y0), (x1, y1) = points(against, "guide -1")
    assert np.log(y1 / y0) / np.log(x1 / x0) == pytest.approx(-1)


def test_the_diagram_has_the_errors_the_jamming_line_and_the_level_sets(tables: Tables) -> None:
    figure = rendered(plane_diagram.draw(*tables, preset="invented"))
    axes = figure.axes[0]
    (mesh,) = [one for one in axes.collections if one.get_gid() == "error"]
    own = tables[0][tables[0]["net"] == "cnn"]
    expected = own.groupby(["alpha_tilde", "width"])["test_error"].mean().unstack()
    np.testing.assert_allclose(np.asarray(mesh.get_array()).ravel(), expected.to_numpy().ravel())
    line = points(axes, "jamming line")
    assert [y for _, y in line] == pytest.approx(list(TILDES))
    assert [x for x, _ in line] == pytest.approx([32**0.5] * len(TILDES))
    assert [x for x, _ in points(axes, "level level=1")] == list(WIDTHS)
    assert len(points(axes, "fits share=none")) == len(TILDES)
    assert not points(axes, "fits share=some")


def test_fields_of_the_diagram_reach_half_way_to_their_neighbours() -> None:
    np.testing.assert_allclose(edges([1, 4, 16]), [0.5, 2, 8, 32])
    assert len(edges([3.0])) == 2


def test_kernels_are_drawn_before_and_after_at_both_ends_of_alpha(
    tables: Tables, kernels: pd.DataFrame
) -> None:
    figure = rendered(plane_kernels.draw(tables[0], kernels, preset="invented"))
    assert len(figure.axes) == 2 * 2 * 3
    values, labels = figure.axes[0], figure.axes[1]
    weights = np.array([1 / rank for rank in range(1, 11)])
    np.testing.assert_allclose([y for _, y in points(values, "eigenvalues when=initial")],
                               weights / weights.sum())  # fmt: skip
    np.testing.assert_allclose([y for _, y in points(labels, "labels when=end")], np.ones(10))
    np.testing.assert_allclose([y for _, y in points(labels, "labels when=initial")],
                               np.arange(1, 11) / 10)  # fmt: skip
    titles = [axes.get_title(loc="left") for axes in figure.axes[::3]]
    for title, net, tilde in zip(titles, ("CNN", "CNN", "FCN", "FCN"), (-3, 3, -3, 3), strict=True):
        assert f"{net}, $h=40$, $\\tilde\\alpha=10^{{{tilde}}}$" in title


def test_a_third_network_has_kernels_below(tables: Tables, kernels: pd.DataFrame) -> None:
    cells = tables[0].query("net == 'cnn'")
    names = {"curve": cells["curve"] + "-lcn", "key": cells["key"] + "-lcn", "net": "lcn"}
    own = kernels[kernels["curve"].str.startswith("cnn")]
    more = own.assign(curve=own["curve"] + "-lcn", key=own["key"] + "-lcn")
    figure = plane_kernels.draw(
        pd.concat([tables[0], cells.assign(**names)]), pd.concat([kernels, more]), preset="invented"
    )
    assert len(figure.axes) == 3 * 2 * 3


def test_a_preset_without_the_study_says_so() -> None:
    cells, ensembles, kernels = (
        schema.empty_table().to_pandas()
        for schema in (schemas.FLOW_CELLS, schemas.ENSEMBLES, schemas.KERNELS)
    )
    for figure in (
        plane_error.draw(cells, ensembles, preset="invented", study="crossover"),
        plane_kernel_change.draw(cells, preset="invented", study="crossover"),
        plane_variance.draw(cells, ensembles, preset="invented", study="crossover"),
        plane_diagram.draw(cells, ensembles, preset="invented"),
        plane_kernels.draw(cells, kernels, preset="invented"),
    ):
        assert "not in this preset" in texts(rendered(figure))


@pytest.mark.parametrize(
    "options",
    [
        {"widths": (40,), "tildes": (1.0,), "n_members": 1},
        {"widths": (4, 6), "tildes": (0.01, 1.0, 100.0)},
        {"widths": (20, 40), "tildes": (1e-3, 1e3), "jammed_below": 1000},
    ],
)
def test_the_smallest_grids_can_be_drawn(options: dict, kernels: pd.DataFrame) -> None:
    cells, ensembles = invented(nets=("cnn",), **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for given in (ensembles, ensembles[:0]):
            plane_error.draw(cells, given, preset="invented", study="crossover")
            plane_variance.draw(cells, given, preset="invented", study="crossover")
            plane_diagram.draw(cells, given, preset="invented")
        plane_kernel_change.draw(cells, preset="invented", study="crossover")
        plane_kernels.draw(cells, kernels, preset="invented")


def test_powers_of_ten_are_written_as_such(tables: Tables) -> None:
    assert [power(x) for x in (1e-3, 0.1, 1, 10, 100, 1e3, 3e3)] == [
        "10^{-3}", "0.1", "1", "10", "100", "10^{3}", "3e+03"
    ]  # fmt: skip
    assert [one.net for one in families(*tables, study="crossover")] == ["cnn", "fcn"]
