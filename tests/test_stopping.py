"""Requests to stop: signals, a job's time, a full disk; and two processes on one curve."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest
from train_curves import (
    LOG,
    StopsAfter,
    assert_same_cells,
    hierarchy_curves,
    train_here,
    train_srhm,
)

from srhm.jobs import stopping
from srhm.jobs.progress import FAILED, job_log
from srhm.jobs.stopping import SIGNALS, SLURM_END, STOPPED, Stopped, StopRequest, stop_on_signals
from srhm.model.grammar import parameters_of
from srhm.model.sampling import draw_samples
from srhm.store.atomic import StorageError
from srhm.store.cells import path_of, read_cell
from srhm.training import engines as training_curve
from srhm.training.loop import BatchTrainer, alone

SECTION = {
    "seeds": 1,
    "width": 6,
    "n_test": 60,
    "training": {"max_steps": 4000, "n_checks": 2, "loss_threshold": 1e-9},
    "curves": [{"net": "cnn", "L": 2, "v": 3, "s0": 1, "P": [30, 60, 90]}],
}


def curve_and_samples():
    """Entries of a curve of three cells, and the samples of its seed."""
    (curve,) = hierarchy_curves(SECTION)
    parameters = parameters_of(curve.entries[0]["cell"])
    return list(curve.entries), draw_samples(parameters, [0], n_train=90, n_test=60)


@pytest.fixture(scope="module")
def planned():
    return curve_and_samples()


@pytest.fixture(scope="module")
def undisturbed(planned, tmp_path_factory):
    """The cells of that curve, trained in one go."""
    return train(*planned, tmp_path_factory.mktemp("undisturbed"))


@pytest.fixture
def handlers():
    """The handlers of signals are put back after a test; none is ignored, as under nohup."""
    kept = {number: signal.getsignal(number) for number in SIGNALS}
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


def train(entries, samples, folder, *, threads=1, stop=None, log=LOG):
    return train_srhm(entries, samples, store=folder / "cells", threads=threads, log=log, stop=stop)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_becomes_a_request(handlers, number):
    with stop_on_signals(StopRequest()) as stop:
        assert stop.reason is None
        os.kill(os.getpid(), number)
        time.sleep(0.01)
        assert stop.reason == number.name
    os.kill(os.getpid(), number)  # the process is ending, and is left alone


# Its main thread waits for ever in C, so that Python runs no handler of a signal.
STUCK = """
import ctypes
from srhm.jobs.stopping import StopRequest, stop_on_signals

libc, mutex = ctypes.CDLL(None), ctypes.create_string_buffer(64)
with stop_on_signals(StopRequest()):
    print("ready", flush=True)
    while True:
        libc.pthread_mutex_lock(mutex)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_ends_a_process_whatever_it_does(number):
    command = [sys.executable, "-c", STUCK]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as job:
        assert job.stdout.readline() == "ready\n"
        job.send_signal(number)
        with pytest.raises(subprocess.TimeoutExpired):
            job.wait(timeout=stopping.ECHO[number] + 0.5)
        job.send_signal(number)
        assert job.wait(timeout=60) == 128 + number


def assert_stops_after(stop, seconds, monkeypatch):
    """Asserts that a request is made so many seconds after the start of this process."""
    begun = psutil.Process().create_time()
    monkeypatch.setattr(time, "time", lambda: begun + seconds - 1)
    assert stop.reason is None
    monkeypatch.setattr(time, "time", lambda: begun + seconds + 0.01)
    assert "almost over" in stop.reason


@pytest.mark.parametrize(("left", "seconds"), [(1000, 940), (7000, 6940), (40, 20)])
def test_a_job_of_slurm_stops_a_minute_before_the_end_that_slurm_names(monkeypatch, left, seconds):
    # Its limit, less what went before this process, or more after a change by the administrator.
    begun = int(psutil.Process().create_time())
    monkeypatch.setenv(SLURM_END, str(begun + left))
    assert_stops_after(StopRequest(limit=3600), seconds, monkeypatch)


