"""What the authors' points give by the fits of the scorecard, beside what our curves give."""

import numpy as np
import pandas as pd
import pytest
from tables import MAIN, NETS, exact_complexities, grammar, networks, trained

from srhm.scorecard.card import claims_in, scorecard
from srhm.studies.sparse_hierarchy.claims.paper_points import as_sample_complexities
from srhm.studies.sparse_hierarchy.page import tables as page_tables
from srhm.studies.sparse_hierarchy.published_values import SCHEMA
from srhm.studies.sparse_hierarchy.study import STUDY

CLAIMS = claims_in(str(STUDY.claims))
LAW = "s = 2: P* follows Eq. 3 (LCN), 4 (CNN): slope of log P* on log prediction"
EXPONENTS = [f"s0-exponent-{net}-L{L}" for net in NETS for L in (2, 3)]


def points(curves, law):
    """Points of the paper on these curves whose P* is a law's."""
    table = exact_complexities(curves, law=law)["sample_complexity"]
    rows = table[(table["criterion"] == "test_error") & (table["threshold"] == 0.1)]
    return rows.assign(figure="4", panel="B", reading="printed")[SCHEMA.names]


def ours_on(curves):
    """Our curves on these grammars, of enough seeds that a law's number decides."""
    tables = exact_complexities(curves)
    cells = networks(tables["sample_complexity"], n_seeds=3)["cells"]
    return tables | {"cells": trained(cells, batch_size=4, rate=0.01, max_steps=1000)}


def rows_of(tables, *names):
    chosen = [claim for claim in CLAIMS if claim.identifier in names]
    return scorecard(tables, chosen).set_index("claim")


def test_each_law_has_what_the_papers_points_give():
    def law(row):
        return 1e-2 * (row["s0"] + 1) ** 1.4 * row["m"]

    ours = ours_on(MAIN)
    rows = rows_of(ours | {"published_values": points(MAIN, law)}, *EXPONENTS)
    for claim in EXPONENTS:
        assert rows.loc[claim, "authors_value"] == pytest.approx(1.4)
        assert rows.loc[claim, "verdict"] == "reproduced"
    alone = rows_of(ours, *EXPONENTS)
    numbers = ["value", "low", "high", "n", "verdict"]
    pd.testing.assert_frame_equal(rows[numbers], alone[numbers])
    assert alone["authors_value"].isna().all()


def test_points_that_give_no_number_give_none():
    few = points([grammar("lcn", 2, 8, 1)], lambda row: row["prediction"])
    rows = rows_of(exact_complexities(MAIN) | {"published_values": few}, *EXPONENTS)
    assert rows["authors_value"].isna().all()


def test_the_papers_points_are_compared_at_equal_rates_of_its_table():
    # LCN, s = 2: another rate from s_0 = 4 on, whose P* say nothing of the exponent.
    curves = [grammar("lcn", 2, 8, s0) for s0 in (0, 1, 2, 4)]

    def law(row):
        return (row["s0"] + 1) ** 2.1 * (5 if row["s0"] == 4 else 1)

    tables = exact_complexities(curves) | {"published_values": points(curves, law)}
    row = rows_of(tables, EXPONENTS[0]).iloc[0]
    assert row["authors_value"] == pytest.approx(2.1)


def test_two_points_have_no_interval():
    two = points([grammar("lcn", 2, 8, s0) for s0 in (1, 2)], lambda row: row["prediction"])
    row = rows_of(exact_complexities(MAIN) | {"published_values": two}, EXPONENTS[0]).iloc[0]
    assert row["authors_value"] == pytest.approx(2)
    assert np.isnan(row["authors_low"])


def test_points_above_a_tenth_of_the_data_are_a_small_pool_as_ours_are():
    # v = 4, L = 2: 4^4 distinct data without empty places.
    two = [grammar("lcn", 2, 4, 0), grammar("lcn", 2, 4, 4)]
    table = as_sample_complexities(points(two, lambda row: 26))
    assert table["small_pool"].tolist() == [True, False]
    assert table["prediction"].tolist() == pytest.approx([128, 3200])


def test_the_page_sets_the_laws_of_the_papers_points_beside_ours():
    published = points(MAIN, lambda row: row["prediction"] ** 0.9)
    tables = ours_on(MAIN) | {"published_values": published}
    tables["sample_complexity"] = tables["sample_complexity"].assign(n_capped=0)
    (table,) = (
        one
        for one in page_tables(tables, {"threshold": 0.1})
        if one.title == "The laws in the authors' points and in ours"
    )
    cells = {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    (slope,) = (row for words, row in cells.items() if words.startswith("s = 2: P* follows"))
    numbers = {name: float(slope[name].split()[0]) for name in ("Authors' points", "Ours")}
    assert numbers == {"Authors' points": 0.9, "Ours": 1}
    # Theirs are of one seed: 3 grammars, of which a slope has no verdict.
    assert (slope["Verdict"], slope["Our verdict"]) == ("inconclusive", "reproduced")
    assert slope["Meet"] == "no"
    small = as_sample_complexities(published)["small_pool"]
    assert slope["n"] == len(MAIN) - small.sum() > 30


@pytest.mark.parametrize(("exponent", "words"), [(1.0, "yes"), (1.4, "no")])
def test_the_page_says_whether_the_intervals_meet(exponent, words):
    def law(row):
        return 1e-2 * row["prediction"] ** exponent * (1.3 if row["v"] == 6 else 1)

    published = points(MAIN, law)
    ours = exact_complexities(MAIN, noise=np.random.default_rng(3))["sample_complexity"]
    tables = {"sample_complexity": ours.assign(n_capped=0), "published_values": published}
    (table,) = (one for one in page_tables(tables, {"threshold": 0.1}) if "laws" in one.title)
    rows = {row[0]: row for row in table.rows}
    assert rows[LAW][-1] == words
