"""Maximum-entropy deformations against their formulas, and noise of equal norm."""

from itertools import product
from math import pi, sin

import numpy as np
import pytest
from assertions import FALSE_ALARM
from invented_images import smooth_fields
from scipy import stats

from srhm.images import deformations as d
from srhm.model.seeding import generator

SIZE = 32
SETTINGS = [(3, 0.002), (5, 0.001), (10, 2e-4), (15, 1e-4)]  # cut-off, temperature


def fields(count, cutoff, temperature, *, size=SIZE, seed=0):
    stream = generator(seed, role="transformation")
    amplitudes = d.coefficients(count, cutoff=cutoff, temperature=temperature, generator=stream)
    return amplitudes, d.displacements(amplitudes, size=size, cutoff=cutoff)


@pytest.mark.parametrize("cutoff", [1, 2, 3, 10])
def test_modes_are_all_pairs_within_the_cutoff(cutoff):
    expected = {(i, j) for i, j in product(range(1, 20), repeat=2) if i**2 + j**2 <= cutoff**2}
    assert {tuple(mode) for mode in d.modes(cutoff).tolist()} == expected


def test_a_displacement_is_the_sum_of_its_modes_on_the_pixel_centres(tolerance):
    amplitudes, moved = fields(2, 4, 0.01, size=7)
    for n, k, row, column in product(range(2), range(2), range(7), range(7)):
        u, v = (row + 0.5) / 7, (column + 0.5) / 7
        terms = [
            c * sin(i * pi * u) * sin(j * pi * v)
            for c, (i, j) in zip(amplitudes[n, k], d.modes(4), strict=True)
        ]
        np.testing.assert_allclose(moved[n, k, row, column], 7 * sum(terms), **tolerance(float))


@pytest.mark.parametrize(("cutoff", "temperature"), SETTINGS)
def test_the_mean_squared_displacement_follows_its_formula(cutoff, temperature):
    # 500 fields; the standard error is 2 % or less, the tolerance 5 %.
    _, moved = fields(500, cutoff, temperature)
    measured = (moved**2).sum(axis=1).mean()
    formula = d.mean_squared_displacement(size=SIZE, cutoff=cutoff, temperature=temperature)
    assert measured == pytest.approx(formula, rel=0.05)


def test_a_cutoff_beyond_the_pixels_is_counted_exactly(tolerance):
    # At i = n every centre is at a crest, where sin^2 is 1 rather than 1/2.
    size, cutoff, T = 4, 5, 0.01
    centres = (np.arange(size) + 0.5) / size
    total = 0.0
    for i, j in d.modes(cutoff).tolist():
        squares = np.outer(np.sin(pi * i * centres) ** 2, np.sin(pi * j * centres) ** 2)
        total += 2 * size**2 * T / (i * i + j * j) * squares.mean()
    found = d.mean_squared_displacement_on_pixels(size=size, cutoff=cutoff, temperature=T)
    np.testing.assert_allclose(found, total, **tolerance(float))
    assert found > 1.01 * d.mean_squared_displacement(size=size, cutoff=cutoff, temperature=T)


def test_variances_of_the_coefficients_are_those_of_the_law():
    amplitudes, _ = fields(2000, 3, 0.5)
    for k, (i, j) in product(range(2), d.modes(3).tolist()):
        m = d.modes(3).tolist().index([i, j])
        chi_square = (amplitudes[:, k, m] ** 2).sum() * (i * i + j * j) / 0.5
        assert FALSE_ALARM / 2 < stats.chi2(2000).cdf(chi_square) < 1 - FALSE_ALARM / 2


def test_folds_are_found_where_the_map_reverses_a_row():
    # tau_v = a sin(2 pi v) sin(pi u): at u = 1/2 the map is v - a sin(2 pi v), which turns back
    # where 2 pi a > 1.
    at = d.modes(3).tolist().index([1, 2])
    for a, folds in ((0.9 / (2 * pi), False), (1.3 / (2 * pi), True)):
        amplitudes = np.zeros((1, 2, len(d.modes(3))))
        amplitudes[0, 1, at] = a
        moved = d.displacements(amplitudes, size=200, cutoff=3)[0, 1, 100] / 200
        row = (np.arange(200) + 0.5) / 200 - moved
        assert bool((np.diff(row) < 0).any()) is folds
        assert bool(d.folded(amplitudes, size=200, cutoff=3)[0]) is folds


def test_a_whole_pixel_shifts_and_repeats_the_edge():
    images = smooth_fields(1, generator=generator(0, role="train"))
    shift = np.zeros((1, 2, SIZE, SIZE))
    shift[:, 0] = 1  # x(s - tau): the content moves to larger rows
    moved = d.deform(images, shift)
    np.testing.assert_array_equal(moved[:, :, 1:], images[:, :, :-1])
    np.testing.assert_array_equal(moved[:, :, 0], images[:, :, 0])


def test_interpolation_is_exact_on_bilinear_images(tolerance):
    row, column = np.meshgrid(np.arange(SIZE), np.arange(SIZE), indexing="ij")
    image = (2.0 * row - 3.0 * column + 0.1 * row * column)[None, None]
    _, moved = fields(1, 3, 0.002)
    to_row, to_column = row - moved[0, 0], column - moved[0, 1]
    inside = (to_row >= 0) & (to_row <= SIZE - 1) & (to_column >= 0) & (to_column <= SIZE - 1)
    expected = 2 * to_row - 3 * to_column + 0.1 * to_row * to_column
    found = d.deform(image, moved)[0, 0]
    assert inside.mean() > 0.9
    np.testing.assert_allclose(found[inside], expected[inside], **tolerance(float))


def test_noise_prefers_no_direction():
    # A coordinate of a uniform point on the sphere S^2 is uniform in [-1, 1] (Archimedes).
    eta = d.noise((3000, 3), norm=1.0, generator=generator(0, role="pairs"))
    for k in range(3):
        assert stats.kstest(eta[:, k], stats.uniform(-1, 2).cdf).pvalue > FALSE_ALARM
