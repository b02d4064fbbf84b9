"""5,000 digits of MNIST: the reader, its refusals, and cells on invented ones by other routes."""

import gzip
import hashlib
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from srhm.images import mnist5k
from srhm.images.mnist import Digits, MnistError
from srhm.model.seeding import generator
from srhm.studies.kernels import mnist5k as cells
from srhm.studies.kernels.configuration import KernelsSection
from srhm.studies.kernels.study import STUDY

SECTION = {
    "mnist5k": [{"kernel": "laplace", "P": [8, 16], "seeds": 2, "n_test": 20}],
    "spectra": [{"data": "mnist5k", "sigma": 1, "P": 9, "seeds": 1}],
    "neighbours": [{"data": "mnist5k", "P": 9, "seeds": 1}, {"data": "digits", "P": 9, "seeds": 1}],
}
LEARNT = {"method": "regression", "kernel": "laplace", "sigma": 1.0, "jitter": 0.0}


def invented(n=60):
    random = np.random.default_rng(0)
    pixels = random.integers(0, 256, size=(n, 28, 28)).astype(np.uint8)
    return Digits(pixels, np.sort(random.integers(0, 10, size=n)).astype(np.uint8))


@pytest.fixture
def there(monkeypatch):
    """The invented digits in place of those of the package."""
    monkeypatch.setattr(mnist5k, "load", invented)
    cells._labelled.cache_clear()
    yield invented()
    cells._labelled.cache_clear()


def test_a_line_is_a_digit_and_its_name(tmp_path):
    digits = invented(3)
    table = np.column_stack([digits.pixels.reshape(3, -1), digits.labels])
    path = tmp_path / "digits.csv.gz"
    path.write_bytes(gzip.compress("\n".join(",".join(map(str, row)) for row in table).encode()))
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    read = mnist5k.read_digits(path, sha256=sha256)
    np.testing.assert_array_equal(read.pixels, digits.pixels)
    np.testing.assert_array_equal(read.labels, digits.labels)
    with pytest.raises(MnistError, match=r"not what it should be[\s\S]*make env-images"):
        mnist5k.read_digits(path)
    with pytest.raises(MnistError, match="does not exist"):
        mnist5k.read_digits(tmp_path / "nowhere")


@pytest.mark.skipif(mnist5k.notice() is not None, reason="needs `make env-images`")
def test_the_digits_of_the_package_are_five_hundred_of_each():
    digits = mnist5k.load()
    assert digits.pixels.shape == (mnist5k.N_DIGITS, mnist5k.SIZE, mnist5k.SIZE)
    assert np.bincount(digits.labels).tolist() == [500] * 10
    assert digits.pixels.max() == 255


def test_without_the_package_its_curves_are_left_out_aloud(monkeypatch):
    monkeypatch.setattr(mnist5k, "find_spec", lambda name: None)
    with pytest.raises(MnistError, match="make env-images"):
        mnist5k.load.__wrapped__()
    planned = STUDY.plan(KernelsSection.model_validate(SECTION), Path())
    assert len(planned.curves) == 4
    kept = planned.computable
    assert [curve.cells[0]["data"] for curve in kept.curves.values()] == ["digits"]
    assert kept.absent == mnist5k.NOTICE


def test_the_package_decides_no_key(monkeypatch):
    names = []
    for found in (None, object()):
        monkeypatch.setattr(mnist5k, "find_spec", lambda name, found=found: found)
        names.append(list(STUDY.plan(KernelsSection.model_validate(SECTION), Path()).curves))
    assert names[0] == names[1]


def test_test_points_are_the_last_of_the_order_and_the_unit_is_a_mean_distance(there):
    images, parity = cells.shuffled(seed=3)
    assert sorted(map(tuple, images)) == sorted(map(tuple, cells._labelled()[0]))
    distances = cdist(images, images)
    assert distances[np.triu_indices(len(images), 1)].mean() == pytest.approx(1)
    order = generator(3, role="train").permutation(len(images))
    np.testing.assert_array_equal(parity, np.where(there.labels[order] % 2, 1.0, -1.0))
    row = cells.run({**LEARNT, "P": 30, "n_test": 20, "seed": 3}).row
    within, between = (np.exp(-part[:, :30]) for part in (distances[:30], distances[-20:]))
    found = between @ np.linalg.solve(within, parity[:30])
    assert row["mse"] == pytest.approx(((found - parity[-20:]) ** 2).mean())


def test_tails_and_distances_are_those_of_the_same_digits(there):
    images, parity = cells.shuffled(seed=1)
    distances = cdist(images[:40], images[:40])
    found = cells.of_spectrum({"kernel": "laplace", "sigma": 1.0, "P": 40, "seed": 1})
    table = found.tables["spectra"]
    values = np.linalg.eigvalsh(np.exp(-distances))[::-1] / 40
    np.testing.assert_allclose(table["eigenvalue"], values[np.asarray(table["rank"]) - 1])
    assert table["tail"][0] == pytest.approx((parity[:40] ** 2).mean())
    nearest = (distances + np.diag(np.full(40, np.inf))).min(axis=1)
    row = cells.of_neighbours({"P": 40, "seed": 1}).row
    assert row["distance"] == pytest.approx(nearest.mean())
