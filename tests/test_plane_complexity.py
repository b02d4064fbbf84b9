"""P* across alpha_tilde: the table, its figures and its claims, on invented tables."""

from math import log

import numpy as np
import pandas as pd
import pytest
from invented_plane import RELATIVE, TILDES, joined, plane_tables
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.legend import Legend

from srhm.results.records import read_table, write_table
from srhm.results.tables import FLOW_COMPLEXITY
from srhm.scorecard import scorecard
from srhm.statistics.flow_complexity import COLUMNS, plane_complexity
from srhm.studies.complexity.claims import PLANE_COMPLEXITY_CLAIMS
from srhm.studies.complexity.figures import complexity as figure_of_complexity
from srhm.studies.complexity.figures import onset as plane_onset
from srhm.studies.complexity.figures import stability as plane_stability

GRAMMARS = (("lcn", 0), ("lcn", 1), ("cnn", 0), ("cnn", 1), ("cnn", 2))
NAMES = ("plane_cells", "plane_sensitivities", "plane_frozen_kernels", "plane_ensembles")


def complexity_of(tables, thresholds=(0.1, 0.2)):
    return plane_complexity(*(tables[name] for name in NAMES), thresholds=thresholds)


def with_complexity(tables):
    return {**tables, "plane_complexity": complexity_of(tables)}


@pytest.fixture(scope="module")
def tables():
    return with_complexity(plane_tables(GRAMMARS))


def row_of(table, **wanted):
    chosen = table
    for name, value in wanted.items():
        chosen = chosen[np.isclose(chosen[name], value) if name == "threshold" else
                        chosen[name] == value]  # fmt: skip
    (row,) = chosen.to_dict("records")
    return row


def gids(figure):
    return {str(one.get_gid()) for axes in figure.axes for one in axes.get_lines()}


# --- the table ---


def test_p_star_of_a_known_law_is_found_with_its_interval(tables):
    row = row_of(tables["plane_complexity"], net="cnn", s0=1, alpha_tilde=0.1,
                 criterion="test_error", threshold=0.1)  # fmt: skip
    assert row["prediction"] == 256
    assert row["P_star"] == pytest.approx(2 * 256, rel=1e-9)
    assert row["status"] == "reached"
    assert row["P_star_low"] < row["P_star"] < row["P_star_high"]
    # Two seeds at -0.1 and 0.1 of three curves of the net: n - 1 of each.
    assert row["dof"] == 3
    assert row["log_sd"] == pytest.approx(0.1 * 2**0.5, rel=1e-6)


def test_the_spread_of_one_regime_is_not_that_of_another():
    wide = plane_tables(GRAMMARS, tildes=(0.1,), spread=0.4)
    narrow = plane_tables(GRAMMARS, tildes=(10.0,), spread=0.05)
    table = complexity_of(joined(wide, narrow))
    table = table[(table["criterion"] == "test_error") & np.isclose(table["threshold"], 0.1)]
    deviations = table.groupby("alpha_tilde")["log_sd"].unique()
    assert deviations[0.1] == pytest.approx(0.4 * 2**0.5)
    assert deviations[10.0] == pytest.approx(0.05 * 2**0.5)


def test_a_p_star_that_is_not_reached_keeps_its_bound_and_counts_its_capped_cells(tables):
    row = row_of(tables["plane_complexity"], net="cnn", s0=1, alpha_tilde=1000.0,
                 criterion="test_error", threshold=0.1)  # fmt: skip
    assert row["status"] == "not_reached"
    assert row["P_star_low"] == 2 * RELATIVE[-1] * 256
    assert np.isinf(row["P_star_high"])
    assert (row["n_cells"], row["n_capped"], row["n_seeds_reached"]) == (10, 4, 0)


