"""A second-order end: its Hessian is the project's, its minima are those of other solvers."""

from math import inf
from typing import Any

import numpy as np
import pytest
import torch
from scipy.optimize import minimize
from torch import Tensor

from srhm.flow.cell import train_members
from srhm.flow.configuration import FlowCurves
from srhm.flow.hessian import LossAt, exact_h0, exact_hp
from srhm.flow.losses import QuadraticHinge
from srhm.flow.minima import (
    SHARPNESS,
    End,
    Objective,
    expansion,
    second_order_end,
    smooth_relu,
    tanh,
)
from srhm.flow.networks import Network, Predictor, Weights, fully_connected_network, initial_weights
from srhm.model.seeding import generator

D = 3


def _network(activation: str, *, depth: int = 3, width: int = 4) -> Network:
    return fully_connected_network(
        D, depth=depth, width=width, n_outputs=1, activation=activation, biased=True
    )


def _points(P: int) -> tuple[Tensor, Tensor]:
    stream = generator(1, role="train")
    x = torch.from_numpy(stream.standard_normal((P, 1, D)))
    return x, torch.from_numpy(np.where(np.arange(P) % 2, -1.0, 1.0))


def _weights(network: Network) -> Weights:
    weights = initial_weights(network, generators=[generator(2, role="initialisation")])
    stream = generator(3, role="initialisation")
    return {name: array + 0.3 * torch.from_numpy(stream.standard_normal(array.shape))
            for name, array in weights.items()}  # fmt: skip


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_the_hessian_is_that_of_the_projects_spectra(activation: str) -> None:
    network, (x, y) = _network(activation), _points(30)
    weights = _weights(network)
    sigma = tanh if activation == "tanh" else smooth_relu(inf)
    at = Objective(network, x[:, 0], y, sigma)
    own = expansion(at, at.vector(weights))
    predictor = Predictor(network, torch.ones(1, dtype=torch.float64), None)
    other = LossAt.of(predictor, weights, x, y, QuadraticHinge(), member=0)
    assert own.loss == pytest.approx(float(other.total(other.vector)), rel=1e-12)
    for mine, known in ((own.h0, exact_h0(other)), (own.hp, exact_hp(other))):
        torch.testing.assert_close(
            torch.linalg.eigvalsh(mine), torch.linalg.eigvalsh(known), rtol=1e-9, atol=1e-12
        )


def test_the_smooth_relu_has_the_hessian_of_autograd() -> None:
    network, (x, y) = _network("relu"), _points(30)
    at = Objective(network, x[:, 0], y, smooth_relu(3.0))
    vector = at.vector(_weights(network))

    def loss(w: Tensor) -> Tensor:
        return at.gaps(w)[0].clamp(min=0).square().sum() / (2 * len(y))

    own = expansion(at, vector)
    torch.testing.assert_close(own.gradient, torch.func.grad(loss)(vector))
    known = torch.func.jacrev(torch.func.grad(loss))(vector)
    torch.testing.assert_close(own.h0 + own.hp, known)


def _ended(activation: str, *, width: int, P: int) -> tuple[Objective, End]:
    """A network of one layer after its end, and its own loss there."""
    network, (x, y) = _network(activation, depth=1, width=width), _points(P)
    start = initial_weights(network, generators=[generator(2, role="initialisation")])
    weights, end = second_order_end(network, start, x, y, max_steps=400, tolerance=1e-9)
    at = Objective(network, x[:, 0], y, tanh if activation == "tanh" else smooth_relu(inf))
    torch.testing.assert_close(at.vector(weights), end.vector)
    return at, end


def test_a_tanh_network_ends_at_a_minimum_that_scipy_does_not_leave() -> None:
    at, end = _ended("tanh", width=2, P=30)
    assert end.status == "minimum", end
    assert end.gradient < 1e-9  # weights near 100: rounding
    assert end.n_negative == 0

    def value(w: np.ndarray) -> tuple[float, np.ndarray]:
        here = expansion(at, torch.from_numpy(w))
        return here.loss, here.gradient.numpy()

    def hessian(w: np.ndarray) -> np.ndarray:
        here = expansion(at, torch.from_numpy(w))
        return np.asarray((here.h0 + here.hp).numpy())

    near = end.vector.numpy() + 1e-4 * generator(5, role="test").standard_normal(len(end.vector))
    found = minimize(
        value, near, jac=True, hess=hessian, method="trust-exact", options={"gtol": 1e-9}
    )
    assert found.fun == pytest.approx(end.loss, rel=1e-9)


def test_a_relu_network_ends_where_no_small_move_lowers_its_own_loss() -> None:
    at, end = _ended("relu", width=4, P=30)
    assert end.sharpness == SHARPNESS[-1]
    assert end.status == "minimum", end
    moves = torch.from_numpy(generator(7, role="test").standard_normal((200, len(end.vector))))
    moves = 1e-3 * moves / moves.norm(dim=1, keepdim=True)
    assert float(at.losses(end.vector + moves).min()) > at.loss(end.vector) - 1e-8


GROUP: dict[str, Any] = {
    "data": "random", "d": 4, "hidden_layers": 2, "width": 3, "net": "fcn", "alpha": 1, "P": 60,
    "labels": "parity", "loss": "quadratic_hinge", "bias": True, "initialisation": "orthogonal",
    "subtract_initial": False, "activation": "tanh",
    "optimiser": {"name": "adam", "max_evaluations": 200},
}  # fmt: skip


def _cells(**more: Any) -> list[dict[str, Any]]:
    (shared,) = FlowCurves.model_validate({**GROUP, **more}).coordinates()
    place = {"alpha_tilde": 3**0.5, "P": 60, "member": 0, "n_test": 50}
    return [{**shared, **place, "seed": seed} for seed in (0, 1)]


def test_the_trainer_goes_on_from_adam_and_each_member_is_trained_as_if_alone() -> None:
    plain, ended = train_members(_cells()), train_members(_cells(newton_steps=30))
    for before, after in zip(plain.rows, ended.rows, strict=True):
        assert after["mean_loss"] < before["mean_loss"]
        assert 200 < after["evaluations"] <= 230
    alone = train_members(_cells(newton_steps=30)[1:])
    assert alone.rows[0]["mean_loss"] == pytest.approx(ended.rows[1]["mean_loss"], rel=1e-6)
