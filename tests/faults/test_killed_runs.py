"""Faults that strike a run while it trains: signals, lost readers, a second run beside it."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress

import numpy as np
import psutil
import pytest
from disturbed import (
    BY_FLOW,
    LONGEST,
    MEASURED,
    TRAINED,
    Strike,
    Undisturbed,
    assert_said,
    descendants,
    struck,
    truncated,
    wait_for_group,
)

from srhm.store import places

STORED = r"\d+ of \d+ networks are stored"
RESUMED = "goes on from its checkpoint"
INTERRUPTED = "an earlier run was interrupted"


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return Undisturbed(tmp_path_factory.mktemp("killed"))


def to_group(number) -> Strike:
    """The signal for launcher, Snakemake and trainers, as a terminal sends it."""
    return lambda scene, process: os.killpg(process.pid, number)


def to_launcher(number) -> Strike:
    return lambda scene, process: process.send_signal(number)


def to_trainer(number) -> Strike:
    return lambda scene, process: scene.trainers(process)[0].send_signal(number)


def twice(scene, process):
    """Ctrl-C, and again as soon as it is not taken for the same one."""
    os.killpg(process.pid, signal.SIGINT)
    time.sleep(1.5)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)


def stopped_and_continued(scene, process):
    """Ctrl-Z or a laptop that sleeps, for three seconds."""
    os.killpg(process.pid, signal.SIGSTOP)
    time.sleep(3)
    os.killpg(process.pid, signal.SIGCONT)


# What ends a run, what it says then, and what the next one says.
ENDS: dict[str, tuple[Strike, tuple[str, ...], tuple[str, ...]]] = {
    "a trainer killed": (
        *(to_trainer(signal.SIGKILL), ("<Signals.SIGKILL: 9>", "killed|out of memory", STORED)),
        (),
    ),
    "all killed": (to_group(signal.SIGKILL), (), (INTERRUPTED,)),
    "a trainer ended": (to_trainer(signal.SIGTERM), ("SIGTERM", STORED), ()),
    "ended": (to_launcher(signal.SIGTERM), (STORED,), (RESUMED,)),
    "Ctrl-C": (to_group(signal.SIGINT), (STORED,), (RESUMED,)),
    "Ctrl-C twice": (twice, (STORED,), ()),
    "hung up": (to_group(signal.SIGHUP), (STORED,), (RESUMED,)),
}


@pytest.mark.parametrize(
    ("kind", "end"),
    [*((TRAINED, end) for end in ENDS), (BY_FLOW, "all killed"), (BY_FLOW, "ended")],
    ids=lambda one: one if isinstance(one, str) else one.study,
)
def test_what_ends_a_run_costs_the_cells_in_training(undisturbed, kind, end):
    strike, says, next_says = ENDS[end]
    with undisturbed.scene(kind, of="none") as scene:
        code, text, at_work = struck(scene, strike)
        assert code != 0
        assert at_work
        assert_said(text, *says, traceback=True)
        undisturbed.is_finished_by(scene, says=next_says)


def test_a_run_that_is_stopped_and_continued_goes_on(undisturbed):
    with undisturbed.scene(of="none") as scene:
        assert struck(scene, stopped_and_continued)[0] == 0
        undisturbed.is_finished_by(scene, trains=0)


@pytest.mark.parametrize("reader", ["head -1", "true"])
def test_a_run_whose_reader_is_gone_goes_on(undisturbed, reader):
    with undisturbed.scene(of="none") as scene:
        shell = ["sh", "-c", f'"$@" 2>&1 | {reader}', "sh"]
        struck(scene, lambda scene, process: None, before=shell)
        wait_for_group(scene.started[-1])  # the shell ends before the run
        undisturbed.is_finished_by(scene, trains=0)


def test_a_run_through_tee_leaves_checkpoints_at_ctrl_c(undisturbed):
    with undisturbed.scene(of="none") as scene:
        shell = ["sh", "-c", '"$@" 2>&1 | tee /dev/stdout', "sh"]
        struck(scene, to_group(signal.SIGINT), before=shell)
        wait_for_group(scene.started[-1])
        undisturbed.is_finished_by(scene, says=(RESUMED,))


def test_a_run_whose_log_is_deleted_goes_on(undisturbed):
    with undisturbed.scene(of="none") as scene:
        log = scene.folder / "results" / "run.log"
        assert struck(scene, lambda scene, process: log.unlink())[0] == 0
        undisturbed.is_finished_by(scene, trains=0)


def test_damaged_checkpoints_cost_their_cells_alone(undisturbed):
    with undisturbed.scene(of="none") as scene:
        struck(scene, to_launcher(signal.SIGTERM))
        folder = scene.folder / places.checkpoints_of(scene.kind.trainer)
        files = list(folder.glob("*.safetensors"))
        assert files
        for file in files:
            truncated(file)
        undisturbed.is_finished_by(scene, says=("damaged checkpoint, the cell begins anew",))


def test_a_run_beside_orphans_trains_no_stored_cell_again(undisturbed):
    with undisturbed.scene(of="none") as scene:
        process = scene.start()
        scene.wait_for_cells(3, process)
        orphans, stored = scene.trainers(process), scene.whole()
        scene.snakemake(process).kill()
        scene.end(process)
        assert any(orphan.is_running() for orphan in orphans)
        code, text = scene.run()
        psutil.wait_procs(orphans, timeout=LONGEST)
        assert code == 0, text
        assert_said(text, INTERRUPTED)
        assert stored.items() <= scene.whole().items()
        undisturbed.is_finished_by(scene, trains=0)


def to_a_job(scene, process, number):
    descendants(process.pid, ".snakemake/scripts/")[-1].send_signal(number)


KILLS: list[tuple[Callable[..., object], int]] = [
    *((to_group, one) for one in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)),
    *((to_launcher, one) for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)),
    *((lambda number: lambda s, p: to_a_job(s, p, number), one)
      for one in (signal.SIGKILL, signal.SIGTERM)),
]  # fmt: skip


def test_a_run_that_is_killed_again_and_again_loses_nothing(undisturbed):
    """At random times, whatever it does: training, measuring, gathering."""
    generator = np.random.default_rng(0)
    with undisturbed.scene(MEASURED, of="none") as scene:
        # An orphan may store a cell beside a run, which then stores it too: only what was there
        # before the start of the run before must not be written again.
        settled, younger = {}, {}
        for _ in range(12):
            whom, number = KILLS[generator.integers(len(KILLS))]
            settled, younger = younger, scene.whole()
            process = scene.start()
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=generator.uniform(5, 20))
            # It may have ended, or have no job.
            with suppress(ProcessLookupError, psutil.NoSuchProcess, IndexError):
                whom(number)(scene, process)
            scene.end(process)
            assert settled.items() <= scene.whole().items(), scene.said()
        undisturbed.is_finished_by(scene)
