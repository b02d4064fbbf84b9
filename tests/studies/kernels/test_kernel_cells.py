"""Cells of every experiment, tiny: what they compute, by other routes."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits
from sklearn.svm import SVC

from srhm.model.encoding import one_hot
from srhm.model.grammar import parameters_of
from srhm.model.sampling import draw_samples
from srhm.model.seeding import generator
from srhm_studies.smoothness.kernels.experiment import (
    class_error,
    kernel_pca,
    nearest_neighbours,
    parity_of_digits,
    squared_errors_at_random,
)
from srhm_studies.smoothness.kernels.methods import (
    density_exponent,
    learning_exponent,
    neighbour_distance,
    shuffled_digits,
)

TEACHER = {"experiment": "teacher_student", "data": "sphere", "d": 2, "teacher": "laplace",
           "kernel": "laplace", "sigma": 2.0, "jitter": 0.0, "n_test": 50, "n_fields": 200,
           "P": 40, "seed": 0}  # fmt: skip
DIGITS = {"experiment": "digits", "data": "digits", "method": "regression", "kernel": "laplace",
          "sigma": 1.0, "jitter": 0.0, "n_test": 300, "P": 200, "seed": 1}  # fmt: skip
HIERARCHY = {"experiment": "srhm", "data": "srhm", "kernel": "laplace", "sigma": 1.0, "L": 2,
             "s": 2, "s0": 1, "v": 3, "m": 3, "n_c": 3, "n_test": 60, "P": 200,
             "seed": 0}  # fmt: skip


def test_a_cell_repeats_and_the_two_errors_of_a_teacher_agree():
    one, two = (dict(squared_errors_at_random(TEACHER).row) for _ in range(2))
    assert one == two
    assert one["status"] == "done"
    assert one["mse"] == pytest.approx(one["expected_mse"], rel=0.1)
    assert dict(squared_errors_at_random({**TEACHER, "seed": 1}).row) != one


def test_digits_are_those_of_the_package_with_their_parity():
    images, parity = shuffled_digits(generator=generator(3, role="train"))
    raw, names = load_digits(return_X_y=True)

    known = {
        tuple(np.round(image / image.max(), 6)): name
        for image, name in zip(raw, names, strict=True)
    }
    for image, odd in zip(images[:20], parity[:20], strict=True):
        name = known[tuple(np.round(image / image.max(), 6))]
        assert odd == (1 if name % 2 else -1)
    assert cdist(images[:200], images[200:400]).mean() == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize(("kernel", "gamma"), [("gauss", 0.5), ("laplace", None)])
def test_the_machine_is_that_of_the_library_on_the_points_themselves(kernel, gamma):
    row = parity_of_digits({**DIGITS, "method": "svm", "kernel": kernel}).row
    images, parity = shuffled_digits(generator=generator(1, role="train"))

    def laplace(a, b):
        return np.exp(-cdist(a, b))

    machine = SVC(C=1e4, kernel="rbf", gamma=gamma) if gamma else SVC(C=1e4, kernel=laplace)
    machine.fit(images[:200], parity[:200])
    expected = (machine.predict(images[-300:]) != parity[-300:]).mean()
    assert row["error"] == pytest.approx(expected, abs=1 / 300)
    assert np.isnan(row["mse"])


def test_kernel_regression_on_the_srhm_is_a_solved_system():
    row = class_error(HIERARCHY).row
    parameters = parameters_of(HIERARCHY)
    samples = draw_samples(parameters, [0], n_train=200, n_test=60)
    x, y = (one_hot(samples[0, part], parameters).reshape(-1, 48) for part in ("train", "test"))
    labels = samples[0, "train"].labels
    targets = np.where(np.eye(3)[labels] > 0, 2 / 3, -1 / 3)
    unit = np.sqrt(8.0)
    found = np.exp(-cdist(y, x) / unit) @ np.linalg.solve(np.exp(-cdist(x, x) / unit), targets)
    assert row["error"] == (found.argmax(axis=1) != samples[0, "test"].labels).mean()
    truth = np.eye(3)[samples[0, "test"].labels] - 1 / 3
    assert row["mse"] == pytest.approx(((found - truth) ** 2).mean() / (truth**2).mean())
    # Two inputs without a common feature are at the unit of length.
    assert cdist(x, x).max() == pytest.approx(unit)


def test_tails_are_sums_over_eigenvectors_of_the_matrix_as_it_is():
    rng = np.random.default_rng(0)
    half = rng.standard_normal((12, 12))
    matrix, target = half @ half.T, rng.standard_normal(12)
    values, tails = kernel_pca(matrix, target)
    exact, vectors = np.linalg.eigh(matrix)
    order = np.argsort(-exact)
    np.testing.assert_allclose(values, exact[order] / 12)
    loop = [sum((target @ vectors[:, i]) ** 2 for i in order[rank:]) / 12 for rank in range(12)]
    np.testing.assert_allclose(tails, loop)
    assert tails[0] == pytest.approx((target**2).mean())


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_mean_distance_on_a_sphere_is_the_law_for_many_points(d):
    cell = {"data": "sphere", "d": d, "P": 3000, "seed": 0}
    found = nearest_neighbours(cell).row["distance"]
    assert found == pytest.approx(neighbour_distance(d, 3000), rel=0.05)


def test_the_nearest_of_a_point_is_another_point():
    row = nearest_neighbours({"data": "digits", "P": 100, "seed": 0}).row
    images = shuffled_digits(generator=generator(0, role="train"))[0][:100]
    distances = cdist(images, images)
    np.fill_diagonal(distances, np.inf)
    assert row["distance"] == pytest.approx(distances.min(axis=1).mean())


def test_exponents_of_the_laws_are_those_that_the_chapter_states():
    for d in (1, 2, 3):
        assert learning_exponent("laplace", "laplace", d) == pytest.approx(1 / d)
        assert learning_exponent("gauss", "laplace", d) == pytest.approx(2 * (1 + 1 / d))
    names = ("laplace", "matern-1", "matern-3/2", "matern-2", "matern-5/2")
    assert [learning_exponent(name, "laplace", 1) for name in names] == [1, 2, 3, 4, 4]
    assert learning_exponent("gauss", "gauss", 6) == np.inf
    # Fig. 9: 1.937 for d_eff = 15, 1.972 for 35.
    assert density_exponent("laplace", 15) == pytest.approx(1.937, abs=1e-3)
    assert density_exponent("laplace", 35) == pytest.approx(1.972, abs=1e-3)
