"""Networks, their gradient and what is read off them, each by a second route."""

import numpy as np
import pytest
import torch

from srhm_studies.beyond.representation_cost import networks, spectra
from srhm_studies.beyond.representation_cost.networks import (
    Architecture,
    initial,
    loss_and_gradient,
    viewed,
)

DENSE = Architecture(channels=(3, 5, 4, 2))
RING = Architecture(channels=(2, 4, 3, 2), places=6, reach=1)


def drawn(architecture, *, n=7, seed=0):
    """Random parameters with biases, inputs and targets in float64."""
    generator = torch.Generator().manual_seed(seed)
    parameters = initial(architecture, generator=generator, dtype=torch.float64)
    for bias in parameters.biases:
        bias.copy_(0.1 * torch.randn(bias.shape, generator=generator, dtype=torch.float64))
    rows = n * architecture.places
    x, y = (
        torch.randn(rows, channels, generator=generator, dtype=torch.float64)
        for channels in (architecture.channels[0], architecture.channels[-1])
    )
    return parameters, x, y


def dense_outputs(parameters, x):
    """The talk's recursion as a plain loop, for autograd."""
    h = x
    for number, (weight, bias) in enumerate(
        zip(parameters.weights, parameters.biases, strict=True), start=1
    ):
        h = h @ weight.T + bias
        h = torch.relu(h) if number < len(parameters.weights) else h
    return h


def ring_outputs(parameters, x):
    """The same with PyTorch's own circular convolution."""
    architecture = parameters.architecture
    h = x.view(-1, architecture.places, x.shape[1]).transpose(1, 2)
    for number, (weight, bias) in enumerate(
        zip(parameters.weights, parameters.biases, strict=True), start=1
    ):
        kernel = weight.view(len(weight), architecture.filter_size, -1).transpose(1, 2)
        padded = torch.nn.functional.pad(h, (architecture.reach,) * 2, mode="circular")
        h = torch.nn.functional.conv1d(padded, kernel, bias)
        h = torch.relu(h) if number < len(parameters.weights) else h
    return h.transpose(1, 2).reshape(len(x), -1)


@pytest.mark.parametrize(
    ("architecture", "outputs"), [(DENSE, dense_outputs), (RING, ring_outputs)]
)
def test_gradient_is_that_of_autograd_through_a_plain_loop(architecture, outputs):
    parameters, x, y = drawn(architecture)
    gradient = viewed(architecture, torch.zeros_like(parameters.theta))
    loss = loss_and_gradient(parameters, x, y, gradient)
    theta = parameters.theta.clone().requires_grad_()
    plain = (outputs(viewed(architecture, theta), x) - y).square().sum(1).mean()
    plain.backward()
    torch.testing.assert_close(loss, plain.detach())
    torch.testing.assert_close(gradient.theta, theta.grad)
    assert gradient.theta.abs().min() < gradient.theta.abs().max()


def test_one_step_of_the_fit_is_one_of_adam_on_the_penalised_loss(monkeypatch):
    """With the factor 2 of lambda ||theta||^2, biases included."""
    monkeypatch.setattr(networks, "DTYPE", torch.float64)
    cell = {"penalty": 0.3, "annealing": 4.0, "steps": 3, "learning_rate": 0.01, "seed": 4}
    _, x, y = drawn(DENSE)
    start = initial(DENSE, generator=networks.initialisation(4), dtype=torch.float64)
    theta = start.theta.clone().requires_grad_()
    adam = torch.optim.Adam([theta])
    for step in range(3):
        adam.param_groups[0]["lr"] = networks.rate_at(step / 3, 0.01)
        weight_decay = networks.penalty_at(step / 3, 0.3, 4.0) / DENSE.depth
        adam.zero_grad()
        f = dense_outputs(viewed(DENSE, theta), x)
        ((f - y).square().sum(1).mean() + weight_decay * theta.square().sum()).backward()
        adam.step()
    fitted = networks.fit(DENSE, x, y, cell)
    torch.testing.assert_close(fitted.parameters.theta, theta.detach(), rtol=1e-6, atol=1e-8)


def test_singular_values_by_frequency_are_those_of_the_whole_ring():
    """All frequencies together, pairs twice, are the singular values of the circulant matrix."""
    parameters, _, _ = drawn(RING)
    weight = parameters.weights[1]
    places, before = RING.places, RING.channels[1]
    units = torch.eye(places * before, dtype=torch.float64).view(-1, places, before)
    patches = torch.cat([units.roll(1, 1), units, units.roll(-1, 1)], 2)
    whole = (patches @ weight.T).reshape(places * before, -1)
    by_frequency = spectra.singular_values(RING, weight)
    pairs = [1, 2, 2, 1]  # of 6 places: 0, 1 and -1, 2 and -2, 3
    twice = np.concatenate([np.tile(own, n) for own, n in zip(by_frequency, pairs, strict=True)])
    expected = np.sort(np.linalg.svd(whole.numpy(), compute_uv=False))[::-1][: len(twice)]
    np.testing.assert_allclose(np.sort(twice)[::-1], expected, atol=1e-12)


def test_jacobians_are_those_of_autograd():
    parameters, x, _ = drawn(DENSE)
    jacobians, _ = spectra.linear_parts(parameters, x)
    operator, frobenius = spectra.parameter_jacobians(parameters, x)
    for point in range(len(x)):
        by_input = torch.func.jacrev(lambda one: dense_outputs(parameters, one))(x[point])
        torch.testing.assert_close(jacobians[point], by_input)

        def output(theta, point=point):
            return dense_outputs(viewed(DENSE, theta), x[point])

        by_theta = torch.func.jacrev(output)(parameters.theta)
        largest = float(torch.linalg.matrix_norm(by_theta, 2))
        assert operator[point] == pytest.approx(largest**2)
        assert frobenius[point] == pytest.approx(float(by_theta.square().sum()))
