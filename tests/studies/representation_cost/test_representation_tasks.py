"""Tasks of the study, and what is counted on them, by second routes."""

import numpy as np
import pytest
import torch

from srhm.model import seeding
from srhm_studies.beyond.representation_cost import experiment, factorisation
from srhm_studies.beyond.representation_cost.configuration import MAPS

W = np.eye(1, 4)[0]


@pytest.mark.parametrize("name", MAPS)
def test_maps_have_their_rank(name):
    """Finite differences within the domain: as many directions as Rank_J, and |Jf|_+ as stated."""
    x, y = experiment.points_of_map({"map": name, "n": 200, "d": 4, "seed": 1})
    assert np.linalg.matrix_rank(y - y.mean(0), tol=1e-8) == MAPS[name].bottleneck_rank
    again, _ = experiment.points_of_map({"map": name, "n": 200, "d": 4, "seed": 1})
    assert torch.equal(x, again)
    if name.startswith("rank"):
        spread = torch.linalg.svdvals(y) / np.sqrt(200)
        assert float(spread[0]) < 1.5  # slopes of at most 3/2 on coordinates of unit variance
        slopes = torch.pdist(y) / torch.pdist(x)
        assert float(slopes.max()) <= 1.5 + 1e-9
        assert MAPS[name].first_correction == pytest.approx(2 * int(name[-1]) * np.log(1.5))
    if name == "circle":
        np.testing.assert_allclose(x.square().sum(1), 2)
    if name == "square":
        assert float(x.min()) >= 0


def test_tripoints_are_where_three_classes_meet():
    stripes = np.repeat([[0, 1, 2, 3]], 4, axis=0)
    assert experiment.n_tripoints(stripes) == 0
    corner = np.array([[0, 0, 1, 1]] * 2 + [[2, 2, 2, 2]] * 2)
    assert experiment.n_tripoints(corner) == 1
    quadrants = np.kron([[0, 1], [2, 3]], np.ones((3, 3), dtype=int))
    assert experiment.n_tripoints(quadrants) == 1
    two = np.kron([[0, 1], [2, 2], [3, 1]], np.ones((4, 4), dtype=int))
    assert experiment.n_tripoints(two) == 2


def test_groups_on_a_zigzag_are_told_apart_by_one_coordinate_and_meet_in_two_tripoints():
    """Thresholds between the centres; nearest centres, whose regions meet where triangles do."""
    x, labels = experiment.points_of_zigzag({"n": 400, "seed": 0})
    assert np.bincount(labels).tolist() == [100] * 4
    thresholds = (np.arange(3) - 1) * experiment.STEP
    np.testing.assert_array_equal(np.searchsorted(thresholds, x[:, 0].numpy()), labels)
    centres = np.stack([x[labels == label].numpy().mean(0) for label in range(4)])
    np.testing.assert_allclose(np.abs(centres[:, 1]), experiment.HEIGHT, atol=0.05)
    grid = experiment.square(120).numpy()
    nearest = ((grid[:, None] - centres) ** 2).sum(2).argmin(1).reshape(120, 120)
    assert experiment.n_tripoints(nearest) == 2


def test_a_length_is_equal_on_circles_and_of_unit_variance():
    generator = seeding.generator(0, role="train")
    z, u = experiment.drawn(20_000, 5, generator=generator)
    assert u.shape == (20_000, 3)
    for values in (z, u, experiment.task(z, 3)):
        np.testing.assert_allclose(values.mean(0), 0, atol=0.03)
        np.testing.assert_allclose(values.std(0), 1, atol=0.02)
    other = experiment.turned(z, generator=generator)
    np.testing.assert_allclose(experiment.task(other, 1), experiment.task(z, 1))
    assert abs(np.corrcoef(other[:, 0], z[:, 0])[0, 1]) < 0.03


def test_a_ball_falls_freely_and_its_film_turns_with_the_ring():
    generator = seeding.generator(0, role="train")
    angles = experiment.positions(5, 4, generator=generator)
    second = np.diff(angles, n=2, axis=1)
    np.testing.assert_allclose(second, -experiment.GRAVITY)
    film = experiment.images(angles, 7)
    turned = experiment.images(angles + 2 * np.pi / 7, 7)
    np.testing.assert_allclose(np.roll(film, 1, axis=1), turned, atol=1e-12)
    np.testing.assert_allclose([film.mean(), np.mean(film**2)], [0, 1], atol=1e-12)


def test_losses_are_those_of_plain_gradient_descent():
    theta = factorisation.starts(3, 4, generator=np.random.default_rng(0))
    found = factorisation.losses(theta, 5)
    for start, losses in zip(theta, found, strict=True):
        vector = torch.tensor(start, requires_grad=True)
        w = torch.from_numpy(W)
        for value in losses:
            loss = (torch.outer(w, w) - torch.outer(vector, vector)).square().sum()
            assert float(loss.detach()) == pytest.approx(value)
            (gradient,) = torch.autograd.grad(loss, vector)
            vector = (vector - factorisation.LEARNING_RATE * gradient).detach().requires_grad_()


def test_explained_part_is_one_for_a_polynomial_and_none_for_noise():
    generator = np.random.default_rng(1)
    components = generator.normal(size=(400, 2))
    a, b = components.T
    assert factorisation.explained(a * b + a**3 - 2, components) == pytest.approx(1)
    assert factorisation.explained(generator.normal(size=400), components) < 0.1
    layer = components @ generator.normal(size=(2, 6)) + 5
    top = factorisation.top_two(layer)
    np.testing.assert_allclose(top.T @ top / 400, np.eye(2), atol=1e-10)
    assert factorisation.explained(a, top) == pytest.approx(1)