def test_kernels_and_sensitivities_have_p_star_of_their_own(tables):
    table = tables["plane_complexity"]
    end = row_of(table, net="lcn", s0=1, alpha_tilde=0.1, criterion="end_kernel", threshold=0.1)
    own = row_of(table, net="lcn", s0=1, alpha_tilde=0.1, criterion="test_error", threshold=0.1)
    start = row_of(
        table, net="lcn", s0=1, alpha_tilde=0.1, criterion="initial_kernel", threshold=0.1
    )
    assert end["P_star"] == own["P_star"]
    assert end["n_capped"] == 10  # of the kernel's flow, not of the network's
    assert own["n_capped"] == 0
    assert start["status"] == "not_reached"
    assert row_of(table, net="lcn", s0=1, alpha_tilde=0.1, criterion="S_2")["threshold"] == 0.3
    assert row_of(table, net="cnn", s0=1, alpha_tilde=0.1, criterion="D_2")["threshold"] == 0.2
    assert table[(table["criterion"] == "D_2") & (table["s0"] == 0)].empty  # nothing to displace


def test_members_of_a_seed_are_averaged_and_diverged_ones_are_counted():
    tables = plane_tables([("cnn", 1)], tildes=(0.1,))
    cells = tables["plane_cells"]
    twice = pd.concat([cells, cells.assign(member=1, key=cells["key"] + "-1")], ignore_index=True)
    row = row_of(complexity_of({**tables, "plane_cells": twice}), criterion="test_error",
                 threshold=0.1)  # fmt: skip
    assert row["n_cells"] == 20
    assert row["P_star"] == pytest.approx(512)
    lost = cells.assign(test_error=cells["test_error"].where(cells["P"] != cells["P"].min()))
    row = row_of(complexity_of({**tables, "plane_cells": lost}), criterion="test_error",
                 threshold=0.1)  # fmt: skip
    assert row["n_diverged"] == 2


def test_ensembles_of_one_member_give_no_p_star():
    tables = plane_tables([("cnn", 1)], tildes=(0.1,))
    ensembles = tables["plane_cells"].rename(columns={"test_error": "ensemble_error"})
    ensembles = ensembles[["study", "curve", "P", "alpha_tilde", "seed", "ensemble_error"]]
    alone = {**tables, "plane_ensembles": ensembles.assign(n_members=1, n_capped=0)}
    assert "ensemble" not in set(complexity_of(alone)["criterion"])
    several = {**tables, "plane_ensembles": ensembles.assign(n_members=3, n_capped=1)}
    row = row_of(complexity_of(several), criterion="ensemble", threshold=0.1)
    assert row["P_star"] == pytest.approx(512)
    assert row["n_capped"] == 10


def test_random_data_and_other_studies_have_no_rows():
    tables = plane_tables([("fcn", 1)], tildes=(0.1,))
    cells = tables["plane_cells"]
    assert complexity_of({**tables, "plane_cells": cells.assign(study="crossover")}).empty
    random = cells.assign(data="random", L=np.nan, s0=np.nan)
    both = pd.concat([cells, random.assign(curve="random", key=random["key"] + "r")])
    assert set(complexity_of({**tables, "plane_cells": both})["curve"]) == {
        "complexity_fcn_s01-flow"
    }


def test_the_table_has_its_schema(tables, tmp_path):
    assert list(COLUMNS) == FLOW_COMPLEXITY.names
    write_table(tables["plane_complexity"], tmp_path / "table.parquet", FLOW_COMPLEXITY)
    again = read_table(tmp_path / "table.parquet", FLOW_COMPLEXITY)
    assert len(again) == len(tables["plane_complexity"])


# --- the figures ---


def test_the_figure_of_p_star_holds_all_kinds_of_points(tables):
    sgd = plane_tables([("cnn", 1)], tildes=(0.1,), optimiser="sgd")
    both = joined({name: tables[name] for name in NAMES}, sgd)
    figure = figure_of_complexity.draw(
        both["plane_cells"], complexity_of(both), threshold=0.1, preset="invented"
    )
    found = gids(figure)
    assert {"ours small pool", "ours reached", "ours not_reached (bound)", "sgd reached",
            "end_kernel reached", "initial_kernel not_reached (bound)", "prediction",
            "line s0 = 2", "line 0.1"} <= found  # fmt: skip
    texts = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert "not in preset invented" in texts  # the FCN


