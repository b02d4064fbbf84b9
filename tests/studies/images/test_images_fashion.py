"""Fashion-MNIST: its files by what they unpack to, refusals, the download."""

import gzip
import hashlib

import numpy as np
import pytest
from invented_digits import idx

from srhm.images import download_fashion, fashion
from srhm.images.mnist import MnistError

IMAGES = "train-images-idx3-ubyte.gz"


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Small files, what they must unpack to, and their arrays; no package of Debian."""
    monkeypatch.setattr(fashion, "DEBIAN", tmp_path / "nowhere")
    folder = tmp_path / fashion.FOLDER
    folder.mkdir(parents=True)
    random, files, arrays = np.random.default_rng(0), {}, []
    for name, content in fashion.FILES.items():
        shape = (6, *content.shape[1:])
        arrays.append(random.integers(0, 10, size=shape).astype(np.uint8))
        unpacked = idx(arrays[-1])
        (folder / name).write_bytes(gzip.compress(unpacked))
        files[name] = fashion.Content(hashlib.sha256(unpacked).hexdigest(), shape)
    return folder, files, arrays


def test_pictures_and_kinds_are_read_as_they_were_written(made):
    folder, files, arrays = made
    training, tested = fashion.load(folder, files=files)
    read = [training.pixels, training.labels, tested.pixels, tested.labels]
    for array, one in zip(read, arrays, strict=True):
        np.testing.assert_array_equal(array, one)


def test_another_compression_of_the_same_content_is_taken(made):
    folder, files, arrays = made
    (folder / IMAGES).write_bytes(gzip.compress(idx(arrays[0]), compresslevel=1))
    np.testing.assert_array_equal(fashion.read_numbers(folder / IMAGES, files[IMAGES]), arrays[0])


def test_missing_altered_and_broken_files_are_refused_by_name(made):
    folder, files, _ = made
    with pytest.raises(MnistError, match=f"{IMAGES} is not what it should be"):
        fashion.load(folder)
    (folder / IMAGES).write_bytes(b"no gzip")
    with pytest.raises(MnistError, match=f"{IMAGES} cannot be unpacked"):
        fashion.load(folder, files=files)
    (folder / IMAGES).unlink()
    with pytest.raises(MnistError, match=f"{IMAGES} does not exist"):
        fashion.load(folder, files=files)


def test_where_they_lie_and_how_to_get_them(made, tmp_path):
    folder, _, _ = made
    assert fashion.fashion_folder(tmp_path) == folder
    assert fashion.notice(tmp_path) is None
    elsewhere = fashion.notice(tmp_path / "elsewhere")
    for word in ("make fashion", fashion.DEBIAN_PACKAGE, "published rows"):
        assert word in elsewhere


def test_the_download_checks_and_appears_whole_or_not_at_all(made, tmp_path, capsys):
    folder, files, _ = made
    target = tmp_path / "copy" / "fashion"
    with pytest.raises(MnistError, match="not what it should be"):
        download_fashion.download(folder.as_uri(), target)
    assert not list(target.parent.iterdir())
    download_fashion.download(folder.as_uri(), target, files=files)
    assert {path.name for path in target.iterdir()} == set(files)
    download_fashion.download("file:///nowhere", target, files=files)
    assert "holds Fashion-MNIST already" in capsys.readouterr().out
    assert download_fashion.main(["--url", "no address", "--folder", str(tmp_path / "x")]) == 1
    assert "cannot be read" in capsys.readouterr().err
