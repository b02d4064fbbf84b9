"""Singular values of weights and representations; errors and variances of ensembles."""

from math import sqrt

import numpy as np
import pytest
import torch

from srhm.flow import losses
from srhm.flow.losses import CrossEntropy, SoftHinge


def test_an_ensemble_errs_less_than_its_members():
    y = torch.tensor([1.0, -1.0, 1.0, -1.0])
    F = torch.tensor([[3.0, -1, 1, 1], [-1, -2, 1, -4], [1, 1, 1, -1]])[..., None]
    assert losses.errors(SoftHinge(), F, y).tolist() == [0.25, 0.25, 0.25]
    assert losses.ensemble_error(SoftHinge(), F, y) == 0
    ties = torch.zeros(2, 4, 3)
    assert losses.ensemble_error(CrossEntropy(), ties, torch.tensor([0, 1, 2, 0])) == 1


def test_the_variance_is_unbiased_whatever_the_size_of_the_ensemble():
    stream = np.random.default_rng(0)
    draws = [
        losses.output_variance(torch.tensor(3 * stream.standard_normal((n, 400, 2))))
        for n in (2, 3, 10)
        for _ in range(10)
    ]
    # Two outputs of variance 9; the mean of 30 draws has a standard error below 0.25.
    assert np.mean(draws) == pytest.approx(18, abs=1)
    assert np.isnan(losses.output_variance(torch.zeros(1, 4, 1)))
    F = torch.tensor([[[3.0], [-4.0]]])
    assert losses.output_norm(F).item() == pytest.approx(sqrt(12.5))
