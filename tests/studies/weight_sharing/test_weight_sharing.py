"""Exponents, first steps, claims and figure of weight sharing, on invented curves and grammars."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from drawn import assert_on_page, points, rendered, texts
from tables import curve, falling

from srhm.data import tree
from srhm.model.seeding import generator
from srhm.networks.geometry import geometry
from srhm.scorecard.card import scorecard
from srhm.statistics.exponents_of_grammars import complexities
from srhm.studies.weight_sharing import analysis
from srhm.studies.weight_sharing.claims import CLAIMS, OF_LAYERS, TWO_STEPS, VALUES
from srhm.studies.weight_sharing.figures import ORDER, draw
from srhm.studies.weight_sharing.first_steps import (
    equal_points,
    first_steps,
    independent,
    known_places,
)

# Exponents that agree with all predictions: (net, L) -> exponent.
WANTED = {**{key: value for key, (value, _) in VALUES.items()},
          **{("cnn_features", L): L for L in (2, 3)}, ("cnn_places", 2): 2, ("cnn_places", 3): 2,
          ("cnn_pooled_first", 3): 1, ("cnn_pooled_last", 3): 1,
          **{("cnn_pooled", L): 0 for L in (2, 3)}}  # fmt: skip


# The net and L that has second steps.
BESIDE = ("lcn", 2)
# Of L = 3, of which no second steps are invented.
LATER = ("second-step-2-3", "second-step-3-3", "two-steps-2-3", "two-steps-3-3")


def invented(exponents, *, s0s=(1, 2, 4), features=(4, 6), seeds=3, scale=lambda net: 1.0):
    """Cells whose P* is 100 v scale (s_0+1)^exponent, times a factor of the grammar."""
    rows = []
    for ((net, L), power), v, s0 in product(exponents.items(), features, s0s):
        one, law = curve(net, L, v, s0), 100 * v * (s0 + 1) ** power
        for seed, P in product(range(seeds), np.unique(np.round(law * 2.0 ** np.arange(-3, 4)))):
            star = law * scale(net) * (s0 + 1) ** (0.05 * (seed - 1)) * 1.1**seed
            error = falling(P, star, start=0.8, threshold=0.1, floor=0.001)
            row = {**one, "key": f"{one['curve']}-{P}-{seed}", "P": int(P), "seed": seed}
            rows.append({**row, "test_error": error, "best_test_error": error})
    return pd.DataFrame(rows).assign(status="fitted", train_loss=1e-3)


def steps(exponents, *, extra=0.0, seeds=3):
    """Invented first steps, of as many powers as places are known, and `extra` ones."""
    rows = [
        {"net": net, "L": L, "s": 2, "s0": s0, "v": v, "m": v, "n_c": v, "seed": seed, "layer": k,
         "places": known, "n_equal": 10.0 * (s0 + 1) ** (known + extra + 0.01 * (seed - 1))}
        for net, L in exponents for v in (4, 6) for s0 in (1, 2, 4) for seed in range(seeds)
        for k, known in enumerate(range(L, 0, -1), start=1)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def second(exponents, *, extra=0.0):
    """Invented second steps, of as many powers as one of both layers knows places, and `extra`."""
    wanted = {net: value for net, value in TWO_STEPS.items() if (net, 2) in exponents}
    rows = steps({(net, 2): 2 for net in wanted})
    rows = rows[rows["layer"] == 2].assign(places=rows["net"].map(wanted))
    points = (rows["s0"] + 1) ** (rows["places"] + extra + 0.01 * (rows["seed"] - 1))
    return rows.assign(n_equal=20 * points, n_equal_output=30 * points)


def tables(exponents, **options):
    cells, first, two = invented(exponents, **options), steps(exponents), second(exponents)
    found = analysis.exponents(cells, first, two, threshold=0.1)
    return {"cells": cells, "first_steps": first, "two_steps": two, "exponents": found}


@pytest.fixture(scope="module")
def card():
    return scorecard(tables(WANTED), CLAIMS).set_index("claim")


def test_exponents_are_those_of_the_grammars():
    found = tables({("lcn", 2): 2.0, ("cnn", 2): 1.4})["exponents"]
    P_star = found[found["of"] == "P_star"].set_index(["net", "v", "seed"])["exponent"]
    assert len(P_star) == 12
    assert P_star["lcn", 4, 0] == pytest.approx(2, abs=0.1)
    assert P_star["cnn", 6, 1] - P_star["cnn", 6, 0] == pytest.approx(0.05, abs=0.03)
    assert set(found.loc[found["layer"] == 0, "places"]) == {2}
    layer = found[found["layer"] == 2].set_index(["of", "net", "v", "seed"])["exponent"]
    assert layer["first_step", "cnn", 4, 2] == pytest.approx(1.01)
    assert layer["second_step", "lcn", 4, 0] == pytest.approx(1.99)
    assert layer["output", "cnn", 6, 1] == pytest.approx(1)


def test_a_grammar_with_a_censored_curve_has_no_exponent():
    cells = invented({("lcn", 2): 2.0})
    last = (cells["s0"] == 4) & (cells["seed"] == 0) & (cells["v"] == 4)
    cells.loc[last, "test_error"] = 0.5
    lcn = {("lcn", 2): 2}
    found = analysis.exponents(cells, steps(lcn), second(lcn), threshold=0.1)
    kept = found[found["layer"] == 0]
    assert len(kept) == 5
    none = cells[cells["s0"] == 0]
    nothing = [table(lcn).head(0) for table in (steps, second)]
    assert analysis.exponents(none, *nothing, threshold=0.1).empty
    assert not ((kept["v"] == 4) & (kept["seed"] == 0)).any()


def test_exponents_of_the_predictions_agree(card):
    own = card.loc[[name for name in card.index if name.startswith("exponent-")]]
    assert len(own) == 9
    assert set(own["verdict"]) == {"reproduced"}
    assert card.loc["change-cnn_features-lcn-2", "verdict"] == "reproduced"
    assert card.loc["change-cnn_places-cnn-3", "value"] == pytest.approx(0, abs=0.02)
    assert card.loc["change-cnn_places-lcn-2", "verdict"] == "differs"  # 2 and 2 here
    assert card.loc["first-step-1-2", "verdict"] == "reproduced"
    assert card.loc["second-step-lcn-2", "value"] == pytest.approx(2)
    two = [name for name in card.index if name.startswith(("second-step-", "two-steps-"))]
    assert len([name for name in two if name.endswith("-2")]) == 8
    assert set(card.loc[[name for name in two if name.endswith("-2")], "verdict"]) == {"reproduced"}


def test_other_exponents_savings_and_steps_are_found_false():
    wrong = {key: value + 0.5 for key, value in WANTED.items()}
    found = tables(wrong, scale=lambda net: {"lcn": 2.5, "cnn_places": 0.8}.get(net, 1.0))
    two = steps(wrong, extra=0.4), second(wrong, extra=0.4)
    found["exponents"] = analysis.exponents(found["cells"], *two, threshold=0.1)
    card = scorecard(found, CLAIMS).set_index("claim")
    own = [
        name
        for name in card.index
        if name.split("-")[0] in ("exponent", "saved", "first", "second", "two")
    ]
    own = [name for name in own if name not in LATER]
    assert len(own) == 26
    assert set(card.loc[own, "verdict"]) == {"differs"}
    assert card.loc["saved-cnn_features-lcn-2", "value"] == pytest.approx(0.4, abs=0.02)


def test_a_net_that_shares_one_layer_is_judged_against_the_lcn(card):
    of_one_layer = ["change-cnn_first-lcn-3", "change-cnn_second-lcn-3", "change-cnn-lcn-3"]
    assert set(card.loc[of_one_layer, "verdict"]) == {"reproduced"}
    found = scorecard(tables(WANTED | {("lcn", 3): 3.6}), CLAIMS).set_index("claim")
    assert set(found.loc[of_one_layer, "verdict"]) == {"differs"}


def test_four_levels_are_judged_from_no_empty_place_to_one():
    counted = {net: 4 + value for net, (value, *_) in OF_LAYERS.items()} | {"lcn": 4}
    agrees, wrong = (
        scorecard(
            tables({BESIDE: 2} | {(net, 4): n for net, n in powers.items()}, s0s=(0, 1)), CLAIMS
        ).set_index("claim")
        for powers in (counted, counted | {"lcn": 3.4})
    )
    own = [name for name in agrees.index if name.endswith("-lcn-4")]
    assert len(own) == 7
    assert set(agrees.loc[own, "verdict"]) == {"reproduced"}
    assert set(wrong.loc[own, "verdict"]) == {"differs"}


def test_without_the_second_depth_its_claims_have_too_few_data():
    card = scorecard(tables({("lcn", 2): 2, ("cnn", 2): 2}), CLAIMS).set_index("claim")
    assert card.loc["exponent-lcn-2", "verdict"] == "reproduced"
    assert set(card.loc[[name for name in card.index if name.endswith("-3")], "verdict"]) == {
        "inconclusive"
    }


def test_the_figure_draws_every_net_and_its_exponents():
    found = tables(WANTED)
    complexity = complexities(found["cells"], thresholds=[0.1])
    figure = rendered(draw(complexity, found["exponents"], preset="test", threshold=0.1))
    assert_on_page(figure)
    assert len(points(figure.axes[0], "P* net=lcn")) == 3
    assert "LCN" in texts(figure)
    deep = tables({BESIDE: 2, ("lcn", 4): 4, ("cnn_third", 4): 3.5}, s0s=(0, 1))
    complexity = complexities(deep["cells"], thresholds=[0.1])
    figure = rendered(draw(complexity, deep["exponents"], preset="test", threshold=0.1))
    assert len(points(figure.axes[3], "grammar")) == 12
    empty = draw(complexity.head(0), found["exponents"].head(0), preset="test", threshold=0.1)
    assert not empty.axes


def test_levels_of_known_places_are_those_of_the_readme(make_parameters):
    wanted = {"lcn": [3, 2, 1], "cnn_features": [3, 2, 1], "cnn_first": [1, 2, 1],
              "cnn_second": [3, 1, 1], "cnn_places": [1, 1, 1], "cnn": [1, 1, 1],
              "cnn_pooled_first": [0, 1, 1], "cnn_pooled_last": [1, 1, 0],
              "cnn_pooled": [0, 0, 0]}  # fmt: skip
    parameters = make_parameters(depth=3, branching=2, n_empty=2)
    assert {net: known_places(net, parameters) for net in wanted} == wanted
    deeper = {"cnn_first": [1, 3, 2, 1], "cnn_second": [4, 1, 2, 1], "cnn_third": [4, 3, 1, 1],
              "cnn_first_second": [1, 1, 2, 1], "cnn_first_third": [1, 3, 1, 1],
              "cnn_second_third": [4, 1, 1, 1]}  # fmt: skip
    parameters = make_parameters(depth=4, branching=2, n_empty=1)
    assert {net: known_places(net, parameters) for net in deeper} == deeper
    assert set(wanted) | set(deeper) == set(ORDER)


@pytest.mark.parametrize("net", ["lcn", "cnn_places"])
def test_equal_points_are_those_of_a_plain_loop_over_independent_data(make_grammar, net):
    grammar = make_grammar(depth=2, branching=2, n_features=3, n_synonyms=3, n_classes=3, n_empty=1)
    data = independent(grammar, 40_000, generator(0, role="drawing"))
    levels = tree(data, grammar)
    for k, layer in enumerate(geometry(net, grammar.parameters, width=1).layers, start=1):
        # Contribution of each datum, dense; signal and variance from all of them as the population.
        each = np.zeros((len(data), layer.n_slots, 3, 3))
        for places, features in zip(levels[k].places.T, levels[k].features.T, strict=True):
            slots = np.array(layer.slots)[places]
            each[np.arange(len(data)), slots, features] += np.eye(3)[data.labels] - 1 / 3
        mean = each.mean(axis=0)
        variance = ((each - mean) ** 2).sum() / (len(data) - 1)
        signal = (mean**2).sum() - variance / len(data)
        found = equal_points(layer, levels[k], data.labels)
        assert found == pytest.approx(variance / signal, rel=0.05)


def test_first_steps_have_a_row_for_each_net_grammar_and_layer():
    cells = invented({("lcn", 2): 2, ("cnn", 2): 2}, s0s=(0, 1), features=(3,), seeds=1)
    found = pd.DataFrame(first_steps(cells))
    assert found[["net", "s0", "layer", "places"]].to_numpy().tolist() == [
        ["cnn", 1, 1, 1], ["cnn", 1, 2, 1], ["lcn", 1, 1, 2], ["lcn", 1, 2, 1]
    ]  # fmt: skip
    last = found[found["layer"] == 2]["n_equal"]
    assert last.nunique() == 1  # the last layer is the same
