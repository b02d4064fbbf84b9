"""A stored cell is whole and its own, or it is refused by name."""

import errno
import os
import threading
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from srhm.images.readers import SETS, read_file
from srhm.measure.cells import trained_cell
from srhm.measure.trained import members_of
from srhm.store import cells as store
from srhm.store.atomic import StorageError, check_writable
from srhm.store.cells import DamagedCell, StoredCell, path_of, read_cell, row_of, write_cell

KEY = "ab12cd34ef56"


def make_cell(seed=0):
    numbers = np.random.default_rng(seed)
    return StoredCell(
        cell={"net": "lcn", "P": 64, "learning_rate": 0.01, "bias": False},
        row={"net": "lcn", "test_error": 0.125, "train_loss": float("nan"), "status": "fitted"},
        timing={"seconds": 1.5, "host": "höhe"},
        weights={
            "layer1": numbers.standard_normal((2, 3, 2)).astype(np.float32),
            "readout": numbers.standard_normal((2, 2)).astype(np.float32),
        },
    )


def assert_same_cell(one, other):
    assert (one.cell, one.timing) == (other.cell, other.timing)
    assert repr(one.row) == repr(other.row)  # NaN is not equal to itself
    assert one.weights.keys() == other.weights.keys()
    for name, array in one.weights.items():
        assert array.dtype == other.weights[name].dtype
        np.testing.assert_array_equal(array, other.weights[name])


def files_in(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_cell_is_read_as_it_was_written(tmp_path):
    write_cell(tmp_path, KEY, make_cell())
    assert_same_cell(read_cell(tmp_path, KEY), make_cell())


def fail(*_):
    """In place of a step of the writing."""
    raise OSError("no space left on device")


@pytest.mark.parametrize(("module", "step"), [(store, "save"), (store.os, "fsync")])
def test_a_write_that_fails_leaves_the_earlier_cell_alone(tmp_path, monkeypatch, module, step):
    path = write_cell(tmp_path, KEY, make_cell(0))
    monkeypatch.setattr(module, step, fail)
    with pytest.raises(OSError, match="no space left"):
        write_cell(tmp_path, KEY, make_cell(1))
    assert_same_cell(read_cell(tmp_path, KEY), make_cell(0))
    assert files_in(tmp_path) == [path]


def test_a_bit_that_flips_at_any_place_is_found(tmp_path):
    path = write_cell(tmp_path, KEY, make_cell())
    whole = path.read_bytes()
    for place in range(len(whole)):
        for bit in {place % 8, (place + 3) % 8}:  # all 8 take half a minute, and are found too
            flipped = bytearray(whole)
            flipped[place] ^= 1 << bit
            path.write_bytes(flipped)
            with pytest.raises(DamagedCell, match=KEY):
                read_cell(tmp_path, KEY)


def test_the_file_of_another_key_is_refused(tmp_path):
    other = "ab99" + KEY[4:]
    write_cell(tmp_path, KEY, make_cell()).rename(path_of(tmp_path, other))
    with pytest.raises(DamagedCell, match=f"{other}.safetensors holds the cell {KEY}"):
        read_cell(tmp_path, other)


def test_two_writers_of_one_key_leave_one_whole_file(tmp_path, monkeypatch):
    # Threads stand for processes: each has a number of its own in the name of its partial file.
    monkeypatch.setattr(store.os, "getpid", threading.get_ident)
    write_cell(tmp_path, KEY, make_cell())

    def write():
        for _ in range(40):
            write_cell(tmp_path, KEY, make_cell())

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert_same_cell(read_cell(tmp_path, KEY), make_cell())
    for writer in writers:
        writer.join()
    assert files_in(tmp_path) == [path_of(tmp_path, KEY)]


def refusing(number):
    """In place of an access to a file: the system refuses it."""

    def refuse(path, *_, **__):
        raise OSError(number, os.strerror(number), str(path))

    return refuse


# Another user's file, a disk that fails, a server that restarted, too many open files, no memory.
REFUSALS = [errno.EACCES, errno.EIO, errno.ESTALE, errno.EMFILE, errno.ENOMEM]


ENTRY = {"key": KEY, "cell": {"P": 64, "seed": 0}}
READERS = {
    "cell": lambda store: read_cell(store, KEY),
    "row": lambda store: row_of(path_of(store, KEY)),
    "measured cell": partial(trained_cell, ENTRY),
    "measured member": lambda store: list(members_of([ENTRY], store=store)),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@pytest.mark.parametrize("number", REFUSALS, ids=errno.errorcode.get)
def test_what_cannot_be_read_now_is_no_damage(tmp_path, monkeypatch, number, read):
    path = write_cell(tmp_path, KEY, make_cell())
    whole = path.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", refusing(number))
        with pytest.raises(StorageError, match=f"{os.strerror(number)}.*{KEY}") as refusal:
            read(tmp_path)
        assert KEY in repr(refusal.value)
    assert path.read_bytes() == whole


def test_a_store_on_a_disk_that_is_not_mounted_is_refused(tmp_path):
    store = tmp_path / "cells"
    store.symlink_to(tmp_path / "disk" / "cells")
    with pytest.raises(StorageError, match="disk/cells, which is not there: mount it"):
        check_writable(store)
    (tmp_path / "disk" / "cells").mkdir(parents=True)
    check_writable(store)
    assert list(store.iterdir()) == []


def test_packed_images_that_cannot_be_read_now_are_no_damaged_ones(tmp_path, monkeypatch):
    name, content = next(iter(SETS["fashion"].files.items()))
    (tmp_path / name).touch()
    monkeypatch.setattr(Path, "open", refusing(errno.EACCES))
    with pytest.raises(PermissionError, match=name):
        read_file(tmp_path / name, content)
