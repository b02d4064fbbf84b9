"""Compiled code that is kept: a damaged file, a full disk."""

import logging
import os
from pathlib import Path
from types import ModuleType

import numba
import pytest

from srhm.training import curve, sparse_kernels
from srhm.training.compiled_code import Summed, check_code

LOG = logging.getLogger("test")


def doubled(x):
    return 2 * x


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """Makes the function anew, as a process does, with its code kept in a folder of the test."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    def make():
        module = ModuleType("kernels")
        module.doubled = numba.njit(cache=True)(doubled)
        check_code(module, log=LOG)
        return module.doubled

    return make


def files_of(folder: Path, kind: str) -> list[Path]:
    return list(folder.rglob(f"*.{kind}"))


def test_code_is_kept_and_read_again(compiled, tmp_path, caplog):
    assert compiled()(2) == 4
    again = compiled()
    assert again(3) == 6
    assert sum(again.stats.cache_hits.values()) == 1
    assert caplog.text == ""


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def emptied(data: bytes) -> bytes:
    return b""


def with_a_bit_flipped(data: bytes) -> bytes:
    place = len(data) // 2
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


@pytest.mark.parametrize(
    ("kind", "damage"),
    [("nbi", cut), ("nbi", emptied), ("nbc", cut), ("nbc", emptied), ("nbc", with_a_bit_flipped)],
)
def test_damaged_code_is_named_and_compiled_anew(compiled, tmp_path, caplog, kind, damage):
    compiled()(2)
    (file,) = files_of(tmp_path, kind)
    file.write_bytes(damage(file.read_bytes()))
    again = compiled()
    assert again(3) == 6
    assert sum(again.stats.cache_hits.values()) == 0
    assert f"compiled code in {file.parent} cannot be read" in caplog.text
    caplog.clear()
    third = compiled()
    assert third(4) == 8
    assert sum(third.stats.cache_hits.values()) == 1  # the files are whole again
    assert caplog.text == ""


def test_code_that_cannot_be_kept_is_used_all_the_same(compiled, tmp_path, monkeypatch, caplog):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert compiled()(2) == 4
    assert "cannot be kept (OSError(28, 'No space left on device')): make room there" in caplog.text
    assert files_of(tmp_path, "nbc") == []


def test_the_kernels_of_the_sparse_engine_are_kept_so():
    cell = {"engine": "sparse"}
    curve.hierarchy_trainer([{"cell": cell}], {}, form=None, log=LOG)
    files = [one._cache._cache_file for one in vars(sparse_kernels).values()
             if hasattr(getattr(one, "_cache", None), "_cache_file")]  # fmt: skip
    assert files
    assert all(isinstance(file, Summed) for file in files)
