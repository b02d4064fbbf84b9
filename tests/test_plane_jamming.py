"""Jamming: N*, what is jammed, its figures and its claims, on invented tables."""

import warnings

import numpy as np
import pandas as pd
import pytest
from invented_jamming import N_MEMBERS, SIZES, WEIGHTS, cell, cells, ensembles, spectra
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.scorecard import scorecard
from srhm.statistics.jamming import at_jamming, first_jammed, modes, smallest_that_fit, with_jamming
from srhm.studies.double_descent.figures import error_and_norm as plane_double_descent
from srhm.studies.jamming.claims import PLANE_JAMMING_CLAIMS
from srhm.studies.jamming.figures import spectra as plane_jamming


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


# What is jammed


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"status": "capped", "n_unsatisfied": 40, "mean_loss": 1e-3}, True),
        # A point or two that no neuron sees.
        ({"status": "capped", "n_unsatisfied": 12, "mean_loss": 1e-3}, False),
        # Converging to zero loss when the budget ended.
        ({"status": "capped", "n_unsatisfied": 40, "mean_loss": 1e-18}, False),
        ({"status": "fitted"}, False),
    ],
)
def test_more_than_a_tenth_of_n_unsatisfied_points_with_a_loss_are_jammed(changes, expected):
    (row,) = with_jamming(pd.DataFrame([cell(**changes)])).to_dict("records")
    assert row["jammed"] is expected
    assert row["load"] == 1


def test_diverged_cells_have_no_unsatisfied_points_to_count():
    assert with_jamming(pd.DataFrame([cell(status="diverged", n_unsatisfied=128)])).empty


def test_n_star_lies_between_the_last_jammed_width_and_the_next():
    found = smallest_that_fit(cells())
    assert list(found["P"]) == list(SIZES)
    assert set(found["status"]) == {"reached"}
    for _, row in found.iterrows():
        threshold = row["P"] / 2
        assert row["N_low"] < threshold <= row["N_high"]
        assert row["N_low"] == WEIGHTS * row["h_low"]
        assert row["N_star"] == pytest.approx((row["N_low"] * row["N_high"]) ** 0.5)
    assert set(found["n_members"]) == {5 * N_MEMBERS}


def test_n_star_is_the_last_change_from_the_widest_down():
    # A narrow width that fits by chance does not hide a wider one that is jammed.
    table = cells()
    lucky = (table["P"] == 512) & (table["width"] == 2)
    table.loc[lucky, ["status", "n_unsatisfied", "mean_loss"]] = ["fitted", 0, 0.0]
    assert smallest_that_fit(table).equals(
        smallest_that_fit(cells()).assign(n_capped=lambda t: t["n_capped"] - [0, 0, N_MEMBERS])
    )


@pytest.mark.parametrize(
    ("n_star", "status"), [(0.05, "below_range"), (1000.0, "above_range"), (0.5, "reached")]
)
def test_n_star_beyond_the_widths_is_a_bound(n_star, status):
    found = smallest_that_fit(cells(n_star=n_star, power=0))
    assert set(found["status"]) == {status}
    assert found["N_low"].isna().all() == (status == "below_range")
    assert found["N_high"].isna().all() == (status == "above_range")
    assert found["N_star"].isna().all() == (status != "reached")


def test_one_width_has_no_n_star_and_no_cells_have_none():
    assert smallest_that_fit(cells().query("width == 8")).empty
    assert smallest_that_fit(pd.DataFrame()).empty


def test_unlike_cells_do_not_share_an_n_star():
    both = pd.concat([cells(), cells(labels="shuffled", n_star=1.0)])
    found = smallest_that_fit(both)
    assert len(found) == 2 * len(SIZES)
    stars = found.groupby("labels")["N_star"].mean()
    assert stars["shuffled"] == pytest.approx(2 * stars["parity"])


def test_the_first_jammed_load_is_that_of_a_majority():
    table = cells(data="random", net="fcn")
    one = table.index[(table["width"] == 16) & (table["P"] == 256)][0]
    table.loc[one, ["status", "n_unsatisfied", "mean_loss"]] = ["capped", 200, 0.1]
    found = first_jammed(table).set_index("width")
    assert found.loc[4, "load"] == 4.0
    assert found.loc[4, "unsatisfied"] == pytest.approx(0.75)
    assert not {16, 32} & set(found.index)


def test_the_spectra_shown_are_those_of_least_loss():
    table = pd.concat([cells(), cells(data="random", net="fcn", activation="tanh")])
    found = at_jamming(table)
    assert len(found) == 2
    jammed = with_jamming(table).query("jammed")
    assert (found["mean_loss"] == jammed["mean_loss"].min()).all()


