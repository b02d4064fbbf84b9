"""The paper's points beside curves that are learnt and read by its practice."""

from math import exp, log, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from drawn import points
from scipy import stats
from tables import grammar

from srhm.scorecard.card import claims_in, scorecard
from srhm.statistics.sample_complexity import all_sample_complexities
from srhm.studies.sparse_hierarchy import page
from srhm.studies.sparse_hierarchy.claims.practice_fits import practice_fits
from srhm.studies.sparse_hierarchy.figures import authors_points
from srhm.studies.sparse_hierarchy.practice_points import (
    COLUMNS,
    STEP,
    nearest_sizes,
    practice_points,
)
from srhm.studies.sparse_hierarchy.study import STUDY
from srhm.training.rates import published_rate

REFERENCE = Path(__file__).parents[3] / "reference"
GRID = [400, 600, 900, 1350, 2000, 3000]
SHIFTS = (-0.3, 0.1, 0.2)  # of log P* of each seed


def cells_of(one, P_star, *, rate=None):
    """Best errors, the root linear in log P, 10 % at P* e^shift, on GRID; 0.05 at the stop."""
    rows = []
    for seed, shift in enumerate(SHIFTS):
        for P in GRID:
            root = sqrt(0.1) - 0.237 * log(P / (P_star * exp(shift)))
            error = float(np.clip(root, 0, sqrt(0.8))) ** 2
            rows.append(
                one
                | {"curve": f"{one['net']} {one['s0']} {one['width']} {one['batch']}", "P": P,
                   "seed": seed, "test_error": 0.05, "best_test_error": error,
                   "status": "fitted", "train_loss": 1e-3, "key": f"{P}-{seed}",
                   "learning_rate": rate or published_rate(one), "batch_size": 24,
                   "loss_threshold": 1e-3}
            )  # fmt: skip
    return rows


def tables_of(curves, published):
    cells = pd.DataFrame([row for one in curves for row in one])
    empty = pd.DataFrame(columns=["kind", "variant", "layer", "k", "l", "n", *cells, "value"])
    table = all_sample_complexities(cells, empty, thresholds=[0.1])
    names = ["net", "L", "s", "s0", "v", "m", "n_c"]
    points = [
        {name: one[0][name] for name in names} | {"P_star": P}
        for one, P in zip(curves, published, strict=True)
    ]
    return {"cells": cells, "sample_complexity": table, "published_values": pd.DataFrame(points)}


def practice(net="cnn", s0=1, **other):
    return grammar(net, 2, 6, s0) | {"batch": "balanced"} | other


def points_of(tables):
    return practice_points(*(tables[n] for n in ("sample_complexity", "cells", "published_values")))


def by_a_loop(rows):
    """The P nearest to 10 % of each seed, by looking at each."""
    found = []
    for seed in range(len(SHIFTS)):
        best = None
        for row in sorted((r for r in rows if r["seed"] == seed), key=lambda r: r["P"]):
            far = abs(row["best_test_error"] - 0.1)
            if best is None or far < best[0]:
                best = (far, row["P"])
        found.append(best[1])
    return found


def test_ours_is_read_off_as_the_paper_did():
    rows = cells_of(practice(), 1000)
    sizes = by_a_loop(rows)
    assert len(set(sizes)) > 1
    read = nearest_sizes(pd.DataFrame(rows).sample(frac=1, random_state=1))
    assert sorted(np.exp(read["log_size"]).round().astype(int)) == sorted(sizes)
    (point,) = points_of(tables_of([rows], [1200.0])).to_dict("records")
    assert point["ours"] == pytest.approx(stats.gmean(sizes))
    assert point["log_ratio"] == pytest.approx(log(1200 / stats.gmean(sizes)))
    assert point["n_seeds"] == 3


def test_of_two_points_that_are_equally_near_the_smaller_counts():
    cells = pd.DataFrame(cells_of(practice(), 1000)[:2]).assign(best_test_error=[0.15, 0.05])
    assert np.exp(nearest_sizes(cells)["log_size"]).tolist() == pytest.approx([400])


