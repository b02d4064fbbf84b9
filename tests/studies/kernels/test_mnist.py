"""MNIST as data of kernels: left out aloud without its files, one point of a learning curve."""

import numpy as np
import pytest
from invented_digits import write_mnist

from srhm.declare.study import ConfigError
from srhm.images.readers import load_files
from srhm.model.seeding import generator
from srhm_studies.smoothness.kernels import STUDY
from srhm_studies.smoothness.kernels import experiment as curve
from srhm_studies.smoothness.kernels.configuration import N_MNIST, KernelsSection

GROUP = {"method": ["regression", "svm"], "kernel": "laplace", "P": [8, 16], "seeds": 2}


@pytest.fixture
def made(tmp_path):
    """Small files, what they must be, and their arrays."""
    folder = tmp_path / "data" / "mnist"
    files, arrays = write_mnist(folder, generator=generator(0, role="train"))
    return folder, files, arrays


def test_without_the_files_its_curves_are_left_out_aloud(tmp_path, made):
    section = KernelsSection.model_validate({"mnist": [GROUP]})
    absent = STUDY.plan(section, tmp_path / "elsewhere")
    assert not absent.curves
    assert "make mnist" in absent.absent
    there = STUDY.plan(section, tmp_path)
    assert there.absent == ""
    assert sorted(len(one.entries) for one in there.curves.values()) == [4, 4]
    assert STUDY.plan(KernelsSection(), tmp_path / "elsewhere").absent == ""
    wrong = KernelsSection.model_validate({"mnist": [{**GROUP, "P": N_MNIST + 1}]})
    with pytest.raises(ConfigError, match=r"mnist\.0\.P = 60001: allowed are 1 to 60000"):
        STUDY.plan(wrong, tmp_path)


def test_a_point_is_learnt_from_digits_for_training_alone(made, tmp_path, monkeypatch):
    folder, files, arrays = made
    loaded = load_files(folder, files)
    monkeypatch.setattr(curve, "load", lambda name: loaded)
    curve.both_parts.cache_clear()
    cell = {"method": "regression", "kernel": "laplace", "sigma": 1.0, "jitter": 0.0, "P": 60,
            "n_test": 30, "seed": 0}  # fmt: skip
    (points, parity), (others, _) = curve.both_parts()
    distances = np.linalg.norm(points[:, None] - points[None], axis=-1)
    assert distances[np.triu_indices(60, 1)].mean() == pytest.approx(1)
    labels = arrays["train-labels-idx1-ubyte.gz"]
    np.testing.assert_array_equal(parity, np.where(labels % 2, 1.0, -1.0))
    # The same by hand: all training points, so that their order decides nothing.
    within, between = (
        np.exp(-np.linalg.norm(one[:, None] - points[None], axis=-1)) for one in (points, others)
    )
    truth = np.where(arrays["t10k-labels-idx1-ubyte.gz"] % 2, 1.0, -1.0)
    found = between @ np.linalg.solve(within, parity)
    row = curve.parity_of_mnist(cell).row
    assert row["mse"] == pytest.approx(((found - truth) ** 2).mean())
    assert row["error"] == pytest.approx((np.sign(found) != truth).mean())
    assert curve.parity_of_mnist({**cell, "method": "svm"}).row["error"] <= 1
    curve.both_parts.cache_clear()
