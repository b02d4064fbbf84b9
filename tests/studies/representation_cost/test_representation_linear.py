"""Deep linear networks against closed forms; the bound on the weights against brute force."""

import numpy as np
import pytest

from srhm_studies.beyond.representation_cost import linear, spectra


def test_two_layers_cost_twice_the_nuclear_norm_and_shrink_softly():
    """L = 2: at the minimum the singular values of A are less by lambda."""
    generator = np.random.default_rng(0)
    matrix = generator.normal(size=(4, 4))
    values = np.linalg.svd(matrix, compute_uv=False)
    nuclear = np.linalg.norm(matrix, "nuc")
    assert linear.representation_cost(values, depth=2) == pytest.approx(2 * nuclear)
    weights = linear.minimised(matrix, depth=2, penalties=[0.4], generator=generator)
    left, _, right = np.linalg.svd(matrix)
    shrunk = (left * np.maximum(values - 0.2, 0)) @ right
    np.testing.assert_allclose(linear.product(weights), shrunk, atol=1e-5)
    norm = sum(np.sum(weight**2) for weight in weights)
    assert norm == pytest.approx(2 * np.linalg.norm(shrunk, "nuc"), rel=1e-5)


@pytest.mark.parametrize(("depth", "rank"), [(3, 2), (6, 1), (8, 3)])
def test_what_is_reached_has_the_cost_and_the_geodesic_of_its_matrix(depth, rank):
    outcome = linear.run({"L": depth, "rank": rank, "d": 4, "seed": 3})
    row = outcome.row
    assert row["squared_parameters"] == pytest.approx(row["cost_of_target"], rel=1e-2)
    assert row["squared_parameters"] == pytest.approx(row["cost_of_map"], rel=1e-3)
    assert row["jacobian_rank"] == rank
    assert row["geodesic_distance"] < 1e-2


def test_semi_orthogonal_minimum_is_that_of_brute_force():
    """Two layers of 2 x 2, k = 1: each V_l is an angle."""
    generator = np.random.default_rng(5)
    angles = np.linspace(0, 2 * np.pi, 121)
    unit = np.stack([np.cos(angles), np.sin(angles)])
    for _ in range(4):
        weights = [generator.normal(size=(2, 2)) for _ in range(2)]
        first = np.einsum("ia,ij,jb->ab", unit, weights[0], unit)  # V_1^T W_1 V_0
        second = np.einsum("ia,ij,jb->ab", unit, weights[1], unit)  # V_2^T W_2 V_1
        best = np.max(second.max(0) + first.max(1))
        least = sum(np.sum(weight**2) for weight in weights) + 2 - 2 * best
        start = spectra.bases_of_jacobian(weights, [np.ones(2, dtype=bool)], rank=1)
        bases = spectra.closest_bases(weights, start)
        found = spectra.distance(weights, bases).sum()
        assert found == pytest.approx(least, abs=5e-3)
        assert found <= spectra.distance(weights, start).sum() + 1e-12


def test_bound_holds_for_any_weights_and_is_reached_by_the_identity():
    generator = np.random.default_rng(6)
    for rank in (1, 2):
        weights = [generator.normal(size=(3, 3)) for _ in range(5)]
        active = [generator.random(3) < 0.8 for _ in range(4)]
        jacobian = spectra.jacobian_of(weights, active)
        values = np.linalg.svd(jacobian, compute_uv=False)
        if values[rank - 1] < 1e-9:
            continue
        norm = sum(np.sum(weight**2) for weight in weights)
        limit = spectra.bound(norm, values, depth=5, rank=rank)
        start = spectra.bases_of_jacobian(weights, active, rank=rank)
        for basis in start:
            np.testing.assert_allclose(basis.T @ basis, np.eye(rank), atol=1e-10)
        assert spectra.distance(weights, start).sum() <= limit + 1e-9
    identity = [np.eye(3)] * 4
    everywhere = [np.ones(3, dtype=bool)] * 3
    start = spectra.bases_of_jacobian(identity, everywhere, rank=3)
    assert spectra.distance(identity, start).sum() == pytest.approx(0, abs=1e-12)
    assert spectra.bound(12.0, np.ones(3), depth=4, rank=3) == pytest.approx(0)