def test_the_figure_of_p_star_draws_each_point_where_it_is(tables):
    cells, table = tables["plane_cells"], tables["plane_complexity"]
    figure = figure_of_complexity.draw(cells, table, threshold=0.1, preset="invented")
    (axes,) = [one for one in figure.axes if "CNN: 2" in one.get_title(loc="left")]
    drawn = {
        (line.get_xdata()[0], round(line.get_ydata()[0]))
        for line in axes.get_lines()
        if str(line.get_gid()).startswith("ours")
    }
    expected = {(0.1, 128), (0.1, 512), (0.1, 1152), (10.0, 192), (10.0, 768), (10.0, 1728)}
    assert expected <= drawn
    tops = [text.get_text() for child in axes.child_axes for text in child.get_xticklabels()]
    assert tops == ["$300$", "$3$", "$0.03$"]  # the kernel's change


def test_a_width_at_one_alpha_tilde_is_named_and_not_drawn(tables):
    wide = plane_tables(GRAMMARS[:1], tildes=(1000.0,))
    cells = wide["plane_cells"].assign(width=128)
    cells["curve"] += "-wide"
    both = pd.concat([tables["plane_cells"], cells], ignore_index=True)
    empty = {name: table.iloc[:0] for name, table in tables.items() if name != "plane_cells"}
    one, other = (
        figure_of_complexity.draw(
            part, complexity_of({**empty, "plane_cells": part}), threshold=0.1, preset="x"
        )
        for part in (tables["plane_cells"], both)
    )
    drawn = [[len(axes.get_lines()) for axes in figure.axes] for figure in (one, other)]
    assert drawn[0] == drawn[1]
    net = GRAMMARS[0][0].upper()
    foot = " ".join(text.get_text() for text in other.texts)
    assert f"Not drawn, a row of the scorecard: {net}, h = 128, at α̃ = 1000 alone" in foot


def test_equal_bounds_do_not_hide_each_other():
    # Nothing is reached but at the least alpha_tilde: the bounds of the others are the same.
    tables = with_complexity(
        plane_tables([("cnn", 0), ("cnn", 1)], law=lambda tilde: {0.1: 2.0}.get(tilde, 1e6))
    )
    figure = figure_of_complexity.draw(
        tables["plane_cells"], tables["plane_complexity"], threshold=0.1, preset="invented"
    )
    (axes,) = [one for one in figure.axes if "CNN: 6" in one.get_title(loc="left")]
    drawn = [
        (*line.get_xdata(), *line.get_ydata())
        for line in axes.get_lines()
        if str(line.get_gid()).startswith("ours")
    ]
    assert len(set(drawn)) == len(drawn) == 6
    assert len({y for _, y in drawn}) == 4
    predictions = set(tables["plane_complexity"].query("optimiser != 'sgd'")["prediction"])
    assert all(min(abs(x / at - 1) for at in predictions) <= 0.1 for x, _ in drawn)


def test_the_figure_of_the_onset_shows_small_and_large_alpha_tilde(tables):
    figure = plane_onset.draw(
        tables["plane_cells"], tables["plane_sensitivities"], tables["plane_frozen_kernels"],
        tables["plane_complexity"], threshold=0.1, preset="invented",
    )  # fmt: skip
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert any("s_0=1" in title and "alpha=0.1" in title for title in titles)
    assert any("s_0=1" in title and "alpha=10^{3}" in title for title in titles)
    found = gids(figure)
    assert {"mean test_error", "mean S", "mean D", "mean initial", "mean end", "S seed 0",
            "test_error capped", "test_error fitted", "ours reached"} <= found  # fmt: skip


def test_the_figure_of_stability_shows_layers_and_scales(tables):
    figure = plane_stability.draw(
        tables["plane_cells"], tables["plane_sensitivities"], preset="invented"
    )
    found = gids(figure)
    assert {"layer 1", "layer 2", "layer 3", "initial 2", "initial", "R = 1",
            *(f"alpha_tilde {a:g}" for a in TILDES)} <= found  # fmt: skip
    axes = figure.axes[0]
    (line,) = [one for one in axes.get_lines() if one.get_gid() == "layer 2"]
    assert np.allclose(line.get_ydata(), [0.9 / (1 + 6 * r) for r in RELATIVE])


