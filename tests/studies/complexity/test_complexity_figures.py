"""P* across alpha_tilde: its figures, on invented tables."""

import numpy as np
import pandas as pd
import pytest
from complexity_tables import GRAMMARS, NAMES, complexity_of, with_complexity
from drawn import lines, points, texts
from tables import RELATIVE, TILDES, flow_tables, joined

from srhm.figures.drawing import notes_of
from srhm.studies.complexity.figures import complexity as figure_of_complexity
from srhm.studies.complexity.figures import onset as plane_onset
from srhm.studies.complexity.figures import stability as plane_stability


@pytest.fixture(scope="module")
def tables():
    return with_complexity(flow_tables(GRAMMARS))


def gids(figure):
    return {str(one.get_gid()) for axes in figure.axes for one in axes.get_lines()}


def test_the_figure_of_p_star_holds_all_kinds_of_points(tables):
    sgd = flow_tables([("cnn", 1)], tildes=(0.1,), optimiser="sgd")
    both = joined({name: tables[name] for name in NAMES}, sgd)
    figure = figure_of_complexity.draw(
        both["cells"], complexity_of(both), threshold=0.1, preset="invented"
    )
    found = gids(figure)
    assert {"networks s0=0 open", "networks s0=2", "sgd s0=1", "end_kernel s0=1",
            "initial_kernel s0=1", "prediction, constant 1 s0=1", "line s0=2",
            "line alpha_tilde=0.1"} <= found  # fmt: skip
    assert "Without C, F: not in this preset." in notes_of(figure)  # the FCN


def test_the_figure_of_p_star_draws_each_point_where_it_is(tables):
    cells, table = tables["cells"], tables["sample_complexity"]
    figure = figure_of_complexity.draw(cells, table, threshold=0.1, preset="invented")
    (axes,) = [one for one in figure.axes if "CNN: 3" in one.get_title(loc="left")]
    drawn = {(x, round(y)) for x, y in points(axes, "networks")}
    expected = {(0.1, 128), (0.1, 512), (0.1, 1152), (10.0, 192), (10.0, 768), (10.0, 1728)}
    assert expected <= drawn
    tops = [text.get_text() for child in axes.child_axes for text in child.get_xticklabels()]
    assert tops == ["$300$", "$3$", "$0.03$"]  # the kernel's change


def test_a_width_at_one_alpha_tilde_is_named_and_not_drawn(tables):
    wide = flow_tables(GRAMMARS[:1], tildes=(1000.0,))
    cells = wide["cells"].assign(width=128)
    cells["curve"] += "-wide"
    both = pd.concat([tables["cells"], cells], ignore_index=True)
    empty = {name: table.iloc[:0] for name, table in tables.items() if name != "cells"}
    one, other = (
        figure_of_complexity.draw(
            part, complexity_of({**empty, "cells": part}), threshold=0.1, preset="x"
        )
        for part in (tables["cells"], both)
    )
    drawn = [[len(axes.get_lines()) for axes in figure.axes] for figure in (one, other)]
    assert drawn[0] == drawn[1]
    net = GRAMMARS[0][0].upper()
    foot = " ".join(notes_of(other))
    assert f"Not drawn, a row of the scorecard: {net}, h = 128, at α̃ = 1000 alone" in foot


def test_equal_bounds_do_not_hide_each_other():
    # Nothing is reached but at the least alpha_tilde: the bounds of the others are the same.
    tables = with_complexity(
        flow_tables([("cnn", 0), ("cnn", 1)], law=lambda tilde: {0.1: 2.0}.get(tilde, 1e6))
    )
    figure = figure_of_complexity.draw(
        tables["cells"], tables["sample_complexity"], threshold=0.1, preset="invented"
    )
    (axes,) = [one for one in figure.axes if "CNN: 6" in one.get_title(loc="left")]
    drawn = points(axes, "networks")
    assert len(set(drawn)) == len(drawn) == 6
    assert len({y for _, y in drawn}) == 4
    predictions = set(tables["sample_complexity"].query("optimiser != 'sgd'")["prediction"])
    assert all(min(abs(x / at - 1) for at in predictions) <= 0.1 for x, _ in drawn)


def test_the_figure_of_the_onset_shows_small_and_large_alpha_tilde(tables):
    figure = plane_onset.draw(
        tables["cells"], tables["sensitivities"], tables["frozen_kernels"],
        tables["sample_complexity"], threshold=0.1, preset="invented",
    )  # fmt: skip
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert any("s_0=1" in title and "alpha=0.1" in title for title in titles)
    assert any("s_0=1" in title and "alpha=10^{3}" in title for title in titles)
    found = gids(figure)
    assert {"mean kind=test_error", "mean kind=S", "mean kind=D", "mean kind=initial",
            "mean kind=end", "seed kind=S seed=0", "mean kind=test_error open",
            "onset alpha_tilde=0.1 mark=S1"} <= found  # fmt: skip


def test_the_figure_of_stability_shows_layers_and_scales(tables):
    figure = plane_stability.draw(tables["cells"], tables["sensitivities"], preset="invented")
    found = gids(figure)
    assert {"R k=1", "R k=2", "R k=3", "initial k=2", "initial", "R = 1",
            *(f"R alpha_tilde={a:g}" for a in TILDES[:1])} <= found  # fmt: skip
    (drawn,) = lines(figure.axes[0], "R k=2", whole=True)
    assert np.allclose(drawn[:, 1], [0.9 / (1 + 6 * r) for r in RELATIVE])


def test_figures_of_a_preset_without_the_study_say_so(tables):
    cells, table = tables["cells"].iloc[:0], tables["sample_complexity"].iloc[:0]
    felt = tables["sensitivities"].iloc[:0]
    figures = [
        figure_of_complexity.draw(cells, table, threshold=0.1, preset="other"),
        plane_onset.draw(cells, felt, tables["frozen_kernels"].iloc[:0], table,
                         threshold=0.1, preset="other"),
        plane_stability.draw(cells, felt, preset="other"),
    ]  # fmt: skip
    for figure in figures:
        assert "not in this preset" in texts(figure)
