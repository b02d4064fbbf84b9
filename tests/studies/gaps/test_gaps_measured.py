"""Exponents of pooled gaps on samples of known ones; gaps, cusps and rank against other routes."""

import numpy as np
import pandas as pd
import pytest
import torch
from false_claims import cells

from srhm.flow.cell import data_of, network_of, predictor_of
from srhm.flow.configuration import FlowCurves
from srhm.flow.losses import QuadraticHinge
from srhm.flow.networks import initial_weights
from srhm.measure.trained import Member
from srhm.model.seeding import generator
from srhm.scorecard.estimators import Ratio
from srhm_studies.landscape.gaps.claims import RatioOfSteppedSizes
from srhm_studies.landscape.gaps.measure import (
    THRESHOLDS,
    cusps_of,
    gaps_of,
    preactivations,
    tangents,
)
from srhm_studies.landscape.power_laws import exponent

WINDOW = {"low": 1e-2, "high": 1.0}


def pooled(power, *, n_networks=30, n_gaps=200, seed=0):
    """Gaps of density x^power up to 2, a tail beyond, and contacts at 1e-6."""
    draws = generator(seed, role="drawing").random((n_networks, 3, n_gaps))
    return [np.concatenate([2 * law ** (1 / (1 + power)), 2 + tail, 1e-6 * contacts])
            for law, tail, contacts in draws]  # fmt: skip


@pytest.mark.parametrize("power", [0.42, 0.3, 0.0, -0.2, -0.41])
def test_the_exponent_of_pooled_gaps_is_found(power):
    found = exponent(pooled(power), **WINDOW, generator=generator(1, role="drawing"))
    assert found.value == pytest.approx(power, abs=0.06)  # four standard errors
    assert found.low < found.value < found.high
    assert 0.03 < found.high - found.low < 0.2
    # another route: the slope of the cumulative distribution, counted from above the contacts
    law = np.concatenate(pooled(power))
    x = np.logspace(-1, 0, 20)
    counts = [np.sum((law > 1e-5) & (law < one)) for one in x]
    assert np.polyfit(np.log(x), np.log(counts), 1)[0] - 1 == pytest.approx(found.value, abs=0.1)


@pytest.mark.parametrize(("edge", "power"), [("low", -np.inf), ("high", np.inf)])
def test_gaps_at_one_edge_of_the_window_have_an_infinite_exponent(edge, power):
    samples = [np.full(5, WINDOW[edge])] * 3
    with np.errstate(invalid="ignore"):  # quantiles between two infinite numbers
        found = exponent(samples, **WINDOW, generator=generator(1, role="drawing"))
    assert found.value == power


def test_an_interval_covers_the_exponent_as_often_as_it_says():
    covered = 0
    for seed in range(60):
        samples = pooled(0.3, n_networks=12, n_gaps=60, seed=seed)
        found = exponent(samples, **WINDOW, generator=generator(seed, role="drawing"))
        covered += found.low <= 0.3 <= found.high
    assert covered >= 48  # twelve samples drawn again vary somewhat too little


def member(**changes):
    """An untrained member whose final weights are its first ones, with biases of its own."""
    keys = {
        "data": "digits_pca", "net": ["fcn"], "hidden_layers": [2], "width": [6], "P": [150],
        "alpha": [1.0], "labels": "parity", "loss": "quadratic_hinge", "bias": True,
        "initialisation": "orthogonal", "subtract_initial": False,
        "optimiser": {"name": "adam", "max_evaluations": 10}, **changes,
    }  # fmt: skip
    (shared,) = FlowCurves.model_validate(keys).coordinates()
    cell = {**shared, "alpha_tilde": shared["width"] ** 0.5, "P": 150, "seed": 0, "member": 0,
            "n_test": 40}  # fmt: skip
    first = initial_weights(network_of(cell), generators=[generator(4, role="initialisation")])
    noise = generator(4, role="drawing").standard_normal
    weights = {name: one + torch.from_numpy(0.1 * noise(one.shape)) for name, one in first.items()}
    return Member(
        key="k", cell=cell, row={}, data=data_of(cell), loss=QuadraticHinge(),
        predictor=predictor_of([cell]), weights={"initial": weights, "end": weights},
        test_outputs=torch.empty(0), history=None,
    )  # fmt: skip