@pytest.mark.parametrize("threads", [1, 2])
def test_finished_cells_are_stored_others_resumed_and_rows_are_the_same(
    planned, undisturbed, tmp_path, caplog, threads
):
    entries, samples = planned
    caplog.set_level(logging.INFO, logger=LOG.name)
    codes = []
    while True:
        caplog.clear()
        try:
            cells = train(entries, samples, tmp_path, threads=threads, stop=StopsAfter(20))
            break
        except Stopped as stopped:
            codes.append(stopped.code)
        n_stored = len(list(tmp_path.glob("cells/*/*.safetensors")))
        n_kept = len(list(tmp_path.glob("checkpoints/*.safetensors")))
        assert f"of 3 cells {n_stored} are stored, {n_kept} go on from a checkpoint" in caplog.text
    assert len(codes) >= 2
    assert set(codes) == {STOPPED}
    assert_same_cells(cells, undisturbed)
    assert list((tmp_path / "checkpoints").iterdir()) == []


def test_a_request_to_stop_finds_cells_that_had_no_place_untouched(tmp_path):
    stop, begun, both = StopRequest(), [], threading.Barrier(2, timeout=20)

    def first_of_two(cell, **options):
        begun.append(cell["P"])
        both.wait()
        stop.ask("a test")
        raise ValueError("not trained")

    entries = [{"key": f"{P:064x}", "source": "s", "cell": {"P": P, "seed": 0}} for P in range(9)]
    with pytest.raises((Stopped, ValueError)):
        train_here(
            entries,
            lambda: BatchTrainer(train=alone(first_of_two), versions="", at_once=2),
            store=tmp_path,
            stop=stop,
        )
    assert sorted(begun) == [7, 8]


def test_a_cell_that_cannot_be_read_now_is_not_trained_again(planned, tmp_path, monkeypatch):
    entries, samples = planned
    train(entries, samples, tmp_path)
    path = path_of(tmp_path / "cells", entries[1]["key"])
    whole = path.read_bytes()

    def failing(file, *_, **__):
        raise OSError(5, "Input/output error", str(file))

    monkeypatch.setattr(training_curve, "train_cell", None)
    with monkeypatch.context() as patched:
        patched.setattr(type(path), "read_bytes", failing)
        with pytest.raises(StorageError, match="Input/output error"):
            train(entries, samples, tmp_path)
    assert path.read_bytes() == whole


def test_a_cell_that_fails_is_named_and_does_not_keep_others_from_training(
    planned, tmp_path, monkeypatch
):
    entries, samples = planned
    train_cell = training_curve.train_cell

    def fails(cell, *arguments, **options):
        if cell["P"] == 60:
            raise ArithmeticError("a cause")
        return train_cell(cell, *arguments, **options)

    monkeypatch.setattr(training_curve, "train_cell", fails)
    path = tmp_path / "job.log"
    with pytest.raises(ArithmeticError), job_log(path, name="curve") as log:
        train(entries, samples, tmp_path, log=log)
    assert sum(path_of(tmp_path / "cells", e["key"]).is_file() for e in entries) == 2
    last = path.read_text().rstrip().splitlines()[-1]
    for words in (FAILED, "a cause", "P = 60, seed 0", entries[1]["key"], f"log: {path}"):
        assert words in last


# A process of its own that trains the curve of SECTION in a folder.
JOB = """
import sys
from pathlib import Path
from test_stopping import curve_and_samples, train
train(*curve_and_samples(), Path(sys.argv[1]), threads=2)
"""


def test_two_processes_on_one_curve_do_no_harm(planned, undisturbed, tmp_path):
    command, here = [sys.executable, "-c", JOB, str(tmp_path)], str(Path(__file__).parent)
    environment = {**os.environ, "PYTHONPATH": here}
    for job in [subprocess.Popen(command, env=environment) for _ in range(2)]:
        assert job.wait(timeout=120) == 0
    entries, _ = planned
    found = [read_cell(tmp_path / "cells", entry["key"]) for entry in entries]
    assert_same_cells(found, undisturbed)
    assert list(tmp_path.rglob("*.part")) == []
    assert list(Path(tmp_path).glob("checkpoints/*")) == []


def test_a_store_that_is_not_there_is_refused_before_anything_is_trained(
    planned, tmp_path, monkeypatch
):
    (tmp_path / "cells").symlink_to("unmounted")
    monkeypatch.setattr(training_curve, "train_cell", None)
    with pytest.raises(StorageError, match="a link to unmounted, which is not there"):
        train(*planned, tmp_path)
