"""P*, claims and the figure on invented tables of known powers; the plan of a section."""

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from drawn import points, rendered, texts
from pydantic import ValidationError

from srhm.scorecard.card import scorecard
from srhm.studies.attention import analysis, figures
from srhm.studies.attention.claims import CLAIMS
from srhm.studies.attention.configuration import AttentionSection, law, seconds
from srhm.studies.attention.study import STUDY
from srhm.studies.attention.tables import CELLS, SAMPLE_COMPLEXITY
from srhm.study import ConfigError

FACTORS = 2.0 ** np.arange(-4, 6)
FLOOR = 0.5
NET = "transformer_positions"


def tables(*, power=2.0, over=2.0, floor=FLOOR, felt=1.0):
    """P* = law of CNN and LCN; of a transformer `over` times (s_0+1)^(power-2) of that.

    floor: error of nets without positions; felt: S and D of a transformer over those of others.
    """
    rows = []
    for net, s0, v, seed in product(figures.NETS, (0, 1, 2), (4, 6), range(4)):
        curve = {"net": net, "L": 2, "s": 2, "s0": s0, "v": v, "m": v, "n_c": v}
        true = law(curve) * 1.05 ** (seed - 1.5)
        mine = net == NET
        true *= over * (s0 + 1) ** (power - 2) if mine else 1
        for factor in FACTORS:
            P = round(law(curve) * factor)
            error = floor if net == "transformer" else min(0.9, 0.1 * true / P)
            S, D = (error * (felt if mine else 1),) * 2
            if net == "transformer":
                S, D = 0.9, 1e-14
            rows.append({**curve, "P": P, "seed": seed, "test_error": error, "S": S,
                         "D": D if s0 else np.nan, "curve": "one", "status": "fitted",
                         "key": f"{len(rows)}",
                         "bag_error": FLOOR if net == "transformer" else np.nan})  # fmt: skip
    cells = pd.DataFrame(rows).reindex(columns=CELLS.names)
    return {"cells": cells,
            "sample_complexity": analysis.sample_complexities(cells, threshold=0.1)}  # fmt: skip


@pytest.fixture(scope="module")
def lawful():
    return tables()


def verdicts(found):
    return scorecard(found, CLAIMS).set_index("claim")["verdict"]


def test_P_star_is_the_law_and_never_reached_without_positions(lawful):
    table = lawful["sample_complexity"]
    assert table.columns.tolist() == SAMPLE_COMPLEXITY.names
    blind = table["net"] == "transformer"
    assert set(table.loc[blind, "status"]) == {"not_reached"}
    assert set(table.loc[~blind, "status"]) == {"reached"}
    others = table[~blind & (table["net"] != NET)]
    assert others["P_star"].to_numpy(float) == pytest.approx(others["law"], rel=0.05)


def test_claims_agree_where_the_predictions_are_true(lawful):
    assert set(verdicts(lawful)) == {"reproduced"}


def test_claims_are_found_false():
    found = verdicts(tables(power=0.8, over=0.5, floor=0.3, felt=5))
    agreeing = {"s0-cnn", "s0-lcn", "bags-S", "bags-places"}
    assert set(found[~found.index.isin(agreeing)]) == {"differs"}


def test_the_other_claims_are_found_false(lawful):
    cells = lawful["cells"].copy()
    blind, wide = cells["net"] == "transformer", cells["s0"] == 2
    cells.loc[blind & wide, "test_error"] = 0.7
    cells.loc[blind, "S"] = 0.2
    flat = cells["net"].isin(["cnn", "lcn"]) & wide
    cells.loc[flat, "P"] = (cells.loc[flat, "P"] * 4 / 9).round().astype(int)
    found = verdicts({**lawful, "cells": cells})
    assert set(found[["bags-places", "bags-S", "s0-cnn", "s0-lcn"]]) == {"differs"}


def test_a_P_star_that_is_not_reached_is_left_out(lawful):
    cells = lawful["cells"].copy()
    cells.loc[cells["net"] == NET, "test_error"] = 0.5
    found = scorecard({**lawful, "cells": cells}, CLAIMS).set_index("claim")
    assert found["verdict"]["s0-positions"] == "inconclusive"
    assert "not reached" in found["note"]["s0-positions"]


def test_S_and_D_at_P_star_are_those_of_the_error_there(lawful):
    found = analysis.seed_stars(lawful["cells"]).query("net == 'cnn' and s0 == 1")
    assert found["S"].to_numpy() == pytest.approx(0.1, rel=0.1)
    assert found["D"].to_numpy() == pytest.approx(0.1, rel=0.1)


def test_the_figure_shows_every_P_star_and_D_of_zero_with_an_arrow(lawful):
    page = rendered(figures.draw(lawful["cells"], lawful["sample_complexity"], preset="test"))
    table = lawful["sample_complexity"]
    own = table[(table["net"] == "cnn") & (table["v"] == 4)]
    expected = sorted(zip(own["s0"] + 1.0, own["P_star"], strict=True))
    assert sorted(points(page.axes[0], "P* net=cnn", whole=True)) == pytest.approx(expected)
    blind = points(page.axes[3], "plane net=transformer", whole=True)
    assert {x for x, _ in blind} == {figures.LEAST}
    assert "least error of bags" in texts(page)


def planned(**group):
    curves = [{"net": NET, "v": 4, "s0": 1, "P_over_law": [1], **group}]
    return STUDY.plan(AttentionSection(curves=curves), Path())


def test_sizes_follow_the_law_and_a_job_has_one_net_and_grammar():
    found = planned(net=[NET, "cnn"], s0=[0, 1], P_over_law=[1, 4], seeds=1)
    sizes = {(cell["net"], cell["s0"], cell["P"], cell["width"])
             for curve in found.curves.values() for cell in curve.cells}  # fmt: skip
    assert len(found.curves) == 4
    # 256 of the 256 data at s_0 = 0 leave no test set.
    assert sizes == {(NET, 0, 64, 32), (NET, 1, 256, 32), (NET, 1, 1024, 32),
                     ("cnn", 0, 64, 64), ("cnn", 1, 256, 64), ("cnn", 1, 1024, 64)}  # fmt: skip
    cells = [cell for curve in found.curves.values() for cell in curve.cells]
    assert all(seconds(cell) > 0 for cell in cells)


def test_what_no_grammar_has_is_refused_by_its_key():
    with pytest.raises(ConfigError, match=r"curves.0: m = 2"):
        planned(v=1, m=2)
    with pytest.raises(ValidationError, match="width = 30: allowed are multiples of 4"):
        AttentionSection(width=30, curves=[{"net": NET, "v": 4, "s0": 1, "P_over_law": [1]}])
    with pytest.raises(ValidationError, match="transformer_positions"):
        planned(net="rnn")
