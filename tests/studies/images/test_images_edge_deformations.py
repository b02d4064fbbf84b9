"""Fields by the convention of the thesis's code: modes, size, and what they are beside ours."""

import numpy as np
import pytest

from srhm.images import deformations
from srhm.images.edge_deformations import (
    coefficients,
    displacements,
    mean_squared_displacement,
    modes,
    temperature_of,
)


def fields(count, *, size, cutoff, temperature, seed=0):
    drawn = coefficients(
        count, cutoff=cutoff, temperature=temperature, generator=np.random.default_rng(seed)
    )
    return displacements(drawn, size=size, cutoff=cutoff)


def test_at_cutoff_three_there_are_six_modes_in_place_of_four():
    assert {tuple(mode) for mode in modes(3)} == {(1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1)}
    assert len(deformations.modes(3)) == 4


@pytest.mark.parametrize("cutoff", [2, 3, 5, 15])
def test_the_mean_square_is_that_of_the_fields(cutoff):
    settings = {"size": 32, "cutoff": cutoff, "temperature": 0.01}
    moved = fields(4000, **settings)
    squares = (moved**2).sum(axis=1).mean(axis=(1, 2))
    error = squares.std() / len(squares) ** 0.5
    exact = mean_squared_displacement(**settings)
    assert error < 0.02 * exact
    assert abs(squares.mean() - exact) < 4 * error


@pytest.mark.parametrize(("cutoff", "ratio"), [(2, 1.69), (3, 1.12), (5, 1.02), (15, 0.95)])
def test_at_one_temperature_its_fields_are_larger_or_smaller_than_ours(cutoff, ratio):
    settings = {"size": 32, "cutoff": cutoff, "temperature": 1.0}
    ours = deformations.mean_squared_displacement_on_pixels(**settings)
    assert mean_squared_displacement(**settings) / ours == pytest.approx(ratio, abs=0.005)


def test_the_edge_does_not_move_and_the_size_is_the_one_asked_for():
    temperature = temperature_of(1.5, size=16, cutoff=3)
    moved = fields(4000, size=16, cutoff=3, temperature=temperature, seed=1)
    edges = [moved[:, :, [0, -1], :], moved[:, :, :, [0, -1]]]
    assert max(abs(edge).max() for edge in edges) < 1e-12
    assert (moved**2).sum(axis=1).mean() == pytest.approx(1.5**2, rel=0.03)
    image = np.random.default_rng(2).normal(size=(1, 1, 16, 16))
    assert deformations.deform(image, moved[:1])[0, 0, 0] == pytest.approx(image[0, 0, 0])