def test_a_prediction_interval_holds_another_seed_and_a_step_of_the_grid():
    rows = cells_of(practice(), 1000)
    (point,) = points_of(tables_of([rows], [1000.0])).to_dict("records")
    sd = np.std(SHIFTS, ddof=1)  # of the seeds' log P*, here the curve's own
    uniform = stats.uniform(scale=log(STEP)).std()
    half = stats.t.ppf(0.975, 2) * np.sqrt(sd**2 * (1 + 1 / 3) + uniform**2)
    # P* is read off a straight line between two sizes: that of the grid is off by a few percent.
    assert log(point["high"] / point["ours"]) == pytest.approx(half, rel=0.1)
    assert log(point["ours"] / point["low"]) == pytest.approx(half, rel=0.1)
    ends = point["low"], point["high"]
    for published, inside in ((ends[0] * 1.01, True), (ends[1] * 0.99, True),
                              (ends[0] * 0.99, False), (ends[1] * 1.01, False)):  # fmt: skip
        assert points_of(tables_of([rows], [published]))["inside"].tolist() == [inside]


@pytest.mark.parametrize(
    "other",
    [{"batch": "shuffled"}, {"whitening": True}, {"bias": True}, {"sparsity": "B"}, {"n_c": 3}],
)
def test_other_protocols_are_not_the_practice(other):
    tables = tables_of([cells_of(practice(**other), 1000)], [1000.0])
    found = points_of(tables)
    assert found.empty
    assert found.columns.tolist() == list(COLUMNS)


def test_other_rates_and_unusual_widths_are_left_out():
    usual = [cells_of(practice(s0=s0), 1000) for s0 in (1, 2)]
    slow, wide = cells_of(practice(s0=4), 1000, rate=0.5), cells_of(practice(width=128), 1000)
    found = points_of(tables_of([*usual, slow, wide], [1000.0] * 4).copy())
    assert set(found["width"]) == {64}
    assert set(found["s0"]) == {1, 2}


def claim_rows(tables, start):
    claims = [one for one in claims_in(str(STUDY.claims)) if one.identifier.startswith(start)]
    return scorecard(tables, claims).set_index("claim")


@pytest.mark.parametrize(("factor", "part", "inside"), [(1.05, 1, "3 of 3"), (20.0, 0, "0 of 3")])
def test_the_claim_compares_the_paper_with_ours(factor, part, inside):
    curves = [cells_of(practice(s0=s0, v=v, m=v, n_c=v), 1000) for s0, v in enumerate((6, 8, 10))]
    tables = tables_of(curves, [1000 * factor * x for x in (0.97, 1.0, 1.03)])
    row = claim_rows(tables, "published-within").iloc[0]
    assert (row["value"], row["n"]) == (part, 3)
    assert row["note"].startswith(inside)


def test_without_curves_of_the_practice_nothing_is_said():
    tables = tables_of([cells_of(practice(batch="shuffled"), 1000)], [1000.0])
    row = claim_rows(tables, "published-within-prediction").iloc[0]
    assert row["verdict"] == "inconclusive"
    titles = [table.title for table in page.tables(tables, {"threshold": 0.1})]
    assert not [title for title in titles if "practice" in title]


def test_networks_trained_in_other_ways_have_a_row_of_their_own():
    curves = [cells_of(practice(batch="shuffled"), 1000), cells_of(practice(), 1000)]
    table = page.tables(tables_of(curves, [1000.0] * 2), {"threshold": 0.1})[0]
    kinds = [row[0] for row in table.rows]
    assert kinds == ["this run", "this run, other ways to train", "the paper"]


def test_the_page_has_a_row_for_each_law_and_each_point():
    curves = [cells_of(practice(net, s0=s0), 1000) for net in ("lcn", "cnn") for s0 in (1, 2, 4)]
    tables = tables_of(curves, [1000.0, 1100.0, 90_000.0] * 2)
    laws, points = page.tables(tables, {"threshold": 0.1})[-2:]
    assert [row[0] for row in laws.rows] == ["LCN", "CNN"]
    assert [row[laws.columns.index("Within")] for row in laws.rows] == ["2 of 3"] * 2
    assert [row[points.columns.index("Within")] for row in points.rows] == ["yes", "yes", "no"] * 2


