"""One run at a time in a folder, a killed run continues: the real Snakemake, a toy workflow."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from srhm.commands import launch

# The job waits for a file `go`, so that a test decides how long it lasts.
SNAKEFILE = """
rule network:
    output: "results/toy/network"
    shell: "touch started; while [ ! -e go ]; do sleep 0.05; done; touch {output}"
"""
RUN = "import sys; sys.path.insert(0, sys.argv.pop(1)); import launch; sys.exit(launch.main())"
# Of a network that the workflow does not make.
CONFIG = """
preset: toy
sparse_hierarchy: {curves: [{net: lcn, L: 2, v: 3, s0: 1, P: [30]}]}
"""


@dataclass
class Launched:
    """A launcher that was started, and the file that takes what it and its Snakemake print."""

    process: subprocess.Popen[bytes]
    log: Path

    def end(self) -> tuple[int, str]:
        return self.process.wait(timeout=180), self.log.read_text()

    def kill_group(self) -> None:
        with suppress(ProcessLookupError):  # all of the group has ended
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


Start = Callable[..., Launched]


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """Path of the launcher in a repository of its own, whose workflow is one waiting job."""
    for folder in ("src/srhm/commands", "config", "profiles/default", "folder"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    (tmp_path / "config" / "toy.yaml").write_text(CONFIG)
    profile = launch.REPOSITORY / "profiles" / "default" / "profile.yaml"
    shutil.copy(profile, tmp_path / "profiles" / "default")
    return Path(shutil.copy(launch.__file__, tmp_path / "src" / "srhm" / "commands"))


@pytest.fixture
def start(toy: Path) -> Iterator[Start]:
    """Starts the launcher in a process group of its own; all groups are ended after the test."""
    launched: list[Launched] = []

    def _start(*arguments: str) -> Launched:
        command = [sys.executable, "-c", RUN, str(toy.parent), "--preset", "toy", "--cores", "1"]
        log = toy.parents[3] / f"printed_{len(launched)}"
        with log.open("w") as printed:
            process = subprocess.Popen(
                [*command, *arguments, "--directory", "folder"],
                cwd=toy.parents[3],
                stdout=printed,
                stderr=printed,
                start_new_session=True,
                # As from a terminal, also where these tests run under nohup.
                preexec_fn=partial(signal.signal, signal.SIGHUP, signal.SIG_DFL),
            )
        launched.append(Launched(process, log))
        return launched[-1]

    yield _start
    for one in launched:
        one.kill_group()


@pytest.fixture
def folder(toy: Path) -> Path:
    return toy.parents[3] / "folder"


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 180
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def snakemake_process(folder: Path) -> int:
    """Process id that the lock file names."""
    return int((folder / "results" / ".lock").read_text().split("process ")[1].split()[0])


def in_a_job(folder: Path) -> Callable[[], bool]:
    return (folder / "started").exists


def test_a_second_launch_is_refused_while_the_first_runs_and_changes_nothing(start, folder):
    first = start()
    wait_for(in_a_job(folder))
    before = sorted(folder.rglob("*"))
    code, printed = start().end()
    assert code == launch.REFUSED
    assert f"process {snakemake_process(folder)} on " in printed
    assert sorted(folder.rglob("*")) == before
    (folder / "go").touch()
    code, printed = first.end()
    assert code == 0, printed
    assert "Done in" in printed
    assert (folder / "results" / "toy" / "network").exists()
    log = folder / "results" / launch.LOG
    said = log.read_text(encoding="utf-8")
    code, printed = start().end()
    assert code == 0, printed
    assert log.read_text(encoding="utf-8") == said  # nothing was to be done


def test_the_lock_is_snakemakes_even_without_its_launcher_and_not_its_jobs(start, folder):
    first = start()
    wait_for(in_a_job(folder))
    first.process.kill()
    first.process.wait()
    code, _ = start().end()
    assert code == launch.REFUSED
    os.kill(snakemake_process(folder), signal.SIGKILL)  # its job lives on, and waits for `go`
    wait_for(lambda: start("--dry-run").end()[0] == 0)
    assert not list((folder / ".snakemake" / "locks").glob("*.lock"))
    assert not (folder / "results" / "toy" / "network").exists()


TRAINING = """
import signal, sys, time
from pathlib import Path

def stop(*_):
    Path("checkpoint").touch()
    sys.exit(75)

signal.signal(signal.SIGTERM, stop)
Path("started").touch()
while True:
    time.sleep(0.05)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_stopped_run_lets_its_scripts_leave_checkpoints_and_reports_no_interruption(
    start, folder, number
):
    (folder.parent / "training.py").write_text(TRAINING)
    rule = 'rule network:\n    output: "results/toy/network"\n    script: "training.py"\n'
    (folder.parent / "Snakefile").write_text(rule)
    first = start()
    wait_for(in_a_job(folder))
    if number == signal.SIGTERM:
        first.process.send_signal(number)
    else:
        os.killpg(first.process.pid, number)  # as a terminal does on Ctrl-C, and when it is closed
    code, printed = first.end()
    assert code not in (0, launch.REFUSED)
    assert (folder / "checkpoint").exists(), printed
    assert "KeyboardInterrupt" not in printed
    assert "the same command goes on" in printed
    assert not (folder / ".snakemake" / "locks").exists(), printed


def test_a_copied_clone_with_the_environment_of_the_original_is_refused(
    tmp_path, monkeypatch, capsys
):
    (tmp_path / "src" / "srhm").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert launch.main(["--preset", "test"]) == launch.REFUSED
    assert f"this is {tmp_path}, but its environment runs" in capsys.readouterr().out
    assert not (tmp_path / "results").exists()


def test_results_of_another_user_are_refused_with_the_mask_that_shares_them(
    tmp_path, monkeypatch, capsys
):
    log = tmp_path / "results" / launch.LOG

    def shut(*_, **__):
        raise PermissionError(13, "Permission denied", str(log))

    monkeypatch.setattr(launch, "run_snakemake", shut)
    code = launch.main(["--preset", "test", "--study", "teaching", "--directory", str(tmp_path)])
    assert code == launch.REFUSED
    printed = capsys.readouterr().out
    assert f"Permission denied: '{log}'. {log.parent} belongs to {log.parent.owner()}:" in printed
    assert "umask 002; nothing was started" in printed


def test_a_network_that_cannot_be_read_now_ends_a_run_before_it_begins(
    tmp_path, monkeypatch, capsys
):
    cell = tmp_path / "results" / "cells" / "ab" / "cell.safetensors"
    refusal = PermissionError(13, "Permission denied", str(cell))
    monkeypatch.setattr(launch.Watch, "unreadable", lambda self: [refusal])
    monkeypatch.setattr(launch, "run_snakemake", None)
    code = launch.main(["--preset", "test", "--study", "teaching", "--directory", str(tmp_path)])
    assert code == launch.REFUSED
    printed = capsys.readouterr().out
    assert f"a stored network cannot be read: [Errno 13] Permission denied: '{cell}'." in printed
    assert "belongs to" in printed
