"""A GPU is trusted on first use: stand-ins that are honest, fail, hang and lie."""

import json
import logging
import time
from pathlib import Path

import numpy as np
import psutil
import pytest
import stand_in_device
from train_curves import hierarchy_curves

from srhm.flow import cells as flow_cells
from srhm.images import experiment
from srhm.model.letters import parameters_of
from srhm.model.sampling import draw_samples
from srhm.names import resolved
from srhm.results.records import write_derivations
from srhm.runtime import first_use
from srhm.runtime.first_use import FirstUse, GpuForm, disagreements, first_use_of, trusted
from srhm.runtime.no_device import NoDevice
from srhm.runtime.stopping import Stopped, StopRequest
from srhm.training import any_trainer, curve, plain, trials

LOG = logging.getLogger("srhm.tests")
FORMS = curve.GPU_FORMS[curve.PACKABLE]


def form(name, behaviour, *, module="stand_in_device"):
    """A form whose trial is on the stand-in."""
    code = {"packed": "srhm.training.packed", "plain": "srhm.training.plain"}[name]
    return GpuForm(name, code, f"{module}:{behaviour}", must_pay=name == "plain")


@pytest.fixture(autouse=True)
def stand_ins(tmp_path, monkeypatch):
    """Trials find the stand-ins."""
    monkeypatch.setenv("PYTHONPATH", str(Path(stand_in_device.__file__).parent))
    monkeypatch.setenv("TRIALS", str(tmp_path / "trials"))


@pytest.fixture
def answered(monkeypatch):
    """Trials answer at once what they are told to."""
    monkeypatch.setattr(first_use, "CHILD", "stand_in_process")


def n_trials(tmp_path):
    """Trials that were answered at once."""
    file = tmp_path / "trials"
    return len(file.read_text().splitlines()) if file.is_file() else 0


def chosen(tmp_path, kernels, dense, **options):
    """Name of the form that is trusted, None for processors."""
    found = trusted(
        [form("packed", kernels), form("plain", dense)],
        log=LOG,
        folder=tmp_path / "kept",
        **options,
    )
    return found and found.name


def kept(folder):
    """Outcomes in a folder by form."""
    found = [json.loads(file.read_text()) for file in folder.glob("*.json")]
    return {one["form"]: one for one in found}


def warnings_in(caplog):
    return [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING]


def test_kernels_that_agree_are_used_and_not_tried_again(tmp_path, answered, caplog):
    caplog.set_level(logging.INFO)
    assert chosen(tmp_path, "honest", "fails") == "packed"
    assert "first use of packed on a card" in caplog.text
    assert warnings_in(caplog) == []
    (packed,) = kept(tmp_path / "kept").values()
    assert packed["outcome"] == "equal"
    assert packed["device"].keys() == {"name", "driver", "torch", "triton", "digest"}
    assert chosen(tmp_path, "honest", "fails") == "packed"
    assert n_trials(tmp_path) == 1


BAD = {
    "fails": ("failed", "RuntimeError: CUDA error: an illegal memory access"),
    "dies": ("failed", "it was ended by SIGKILL"),
    "hangs": ("hung", "no answer in 2 s"),
    "lies": ("differs", "CNN: weights 0.5, allowed 0.2"),
    "knows_no_number": ("differs", "CNN: weights nan, allowed 0.2"),
}


@pytest.mark.parametrize("kernels", BAD)
def test_kernels_that_do_not_pass_give_way_to_plain_networks(tmp_path, answered, caplog, kernels):
    outcome, reason = BAD[kernels]
    assert chosen(tmp_path, kernels, "honest", limit=2.0) == "plain"
    (warning,) = warnings_in(caplog)
    assert (
        f"packed is not used on a card: its first use there has {first_use.SAID[outcome]}"
        in warning
    )
    assert reason in warning
    assert "`make check-gpu`" in warning
    found = kept(tmp_path / "kept")
    assert {name: one["outcome"] for name, one in found.items()} == {
        "packed": outcome,
        "plain": "equal",
    }
    caplog.clear()
    assert chosen(tmp_path, kernels, "honest") == "plain"
    assert warnings_in(caplog) == [warning]  # said by every job
    assert n_trials(tmp_path) == 2


@pytest.mark.parametrize("dense", [*BAD, "slow"])
def test_where_neither_passes_or_pays_processors_train(tmp_path, answered, caplog, dense):
    assert chosen(tmp_path, "lies", dense, limit=2.0) is None
    first, second, last = warnings_in(caplog)
    assert first.startswith("packed is not used")
    assert second.startswith("plain is not used on a card: ")
    assert ("slower than one core" in second) == (dense == "slow")
    assert "networks are trained on processors, although this job holds a GPU" in last
    assert kept(tmp_path / "kept").keys() == {"packed", "plain"}


