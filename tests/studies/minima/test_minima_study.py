"""The study of minima: what counts, and claims that are false are found so."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from tables import jamming_cell

from srhm.scorecard.card import scorecard
from srhm.studies.minima.analysis import at_minima, exponents
from srhm.studies.minima.claims import CLAIMS
from srhm.studies.minima.figures import draw


def _tables(*, shift: float = 0.0, **more: Any) -> dict[str, pd.DataFrame]:
    """Ten networks of each kind, at minima, with gaps of the thesis's exponents, or shifted."""
    cells, ends, gaps = [], [], []
    stream = np.random.default_rng(0)
    for activation, layers in (("tanh", 3), ("relu", 2), ("relu", 3), ("relu", 5)):
        theta, gamma = (0.2, 0.16) if activation == "tanh" else (0.3, 0.2)
        theta, gamma = theta + shift, gamma + shift
        for seed in range(10):
            key, loss = f"{activation}{layers}{seed}", 10 ** -(3.2 + 0.4 * seed)
            cell = jamming_cell(
                study="minima", net="fcn", data="random", activation=activation, seed=seed,
                hidden_layers=layers, width=8, n_weights=200, mean_loss=loss,
                P=626 if activation == "tanh" else 346,
                n_unsatisfied=150 + seed % 3, status="capped", initialisation="orthogonal",
            )  # fmt: skip
            cells.append({**cell, "key": key})
            end = {"end": "minimum", "steps": 100, "gradient": 1e-11, "own_gradient": 1e-3,
                   "n_wrong": 0, "n_modes": 220, "n_negative": 0, "n_negative_h": 22 + seed % 2,
                   "n_negative_hp": 90, "n_cusps": 40, "n_near": 46 + seed % 2,
                   "n_near_fresh": 0.0, "curve": "c", "n_unsatisfied": 150 + seed % 3}  # fmt: skip
            ends.append({"key": key, **end, **more})
            z = 2 * stream.random(800) ** (1 / (1 + theta)) * loss**0.5
            below = -2 * stream.random(800) ** (1 / (1 - gamma))
            gaps += [{"key": key, "gap": gap} for gap in np.concatenate([z, below])]
    return {"cells": pd.DataFrame(cells), "ends": pd.DataFrame(ends), "gaps": pd.DataFrame(gaps)}


def _verdicts(tables: dict[str, pd.DataFrame]) -> dict[str, str]:
    return dict(scorecard(tables, CLAIMS).set_index("claim")["verdict"])


def test_tables_that_follow_the_thesis_disagree_nowhere() -> None:
    found = _verdicts(_tables())
    assert set(found.values()) == {"reproduced"}, found
    assert found["minima-bound-relu"] == found["minima-negative-tanh"] == "reproduced"
    assert found["minima-cusps-relu"] == "reproduced"


@pytest.mark.parametrize(
    ("changes", "claim"),
    [
        ({"n_negative_hp": 200}, "minima-bound-tanh"),
        ({"n_negative_hp": 200}, "minima-bound-relu"),
        ({"n_negative": 10}, "minima-negative-tanh"),
        ({"n_negative_h": 60}, "minima-negative-relu"),
        ({"n_near": 10}, "minima-cusps-relu"),
    ],
)
def test_a_false_claim_is_found_so(changes: dict[str, Any], claim: str) -> None:
    tables = _tables(**changes)
    assert _verdicts(tables)[claim] in ("differs", "undecided", "inconclusive"), _verdicts(tables)
    assert _verdicts(tables)[claim] != "reproduced"


def test_other_exponents_and_another_jump_are_told_apart() -> None:
    tables = _tables()
    found = _verdicts(_tables(shift=0.4))
    assert found["minima-plus-relu-3"] == found["minima-minus-relu-3"] == "differs"
    tables["ends"]["n_unsatisfied"] = 60
    assert _verdicts(tables)["minima-jump-relu"] == "differs"


def test_networks_count_between_two_losses_and_only_jammed_ones() -> None:
    tables = _tables()
    cells = tables["cells"]
    cells.loc[0, "mean_loss"], cells.loc[1, "mean_loss"] = 2e-3, 1e-10
    tables["ends"].loc[2, "n_unsatisfied"] = 19
    assert list(np.flatnonzero(~at_minima(cells, tables["ends"])["counts"])) == [0, 1, 2]


def test_networks_at_no_minimum_have_no_exponent() -> None:
    found = exponents(*_tables(end="capped").values())
    assert found["value"].isna().all()
    assert (found["n"] == 0).all()


def test_each_jammed_network_is_drawn() -> None:
    figure = draw(*_tables().values(), preset="test")
    assert len(figure.axes) >= 6
    empty = {name: table.iloc[:0] for name, table in _tables().items()}
    draw(*empty.values(), preset="test")