def test_figures_of_a_preset_without_the_study_say_so(tables):
    cells, table = tables["plane_cells"].iloc[:0], tables["plane_complexity"].iloc[:0]
    felt = tables["plane_sensitivities"].iloc[:0]
    figures = [
        figure_of_complexity.draw(cells, table, threshold=0.1, preset="other"),
        plane_onset.draw(cells, felt, tables["plane_frozen_kernels"].iloc[:0], table,
                         threshold=0.1, preset="other"),
        plane_stability.draw(cells, felt, preset="other"),
    ]  # fmt: skip
    for figure in figures:
        texts = [text.get_text() for axes in figure.axes for text in axes.texts]
        assert any("in preset other" in text for text in texts)


def test_nothing_of_the_figures_leaves_the_page_and_no_legend_covers_a_panel(tables):
    figures = [
        figure_of_complexity.draw(
            tables["plane_cells"], tables["plane_complexity"], threshold=0.1, preset="invented"
        ),
        plane_onset.draw(
            tables["plane_cells"],
            tables["plane_sensitivities"],
            tables["plane_frozen_kernels"],
            tables["plane_complexity"],
            threshold=0.1,
            preset="invented",
        ),
        plane_stability.draw(
            tables["plane_cells"], tables["plane_sensitivities"], preset="invented"
        ),
    ]
    for figure in figures:
        FigureCanvasAgg(figure).draw()
        width, height = figure.bbox.width, figure.bbox.height
        panels = [axes.get_window_extent() for axes in figure.axes]
        legends = [one.get_window_extent() for one in figure.findobj(Legend)]
        foot = [text.get_window_extent() for text in figure.texts]
        assert legends
        assert foot
        labels = [
            text.get_window_extent()
            for axes in figure.axes
            for text in (axes.title, axes._left_title, axes.xaxis.label, axes.yaxis.label)
        ]
        for box in [*panels, *legends, *labels, *foot]:
            assert -1 <= box.x0 <= box.x1 <= width + 1
            assert -1 <= box.y0 <= box.y1 <= height + 1
        assert not any(one.overlaps(other) for one in legends for other in [*panels, *foot])
        assert not any(
            one.overlaps(other) for i, one in enumerate(legends) for other in legends[:i]
        )


# --- the claims ---


def measured(tables):
    found = scorecard(tables, claims=PLANE_COMPLEXITY_CLAIMS)
    return found.set_index("claim")


def test_claims_find_the_law_that_the_tables_follow(tables):
    found = measured(tables)
    assert found.loc["plane-empty-places-cnn-feature", "value"] == pytest.approx(2)
    assert found.loc["plane-empty-places-cnn-feature", "verdict"] == "holds"
    # Two s_0 are no three points.
    assert found.loc["plane-empty-places-lcn-feature", "verdict"] == "not enough data"
    assert found.loc["plane-empty-places-cnn-lazy", "verdict"] == "not enough data"
    assert "3 not reached" in found.loc["plane-empty-places-cnn-lazy", "note"]


def test_lazy_over_feature_is_a_lower_bound_where_lazy_is_not_reached(tables):
    row = measured(tables).loc["plane-lazy-over-feature-cnn"]
    # The largest P is 8 predictions, P* of feature learning 2.
    assert row["value"] == pytest.approx(4, rel=0.01)
    assert "3 of them lower bounds" in row["note"]
    assert row["verdict"] == "reported"


def test_lazy_networks_that_fit_are_told_from_capped_ones(tables):
    cells = tables["plane_cells"].copy()
    lazy = (cells["net"] == "cnn") & (cells["alpha_tilde"] == 1000)
    steps = cells["P"] / cells.groupby("curve")["P"].transform("min")
    # P* of feature learning is 4 steps: one P beyond it where all fit, one with a capped network.
    cells.loc[lazy, "test_error"] = 0.9
    cells.loc[lazy & (steps > 7), ["status", "test_error"]] = ["fitted", 0.5]
    cells.loc[lazy & (steps > 15) & (cells["seed"] == 0), "status"] = "capped"
    cells.loc[lazy & (steps < 7), "status"] = "fitted"
    own = cells[(cells["net"] == "cnn") & ((steps < 3) | (steps > 5))]
    found = measured(with_complexity({**tables, "plane_cells": own}))
    row = found.loc["plane-lazy-error-beyond"]
    assert row["value"] == pytest.approx(0.5)
    assert row["n"] == own["curve"].nunique()
    assert f"{own['curve'].nunique()} P at which some are capped" in row["note"]
    # Nothing is known where feature learning has not come to 10 %.
    late = cells[(cells["alpha_tilde"] == 1000) | (steps < 3)]
    row = measured(with_complexity({**tables, "plane_cells": late})).loc["plane-lazy-error-beyond"]
    assert row["verdict"] == "not enough data"