def by_hand(weights, x, sigma):
    """Preactivations and output of a point of an FCN, with plain matrix products."""
    z, seen = np.asarray(x), []
    for k in (1, 2):
        w, b = (weights[f"layer{k}{end}"].numpy().squeeze() for end in ("", ".bias"))
        seen.append(z @ w / np.sqrt(len(z)) + b)
        z = sigma(seen[-1])
    out = z @ weights["readout"].numpy()[0, :, 0] / np.sqrt(len(z))
    return np.concatenate(seen), out + float(weights["readout.bias"])


def test_gaps_and_preactivations_are_those_of_a_plain_loop():
    one = member()
    weights, data = one.weights["end"], one.data
    found = gaps_of(one, weights).numpy()
    rows = {(row["points"], row["threshold"]): row for row in cusps_of(one, weights)}
    seen = []
    for x, y, gap in zip(data.x_train[:, 0], data.y_train, found, strict=True):
        z, f = by_hand(weights, x, lambda a: np.maximum(a, 0))
        assert gap == pytest.approx(1 - float(y) * f, abs=1e-12)
        seen.append(np.abs(z))
    sizes = np.concatenate(seen)
    for threshold in THRESHOLDS[-9:]:
        row = rows["training", threshold]
        assert row["below"] == np.sum(sizes < threshold)
        assert row["n"] == 150 * 12
    assert rows["fresh", 1.0]["n"] == 40 * 12
    fresh = preactivations(one.network, weights, data.x_test)
    assert rows["fresh", 1.0]["below"] == np.sum(fresh < 1)


def test_columns_of_g_are_tangents_and_their_slopes_by_differences():
    one = member(activation="tanh", width=[3])
    weights, x = one.weights["end"], one.data.x_train[:1]
    found = tangents(one.network, weights, x).numpy()
    places = [(k, i) for k in one.network.weight_shapes() for i in range(weights[k].numel())]
    assert found.shape == (11, len(places))

    def slope(name, entry, point, step=1e-5):
        """df/dW by a central difference."""
        ends = []
        for sign in (1, -1):
            moved = {k: array.clone() for k, array in weights.items()}
            moved[name].view(-1)[entry] += sign * step
            ends.append(by_hand(moved, point, np.tanh)[1])
        return (ends[0] - ends[1]) / (2 * step)

    point = x[0, 0].numpy()
    for column, place in enumerate(places):
        here = slope(*place, point)
        assert found[0, column] == pytest.approx(here, abs=1e-8)
        for n in (0, 7):
            ahead, behind = (slope(*place, point + sign * np.eye(10)[n]) for sign in (1e-3, -1e-3))
            assert found[1 + n, column] == pytest.approx(here + (ahead - behind) / 2e-3, abs=1e-5)


def test_the_interval_of_a_ratio_of_n_star_holds_the_steps_of_the_widths():
    table = pd.DataFrame({"ratio": [1.1, 1.3, 1.2], "N_low": 100, "N_high": 120,
                          "N_low_over": 90, "N_high_over": 110})  # fmt: skip
    given = {"where": {}, "over": {}, "on": ("seed",), "scale": "log", "rows": cells}
    plain, wider = (kind("N_star", **given).of(table) for kind in (Ratio, RatioOfSteppedSizes))
    assert wider.value == pytest.approx(np.exp(plain.value))
    grid = 1.96 * np.sqrt((np.log(120 / 100) ** 2 + np.log(110 / 90) ** 2) / 12)
    for end, was in ((wider.low, plain.low), (wider.high, plain.high)):
        assert abs(np.log(end) - plain.value) == pytest.approx(np.hypot(was - plain.value, grid))
