"""Claims and figures of digits from lazy to feature learning, on tables that follow the laws."""

from functools import cache, partial

import drawn
import numpy as np
import pandas as pd
import pytest
from assertions import WITHIN
from drawn import texts
from tables import CROSSOVER_WIDTHS, change_at, crossover_tables

from srhm.scorecard.card import scorecard
from srhm.studies.lazy_feature.analysis import collapse, rescaled_errors
from srhm.studies.lazy_feature.claims import CLAIMS, DATA, DEPTHS
from srhm.studies.lazy_feature.figures import collapse as collapse_figure
from srhm.studies.lazy_feature.figures import frozen, regimes, times
from srhm.studies.lazy_feature.study import STUDY

points = partial(drawn.points, whole=True)


def both(axes, name):
    """Full and open points of a family, in the order of x."""
    return sorted(points(axes, name) + points(axes, f"{name} open"))


def error_at(tilde, width, *, sign):
    """A step of 0.1 at alpha_tilde = 1; sign 1: lazy learning errs more."""
    return 0.2 + 0.05 * sign * np.tanh(np.log10(tilde))


def family(data, depth, *, net="fcn", error=None, weights=None, **laws):
    """Cells and ensembles of one family: the laws of the thesis, unless others are given."""
    sign = -1.0 if data == "digits" else 1.0
    error = error or partial(error_at, sign=sign)
    weights = weights or (lambda tilde, width: tilde ** (-1 / (depth + 1)) / width**0.5)
    exponent = -2 / (1 + 1 / depth)
    own = {"change": partial(change_at, feature=exponent), "noise": 0.005, **laws}
    cells, ensembles = crossover_tables(nets=(net,), **own)
    random = np.random.default_rng(depth)
    at = list(zip(cells["alpha_tilde"], cells["width"], strict=True))
    noise = 0.002 * random.standard_normal((2, len(cells)))
    cells = cells.assign(
        study="lazy_feature", data=data, hidden_layers=depth, L=np.nan,
        test_error=np.array([error(*pair) for pair in at]) + noise[0],
        weight_change=np.array([weights(*pair) for pair in at]) * np.exp(noise[1]),
    )  # fmt: skip
    for table in (cells, ensembles):
        table["curve"] = f"{data}-{net}-{depth}-" + table["curve"]
    cells["key"] = f"{data}-{net}-{depth}-" + cells["key"]
    return cells, ensembles.assign(study="lazy_feature")


@cache
def lawful():
    parts = [family(data, depth) for data in DATA for depth in DEPTHS]
    parts.append(family("digits", 3, net="cnn"))
    cells, ensembles = (pd.concat(tables, ignore_index=True) for tables in zip(*parts, strict=True))
    return cells, ensembles


def kernels_of(cells, *, start=0.002, end=0.003, feature=0.05):
    """Frozen kernels of the FCN of three layers: `start`, `end` above the lazy network's error.

    With the kernel of the start learning errs more by `feature` up to alpha_tilde = 1.
    """
    own = cells[(cells["data"] == "digits") & (cells["net"] == "fcn")]
    own = own[own["hidden_layers"] == 3]
    parts = [
        own[["curve", "key"]].assign(
            kernel=kernel, status="fitted", evaluations=100, train_error=0.0,
            test_error=own["test_error"] + more,
        )
        for kernel, more in (
            ("initial", np.where(own["alpha_tilde"] <= 1, feature, start)), ("end", end)
        )
    ]  # fmt: skip
    return pd.concat(parts, ignore_index=True)


def verdicts(cells, ensembles):
    return scorecard({"cells": cells, "ensembles": ensembles}, CLAIMS).set_index("claim")


def test_all_claims_hold_where_the_laws_do():
    found = verdicts(*lawful())
    assert set(found["verdict"]) <= WITHIN
    assert len(found) == 5 * 7 + 2  # five of each family, variance in two regimes


@pytest.mark.parametrize(
    ("identifier", "laws"),
    [
        ("kernel-feature-digits-L5", {"change": partial(change_at, feature=-1.0)}),
        ("kernel-lazy-digits-L5", {"change": partial(change_at, lazy=-0.8, feature=-5 / 3)}),
        ("weights-feature-digits-L5", {"weights": lambda tilde, width: tilde**-0.4}),
        ("half-time-feature-digits-L5", {"half": lambda tilde, width: tilde * width / (1 + tilde)}),
        ("half-time-lazy-digits-L5", {"half": lambda tilde, width: tilde}),
        ("variance-lazy-digits", {"h_power": 0.0}),
        ("variance-feature-digits", {"h_power": 0.0}),
    ],
)  # fmt: skip
def test_a_claim_does_not_hold_where_its_law_is_broken(identifier, laws):
    parts = [family(data, 5, **laws) for data in DATA]
    found = verdicts(*(pd.concat(tables) for tables in zip(*parts, strict=True)))
    assert found.loc[identifier, "verdict"] == "differs"


def test_frozen_kernels_are_drawn_beside_their_networks():
    cells, _ = family("digits", 3)
    kernels = kernels_of(cells, start=0.01, feature=0.01)
    wide = cells["curve"][cells["width"] == max(CROSSOVER_WIDTHS)].iloc[0]
    kernels.loc[kernels["curve"] == wide, "status"] = "capped"
    figure = frozen.draw(cells, kernels, preset="invented")
    error, difference = figure.axes
    assert len(points(error, "start open")) == 1
    for tilde, own in cells.groupby("alpha_tilde"):
        expected = own.groupby("width")["test_error"].mean()
        found = both(error, f"network alpha_tilde={tilde:g}")
        np.testing.assert_allclose(found, list(expected.items()))
    first = cells[cells["alpha_tilde"] == cells["alpha_tilde"].min()]
    expected = (first.groupby("width")["test_error"].mean() + 0.01).items()
    np.testing.assert_allclose(both(error, "start"), list(expected))
    for width in CROSSOVER_WIDTHS:
        found = both(difference, f"difference width={width}")
        np.testing.assert_allclose([y for _, y in found], 0.003)


