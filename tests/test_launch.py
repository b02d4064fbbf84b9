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
from srhm.commands.watching import last_words
from srhm.results import places
from srhm.results.records import write_table
from srhm.runtime.progress import FAILED
from srhm.scorecard.card import SCHEMA, claims_in, scorecard
from srhm.studies.registry import STUDIES

# The job waits for a file `go`, so that a test decides how long it lasts.
SNAKEFILE = """
rule network:
    output: "results/toy/network"
    shell: "touch started; while [ ! -e go ]; do sleep 0.05; done; touch {output}"
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
    (tmp_path / "config" / "toy.yaml").write_text("preset: toy\n")
    profile = launch.REPOSITORY / "profiles" / "default" / "profile.yaml"
    shutil.copy(profile, tmp_path / "profiles" / "default")
    return Path(shutil.copy(launch.__file__, tmp_path / "src" / "srhm" / "commands"))


@pytest.fixture
def start(toy: Path) -> Iterator[Start]:
    """Starts the launcher in a process group of its own; all groups are ended after the test."""
    launched: list[Launched] = []

    def _start(*arguments: str) -> Launched:
        command = [sys.executable, str(toy), "--preset", "toy", "--cores", "1", *arguments]
        log = toy.parents[3] / f"printed_{len(launched)}"
        with log.open("w") as printed:
            process = subprocess.Popen(
                [*command, "--directory", "folder"],
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


def test_a_run_in_a_locale_without_greek_reads_and_prints_it(start, folder, monkeypatch):
    for name, value in (("LC_ALL", "C"), ("PYTHONUTF8", "0"), ("PYTHONCOERCECLOCALE", "0")):
        monkeypatch.setenv(name, value)
    root = folder.parent
    (root / "config" / "toy.yaml").write_text("preset: toy\ndescription: α\n", encoding="utf-8")
    says = "rule network:\n    output: 'results/toy/network'\n    message: 'α'\n"
    says += "    shell: 'touch {output}'\n"
    (root / "Snakefile").write_text(says, encoding="utf-8")
    code, printed = start().end()
    assert code == 0, printed
    assert "α" in (folder / "results" / "run.log").read_text(encoding="utf-8")


def test_a_run_needs_no_home_that_can_be_written_to(start, folder, monkeypatch):
    monkeypatch.setenv("HOME", "/proc/no-such-home")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    (folder / "go").touch()
    code, printed = start().end()
    assert code == 0, printed
    assert "/proc/no-such-home/.cache cannot be written to" in printed


def test_a_dry_run_is_called_so_and_a_profile_of_the_environment_is_ignored_aloud(
    start, folder, monkeypatch
):
    monkeypatch.setenv("SNAKEMAKE_PROFILE", "/no/such/profile")
    code, printed = start("-n").end()
    assert code == 0, printed
    assert "SNAKEMAKE_PROFILE=/no/such/profile of the environment is ignored" in printed
    assert "a dry run: nothing was made" in printed
    assert "done in" not in printed
    assert not in_a_job(folder)()


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
    assert "done in" in printed
    assert (folder / "results" / "toy" / "network").exists()
    log = folder / "results" / launch.LOG
    said = log.read_text(encoding="utf-8")
    code, printed = start().end()
    assert code == 0, printed
    assert log.read_text(encoding="utf-8") == said  # nothing was to be done


def test_a_launch_after_the_sigkill_of_a_whole_run_continues_it(start, folder):
    first = start()
    wait_for(in_a_job(folder))
    first.kill_group()
    (folder / "go").touch()
    code, printed = start().end()
    assert code == 0, printed
    assert "an earlier run was interrupted" in printed


def test_the_lock_is_snakemakes_even_without_its_launcher_and_not_its_jobs(start, folder):
    first = start()
    wait_for(in_a_job(folder))
    first.process.kill()
    first.process.wait()
    code, _ = start().end()
    assert code == launch.REFUSED
    os.kill(snakemake_process(folder), signal.SIGKILL)  # its job lives on, and waits for `go`
    wait_for(lambda: start("--unlock").end()[0] == 0)
    assert not (folder / ".snakemake" / "locks").exists()
    assert not (folder / "results" / "toy" / "network").exists()


def test_sigterm_lets_the_jobs_in_flight_finish(start, folder):
    first = start()
    wait_for(in_a_job(folder))
    first.process.terminate()
    time.sleep(0.2)
    (folder / "go").touch()
    code, printed = first.end()
    assert code != launch.REFUSED
    assert (folder / "results" / "toy" / "network").exists(), printed
    assert not (folder / ".snakemake" / "locks").exists(), printed


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


def test_a_stopped_run_whose_reader_is_gone_ends(toy, folder):
    (folder.parent / "training.py").write_text(TRAINING)
    rule = 'rule network:\n    output: "results/toy/network"\n    script: "training.py"\n'
    (folder.parent / "Snakefile").write_text(rule)
    command = [sys.executable, str(toy), "--preset", "toy", "--cores", "1", "--directory", "folder"]
    run = subprocess.Popen(
        command,
        cwd=folder.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        wait_for(in_a_job(folder))
        run.stdout.close()  # as `| tee log` does on Ctrl-C
        os.killpg(run.pid, signal.SIGINT)
        assert run.wait(timeout=180) not in (0, launch.REFUSED)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
    assert (folder / "checkpoint").exists()
    assert not (folder / ".snakemake" / "locks").exists()
    assert "At least one job did not complete" in (folder / "results" / "run.log").read_text()


def test_a_snakemake_that_does_not_end_without_a_job_is_ended(toy, start, folder):
    stuck = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    stuck += "open('started', 'w').close()\ntime.sleep(1000)\n"
    (folder.parent / "Snakefile").write_text(stuck)
    toy.write_text(toy.read_text().replace("PATIENCE = 20.0", "PATIENCE = 0.1"))
    first = start()
    wait_for(in_a_job(folder))
    first.process.terminate()
    code, printed = first.end()
    assert code == 128 + signal.SIGKILL, printed


def test_a_run_that_fails_repeats_the_last_words_of_its_jobs(tmp_path):
    (tmp_path / "logs").mkdir()
    words = "12:00 curve: failed: OSError('a cause'); log: x"
    (tmp_path / "logs" / "one.log").write_text(f"{words}\n")
    (tmp_path / "logs" / "other.log").write_text("12:00 curve: cell 1 of 1\n")
    assert last_words(tmp_path, FAILED, since=0) == [
        "12:00 curve: failed: OSError('a cause'); log: x"
    ]
    assert last_words(tmp_path, FAILED, since=time.time() + 60) == []


def test_a_snakemake_that_was_started_by_hand_is_not_unlocked(start, folder):
    command = [sys.executable, "-m", "snakemake", "--quiet", "all", "--cores", "1"]
    command += ["--snakefile", str(folder.parent / "Snakefile"), "--directory", str(folder)]
    with subprocess.Popen(command, start_new_session=True) as by_hand:
        try:
            wait_for(in_a_job(folder))
            code, printed = start().end()
        finally:
            (folder / "go").touch()
    assert by_hand.returncode == 0
    assert code == launch.REFUSED
    assert f"process {by_hand.pid}" in printed


def test_a_copied_clone_with_the_environment_of_the_original_is_refused(
    tmp_path, monkeypatch, capsys
):
    (tmp_path / "src" / "srhm").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert launch.main(["--preset", "test"]) == launch.REFUSED
    assert f"this is {tmp_path}, but its environment runs" in capsys.readouterr().out
    assert not (tmp_path / "results").exists()


def test_an_unknown_preset_is_refused_with_the_list_of_presets(tmp_path, capsys):
    code = launch.main(["--preset", "no-such-preset", "--directory", str(tmp_path)])
    assert code == launch.REFUSED
    printed = capsys.readouterr().out
    assert "no-such-preset" in printed
    for config in (launch.REPOSITORY / "config").glob("*.yaml"):
        assert config.stem in printed
    assert not list(tmp_path.iterdir())


def test_results_of_another_user_are_refused_with_the_mask_that_shares_them(
    tmp_path, monkeypatch, capsys
):
    log = tmp_path / "results" / launch.LOG

    def shut(*_, **__):
        raise PermissionError(13, "Permission denied", str(log))

    monkeypatch.setattr(launch, "_run", shut)
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
    monkeypatch.setattr(launch.Watch, "unreadable", lambda self: {"cell": refusal})
    monkeypatch.setattr(launch, "_run", None)
    code = launch.main(["--preset", "test", "--study", "teaching", "--directory", str(tmp_path)])
    assert code == launch.REFUSED
    printed = capsys.readouterr().out
    assert f"a stored network cannot be read: [Errno 13] Permission denied: '{cell}'." in printed
    assert "belongs to" in printed


@pytest.mark.parametrize("cores", ["0", "-1", "two"])
def test_no_cores_are_refused(capsys, cores):
    with pytest.raises(SystemExit) as ended:
        launch.main(["--preset", "test", f"--cores={cores}"])
    assert ended.value.code == launch.REFUSED
    assert f"{cores} is not allowed: 1 or more cores" in capsys.readouterr().err


def test_empty_figures_and_tables_are_removed_to_be_made_again(tmp_path, capsys):
    names = ["figures/a.pdf", "tables/b/c.parquet", "report.html", "logs/d.log", "figures/e.png"]
    for file in (tmp_path / name for name in names):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (tmp_path / "figures/e.png").write_text("whole")
    launch._remove_empty(tmp_path)
    assert [name for name in names if (tmp_path / name).exists()] == names[3:]
    assert capsys.readouterr().out.count("is empty: it is made again") == 3


def test_files_dated_in_the_future_are_dated_now_but_for_the_stores(tmp_path, capsys):
    ahead = time.time() + 86_400
    names = ["curves/a", "plane/curves/a", "cells/ab/a", "plane/cells/ab/a", "images/checkpoints/a"]
    for file in (tmp_path / name for name in names):
        file.parent.mkdir(parents=True)
        file.touch()
        os.utime(file, (ahead, ahead))
    launch._date_now(tmp_path)
    assert "2 files were dated in the future" in capsys.readouterr().out
    kept = [name for name in names if (tmp_path / name).stat().st_mtime > time.time() + 1]
    assert kept == names[2:]


def test_the_rows_that_are_asked_for_reach_the_workflow_or_the_launch_is_refused():
    # A target is no entry of --config.
    words = ["--config", "rows=both", "--rerun-incomplete", "fig04"]
    assert launch._with_rows(["fig04"], "both") == words
    for words in (["--config", "device=cpu"], ["--config=device=cpu"], ["-Cdevice=cpu"]):
        with pytest.raises(launch.Refused, match="give --config rows=both with the others"):
            launch._with_rows(words, "both")


def test_the_end_shows_what_the_claims_say_and_what_is_missing(tmp_path, capsys):
    run = launch._run_of(launch.REPOSITORY / "config" / "test.yaml", tmp_path, [launch.DEFAULT])
    file = tmp_path / places.table_file("test", "sparse_hierarchy", "claims")
    file.parent.mkdir(parents=True)
    claims = claims_in(str(STUDIES["sparse_hierarchy"].claims))
    write_table(scorecard({}, claims), file, SCHEMA)
    launch._show_results(run, "1 min 2 s")
    first, second, *rest = capsys.readouterr().out.splitlines()
    assert first == "Done in 1 min 2 s: preset test."
    assert "numbers of the paper: " in second
    assert len(rest) <= 28
    assert all(len(line) <= 100 for line in rest)
    assert any(line.startswith(f"All {len(claims)} claims, figures: open ") for line in rest)
    file.unlink()
    launch._show_results(run, "1 min 2 s")
    launch._show_results(None, "1 min 2 s")
    assert "done in 1 min 2 s" in capsys.readouterr().out