def test_kernels_that_are_slow_in_so_small_a_trial_are_used(tmp_path, answered):
    assert chosen(tmp_path, "slow", "honest") == "packed"


def test_a_device_without_memory_is_tried_again(tmp_path, answered, caplog):
    for number in (1, 2):
        assert trusted([form("packed", "crowded")], log=LOG, folder=tmp_path) is None
        assert "OutOfMemoryError: CUDA out of memory" in caplog.text
        assert n_trials(tmp_path) == number
    assert kept(tmp_path) == {}


def test_a_damaged_outcome_is_found_anew_and_a_look_again_replaces_it(tmp_path, answered):
    options = {"log": LOG, "folder": tmp_path}
    first_use_of(form("packed", "honest"), **options)
    (file,) = tmp_path.glob("packed-*.json")
    file.write_text("{")
    assert first_use_of(form("packed", "honest"), **options).outcome == "equal"
    assert json.loads(file.read_text())["outcome"] == "equal"
    first_use_of(form("packed", "honest"), again=True, **options)
    assert n_trials(tmp_path) == 3


def test_an_outcome_that_cannot_be_kept_holds_all_the_same(tmp_path, answered, caplog):
    (tmp_path / "kept").write_text("a file where a folder should be")
    assert chosen(tmp_path, "honest", "fails") == "packed"
    (warning,) = warnings_in(caplog)
    assert f"{tmp_path / 'kept'}/packed-" in warning
    assert "the next job tries again" in warning


def test_no_gpu_is_an_error_and_a_device_without_a_name_is_not_kept(tmp_path, answered):
    with pytest.raises(NoDevice, match="sees no CUDA device"):
        trusted([form("plain", "nothing_there")], log=LOG, folder=tmp_path)
    found = first_use_of(form("plain", "dies_at_once"), log=LOG, folder=tmp_path)
    assert (found.outcome, found.reason) == ("failed", "it was ended by SIGKILL")
    assert kept(tmp_path) == {}


def test_a_request_to_stop_ends_a_trial(tmp_path, answered, caplog):
    class Asked(StopRequest):
        """Asks once there is a trial."""

        @property
        def reason(self):
            if n_trials(tmp_path):
                self.ask("a test")
            return super().reason

    begun = time.monotonic()
    with pytest.raises(Stopped):
        trusted([form("plain", "hangs")], log=LOG, folder=tmp_path, stop=Asked())
    assert time.monotonic() - begun < 30
    assert "nothing was trained" in caplog.text
    assert kept(tmp_path) == {}
    assert not [one for one in psutil.Process().children() if first_use.CHILD in one.cmdline()]


def test_an_outcome_is_of_the_code(tmp_path, answered, monkeypatch):
    for number in (1, 2):
        monkeypatch.setattr(GpuForm, "digest", f"code {number}")
        first_use_of(form("packed", "honest"), log=LOG, folder=tmp_path)
        assert n_trials(tmp_path) == len(list(tmp_path.glob("*.json"))) == number


def test_the_digest_of_a_form_is_of_its_code_and_of_its_trial():
    for one in (*FORMS, curve.STACKED, flow_cells.ON_GPU, experiment.ON_GPU):
        assert one.digest != GpuForm(one.name, "srhm.training.rounds", one.trial).digest
        assert one.digest != GpuForm(one.name, one.module, "srhm.training.cell:processor").digest
        assert callable(resolved(one.trial))


def test_time_is_compared_over_all_networks():
    rows = [{"seconds": 1.0, "on_processor": 3.0}, {"seconds": 2.5, "on_processor": 1.0}]
    assert not FirstUse("plain", "equal", rows=rows).slower
    assert FirstUse("plain", "equal", rows=[*rows, rows[1]]).slower


# Trials of real networks, in real processes.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("behaviour", "outcome", "reason"),
    [
        ("honest", "equal", ""),
        ("fails", "failed", "RuntimeError: CUDA error: an illegal memory access was encountered"),
        ("hangs", "hung", "no answer in 20 s"),
        ("lies", "differs", "CNN, L = 2, H = 16: weights"),
        ("crowded", "failed", "OutOfMemoryError: CUDA out of memory"),
    ],
)
def test_what_a_stand_in_does_is_found(tmp_path, behaviour, outcome, reason):
    limit = 20.0 if behaviour == "hangs" else first_use.LIMIT
    one = form("packed", behaviour)
    found = first_use_of(one, log=LOG, folder=tmp_path, device="cpu", limit=limit)
    assert found.outcome == outcome
    assert found.reason.startswith(reason)
    assert found.device["name"] == "cpu"
    assert len(list(tmp_path.glob("packed-*.json"))) == (behaviour != "crowded")
    if behaviour == "honest":
        assert [row["network"] for row in found.rows] == [
            "CNN, L = 2, H = 16",
            "LCN, L = 2, H = 12",
        ]
    if behaviour in ("fails", "hangs"):
        assert "stand_in_device.py" in found.said  # where it stood


