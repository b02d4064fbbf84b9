"""The transform of PyTorch moves images as the NumPy code does that measures with them."""

import numpy as np
import pytest
import torch

from srhm.deformations import Deformation, displacement_fields, edge_fields
from srhm.images import deformations as by_numpy
from srhm.images import edge_deformations as edges_by_numpy

# Of both conventions: the fields of PyTorch, and the module of NumPy that has the same ones.
CONVENTIONS = {
    "centres": (displacement_fields, by_numpy),
    "edges": (edge_fields, edges_by_numpy),
}

SIZE = 12


def transform(seed=0, **options):
    return Deformation(generator=np.random.default_rng(seed), **options)


@pytest.fixture(scope="module")
def images():
    return torch.from_numpy(np.random.default_rng(1).normal(size=(5, 3, SIZE, SIZE)))


@pytest.mark.parametrize("pixels", CONVENTIONS)
def test_an_image_is_moved_as_numpy_moves_it(pixels, images, tolerance):
    fields_of, convention = CONVENTIONS[pixels]
    options = {"cutoff": 4, "temperature": 2e-3, "pixels": pixels}
    moved = transform(**options)(images).numpy()
    amplitudes = transform(**options).drawn(len(images), size=SIZE)
    i, j = convention.modes(4).T - 1
    inside = np.zeros((4, 4), dtype=bool)
    inside[i, j] = True
    assert (amplitudes[..., ~inside] == 0).all()
    fields = convention.displacements(amplitudes[:, :, i, j], size=SIZE, cutoff=4)
    expected = by_numpy.deform(images.numpy(), fields)
    assert abs(expected - images.numpy()).max() > 0.1
    np.testing.assert_allclose(moved, expected, **tolerance(np.float64))
    table = fields_of(torch.from_numpy(amplitudes), size=SIZE)
    np.testing.assert_allclose(table, fields, **tolerance(np.float64))


def test_without_a_temperature_fields_are_seen_and_seldom_fold():
    amplitudes = transform(cutoff=(2, 6)).drawn(500, size=32)
    i, j = by_numpy.modes(6).T - 1
    packed = amplitudes[:, :, i, j]
    moved = by_numpy.displacements(packed, size=32, cutoff=6)
    lengths = np.sqrt((moved**2).sum(axis=1).mean(axis=(1, 2)))
    assert np.quantile(lengths, 0.1) > 0.3
    assert by_numpy.folded(packed, size=32, cutoff=6).mean() < 0.1


@pytest.mark.parametrize("pixels", CONVENTIONS)
def test_without_a_temperature_the_least_displacement_is_half_a_pixel_of_its_own_fields(pixels):
    # 1000 fields, T log-uniform: the mean of T is (most - least) / log(most / least).
    fields_of, convention = CONVENTIONS[pixels]
    amplitudes = transform(cutoff=2, pixels=pixels).drawn(1000, size=32)
    squares = (fields_of(torch.from_numpy(amplitudes), size=32) ** 2).sum(dim=1).mean(dim=(1, 2))
    unit = convention.mean_squared_displacement(size=32, cutoff=2, temperature=1.0)
    least, most = 0.5**2, by_numpy.largest_temperature(2) * unit
    error = squares.std().item() / len(squares) ** 0.5
    assert abs(squares.mean().item() - (most - least) / np.log(most / least)) < 4 * error
