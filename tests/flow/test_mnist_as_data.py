"""MNIST as data of flow studies: left out aloud without its files, and what its points are."""

from dataclasses import replace

import numpy as np
import pytest
from flow_kinds import RANDOM
from invented_digits import write_mnist

from srhm.flow.configuration import FlowSection
from srhm.flow.inputs import digits
from srhm.flow.plan import plan
from srhm.images.readers import SETS
from srhm.model.seeding import generator

MNIST = {
    **{key: value for key, value in RANDOM.items() if key != "d"},
    "data": "mnist",
    "optimiser": {"name": "adam"},
}
PCA = {**MNIST, "data": "mnist_pca"}


def planned(directory, *groups):
    section = FlowSection.model_validate({"n_test": 50, "curves": list(groups)})
    return plan(section, directory, study="jamming")


@pytest.fixture
def images(tmp_path, monkeypatch):
    """60 and 30 small files' images where the working folder has them: pixels and digits."""
    files, arrays = write_mnist(
        tmp_path / SETS["mnist"].folder, generator=generator(0, role="train")
    )
    monkeypatch.setitem(SETS, "mnist", replace(SETS["mnist"], files=files))
    monkeypatch.chdir(tmp_path)
    digits.cache_clear()
    yield [
        np.concatenate([array for name, array in arrays.items() if kind in name])
        for kind in ("images", "labels")
    ]
    digits.cache_clear()


def test_without_its_files_mnist_is_left_out_aloud_and_all_else_is_planned(tmp_path):
    other = {**RANDOM, "optimiser": {"name": "adam"}}
    found = planned(tmp_path, MNIST, other, PCA)
    assert {cell["data"] for curve in found.curves.values() for cell in curve.cells} == {"random"}
    assert "make mnist" in found.absent
    assert not planned(tmp_path, other).absent


def test_points_are_centred_pixels_or_their_first_components_up_to_scale(images):
    pixels, names = images
    centred = pixels.reshape(len(pixels), -1) - pixels.reshape(len(pixels), -1).mean(axis=0)
    directions = np.linalg.svd(centred, full_matrices=False)[2][:10]
    for data, expected in (("mnist", centred), ("mnist_pca", centred @ directions.T)):
        x, labels = digits(data)
        d = expected.shape[1]
        assert labels.tolist() == names.tolist()
        np.testing.assert_allclose((x**2).sum(axis=1), d, rtol=1e-10)
        cosines = expected / np.linalg.norm(expected, axis=1, keepdims=True)
        signs = np.sign((cosines * x).sum(axis=0))  # a component may point either way
        np.testing.assert_allclose(x / np.sqrt(d), cosines * signs, atol=1e-8)
