"""The readers of sets of images, their refusals, and the downloads."""

import gzip
import hashlib
import tarfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from invented_digits import idx, write_mnist
from invented_images import write_cifar

from srhm.images import readers
from srhm.images.download import download, main
from srhm.images.readers import (
    RECORD,
    SETS,
    SUMS_FILE,
    File,
    ImagesError,
    cifar_files,
    load_cifar,
    load_files,
    standardised,
)
from srhm.model.seeding import generator

N = 20  # records a file of CIFAR-10's format
BINS = list(SETS["cifar10"].files)
IMAGES, LABELS = "train-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"


@pytest.fixture
def cifar(tmp_path):
    """Small files in the format of CIFAR-10, and what was written."""
    folder = tmp_path / "images"
    return folder, write_cifar(folder, records_per_file=N, generator=generator(0, role="train"))


@pytest.fixture(params=["mnist", "fashion"])
def digits(request, tmp_path):
    """Small files in the format of MNIST: set, folder, arrays. Fashion-MNIST: sums of contents."""
    folder = tmp_path / "digits"
    files, arrays = write_mnist(folder, generator=generator(0, role="train"))
    if request.param == "fashion":
        files = {
            name: replace(file, sum=hashlib.sha256(idx(arrays[name])).hexdigest(), unpacked=True)
            for name, file in files.items()
        }
    return replace(SETS[request.param], files=files, elsewhere=None), folder, arrays


def test_records_are_read_as_they_were_written(cifar):
    folder, written_ = cifar
    training, test = load_cifar(folder, records_per_file=N)
    assert training.pixels.shape == (5 * N, 3, 32, 32)
    parts = [*(training[number * N : (number + 1) * N] for number in range(5)), test]
    for name, part in zip(BINS, parts, strict=True):
        np.testing.assert_array_equal(part.pixels, written_[name][0])
        np.testing.assert_array_equal(part.labels, written_[name][1])


def test_a_record_is_a_label_then_red_then_green_then_blue_row_by_row(tmp_path):
    record = np.zeros(RECORD, dtype=np.uint8)
    record[0] = 7
    record[1 + 1024 * 1 + 32 * 2 + 3] = 99  # green, third row, fourth column
    names = ("one.bin", "two.bin")
    for name in names:
        (tmp_path / name).write_bytes(record.tobytes())
    file = File(hashlib.md5(record.tobytes()).hexdigest(), (1, RECORD), kind="md5")
    image = load_files(tmp_path, dict.fromkeys(names, file))[0]
    assert image.labels.tolist() == [7]
    assert image.pixels[0, 1, 2, 3] == 99
    assert image.pixels.sum() == 99


def test_idx_files_are_read_as_they_were_written(digits):
    one, folder, arrays = digits
    training, test = load_files(folder, one.files)
    read = [training.pixels[:, 0], training.labels, test.pixels[:, 0], test.labels]
    for array, found in zip(arrays.values(), read, strict=True):
        np.testing.assert_array_equal(array, found)


def test_a_line_of_a_table_is_an_image_and_its_label(tmp_path):
    table = np.random.default_rng(0).integers(0, 10, size=(3, 785))
    content = "\n".join(",".join(map(str, row)) for row in table).encode()
    path = tmp_path / "digits.csv.gz"
    path.write_bytes(gzip.compress(content))
    file = File(hashlib.sha256(path.read_bytes()).hexdigest(), table.shape)
    (found,) = load_files(tmp_path, {path.name: file})
    np.testing.assert_array_equal(found.pixels.reshape(3, -1), table[:, :-1])
    np.testing.assert_array_equal(found.labels, table[:, -1])


@pytest.mark.skipif(SETS["mnist5k"].place(Path()) is None, reason="needs `make env-images`")
def test_the_digits_of_the_package_are_five_hundred_of_each():
    (found,) = readers.load("mnist5k")
    assert found.pixels.shape == (readers.N_DIGITS, 1, 28, 28)
    assert np.bincount(found.labels).tolist() == [500] * 10
    assert found.pixels.max() == 255


