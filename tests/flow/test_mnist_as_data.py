"""MNIST as data of flow studies: left out aloud without its files, and what its points are."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from flow_kinds import RANDOM
from invented_digits import write_mnist

from srhm.flow.configuration import FlowSection
from srhm.flow.digits import digits
from srhm.flow.members import data_of
from srhm.flow.plan import plan
from srhm.images import fashion, mnist, mnist5k
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
    files, arrays = write_mnist(tmp_path / mnist.FOLDER, generator=generator(0, role="train"))
    monkeypatch.setattr(mnist, "load", partial(mnist.load, files=files))
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


def test_with_its_files_mnist_is_planned(images):
    found = planned(Path(), MNIST, PCA)
    cells = [cell for curve in found.curves.values() for cell in curve.cells]
    assert {(cell["data"], cell["d"]) for cell in cells} == {("mnist", 784), ("mnist_pca", 10)}
    assert not found.absent


def test_other_images_of_the_size_are_planned_and_cannot_be_computed_without_them(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(mnist5k, "find_spec", lambda name: None)
    monkeypatch.setattr(fashion, "DEBIAN", tmp_path / "nowhere")
    names = ("mnist5k", "mnist5k_pca", "fashion", "fashion_pca")
    found = planned(tmp_path, *({**MNIST, "data": name} for name in names))
    assert {cell["data"] for curve in found.curves.values() for cell in curve.cells} == set(names)
    assert found.computable.curves == {}
    assert found.computable.absent == f"{mnist5k.NOTICE}\n{fashion.notice(tmp_path)}"


@pytest.mark.parametrize(("kind", "n"), [("mnist5k", 30), ("fashion", 90)])
def test_points_of_other_images_are_their_pixels(images, monkeypatch, kind, n):
    pixels, names = images
    parts = [mnist.Digits(pixels[:60], names[:60]), mnist.Digits(pixels[60:], names[60:])]
    monkeypatch.setattr(mnist5k, "load", lambda: parts[1])
    monkeypatch.setattr(fashion, "images", lambda: parts)
    own = pixels[-n:].reshape(n, -1) - pixels[-n:].reshape(n, -1).mean(axis=0)
    x, labels = digits(kind)
    assert labels.tolist() == names[-n:].tolist()
    expected = own * np.sqrt(784) / np.linalg.norm(own, axis=1, keepdims=True)
    np.testing.assert_allclose(x, expected)
    assert digits(f"{kind}_pca")[0].shape == (n, 10)


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


def test_a_cell_learns_parities_of_points_that_are_not_tested(images):
    _, names = images
    curve = next(iter(planned(Path(), {**PCA, "P": [10, 40]}).curves.values()))
    small, large = (next(c for c in curve.cells if c["P"] == P) for P in (10, 40))
    x, _ = digits("mnist_pca")
    place = {row.tobytes(): i for i, row in enumerate(x)}
    few, many = data_of(small), data_of(large)
    of = [[place[row.tobytes()] for row in part[:, 0].numpy()] for part in
          (few.x_train, many.x_train, many.x_test)]  # fmt: skip
    assert of[0] == of[1][:10]
    assert len(of[2]) == 50
    assert not set(of[1]) & set(of[2])
    assert many.y_train.tolist() == [1 - 2 * (names[i] % 2) for i in of[1]]
