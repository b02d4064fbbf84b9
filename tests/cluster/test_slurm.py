"""The workflow on a real Slurm of one node: devices, cancelled jobs, time limits, orphans.

Run by .ci/run, since it needs root and installs Slurm: SRHM_SLURM=1 pytest tests/cluster.
"""

import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from one_node_slurm import N_GPUS, Refused, one_node_slurm
from scheduled_runs import ROOT, Run, assert_equal, wait_for

HERE = ROOT / "tests" / "cluster"
# Looks at the jobs come 2, 12, 22 ... seconds after each other; 40, 50 ... in the profile.
QUICK = ("--slurm-init-seconds-before-status-checks", "2", "--latency-wait", "5")

Launched = tuple[subprocess.Popen[bytes], dict[str, int]]

pytestmark = [
    pytest.mark.skipif(
        os.environ.get("SRHM_SLURM") != "1", reason="SRHM_SLURM=1 installs Slurm and runs this"
    ),
    pytest.mark.xdist_group("slurm"),
]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment in which Snakemake finds the executor plugin: installed for the test alone."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    plugins = tmp_path_factory.mktemp("plugins")
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--target", str(plugins)]
    done = subprocess.run(
        [*install, *project["optional-dependencies"]["cluster"]], capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip(f"the executor plugin cannot be installed: {done.stderr.strip()[-300:]}")
    paths = [str(plugins), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(paths)}


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A Slurm of one node for the tests of this file."""
    try:
        with one_node_slurm(tmp_path_factory.mktemp("slurm")):
            yield
    except Refused as reason:
        pytest.skip(f"no Slurm: {reason}")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The grid on this machine, with nothing in the way."""
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    return Run(
        folder, HERE / "grid.yaml", "--cores", "2", "--until", "gather_sparse_hierarchy"
    ).run()


@pytest.fixture
def make_run(slurm: None, environment: dict[str, str], tmp_path: Path) -> Callable[..., Run]:
    """A run through Slurm; a training job has one thread, so that one cell is in flight."""

    def make(config: Path, *arguments: str) -> Run:
        options = ("--profile", "slurm-nodb", *QUICK, "--set-threads", "train_hierarchy=1")
        return Run(tmp_path / "run", config, *options, *arguments, environment=environment)

    return make


@pytest.fixture
def grid(make_run: Callable[..., Run], undisturbed: Run) -> Run:
    """The grid through Slurm; its data are drawn already, which saves a round of looks at jobs."""
    run = make_run(HERE / "grid.yaml", "--until", "gather_sparse_hierarchy")
    drawn = Path("results", "derivations")
    shutil.copytree(undisturbed.folder / drawn, run.folder / drawn)
    return run


def running_jobs(run: Run) -> list[str]:
    """Ids of the running Slurm jobs of this run."""
    states = "--states=RUNNING,COMPLETING"
    done = subprocess.run(
        ["squeue", "--noheader", states, "--format=%i %Z"],
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [line.split(maxsplit=1) for line in done.stdout.splitlines()]
    return [job for job, folder in rows if folder == str(run.folder)]


def trainer(run: Run) -> psutil.Process:
    """Process that trains, under the Snakemakes that wrap it."""
    found = []
    for process in psutil.process_iter(["cmdline", "cwd"]):
        line = " ".join(process.info["cmdline"] or [])
        if process.info["cwd"] == str(run.folder) and "train_curve.py" in line:
            found.append(process)
    (process,) = found
    return process


def start_until_the_last_cell(run: Run, keys: set[str], *arguments: str) -> Launched:
    """Starts a run; returns when its job trains the last cell, with the cells stored by then."""
    launcher = run.start(*arguments)
    run.wait_until_stored(keys, len(keys) - 1, within=240)
    stored = run.stored()
    assert len(stored) == len(keys) - 1
    return launcher, stored


def assert_as_undisturbed(run: Run, undisturbed: Run, stored: dict[str, int]) -> None:
    """The tables are those of the undisturbed run, and what was stored is the same file still."""
    assert stored.items() <= run.stored().items()
    assert {"sparse_hierarchy/cells", "sparse_hierarchy/sensitivities"} <= run.tables().keys()
    assert_equal(run.tables(), undisturbed.tables())


def test_jobs_that_run_at_a_time_see_a_gpu_each(slurm, environment, tmp_path):
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(HERE / "devices.smk")]
    command += ["--workflow-profile", str(ROOT / "profiles" / "slurm-nodb"), *QUICK]
    done = subprocess.run(
        [*command, "--directory", str(tmp_path)], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    seen = sorted(file.read_text().strip() for file in (tmp_path / "seen").iterdir())
    assert seen == [str(number) for number in range(N_GPUS)]


def test_sigterm_ends_a_run_and_its_job_leaves_a_checkpoint(undisturbed, grid):
    launcher, stored = start_until_the_last_cell(grid, undisturbed.keys("lcn"))
    launcher.terminate()
    launcher.wait(timeout=60)
    wait_for(lambda: not running_jobs(grid), within=30)
    grid.run()
    assert grid.last_log("lcn").count("goes on from its checkpoint") == 1
    assert_as_undisturbed(grid, undisturbed, stored)


def test_a_job_that_is_about_to_exceed_its_time_stops_itself_and_is_resumed(undisturbed, grid):
    # One minute, then two: training stops half a minute before the end of so short a job.
    launcher = grid.start("--set-resources", "train_hierarchy:runtime=attempt")
    grid.wait_until_stored(undisturbed.keys("lcn"), 1)
    stored, process = grid.stored(), trainer(grid)
    # On a fast machine all would be trained by then: it sleeps until that moment.
    process.suspend()
    time.sleep(max(0, process.create_time() + 31 - time.time()))
    process.resume()
    grid.end(launcher)
    said, log = grid.messages(), grid.last_log("lcn")
    assert "the job's time of 1 min is almost over" in said
    assert "Trying to restart" in said
    assert "TIMEOUT" not in said
    assert "4 cells: 0 in the store" not in log
    assert log.count("goes on from its checkpoint") == 1
    assert_as_undisturbed(grid, undisturbed, stored)


def test_a_status_command_that_fails_for_seconds_does_not_stop_the_run(
    undisturbed, grid, environment, tmp_path
):
    real, flag, commands = shutil.which("squeue"), tmp_path / "fails", tmp_path / "bin"
    commands.mkdir()
    script = commands / "squeue"
    script.write_text(f'#!/bin/sh\n[ -e {flag} ] && echo >> {flag} && exit 1\nexec {real} "$@"\n')
    script.chmod(0o755)
    grid.environment = {**environment, "PATH": f"{commands}{os.pathsep}{environment['PATH']}"}
    launcher, stored = start_until_the_last_cell(grid, undisturbed.keys("lcn"))
    flag.touch()
    wait_for(lambda: flag.read_text().count("\n") >= 5, within=120, say=grid.printed)
    flag.unlink()
    grid.end(launcher)
    assert "Slurm's status command fails, for 0 min: 1 jobs go on" in grid.messages()
    assert "Slurm answers again" in grid.messages()
    assert_as_undisturbed(grid, undisturbed, stored)
