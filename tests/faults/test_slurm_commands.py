"""Faults of Slurm's commands: they fail, hang, rave, forget jobs, while a run waits for its jobs.

The real plugin is used, installed for these tests alone, with commands that stand in for Slurm's
(slurm.sh). Looks that come every five minutes come every three seconds here.
"""

import os
import signal
import subprocess
import sys
import time
import tomllib
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from disturbed import LONGEST, REPOSITORY, Undisturbed, assert_said

pytestmark = pytest.mark.slow
COMMANDS = ("sbatch", "squeue", "sacct", "scancel", "srun", "scontrol", "sinfo")
SOON = """
import sys
if "snakemake" in sys.orig_argv:
    import srhm.rules.slurm
    from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor
    srhm.rules.slurm.LOOK = 3.0
    RemoteExecutor.next_seconds_between_status_checks = property(
        lambda self: 1.0, lambda self, seconds: None
    )
"""
WORDS = ("--profile", "slurm-nodb", "--slurm-init-seconds-before-status-checks", "1")
WORDS += ("--latency-wait", "2", "--set-threads", "train_hierarchy=1", "train_hierarchy_part=1")
BY_SACCT = ("--slurm-status-command", "sacct")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return Undisturbed(tmp_path_factory.mktemp("slurm"))


@pytest.fixture(scope="module")
def plugins(tmp_path_factory):
    """Folder of the executor plugin for Slurm."""
    folder = tmp_path_factory.mktemp("plugins")
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder]
    done = subprocess.run(
        [*command, *project["optional-dependencies"]["cluster"]], capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip(f"the plugin for Slurm cannot be installed: {done.stderr}")
    (folder / "sitecustomize.py").write_text(SOON, encoding="utf-8")
    return folder


class Cluster:
    """Commands that stand in for Slurm's, and the run that waits for its jobs."""

    def __init__(self, folder, scene, plugins, words):
        self.folder, self.scene = folder, scene
        (folder / "bin").mkdir(parents=True)
        for name in COMMANDS:
            (folder / "bin" / name).symlink_to(Path(__file__).with_name("slurm.sh"))
        path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        environment = {"FAKE_SLURM": str(folder), "PATH": path, "PYTHONPATH": str(plugins)}
        self.process = scene.start(*scene.kind.words, *WORDS, *words, environment=environment)

    def wait(self, test):
        """Waits until something is true while the run goes on."""
        deadline = time.monotonic() + LONGEST
        while not test():
            assert self.process.poll() is None, self.scene.said()
            assert time.monotonic() < deadline, self.scene.said()
            time.sleep(0.05)

    @property
    def running(self):
        """Jobs that have not ended."""
        return [one for one in self.folder.glob("*.job") if not one.with_suffix(".code").exists()]

    @contextmanager
    def does(self, how, *commands):
        """Commands fail, hang, rave or list nothing while the block runs."""
        files = [self.folder / f"{name}.{how}" for name in commands]
        for file in files:
            file.touch()
        yield
        for file in files:
            file.unlink()

    def failure_is_said(self):
        return "status command fails" in self.scene.said()


def for_calls(how, number, command):
    def strike(cluster):
        calls = cluster.folder / f"{command}.calls"
        with cluster.does(how, command):
            cluster.wait(lambda: calls.exists() and len(calls.read_text()) >= number * len(how))

    return strike


def until_all_is_over(cluster):
    """`squeue` fails until the jobs have ended and Slurm has forgotten them."""
    with cluster.does("fails", "squeue"):
        cluster.wait(lambda: not cluster.running)
        time.sleep(2)
        for job in cluster.folder.glob("*.job"):
            job.unlink()


def killed_unseen(cluster):
    """A job is killed while `squeue` fails, and Slurm has forgotten it afterwards."""
    with cluster.does("fails", "squeue"):
        for job in cluster.running:
            os.killpg(int(job.stem), signal.SIGKILL)
            job.unlink()
        cluster.wait(cluster.failure_is_said)


def removed(cluster):
    """`squeue` is no program for some seconds, as while a module or a mount is renewed."""
    file = cluster.folder / "bin" / "squeue"
    # In its place, since a squeue of this machine may lie further on the path.
    file.rename(file.with_name("away"))
    file.write_text("not a program", encoding="utf-8")
    file.chmod(0o755)
    cluster.wait(cluster.failure_is_said)
    file.unlink()
    file.with_name("away").rename(file)


def from_now_on(number, how="", *commands):
    """Commands fail or hang from now on, and a signal for the launcher."""

    def strike(cluster):
        for name in commands:
            (cluster.folder / f"{name}.{how}").touch()
        time.sleep(3 if commands else 0)
        cluster.process.send_signal(number)

    return strike


@contextmanager
def met(undisturbed, plugins, folder, strike, words=()):
    """A scene and the end of a run that was struck while it waited for a job that trains."""
    with undisturbed.scene(of="none") as scene:
        cluster = Cluster(folder / "slurm", scene, plugins, words)
        try:
            cluster.wait(lambda: bool(len(scene.whole()) >= 2 and cluster.running))
            stored = scene.whole()
            strike(cluster)
            code, text = scene.end(cluster.process)
            deadline = time.monotonic() + LONGEST
            while code and cluster.running and time.monotonic() < deadline:
                time.sleep(0.2)  # trainers leave checkpoints
            assert stored.keys() <= scene.whole().keys(), text
            yield scene, code, text
        finally:
            for job in cluster.running:
                with suppress(ProcessLookupError):
                    os.killpg(int(job.stem), signal.SIGKILL)


@pytest.mark.parametrize(
    ("strike", "words", "says"),
    [
        (for_calls("fails", 5, "squeue"), (), ["status command fails"]),
        (for_calls("raves", 2, "squeue"), (), []),
        (for_calls("lists_nothing", 1, "squeue"), (), []),
        (for_calls("hangs", 2, "squeue"), (), []),
        (until_all_is_over, (), ["status command fails", "Slurm answers again"]),
        (removed, (), ["status command fails"]),
        (killed_unseen, (), ["Slurm has no job .* any more"]),
        (from_now_on(signal.SIGCONT, "fails", "sacct"), BY_SACCT, ["status command fails"]),
        (from_now_on(signal.SIGCONT, "lists_nothing", "sacct"), BY_SACCT, []),
        (from_now_on(signal.SIGCONT, "fails", "scontrol"), (), []),
    ],
    ids=["fails", "raves", "lists nothing", "hangs", "until all is over", "removed",
         "killed unseen", "sacct fails", "sacct is empty", "scontrol fails"],
)  # fmt: skip
def test_a_run_goes_on_whatever_slurm_says(undisturbed, plugins, tmp_path, strike, words, says):
    with met(undisturbed, plugins, tmp_path, strike, words) as (scene, code, text):
        assert code == 0, text
        assert_said(text, *says, traceback=strike is killed_unseen)
        undisturbed.is_finished_by(scene, trains=0)


@pytest.mark.parametrize(
    ("strike", "says"),
    [
        (from_now_on(signal.SIGTERM), []),
        (from_now_on(signal.SIGINT), []),
        (from_now_on(signal.SIGTERM, "hangs", "squeue"), []),
        (from_now_on(signal.SIGTERM, "fails", "scancel"), ["jobs may run on"]),
        (from_now_on(signal.SIGTERM, "fails", "sbatch", "squeue"), []),
    ],
    ids=["ended", "Ctrl-C", "squeue hangs", "scancel fails", "sbatch fails"],
)
def test_a_run_that_is_ended_costs_the_cells_in_training(
    undisturbed, plugins, tmp_path, strike, says
):
    with met(undisturbed, plugins, tmp_path, strike) as (scene, code, text):
        assert code != 0
        assert_said(text, *says, r"\d+ of \d+ networks are stored", traceback=True)
        undisturbed.is_finished_by(scene)
