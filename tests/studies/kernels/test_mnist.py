"""The loader of MNIST's files, its refusals, the download, and one point of a learning curve."""

import dataclasses
import hashlib

import numpy as np
import pytest
from invented_digits import idx, write_mnist, written

from srhm.images import download_mnist, mnist
from srhm.model.seeding import generator
from srhm.studies.kernels import mnist as curve
from srhm.studies.kernels.configuration import N_MNIST, KernelsSection
from srhm.studies.kernels.study import STUDY
from srhm.study import ConfigError

IMAGES = "train-images-idx3-ubyte.gz"
GROUP = {"method": ["regression", "svm"], "kernel": "laplace", "P": [8, 16], "seeds": 2}


@pytest.fixture
def made(tmp_path):
    """Small files, what they must be, and their arrays."""
    folder = tmp_path / "data" / "mnist"
    files, arrays = write_mnist(folder, generator=generator(0, role="train"))
    return folder, files, arrays


def test_digits_and_names_are_read_as_they_were_written(made):
    folder, files, arrays = made
    training, tested = mnist.load(folder, files=files)
    read = [training.pixels, training.labels, tested.pixels, tested.labels]
    for array, one in zip(read, arrays.values(), strict=True):
        np.testing.assert_array_equal(array, one)


def test_a_missing_folder_says_how_to_get_the_files(tmp_path):
    with pytest.raises(mnist.MnistError) as refusal:
        mnist.load(tmp_path / "nowhere")
    assert str(refusal.value) == mnist.notice(tmp_path / "nowhere")
    for word in ("make mnist", "By hand", IMAGES):
        assert word in str(refusal.value)


def test_a_missing_or_altered_file_is_refused_by_name(made):
    folder, files, _ = made
    content = bytearray((folder / IMAGES).read_bytes())
    content[100] ^= 1
    (folder / IMAGES).write_bytes(content)
    with pytest.raises(mnist.MnistError, match=f"{IMAGES} is not what it should be"):
        mnist.load(folder, files=files)
    (folder / IMAGES).unlink()
    with pytest.raises(mnist.MnistError, match=f"{IMAGES} does not exist"):
        mnist.load(folder, files=files)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content[:-1], "has 23519 numbers, not 23520"),
        (lambda content: content[:7] + b"\x1f" + content[8:], "no IDX file of bytes of shape"),
    ],
    ids=["cut", "count"],
)
def test_files_that_are_not_as_their_header_are_refused(tmp_path, change, message):
    array = np.zeros((30, 28, 28), dtype=np.uint8)
    file = written(tmp_path / "one.gz", array, change(idx(array)))
    with pytest.raises(mnist.MnistError, match=message):
        mnist.read_idx(tmp_path / "one.gz", file)


def test_a_file_that_is_not_packed_and_a_label_above_nine_are_refused(made):
    folder, files, arrays = made
    name = "t10k-labels-idx1-ubyte.gz"
    files[name] = written(folder / name, arrays[name] + 10)
    with pytest.raises(mnist.MnistError, match="holds the label 1"):
        mnist.load(folder, files=files)
    (folder / name).write_bytes(b"no gzip")
    sha256 = hashlib.sha256(b"no gzip").hexdigest()
    files[name] = dataclasses.replace(files[name], sha256=sha256)
    with pytest.raises(mnist.MnistError, match="cannot be unpacked"):
        mnist.load(folder, files=files)


def test_the_download_checks_and_appears_whole(made, tmp_path, capsys):
    folder, files, _ = made
    target = tmp_path / "copy" / "mnist"
    download_mnist.download(folder.as_uri(), target, files=files)
    assert {path.name for path in target.iterdir()} == set(files)
    download_mnist.download("file:///nowhere", target, files=files)
    assert "holds MNIST already" in capsys.readouterr().out


def test_a_download_that_is_not_the_dataset_leaves_nothing(made, tmp_path, capsys):
    folder, files, _ = made
    target = tmp_path / "copy" / "mnist"
    other = files | {IMAGES: dataclasses.replace(files[IMAGES], sha256="0" * 64)}
    with pytest.raises(mnist.MnistError, match="not the file that was meant"):
        download_mnist.download(folder.as_uri(), target, files=other)
    (folder / IMAGES).unlink()
    with pytest.raises(mnist.MnistError, match="cannot be read"):
        download_mnist.download(folder.as_uri(), target, files=files)
    assert not list(target.parent.iterdir())
    assert download_mnist.main(["--url", "file:///nowhere", "--folder", str(target)]) == 1
    assert "cannot be read" in capsys.readouterr().err


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
    loaded = mnist.load(folder, files=files)
    monkeypatch.setattr(mnist, "load", lambda folder: loaded)
    curve.both_parts.cache_clear()
    cell = {"method": "regression", "kernel": "laplace", "sigma": 1.0, "jitter": 0.0, "P": 60,
            "n_test": 30, "seed": 0}  # fmt: skip
    (points, parity), (others, _) = curve.both_parts(str(folder))
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
    row = curve.run(cell).row
    assert row["mse"] == pytest.approx(((found - truth) ** 2).mean())
    assert row["error"] == pytest.approx((np.sign(found) != truth).mean())
    assert curve.run({**cell, "method": "svm"}).row["error"] <= 1
    curve.both_parts.cache_clear()
