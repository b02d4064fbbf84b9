"""Losses and their derivatives against autograd, and what counts as unsatisfied, fitted, wrong."""

import numpy as np
import pytest
import torch

from srhm.flow.losses import CrossEntropy, Logistic, QuadraticHinge, SoftHinge

LOSSES = [QuadraticHinge(), QuadraticHinge(margin=0.5), SoftHinge(), Logistic(), CrossEntropy()]


def some_outputs(loss, *, shared):
    stream = np.random.default_rng(0)
    n_outputs = 3 if isinstance(loss, CrossEntropy) else 1
    F = torch.tensor(stream.standard_normal((2, 5, n_outputs)))
    shape = (5,) if shared else (2, 5)
    if n_outputs == 1:
        return F, torch.tensor(stream.choice([-1.0, 1.0], size=shape))
    return F, torch.tensor(stream.integers(3, size=shape))


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_slopes_and_curvatures_are_those_of_autograd(tolerance, loss, shared):
    F, y = some_outputs(loss, shared=shared)
    F.requires_grad_()
    (slopes,) = torch.autograd.grad(loss.values(F, y).sum(), F, create_graph=True)
    np.testing.assert_allclose(loss.slopes(F, y).detach(), slopes.detach(), **tolerance(np.float64))
    for o in range(F.shape[-1]):
        (row,) = torch.autograd.grad(slopes[..., o].sum(), F, retain_graph=True)
        found = loss.curvatures(F, y)[..., o, :].detach()
        np.testing.assert_allclose(found, row, **tolerance(np.float64))


def test_the_values_are_those_of_their_formulas(tolerance):
    F, y = (
        torch.tensor([[[0.2], [3.0], [2.0]]], dtype=torch.float64),
        torch.tensor([1.0, -1.0, 1.0]),
    )
    gap = np.array([0.8, 4.0, -1.0])
    quadratic = QuadraticHinge().values(F, y)[0]
    np.testing.assert_allclose(quadratic, np.maximum(gap, 0) ** 2 / 2, **tolerance(np.float64))
    soft = SoftHinge().values(F, y)[0]
    np.testing.assert_allclose(soft, np.log1p(np.exp(20 * gap)) / 20, **tolerance(np.float64))
    logistic = Logistic().values(F, y)[0]
    np.testing.assert_allclose(logistic, np.log1p(np.exp(gap - 1)), **tolerance(np.float64))


def test_the_logistic_loss_is_the_cross_entropy_of_two_classes(tolerance):
    F, y = some_outputs(Logistic(), shared=False)
    both, classes = torch.cat([torch.zeros_like(F), F], dim=-1), (y > 0).to(torch.int64)
    for name in ("values", "wrong"):
        one, two = getattr(Logistic(), name)(F, y), getattr(CrossEntropy(), name)(both, classes)
        np.testing.assert_allclose(one, two, **tolerance(np.float64))
    slopes = CrossEntropy().slopes(both, classes)[..., 1:]
    np.testing.assert_allclose(Logistic().slopes(F, y), slopes, **tolerance(np.float64))


@pytest.mark.parametrize("loss", [QuadraticHinge(), SoftHinge()], ids=repr)
def test_a_point_is_satisfied_beyond_the_margin(loss):
    F = torch.tensor([[[1.01], [-1.01]], [[0.99], [-1.01]], [[-2.0], [-1.01]]])
    y = torch.tensor([1.0, -1.0])
    assert loss.unsatisfied(F, y).tolist() == [[False, False], [True, False], [True, False]]
    assert loss.fitted(F, y).tolist() == [True, False, False]
    assert loss.wrong(F, y).tolist() == [[False, False], [False, False], [True, False]]


def test_cross_entropy_is_fitted_by_its_mean_and_wrong_at_a_tie():
    loss, y = CrossEntropy(threshold=1e-3), torch.tensor([0, 1])
    good, fair = [9.0, 0.0, 0.0], [0.0, 7.0, 0.0]
    F = torch.tensor([[good, [0.0, 9.0, 0.0]], [good, fair], [good, [1.0, 1.0, 0.0]]])
    assert loss.unsatisfied(F, y).tolist() == [[False, False], [False, True], [False, True]]
    assert loss.fitted(F, y).tolist() == [True, False, False]
    assert loss.wrong(F, y).tolist() == [[False, False], [False, False], [False, True]]