def test_the_onset_claim_tells_joint_from_late():
    together = measured(with_complexity(plane_tables(GRAMMARS, tildes=(0.1, 1000.0))))
    assert together.loc["plane-s-onset-feature", "value"] == pytest.approx(0, abs=1e-9)
    assert together.loc["plane-s-onset-feature", "verdict"] == "holds"
    assert "5 in which neither is reached" in together.loc["plane-s-onset-lazy", "note"]
    late = measured(with_complexity(plane_tables(GRAMMARS, tildes=(0.1, 1000.0), late=1.8)))
    assert late.loc["plane-s-onset-feature", "value"] == pytest.approx(log(1.8))
    assert late.loc["plane-s-onset-feature", "verdict"] == "does not hold"


def test_a_law_with_another_exponent_does_not_hold():
    def law(tilde):
        return 2.0

    # P* that does not know s_0: the prediction grows as (s_0+1)^2.
    made = plane_tables(GRAMMARS, tildes=(0.1,), law=law)
    table = complexity_of(made)
    table["P_star"] = np.where(table["P_star"].notna(), 300.0, np.nan)
    found = measured({**made, "plane_complexity": table})
    assert found.loc["plane-empty-places-cnn-feature", "value"] == pytest.approx(0)
    assert found.loc["plane-empty-places-cnn-feature", "verdict"] == "does not hold"


def test_claims_on_kernels_compare_test_errors(tables):
    found = measured(tables)
    assert found.loc["plane-kernel-at-end", "value"] == pytest.approx(0)
    assert found.loc["plane-kernel-at-end", "verdict"] == "holds"
    # Lazy networks end at 0.75, the kernel at initialisation at 0.6.
    assert found.loc["plane-kernel-at-start-lazy", "value"] == pytest.approx(0.15)
    assert found.loc["plane-kernel-at-start-lazy", "verdict"] == "does not hold"


def test_sgd_is_compared_where_both_were_trained():
    flow = plane_tables([("cnn", 1)], tildes=(0.1, 10.0))
    near = plane_tables([("cnn", 1)], tildes=(0.1,), optimiser="sgd")
    far = plane_tables([("cnn", 1)], tildes=(0.1,), optimiser="sgd", law=lambda tilde: 8.0)
    assert (
        measured(with_complexity(joined(flow, near))).loc["plane-sgd-agrees", "verdict"] == "holds"
    )
    row = measured(with_complexity(joined(flow, far))).loc["plane-sgd-agrees"]
    assert row["verdict"] == "does not hold" or row["value"] > 0.1
    assert measured(with_complexity(flow)).loc["plane-sgd-agrees", "verdict"] == "not enough data"


def test_stability_before_training_and_its_change(tables):
    found = measured(tables)
    assert found.loc["plane-r-before-training", "value"] == pytest.approx(log(0.9))
    assert found.loc["plane-r-before-training", "verdict"] == "holds"
    assert found.loc["plane-r-change-feature", "value"] == pytest.approx(-log(1 + 6 * 4))
    assert found.loc["plane-r-change-lazy", "value"] == pytest.approx(0)


def test_error_and_stability_are_correlated_where_both_fall(tables):
    found = measured(tables)
    assert found.loc["plane-error-and-r", "value"] > 0.5
    assert found.loc["plane-error-and-r", "low"] < found.loc["plane-error-and-r", "value"]


def test_claims_without_tables_are_not_measured():
    found = scorecard({}, claims=PLANE_COMPLEXITY_CLAIMS)
    assert set(found["verdict"]) == {"not enough data"}
    assert len(found) == len(set(found["claim"]))