@pytest.mark.slow
@pytest.mark.skipif(plain.torch.cuda.is_available(), reason="there is a GPU")
def test_no_gpu_is_a_clear_error(tmp_path):
    with pytest.raises(NoDevice, match=r"gpu = 1, but torch .* sees no CUDA device"):
        trusted([form("plain", "honest")], log=LOG, folder=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("nobody", [False, True])
def test_nothing_is_stored_from_a_form_that_has_not_passed(tmp_path, monkeypatch, nobody):
    """A curve's rows say what has trained them."""
    section = {
        "seeds": 2,
        "width": 6,
        "n_test": 60,
        "training": {"max_steps": 10, "n_checks": 0},
        "curves": [{"net": "cnn", "L": 2, "v": 3, "s0": 1, "P": [30]}],
    }
    (planned,) = hierarchy_curves(section)
    samples = draw_samples(parameters_of(planned.cells[0]), [0, 1], n_train=30, n_test=60)
    write_derivations(samples, tmp_path / "samples.parquet", provenance={})
    ours = [form("packed", "lies"), form("plain", "lies" if nobody else "fast")]
    monkeypatch.setitem(
        curve.GPU_FORMS, curve.PACKABLE, dict(zip(ours, FORMS.values(), strict=True))
    )
    monkeypatch.setattr(plain, "device_for_stacks", lambda: plain.torch.device("cpu"))
    here = {"device": "cpu", "folder": tmp_path / "kept"}
    monkeypatch.setattr(
        any_trainer, "trusted", lambda *forms, **own: trusted(*forms, **own, **here)
    )
    options = {
        **{"store": tmp_path / "cells", "checkpoints": tmp_path / "checkpoints", "threads": 1},
        **{"log": LOG, "stop": StopRequest(), "gpu": 1},
    }
    spec = {
        **{"cells": list(planned.entries), "trainer": "srhm.training.curve", "inputs": {}},
        **{"keep_weights": False, "arrays_needed": True},
    }
    samples_file = [str(tmp_path / "samples.parquet")]
    cells = any_trainer.train_curve(spec, derivations=samples_file, **options)
    by = {cell.row["versions"].partition(", plain ")[2].partition(" of ")[2] for cell in cells}
    assert by == ({""} if nobody else {"16 on cpu"})
    monkeypatch.delattr(any_trainer, "trusted")  # what is in the store needs no device
    again = any_trainer.train_curve(spec, derivations=samples_file, **options)
    assert [cell.row for cell in again] == [cell.row for cell in cells]


# Lies: each is found by one of the differences.


@pytest.fixture
def small(monkeypatch):
    """Trials of small networks."""
    monkeypatch.setattr(trials, "TOGETHER", 4)
    monkeypatch.setattr(trials, "STEPS", 30)
    monkeypatch.setattr(trials, "NETWORKS", (("cnn", 2, 16), ("fcn", 2, 12)))


def test_the_honest_device_agrees(small):
    rows = list(trials.plain_trial("cpu"))
    assert disagreements(rows) == ""
    weights = [row["differences"]["weights"] for row in rows]
    assert all(1e-7 < found < allowed < 1e-2 for found, allowed in weights)


# Method of a stack, what is done to what it gives, and the words of what is found.
LIES = {
    "inputs of ten bits": ("_inputs", lambda x: x * (1 + 2**-10), "weights "),
    "a network of another": (
        "weights",
        lambda own: {name: 1.5 * array for name, array in own.items()},
        "weights of one",
    ),
    "a loss that is off": ("train", lambda losses: [1.001 * loss for loss in losses], "loss"),
    "test errors that are off": (
        "test_errors",
        lambda errors: [error + 0.02 for error in errors],
        "test points",
    ),
    "no number": ("weights", lambda own: {n: a * np.nan for n, a in own.items()}, "weights nan"),
}


@pytest.mark.parametrize("lie", LIES)
def test_each_lie_is_found(small, monkeypatch, lie):
    method, changed, words = LIES[lie]
    honest = getattr(plain.PlainStack, method)

    def lying(stack, *arguments):
        found = honest(stack, *arguments)
        # One network of four is enough for a lie about one.
        return found if words == "weights of one" and arguments[0] != 2 else changed(found)

    monkeypatch.setattr(plain.PlainStack, method, lying)
    assert f": {words}" in disagreements(list(trials.plain_trial("cpu")))


@pytest.mark.slow
@pytest.mark.parametrize(
    "one", [curve.STACKED, flow_cells.ON_GPU, experiment.ON_GPU], ids=lambda one: one.name
)
def test_other_forms_agree_where_the_device_is_the_processor(one):
    rows = list(resolved(one.trial)("cpu"))
    assert disagreements(rows) == ""
    assert len(rows) == 2
    assert all(row["seconds"] > 0 < row["on_processor"] for row in rows)