def test_modes_need_exact_spectra_of_all_parts():
    table = cells()
    _, summaries = spectra(table, negative=0.25)
    row = with_jamming(table).query("jammed").iloc[0]
    found = modes(row, summaries)
    assert found is not None
    assert found.zero == found.predicted == row["n_weights"] - row["n_unsatisfied"]
    assert found.negative_hp == pytest.approx(0.25)
    assert modes(row, spectra(table, method="lanczos")[1]) is None
    assert modes(row, summaries[summaries["part"] != "Hp"]) is None


# Figures


def test_double_descent_shows_errors_ensembles_norms_and_h_star():
    table = cells(study="double_descent")
    figure = render(plane_double_descent.draw(table, ensembles(table), preset="x"))
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
    table = cells(study="double_descent")
    figure = render(plane_double_descent.draw(table, ensembles(table).iloc[:0], preset="x"))
    assert not marks(figure, "ensemble")
    empty = render(plane_double_descent.draw(cells(), ensembles(cells()), preset="x"))
    assert "not in this preset" in texts(empty)


def all_kinds() -> pd.DataFrame:
    parts = [
        cells(),
        cells(labels="shuffled", n_star=1.0),
        cells(data="random", net="fcn", L=np.nan, sparsity=None),
        cells(data="random", net="fcn", activation="tanh", L=np.nan, sparsity=None),
    ]
    return pd.concat(parts, ignore_index=True)


def test_jamming_shows_unsatisfied_points_n_star_and_spectra():
    table = all_kinds()
    values, summaries = spectra(table)
    figure = render(plane_jamming.draw(table, values, summaries, preset="x"))
    assert len(marks(figure, "load ")) == len(table)
    at_zero = [point for point in marks(figure, "loss ") if point[1] == 0]
    assert len(at_zero) == (table["status"] == "fitted").sum()
    assert len({x for x, _ in at_zero}) == 1
    stars = dict(marks(figure, "N* CNN ReLU, SRHM, parity"))
    assert set(stars) == set(SIZES)
    row = at_jamming(table).query("labels == 'parity' and data == 'srhm'").iloc[0]
    name = "predicted rank CNN ReLU, SRHM, parity"
    predicted = {x for x, _ in marks(figure, name)}
    assert predicted == {row["n_unsatisfied"] / row["n_weights"]}
    drawn = marks(figure, "H0 CNN ReLU, SRHM, parity")
    assert sum(y <= 1e-9 for _, y in drawn) == row["n_weights"] - row["n_unsatisfied"]
    assert f"N − N_Δ = {row['n_weights'] - row['n_unsatisfied']}" in texts(figure).replace(
        "\n", " "
    )


def test_networks_of_another_start_are_drawn_as_a_kind_of_their_own():
    table = all_kinds()
    random = table[table["data"] == "random"]
    other = random.assign(initialisation="orthogonal", curve=random["curve"] + "-orthogonal")
    values, summaries = spectra(table)
    whole = pd.concat([table, other], ignore_index=True)
    figure = render(plane_jamming.draw(whole, values, summaries, preset="x"))
    assert len(marks(figure, "load ")) == len(whole)
    # Names that begin as the first kind's: both kinds.
    both = marks(figure, "load FCN ReLU, random data")
    assert len(both) == 2 * len(marks(figure, "load FCN ReLU, random data, orthogonal")) > 0


def test_bounds_on_n_star_are_arrows():
    table = pd.concat([cells(n_star=1000.0, power=0), cells(labels="shuffled")])
    values, summaries = spectra(table)
    figure = render(plane_jamming.draw(table, values, summaries, preset="x"))
    assert len(marks(figure, "N* CNN ReLU, SRHM, parity above_range")) == len(SIZES)


def test_jamming_says_what_a_preset_lacks():
    table = cells()
    values, summaries = spectra(table)
    nothing = render(
        plane_jamming.draw(table.iloc[:0], values.iloc[:0], summaries.iloc[:0], preset="x")
    )
    assert texts(nothing).count("not in this preset") == 6
    no_spectra = render(plane_jamming.draw(table, values.iloc[:0], summaries.iloc[:0], preset="x"))
    assert texts(no_spectra).count("not in this preset") == 3
    fits = table[table["status"] == "fitted"]
    render(plane_jamming.draw(fits, values.iloc[:0], summaries.iloc[:0], preset="x"))


def test_diverged_cells_are_counted_below():
    table = cells()
    table.loc[0, ["status", "mean_loss"]] = ["diverged", np.nan]
    values, summaries = spectra(table.iloc[1:])
    figure = render(plane_jamming.draw(table, values, summaries, preset="x"))
    assert "1 diverged" in texts(figure)


