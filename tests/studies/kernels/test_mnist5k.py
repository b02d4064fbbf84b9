"""5,000 digits of MNIST: left out without their package; cells on invented ones by other routes."""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from srhm.images import readers
from srhm.images.readers import SETS, Images, ImagesError
from srhm_studies.smoothness.kernels import STUDY, experiment
from srhm_studies.smoothness.kernels.configuration import KernelsSection

SECTION = {
    "mnist5k": [{"kernel": "laplace", "P": [8, 16], "seeds": 2, "n_test": 20}],
    "spectra": [{"data": "mnist5k", "sigma": 1, "P": 9, "seeds": 1}],
    "neighbours": [{"data": "mnist5k", "P": 9, "seeds": 1}, {"data": "digits", "P": 9, "seeds": 1}],
}


def invented(n=60):
    random = np.random.default_rng(0)
    pixels = random.integers(0, 256, size=(n, 1, 28, 28)).astype(np.uint8)
    return Images(pixels, np.sort(random.integers(0, 10, size=n)))


@pytest.fixture
def there(monkeypatch):
    """The invented digits in place of those of the package."""
    monkeypatch.setattr(experiment, "load", lambda name: [invented()])
    experiment._labelled.cache_clear()
    yield invented()
    experiment._labelled.cache_clear()


def test_without_the_package_its_curves_are_left_out_aloud(monkeypatch):
    monkeypatch.setattr(readers, "find_spec", lambda name: None)
    with pytest.raises(ImagesError, match="make env-images"):
        readers.load("mnist5k")
    planned = STUDY.plan(KernelsSection.model_validate(SECTION), Path())
    assert len(planned.curves) == 4
    kept = planned.computable
    assert [curve.cells[0]["data"] for curve in kept.curves.values()] == ["digits"]
    assert kept.absent == SETS["mnist5k"].notice(Path())


def test_tails_and_distances_are_those_of_the_same_digits(there):
    images, parity = experiment.shuffled_mnist5k(seed=1)
    distances = cdist(images[:40], images[:40])
    found = experiment.spectrum_of_mnist5k({"kernel": "laplace", "sigma": 1.0, "P": 40, "seed": 1})
    table = found.tables["spectra"]
    values = np.linalg.eigvalsh(np.exp(-distances))[::-1] / 40
    np.testing.assert_allclose(table["eigenvalue"], values[np.asarray(table["rank"]) - 1])
    assert table["tail"][0] == pytest.approx((parity[:40] ** 2).mean())
    nearest = (distances + np.diag(np.full(40, np.inf))).min(axis=1)
    row = experiment.neighbours_of_mnist5k({"P": 40, "seed": 1}).row
    assert row["distance"] == pytest.approx(nearest.mean())
