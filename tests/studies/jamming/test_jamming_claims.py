"""Claims on jamming, on invented tables."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tables import all_kinds, jamming_cells, spectra

from srhm.scorecard.card import scorecard
from srhm.statistics.jamming import with_jamming
from srhm.studies.jamming.claims import CLAIMS


def with_cells(tables, cells):
    """The tables with other cells of the study, beside those of double descent."""
    descent = jamming_cells(study="double_descent")
    return tables | {"cells": cells, "all_cells": pd.concat([cells, descent], ignore_index=True)}


@pytest.fixture(scope="module")
def tables():
    cells = all_kinds()
    summaries = [
        spectra(part, negative=0.43 if activation == "tanh" else 0.5)[1]
        for activation, part in cells.groupby("activation")
    ]
    return with_cells({"hessian_summaries": pd.concat(summaries, ignore_index=True)}, cells)


def rows_of(tables, *names):
    claims = [c for c in CLAIMS if c.identifier in names or not names]
    return scorecard(tables, claims).set_index("claim")


def test_claims_hold_where_the_tables_follow_them(tables):
    found = rows_of(tables)
    verdicts = found["verdict"].to_dict()
    reported = {"unsatisfied-at-jamming-srhm", "load-at-jamming"}
    assert {name for name, verdict in verdicts.items() if verdict == "reported"} == reported
    sublinear = "n-star-growth-true"
    assert {name for name, verdict in verdicts.items() if verdict == "holds"} == (
        set(verdicts) - reported - {sublinear}
    )
    assert found.loc[sublinear, "value"] == pytest.approx(1)
    assert found.loc["hp-negative-tanh-random", "value"] == pytest.approx(0.43, abs=0.01)
    assert found.loc["unsatisfied-at-jamming-random", "value"] == pytest.approx(0.75, abs=0.01)


def test_claims_without_tables_lack_data():
    assert set(rows_of({})["verdict"]) == {"not enough data"}


def test_networks_of_double_descent_count_among_the_jammed(tables):
    names = ("jammed-below-a-quarter", "load-at-jamming", "n-star-growth-shuffled")
    alone = rows_of(tables | {"all_cells": tables["cells"]}, *names)["n"]
    more = rows_of(tables, *names)["n"] - alone
    assert more["jammed-below-a-quarter"] > 0
    assert more["n-star-growth-shuffled"] == 0


def test_jammed_networks_below_a_quarter_break_the_bound(tables):
    def lower(table, part):
        table = table.copy()
        jammed = table.index[with_jamming(table)["jammed"]]
        for place in jammed[: round(part * len(jammed))]:
            table.loc[place, "n_unsatisfied"] = int(0.2 * table.loc[place, "n_weights"])
        return table

    name = "jammed-below-a-quarter"
    many = pd.concat([tables["cells"]] * 20, ignore_index=True)
    found = {}
    for part in (0, 0.05, 0.5):
        row = rows_of(tables | {"all_cells": lower(many, part)}, name).loc[name]
        count = round(part * row["n"])
        interval = stats.binomtest(count, row["n"]).proportion_ci(0.95)
        assert [row["low"], row["high"]] == pytest.approx([interval.low, interval.high])
        assert f"{count} of {row['n']}" in row["note"]
        found[part] = row["verdict"]
    assert found == {0: "holds", 0.05: "undecided", 0.5: "does not hold"}
    jammed = with_jamming(many)["jammed"]
    few = rows_of(tables | {"all_cells": many[many.index.isin(jammed.index[jammed][:30])]}, name)
    few = few.loc[name]
    assert (few["value"], few["verdict"]) == (0, "undecided")  # too few to tell


def test_other_spectra_break_their_claims(tables):
    def skewed(table):
        table.loc[table["part"] == "Hp", "negative_fraction"] = 0.3
        return table

    names = ("hp-negative-relu-random", "hp-negative-tanh-random")
    found = rows_of(
        tables | {"hessian_summaries": skewed(tables["hessian_summaries"].copy())}, *names
    )
    assert found["verdict"].to_dict() == dict.fromkeys(names, "does not hold")


def test_true_labels_that_need_more_weights_break_their_bound(tables):
    def exchanged(table):
        names = {"parity": "shuffled", "shuffled": "parity"}
        srhm = table["data"] == "srhm"
        table.loc[srhm, "labels"] = table.loc[srhm, "labels"].map(names)
        return table

    name = "n-star-true-over-shuffled"
    found = rows_of(tables, name).loc[name]
    assert found["value"] == pytest.approx(-np.log(2))
    other = rows_of(with_cells(tables, exchanged(tables["cells"].copy())), name).loc[name]
    assert other["value"] == pytest.approx(np.log(2))
    assert (found["verdict"], other["verdict"]) == ("holds", "does not hold")
