"""The transform of PyTorch moves images as the NumPy code does that measures with them."""

import doctest

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader

from srhm import deformations
from srhm.deformations import Deformation, deformed, displacement_fields, edge_fields
from srhm.images import deformations as by_numpy
from srhm.images import edge_deformations as edges_by_numpy
from srhm.images import torch_deformations

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


def test_without_pixels_images_are_moved_bit_by_bit_as_on_centres(images):
    options = {"cutoff": (2, 4), "temperature": (1e-3, 2e-3)}
    alone = torch_deformations.Deformation(generator=np.random.default_rng(0), **options)
    expected = alone(images)
    for own in ({}, {"pixels": "centres"}):
        assert torch.equal(transform(**options, **own)(images), expected)
    assert not torch.equal(transform(**options, pixels="edges")(images), expected)


def test_a_field_beyond_the_edge_takes_the_nearest_centre(images, tolerance):
    fields = np.random.default_rng(2).normal(scale=SIZE, size=(5, 2, SIZE, SIZE))
    found = deformed(images, torch.from_numpy(fields))
    expected = by_numpy.deform(images.numpy(), fields)
    np.testing.assert_allclose(found, expected, **tolerance(np.float64))


def test_a_whole_number_of_rows_moves_the_image_by_so_many_rows(images):
    fields = torch.zeros(5, 2, SIZE, SIZE, dtype=images.dtype)
    fields[:, 0] = 2
    torch.testing.assert_close(deformed(images, fields)[..., 2:, :], images[..., :-2, :])


def test_each_image_has_a_temperature_and_a_cutoff_of_its_own():
    # 400 fields; of variances over 2 n_modes numbers each.
    deform = transform(cutoff=(2, 5), temperature=(1e-4, 1e-2))
    amplitudes = deform.drawn(400, size=32)
    squares = np.arange(1, 6)[:, None] ** 2 + np.arange(1, 6) ** 2
    largest = np.array([squares[(one != 0).any(axis=0)].max() for one in amplitudes])
    for cutoff in (2, 3, 4, 5):
        own = (by_numpy.modes(cutoff) ** 2).sum(axis=1).max()
        assert 60 < (largest == own).sum() < 140, cutoff  # of 100, 4.5 standard deviations
    # The mean of C_ij^2 (i^2 + j^2) of a field is T up to noise; log T is uniform.
    logs = np.log([(one**2 * squares)[one != 0].mean() for one in amplitudes])
    middle = np.log(1e-3)
    assert abs((logs < middle).mean() - 0.5) < 0.12
    assert logs.min() < np.log(2e-4)
    assert logs.max() > np.log(5e-3)


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


@pytest.mark.parametrize("pixels", CONVENTIONS)
def test_one_image_and_a_batch_of_any_shape_keep_their_shape_and_type(images, pixels):
    deform = transform(cutoff=3, temperature=1e-3, pixels=pixels)
    for some in (images[0], images.float(), images.reshape(5, 1, 3, SIZE, SIZE)):
        moved = deform(some)
        assert (moved.shape, moved.dtype) == (some.shape, some.dtype)
    once, again = (transform(cutoff=3, temperature=1e-3)(images) for _ in range(2))
    assert torch.equal(once, again)


def test_gradients_flow_to_the_images(images):
    x = images.clone().requires_grad_()
    transform(cutoff=3, temperature=1e-3)(x).sum().backward()
    assert x.grad is not None
    assert (x.grad != 0).any()


class Same(torch.utils.data.Dataset):
    """One image, deformed anew at each access."""

    def __init__(self, image, deform):
        self.image, self.deform = image, deform

    def __len__(self):
        return 4

    def __getitem__(self, row):
        return self.deform(self.image)


def test_workers_of_a_loader_draw_other_fields_in_each_epoch(images):
    with torch.random.fork_rng():
        torch.manual_seed(0)
        loader = DataLoader(Same(images[0], transform(cutoff=3, temperature=1e-3)), num_workers=2)
        found = [image for _ in range(2) for image in loader]
    assert not any(torch.equal(a, b) for k, a in enumerate(found) for b in found[:k])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cutoff": 1}, "allowed are 2 or more"),
        ({"cutoff": (4, 3)}, "the least first"),
        ({"cutoff": 3, "temperature": 0.0}, "allowed are T > 0"),
        ({"cutoff": 3, "temperature": (2e-3, 1e-3)}, "the least first"),
        ({"cutoff": 3, "pixels": "edge"}, "pixels = 'edge': allowed are centres, edges"),
    ],
)
def test_ranges_that_cannot_be_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        transform(**options)


@pytest.mark.parametrize("pixels", CONVENTIONS)
@pytest.mark.parametrize(
    ("images", "message"),
    [
        (torch.zeros(3, 8, 9), "channels, n, n"),
        (torch.zeros(8, 8), "channels, n, n"),
        (torch.zeros(3, 8, 8, dtype=torch.uint8), "images.float"),
        (torch.zeros(3, 8, 8), "give a temperature"),
    ],
)
def test_images_that_cannot_be_are_refused(images, message, pixels):
    with pytest.raises(ValueError, match=message):
        transform(cutoff=10, pixels=pixels)(images)


def test_the_example_gives_what_it_says():
    found = doctest.testmod(deformations)
    assert found.attempted
    assert not found.failed