def test_capped_networks_are_left_out_and_counted():
    cells, ensembles = family("digits", 2)
    lost = cells["alpha_tilde"] < 1
    found = verdicts(cells.assign(status=np.where(lost, "capped", cells["status"])), ensembles)
    row = found.loc["kernel-feature-digits-L2"]
    assert row["verdict"] == "inconclusive"
    in_window = cells["alpha_tilde"] <= 1
    capped = int(((lost | (cells["status"] == "capped")) & in_window).sum())
    assert f"left out: {capped} capped" in row["note"]


def test_without_cells_nothing_is_measured():
    found = verdicts(pd.DataFrame(), pd.DataFrame())
    assert set(found["verdict"]) == {"inconclusive"}


def test_a_function_of_alpha_tilde_collapses_and_one_of_alpha_does_not():
    def measured(law):
        rows = [
            {"width": h, "alpha_tilde": 10.0**k, "status": "fitted", "test_error": law(k, h)}
            for h in (1, 100)  # alpha differs by a decade of the grid
            for k in range(-3, 4)
        ]
        return collapse(pd.DataFrame(rows), np.random.default_rng(0), n_resamples=10)

    assert measured(lambda k, h: k**3)[0] == 0
    with np.errstate(divide="ignore"):
        # Each curve is rescaled by its own ends, which the grid cuts at other alphas.
        value, _, _, n = measured(lambda k, h: np.tanh(3 * (k - np.log10(h) / 2)))
    assert value > 10
    assert n == 14


def test_rescaled_errors_go_from_zero_to_one():
    cells, _ = family("digits", 3)
    for _, x, y in rescaled_errors(cells):
        assert (y.min(), y.max()) == (0, 1)
        assert x.tolist() == list(range(-3, 4))


def histories(cells):
    """Loss of each cell at three times, the last of them its end."""
    rows = [
        {"curve": cell["curve"], "key": cell["key"], "evaluations": 10**k,
         "time": float(10**k) if k else 0.0, "mean_loss": 1.0 / (k + 1)}
        for _, cell in cells.iterrows() for k in range(4)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_errors_are_drawn_against_alpha_and_weights_times_the_root_of_the_width():
    cells, _ = family("digits", 5)
    figure = collapse_figure.draw(cells, preset="invented")
    plain, rescaled, weights = figure.axes
    for width, own in cells.groupby("width"):
        mean = own.groupby("alpha_tilde")["test_error"].mean()
        expected = [(tilde / width**0.5, error) for tilde, error in mean.items()]
        np.testing.assert_allclose(both(plain, f"error width={width}"), expected)
        logs = np.log(width**0.5 * own["weight_change"]).groupby(own["alpha_tilde"]).mean()
        found = both(weights, f"change width={width}")
        np.testing.assert_allclose(found, list(np.exp(logs).items()))
    for width, x, y in rescaled_errors(cells):
        expected = np.stack([10**x, y], axis=1)
        np.testing.assert_allclose(points(rescaled, f"rescaled width={width}"), expected)
    (first, *_, last) = points(weights, f"guide {-1 / 6:.4f}")
    assert np.log(last[1] / first[1]) / np.log(last[0] / first[0]) == pytest.approx(-1 / 6)
    assert "-0.17" in texts(figure).replace("\u2212", "-")


def test_losses_are_drawn_against_time_and_time_over_alpha_tilde():
    cells, _ = family("digits", 5)
    narrow, wide = min(CROSSOVER_WIDTHS), max(CROSSOVER_WIDTHS)
    figure = times.draw(cells, histories(cells), preset="invented")
    plain, scaled = figure.axes
    for width in (narrow, wide):
        for tilde in (1e-3, 10.0):
            expected = [(10.0**k, 1 / (k + 1)) for k in (1, 2, 3)]
            end = "narrow" if width == narrow else "wide"
            name = f"alpha_tilde={tilde:g} end={end}"
            np.testing.assert_allclose(drawn.points(plain, f"time {name}"), expected)
            expected = [(x / tilde, y) for x, y in expected]
            np.testing.assert_allclose(drawn.points(scaled, f"scaled {name}"), expected)


def test_regimes_show_the_slopes_and_who_errs_less():
    figure = regimes.draw(lawful()[0], preset="invented")
    kernel, weights, errors = figure.axes
    for axes, expected in ((kernel, -2 / (1 + 1 / 5)), (weights, -1 / 6)):
        (_, slope) = max(points(axes, "slope kind=digits fcn"))
        assert slope == pytest.approx(expected, abs=0.03)
    # In percent: lazy learning errs less on pixels, more on components.
    assert all(y < -1 for _, y in points(errors, "difference kind=digits fcn"))
    assert all(y > 1 for _, y in points(errors, "difference kind=digits_pca fcn"))


def test_figures_without_cells_say_so():
    cells, _ = family("digits", 2)
    for figure in (
        collapse_figure.draw(cells[:0], preset="invented"),
        frozen.draw(cells, kernels_of(cells)[:0], preset="invented"),
        regimes.draw(cells[:0], preset="invented"),
        times.draw(cells, histories(cells)[:0], preset="invented"),
    ):
        assert "not in this preset" in texts(figure)


def test_every_figure_has_its_caption_and_its_claims():
    figures = {one.name for one in STUDY.figures}
    assert {claim.figure for claim in CLAIMS} <= figures