@pytest.mark.parametrize("name", SETS)
def test_a_missing_set_says_how_to_get_it(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(readers, "find_spec", lambda name: None)
    monkeypatch.setitem(SETS, name, replace(SETS[name], elsewhere=None))
    with pytest.raises(ImagesError) as refusal:
        readers.load(name)
    assert str(refusal.value) == SETS[name].notice(Path())
    command = {"cifar10": "cifar", "mnist5k": "env-images"}.get(name, name)
    assert f"`make {command}`" in str(refusal.value)
    assert "{" not in str(refusal.value)


def test_a_missing_or_altered_file_is_refused_by_name(cifar, digits):
    records = cifar_files(cifar[0], records_per_file=N)
    sets = (cifar[0], records, BINS[2]), (digits[1], digits[0].files, IMAGES)
    for folder, files, name in sets:
        content = bytearray((folder / name).read_bytes())
        content[100] ^= 1
        (folder / name).write_bytes(content)
        with pytest.raises(ImagesError, match=f"{name} (is not what it should|cannot be unpacked)"):
            load_files(folder, files)
        (folder / name).unlink()
        with pytest.raises(ImagesError, match=f"{name} does not exist"):
            load_files(folder, files)


def test_standardised_training_pixels_have_mean_zero_and_variance_one(cifar):
    training, test = load_cifar(cifar[0], records_per_file=N)
    x = standardised(training, by=training)
    np.testing.assert_allclose(x.mean(axis=(0, 2, 3), dtype=float), 0, atol=1e-4)
    np.testing.assert_allclose(x.std(axis=(0, 2, 3), dtype=float), 1, rtol=1e-4)
    other = standardised(test, by=training)
    mean, sd = training.pixels.mean(axis=(0, 2, 3)), training.pixels.std(axis=(0, 2, 3))
    expected = (test.pixels - mean[:, None, None]) / sd[:, None, None]
    np.testing.assert_allclose(other, expected, rtol=1e-3, atol=1e-4)


def test_an_archive_gives_six_checked_files_and_nothing_else(cifar, tmp_path, capsys, monkeypatch):
    # Python 3.11.2, of Debian 12, has none.
    monkeypatch.delattr(tarfile.TarInfo, "replace", raising=False)
    path = tmp_path / "small.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for file in sorted(cifar[0].iterdir()):
            tar.add(file, f"cifar-10-batches-bin/{file.name}")
        tar.add(__file__, "../outside.py")
    files = cifar_files(cifar[0], records_per_file=N)
    archive = File(hashlib.sha256(path.read_bytes()).hexdigest(), (), path.stat().st_size)
    one = replace(SETS["cifar10"], archive=archive, files=files)
    target = tmp_path / "data" / "cifar"
    download(one, path.as_uri(), target)
    assert {file.name for file in target.iterdir()} == {*BINS, SUMS_FILE}
    assert [file.name for file in target.parent.iterdir()] == ["cifar"]
    download(one, "file:///nowhere", target)
    assert "holds CIFAR-10 already" in capsys.readouterr().out
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(ImagesError, match="not the archive that was meant"):
        download(one, path.as_uri(), tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_files_are_downloaded_whole_or_not_at_all(digits, tmp_path, capsys):
    one, folder, _ = digits
    target = tmp_path / "copy" / "digits"
    other = replace(one, files={**one.files, IMAGES: replace(one.files[IMAGES], sum="0" * 64)})
    with pytest.raises(ImagesError, match="not what it should be"):
        download(other, folder.as_uri(), target)
    assert not list(target.parent.iterdir())
    download(one, folder.as_uri(), target)
    assert {path.name for path in target.iterdir()} == set(one.files)
    download(one, "file:///nowhere", target)
    assert f"holds {one.title} already" in capsys.readouterr().out
    (folder / IMAGES).unlink()
    with pytest.raises(ImagesError, match="cannot be read"):
        download(one, folder.as_uri(), target.parent / "again")


def test_an_answer_without_an_end_is_cut_and_removed(tmp_path, capsys, monkeypatch):
    archive = File("", (), 20_000_000)
    monkeypatch.setitem(SETS, "cifar10", replace(SETS["cifar10"], archive=archive))
    arguments = ["--folder", str(tmp_path / "data"), "--url", "file:///dev/zero"]
    assert main(["cifar10", *arguments]) == 1
    assert "gives more than 20000000 bytes" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