# Claims


@pytest.fixture(scope="module")
def tables():
    jamming = all_kinds()
    summaries = [
        spectra(part, negative=0.43 if activation == "tanh" else 0.5)[1]
        for activation, part in jamming.groupby("activation")
    ]
    descent = cells(study="double_descent")
    return {
        "plane_cells": pd.concat([jamming, descent], ignore_index=True),
        "plane_hessian_summaries": pd.concat(summaries, ignore_index=True),
        "plane_ensembles": ensembles(descent),
    }


def rows_of(tables, *names):
    claims = [c for c in PLANE_JAMMING_CLAIMS if c.identifier in names or not names]
    return scorecard(tables, claims=claims).set_index("claim")


def test_claims_hold_where_the_tables_follow_them(tables):
    found = rows_of(tables)
    verdicts = found["verdict"].to_dict()
    reported = {
        "plane-unsatisfied-at-jamming-srhm",
        "plane-load-at-jamming",
        "plane-ensemble-flat",
    }
    assert {name for name, verdict in verdicts.items() if verdict == "reported"} == reported
    sublinear = "plane-n-star-growth-true"
    assert {name for name, verdict in verdicts.items() if verdict == "holds"} == (
        set(verdicts) - reported - {sublinear}
    )
    assert found.loc[sublinear, "value"] == pytest.approx(1)
    assert found.loc["plane-hp-negative-tanh-random", "value"] == pytest.approx(0.43, abs=0.01)
    assert found.loc["plane-unsatisfied-at-jamming-random", "value"] == pytest.approx(
        0.75, abs=0.01
    )


def test_claims_without_tables_lack_data():
    assert set(rows_of({})["verdict"]) == {"not enough data"}


def changed(tables, name, change):
    return tables | {name: change(tables[name].copy())}


def test_a_jammed_network_below_a_quarter_breaks_the_bound(tables):
    def lower(table):
        jammed = table.index[with_jamming(table)["jammed"]]
        table.loc[jammed[0], "n_unsatisfied"] = int(0.2 * table.loc[jammed[0], "n_weights"])
        return table

    name = "plane-jammed-below-a-quarter"
    row = rows_of(changed(tables, "plane_cells", lower), name).loc[name]
    assert row["verdict"] == "does not hold"
    assert "1 of" in row["note"]


def test_other_spectra_break_their_claims(tables):
    def skewed(table):
        table.loc[table["part"] == "Hp", "negative_fraction"] = 0.3
        table.loc[table["part"] == "H0", "n_zero"] *= 2  # a third of the others
        return table

    names = ("hp-negative-relu-random", "hp-negative-tanh-random", "h0-rank-random")
    names = tuple(f"plane-{name}" for name in names)
    found = rows_of(changed(tables, "plane_hessian_summaries", skewed), *names)
    assert found["verdict"].to_dict() == dict.fromkeys(names, "does not hold")


def test_an_ensemble_that_errs_more_breaks_its_claim_above_h_star_only(tables):
    def worse(where):
        def change(table):
            rows = table["width"].isin(where) & (table["P"] == 512)
            table.loc[rows, "ensemble_error"] = table.loc[rows, "mean_error"] + 0.01
            return table

        name = "plane-ensemble-above-single"
        return rows_of(changed(tables, "plane_ensembles", change), name).loc[name, "verdict"]

    assert worse([2, 4, 8]) == "holds"  # h* is between 8 and 16
    assert worse([16]) == "does not hold"


def test_a_norm_that_peaks_elsewhere_breaks_its_claim(tables):
    def elsewhere(table):  # at N = P: the second width above h*
        return table.assign(test_norm=np.exp(-np.log(table["n_weights"] / table["P"]).abs()))

    name = "plane-norm-peak"
    row = rows_of(changed(tables, "plane_cells", elsewhere), name).loc[name]
    assert row["value"] == pytest.approx(np.log(8**0.5))
    assert row["verdict"] == "does not hold"


def test_true_labels_that_need_more_weights_break_their_bound(tables):
    def exchanged(table):
        own = table["study"] == "jamming"
        names = {"parity": "shuffled", "shuffled": "parity"}
        srhm = own & (table["data"] == "srhm")
        table.loc[srhm, "labels"] = table.loc[srhm, "labels"].map(names)
        return table

    name = "plane-n-star-true-over-shuffled"
    found = rows_of(tables, name).loc[name]
    assert found["value"] == pytest.approx(-np.log(2))
    other = rows_of(changed(tables, "plane_cells", exchanged), name).loc[name]
    assert other["value"] == pytest.approx(np.log(2))
    assert (found["verdict"], other["verdict"]) == ("holds", "does not hold")
