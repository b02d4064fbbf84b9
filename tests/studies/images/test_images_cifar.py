"""The loader of CIFAR-10's files, its refusals, and the download of the archive."""

import hashlib
import tarfile

import numpy as np
import pytest
from invented_images import write_cifar

from srhm.images import cifar, download
from srhm.model.seeding import generator

N = 20  # records a file


@pytest.fixture
def folder(tmp_path):
    """Small files in the format of CIFAR-10."""
    write_cifar(tmp_path / "images", records_per_file=N, generator=generator(0, role="train"))
    return tmp_path / "images"


def load(folder):
    return cifar.load(folder, records_per_file=N)


def archive_of(folder, tmp_path):
    """A gzipped tar as the dataset's own, and its SHA-256."""
    path = tmp_path / "small.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for file in sorted(folder.iterdir()):
            tar.add(file, f"cifar-10-batches-bin/{file.name}")
        tar.add(__file__, "../outside.py")  # nothing but the files of the dataset is unpacked
    return path, hashlib.sha256(path.read_bytes()).hexdigest()


def test_images_and_labels_are_read_as_they_were_written(tmp_path):
    stream = generator(0, role="train")
    written = write_cifar(tmp_path / "images", records_per_file=N, generator=stream)
    training, test = load(tmp_path / "images")
    assert training.pixels.shape == (5 * N, 3, 32, 32)
    for number, name in enumerate(cifar.TRAINING_FILES):
        part = training[number * N : (number + 1) * N]
        np.testing.assert_array_equal(part.pixels, written[name][0])
        np.testing.assert_array_equal(part.labels, written[name][1])
    np.testing.assert_array_equal(test.pixels, written[cifar.TEST_FILE][0])
    np.testing.assert_array_equal(test.labels, written[cifar.TEST_FILE][1])


def test_a_record_is_a_label_then_red_then_green_then_blue_row_by_row(tmp_path):
    record = np.zeros(cifar.RECORD, dtype=np.uint8)
    record[0] = 7
    record[1 + 1024 * 1 + 32 * 2 + 3] = 99  # green, third row, fourth column
    path = tmp_path / "one.bin"
    path.write_bytes(record.tobytes())
    image = cifar.read_file(path, md5=hashlib.md5(record.tobytes()).hexdigest(), n_records=1)
    assert image.labels.tolist() == [7]
    assert image.pixels[0, 1, 2, 3] == 99
    assert image.pixels.sum() == 99


def test_a_missing_folder_gives_the_message_that_says_how_to_get_the_data(tmp_path):
    with pytest.raises(cifar.CifarError) as refusal:
        load(tmp_path / "nowhere")
    message = str(refusal.value)
    assert message == cifar.notice(tmp_path / "nowhere")
    for word in ("Figure 1 A, B", "make cifar", "By hand", cifar.ARCHIVE, "images.folder"):
        assert word in message
    assert str(tmp_path / "nowhere") in message


@pytest.mark.parametrize("name", [cifar.TRAINING_FILES[2], cifar.TEST_FILE])
def test_cut_altered_and_missing_files_are_refused_by_name(folder, name):
    content = bytearray((folder / name).read_bytes())
    (folder / name).write_bytes(content[:-1])
    with pytest.raises(cifar.CifarError, match=rf"{name} has {N * 3073 - 1} bytes, not {N * 3073}"):
        load(folder)
    content[5000] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises(cifar.CifarError, match=f"{name} is not what it should be"):
        load(folder)
    (folder / name).unlink()
    with pytest.raises(cifar.CifarError, match=rf"{name} does not exist"):
        load(folder)


def test_a_label_above_nine_is_refused_even_where_the_sum_agrees(tmp_path):
    path = tmp_path / "one.bin"
    path.write_bytes(bytes([10]) + bytes(3072))
    md5 = hashlib.md5(path.read_bytes()).hexdigest()
    with pytest.raises(cifar.CifarError, match="holds the label 10"):
        cifar.read_file(path, md5=md5, n_records=1)


def test_standardised_training_pixels_have_mean_zero_and_variance_one(folder):
    training, test = load(folder)
    x = cifar.standardised(training, by=training)
    np.testing.assert_allclose(x.mean(axis=(0, 2, 3), dtype=float), 0, atol=1e-4)
    np.testing.assert_allclose(x.std(axis=(0, 2, 3), dtype=float), 1, rtol=1e-4)
    other = cifar.standardised(test, by=training)
    mean, sd = training.pixels.mean(axis=(0, 2, 3)), training.pixels.std(axis=(0, 2, 3))
    expected = (test.pixels - mean[:, None, None]) / sd[:, None, None]
    np.testing.assert_allclose(other, expected, rtol=1e-3, atol=1e-4)


def test_the_download_unpacks_six_checked_files_and_nothing_else(folder, tmp_path, capsys):
    archive, sha256 = archive_of(folder, tmp_path)
    target = tmp_path / "data" / "cifar"
    download.download(archive.as_uri(), target, sha256=sha256, records_per_file=N)
    assert {file.name for file in target.iterdir()} == {*cifar.FILES, cifar.SUMS_FILE}
    assert [path.name for path in target.parent.iterdir()] == ["cifar"]
    np.testing.assert_array_equal(load(target)[0].pixels, load(folder)[0].pixels)
    download.download("file:///nowhere", target, sha256=sha256, records_per_file=N)
    assert "holds CIFAR-10 already" in capsys.readouterr().out


def test_an_archive_with_another_sum_is_not_unpacked(folder, tmp_path):
    archive, sha256 = archive_of(folder, tmp_path)
    archive.write_bytes(archive.read_bytes()[:-10])
    with pytest.raises(cifar.CifarError, match="not the archive that was meant"):
        download.download(archive.as_uri(), tmp_path / "data", sha256=sha256, records_per_file=N)
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("url", ["nonsense", "http://a b/"])
def test_what_is_no_address_is_named(tmp_path, capsys, url):
    assert download.main(["--folder", str(tmp_path / "data"), "--url", url]) == 1
    assert f"{url} cannot be read (" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_an_answer_without_an_end_is_cut_and_removed(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(cifar, "ARCHIVE_BYTES", 10_000_000)
    arguments = ["--folder", str(tmp_path / "data"), "--url", "file:///dev/zero"]
    assert download.main(arguments) == 1
    assert "gives more than the 10000000 bytes" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
