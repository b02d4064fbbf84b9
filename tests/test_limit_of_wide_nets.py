"""The tangent kernel of infinite width against that of networks, and of modules of PyTorch."""

import numpy as np
import pytest
import torch
from torch import nn

from srhm.flow import kernels as of_flow
from srhm.flow.networks import fully_connected_network, initial_weights
from srhm.tangent_kernel import empirical_kernel, infinite_width_kernel


def kernels(network, x, *, members, seed=0):
    """Gram matrices (members, n, n) of networks at their start; x (n, places, channels)."""
    streams = [np.random.default_rng([seed, member]) for member in range(members)]
    weights = initial_weights(network, generators=streams)
    return of_flow.gram_matrix(of_flow.tangent_kernel(network, weights, x)).numpy()


@pytest.mark.parametrize(("depth", "biased"), [(1, False), (2, True), (3, False)])
def test_a_network_differs_from_the_limit_by_one_over_the_root_of_its_width(depth, biased):
    # Standard error of the slope, over members: 0.03 to 0.04; the tolerance is three of them.
    x = np.random.default_rng(3).standard_normal((5, 6))
    limit = infinite_width_kernel(x, depth=depth, biased=biased)
    points, widths = torch.from_numpy(x)[:, None], (64, 512)
    found = [
        kernels(
            fully_connected_network(6, depth=depth, width=width, n_outputs=1, biased=biased),
            points,
            members=128,
        )
        for width in widths
    ]
    distance = [np.sqrt(((one - limit) ** 2).mean()) for one in found]
    slope = np.log(distance[1] / distance[0]) / np.log(widths[1] / widths[0])
    assert slope == pytest.approx(-0.5, abs=0.1)
    # The widest are right on average: within 5 standard errors and 1 % for what falls as 1/width.
    mean, error = found[-1].mean(axis=0), found[-1].std(axis=0) / np.sqrt(128)
    assert (abs(mean - limit) < 5 * error + 0.01 * limit.max()).all()


@pytest.mark.parametrize("depth", [1, 3])
def test_each_layer_is_a_mean_over_gaussians_by_quadrature(depth):
    """The recursion with means by polar coordinates in place of arc cosines."""
    x = np.random.default_rng(5).standard_normal((3, 4))
    phi = (np.arange(20000) + 0.5) * 2 * np.pi / 20000
    plane = np.stack([np.cos(phi), np.sin(phi)])
    covariance = theta = x @ x.T / 4
    for _ in range(depth):
        means, slopes = np.zeros((3, 3)), np.zeros((3, 3))
        for i in range(3):
            for j in range(3):
                pair = covariance[np.ix_([i, j], [i, j])] + 1e-14 * np.eye(2)
                u, v = np.linalg.cholesky(pair) @ plane
                # E r^2 = 2 of a plane Gaussian.
                means[i, j] = 2 * (np.maximum(u, 0) * np.maximum(v, 0)).mean()
                slopes[i, j] = ((u > 0) & (v > 0)).mean()
        covariance, theta = means, means + theta * slopes
    np.testing.assert_allclose(infinite_width_kernel(x, depth=depth), theta, rtol=2e-3)


class Scaled(nn.Module):
    """A fully connected net of two hidden layers with the weights of a network of the flow."""

    def __init__(self, weights):
        super().__init__()
        self.parts = nn.ParameterList([one[0] for one in weights.values()])

    def forward(self, x):
        for weight in self.parts:
            x = x.flatten(1) @ weight.flatten(0, -2) / weight.flatten(0, -2).shape[0] ** 0.5
            x = x if weight is self.parts[-1] else x.relu()
        return x


def test_the_kernel_of_a_module_is_that_of_the_flow(tolerance):
    network = fully_connected_network(4, depth=2, width=7, n_outputs=3)
    weights = initial_weights(network, generators=[np.random.default_rng(0)])
    x = torch.from_numpy(np.random.default_rng(1).standard_normal((5, 1, 4)))
    expected = of_flow.tangent_kernel(network, weights, x[:3], x[2:])[0]
    found = empirical_kernel(Scaled(weights), x[:3], x[2:])
    np.testing.assert_allclose(found, expected, **tolerance(np.float64))
    alone = empirical_kernel(Scaled(weights), x)
    np.testing.assert_allclose(alone[:3, :, 2:], found, **tolerance(np.float64))


def test_the_kernel_of_a_module_of_one_output_without_an_axis_for_it():
    x = torch.arange(6.0).reshape(2, 3)
    found = empirical_kernel(nn.Sequential(nn.Linear(3, 1), nn.Flatten(0)), x)
    assert torch.equal(found[:, 0, :, 0], x @ x.T + 1)
