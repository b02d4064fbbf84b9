"""The trial of the packed engine: on a GPU where there is one, else in the interpreter."""

import logging

import pytest

pytest.importorskip("triton", reason="the packed engine needs triton: make test-gpu-interpreter")

from small_networks import on_gpu

from srhm.runtime.first_use import disagreements, trusted
from srhm.training import packed, trials
from srhm.training.curve import GPU_FORMS, PACKABLE, PACKED


@pytest.fixture
def small(monkeypatch):
    """Networks that the interpreter can train."""
    monkeypatch.setattr(trials, "TOGETHER", 2)
    monkeypatch.setattr(trials, "STEPS", 6)
    monkeypatch.setattr(trials, "NETWORKS", (("cnn", 2, 12), ("lcn", 2, 12)))


def test_the_kernels_agree_with_the_processor(small):
    rows = list(trials.packed_trial("cuda"))
    assert disagreements(rows) == ""
    assert [row["trained"] for row in rows] == [2, 2]


def test_kernels_that_lie_are_found(small, monkeypatch):
    entered = packed.Pack.enter

    def slower(pack, *arguments, rate):
        return entered(pack, *arguments, rate=rate * 1.001)

    monkeypatch.setattr(packed.Pack, "enter", slower)
    assert ": weights " in disagreements(list(trials.packed_trial("cuda")))


@pytest.mark.gpu
@pytest.mark.skipif(not on_gpu(), reason="torch sees no CUDA device")
def test_a_card_passes(tmp_path):
    log = logging.getLogger("test")
    assert trusted(list(GPU_FORMS[PACKABLE]), log=log, folder=tmp_path) == PACKED