def test_the_laws_by_the_practice_are_read_between_and_at_points_of_the_grid():
    ours, power, theirs = {}, 1.5, 2.0
    for v in (6, 8):
        for s0 in (1, 2, 3):
            one = grammar("cnn", 2, v, s0) | {"batch": "balanced"}
            P = 700 * ((s0 + 1) / 2) ** power
            ours[v, s0] = [row | {"curve": f"{row['curve']} {v}"} for row in cells_of(one, P)]
    tables = tables_of(list(ours.values()), [900 * (s0 + 1) ** theirs for _, s0 in ours])
    fits = practice_fits(*(tables[n] for n in ("sample_complexity", "cells", "published_values")))
    row = fits.set_index("claim").loc["s0-exponent-cnn-L2"]
    assert row["n"] == 6
    assert row["text"] == ""  # no such curves
    assert float(row["practice"].split()[0]) == pytest.approx(power, abs=0.01)
    assert row["authors"] == "2.00"
    logs = [np.log(by_a_loop(rows)).mean() for (v, _), rows in ours.items() if v == 6]
    slope = np.polyfit(np.log([2, 3, 4]), logs, 1)[0]
    assert float(row["read"]) == pytest.approx(slope, abs=0.01)
    shown = page.tables(tables, {"threshold": 0.1})
    (table,) = (one for one in shown if one.title == "The same fits, by the practice")
    assert len(table.rows) == len(fits)
    three = [tables[n] for n in ("sample_complexity", "cells")]
    assert practice_fits(*three, tables["published_values"].head(3)).empty


def test_fewer_points_than_give_an_interval_are_no_fit():
    tables = tables_of([cells_of(practice(), 1000)], [1000.0])
    own = [tables[n] for n in ("sample_complexity", "cells", "published_values")]
    assert practice_fits(*own).empty
    assert practice_fits(own[0], own[1], own[2].head(0)).empty


def test_the_figure_shows_each_point_over_ours_with_its_prediction():
    curves = [cells_of(practice(), 1000), cells_of(practice(s0=2), 1000),
              cells_of(practice("lcn"), 1500)]  # fmt: skip
    tables = tables_of(curves, [1200.0, 800.0, 1500.0])
    expected = points_of(tables)
    given = [tables[n] for n in ("sample_complexity", "cells", "published_values")]
    figure = authors_points.draw(*given, preset="invented")
    for _, row in expected.iterrows():
        axes = figure.axes[["lcn", "cnn"].index(row["net"])]
        name = f"point net={row['net']} L=2 s0={row['s0']}"
        ratio = row["published"] / row[["ours", "high", "low"]].astype(float)
        assert points(axes, name, whole=True) == [pytest.approx((row["ours"], ratio["ours"]))]
        (bar,) = (one for one in axes.collections if one.get_gid() == f"bar {name}")
        ((_, low), (_, high)) = bar.get_segments()[0]
        assert (low, high) == pytest.approx((ratio["high"], ratio["low"]))


def test_the_figure_of_no_points_says_so():
    empty = pd.DataFrame()
    authors_points.draw(empty, empty, empty, preset="invented")


def test_the_authors_points_of_the_lcn_lie_at_eleven_multiples_as_their_document_says():
    points = pd.read_csv(REFERENCE / "published_sample_complexity.csv")
    own = points[(points["net"] == "lcn") & (points["s"] == 2)]
    multiples = own["sample_complexity"] / (own["n_c"] * own["m"].astype(float) ** own["L"])
    text = (REFERENCE / "README.md").read_text(encoding="utf-8")
    assert f"the {len(own)} points of the LCN" in text
    assert multiples.round(1).nunique() == 11
    assert "eleven" in text
