"""Faults of a cluster's scheduler: its commands fail, hang, rave, forget jobs, while a run waits.

The real plugin for Slurm is used, installed for these faults alone, with commands that stand in for
Slurm's (slurm.sh). Looks that come every five minutes come every three seconds here.
"""

import atexit
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from faults.scene import LONGEST_END, LONGEST_RUN, REPOSITORY, Absent, Defect, Scene
from faults.signals import STORED
from faults.table import NOTHING, Fault, Make

HERE = Path(__file__).parent
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
# What happens to a run that waits for its jobs.
Strike = Callable[["Cluster", "subprocess.Popen[str]"], None]


@cache
def plugins() -> Path:
    """Folder of the executor plugin for Slurm.

    Raises:
        Absent: if it cannot be installed.
    """
    folder = Path(tempfile.mkdtemp(prefix="faults-plugins-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
    command += [str(folder), *project["optional-dependencies"]["cluster"]]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Absent(f"the plugin for Slurm cannot be installed: {done.stderr}")
    (folder / "sitecustomize.py").write_text(SOON, encoding="utf-8")
    return folder


class Cluster:
    """A scene whose jobs go through commands that stand in for Slurm's."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.folder = scene.folder.with_name("slurm")
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "bin").mkdir(parents=True)
        for name in COMMANDS:
            (self.folder / "bin" / name).symlink_to(HERE / "slurm.sh")
        self.environment = {
            "FAKE_SLURM": str(self.folder),
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(plugins()),
        }

    def start(self, *words: str) -> "subprocess.Popen[str]":
        """Starts the run."""
        arguments = (*self.scene.kind.words, *WORDS, *words)
        return self.scene.start(*arguments, environment=self.environment)

    def wait(self, test: Callable[[], bool], process: "subprocess.Popen[str]") -> None:
        """Waits until something is true while the run goes on.

        Raises:
            Defect: if the run ends before.
        """
        deadline = time.monotonic() + LONGEST_RUN
        while not test():
            if process.poll() is not None or time.monotonic() > deadline:
                raise Defect(f"the run ended before the fault:\n{self.scene.said()}")
            time.sleep(0.05)

    @property
    def running(self) -> list[Path]:
        """Jobs that have not ended."""
        return [one for one in self.folder.glob("*.job") if not one.with_suffix(".code").exists()]

    def end_jobs(self) -> None:
        """Ends what still runs."""
        for job in self.running:
            with suppress(ProcessLookupError):
                os.killpg(int(job.stem), signal.SIGKILL)


@contextmanager
def fails(cluster: Cluster, *commands: str, how: str = "fails") -> Iterator[None]:
    """Commands fail while the block runs."""
    for name in commands:
        (cluster.folder / f"{name}.{how}").touch()
    yield
    for name in commands:
        (cluster.folder / f"{name}.{how}").unlink()


def waiting(strike: Strike, *, goes_on: bool = True, words: Sequence[str] = ()) -> Make:
    """A run to which something happens while it waits for a job that trains.

    goes_on: whether it is to reach its end all the same. words: more of them for the launcher.
    """

    def make(scene: Scene) -> str:
        cluster = Cluster(scene)
        process = cluster.start(*words)
        try:
            cluster.wait(lambda: bool(len(scene.whole()) >= 2 and cluster.running), process)
            scene.stored = scene.whole()
            scene.at_work = len(cluster.running)
            strike(cluster, process)
            code, text = scene.end(process, within=LONGEST_RUN if goes_on else LONGEST_END)
            if goes_on and code:
                raise Defect(f"the run does not go on:\n{text}")
            deadline = time.monotonic() + LONGEST_END
            while not goes_on and cluster.running and time.monotonic() < deadline:
                time.sleep(0.2)  # trainers leave checkpoints
        finally:
            cluster.end_jobs()
        return text

    return make


def for_calls(how: str, number: int, command: str) -> Strike:
    """A command fails, hangs or raves for so many calls."""

    def strike(cluster: Cluster, process: "subprocess.Popen[str]") -> None:
        calls = cluster.folder / f"{command}.calls"
        with fails(cluster, command, how=how):
            cluster.wait(
                lambda: calls.exists() and len(calls.read_text()) >= number * len(how), process
            )

    return strike


def until_all_is_over(cluster: Cluster, process: "subprocess.Popen[str]") -> None:
    """`squeue` fails until the jobs have ended and Slurm has forgotten them."""
    with fails(cluster, "squeue"):
        cluster.wait(lambda: not cluster.running, process)
        time.sleep(2)
        for job in cluster.folder.glob("*.job"):
            job.unlink()


def killed_unseen(cluster: Cluster, process: "subprocess.Popen[str]") -> None:
    """A job is killed while `squeue` fails, and Slurm has forgotten it afterwards."""
    with fails(cluster, "squeue"):
        for job in cluster.running:
            os.killpg(int(job.stem), signal.SIGKILL)
            job.unlink()
        cluster.wait(lambda: "status command fails" in cluster.scene.said(), process)


def removed(cluster: Cluster, process: "subprocess.Popen[str]") -> None:
    """`squeue` is no program for some seconds, as while a module or a mount is renewed."""
    file = cluster.folder / "bin" / "squeue"
    # In its place, since a squeue of this machine may lie further on the path.
    file.rename(file.with_name("away"))
    file.write_text("not a program", encoding="utf-8")
    file.chmod(0o755)
    cluster.wait(lambda: "status command fails" in cluster.scene.said(), process)
    file.unlink()
    file.with_name("away").rename(file)


def asked_to_end(number: signal.Signals, how: str = "", *commands: str) -> Strike:
    """A signal for the launcher, while commands fail or hang."""

    def strike(cluster: Cluster, process: "subprocess.Popen[str]") -> None:
        for name in commands:
            (cluster.folder / f"{name}.{how}").touch()
        time.sleep(3 if commands else 0)
        process.send_signal(number)

    return strike


GOES_ON = ", after a run that went on by itself"
IN_FLIGHT = "at most {at_work} in flight (checkpointed), no finished one"
WENT_ON: dict[str, tuple[str, Make, tuple[str, ...]]] = {
    "squeue_seconds": (
        "squeue fails for a second (five times)",
        waiting(for_calls("fails", 5, "squeue")),
        ("status command fails",),
    ),
    "squeue_over": (
        "squeue fails until all jobs have ended and are forgotten",
        waiting(until_all_is_over),
        ("status command fails", "Slurm answers again"),
    ),
    "squeue_raves": (
        "squeue prints garbage",
        waiting(for_calls("raves", 2, "squeue")),
        (),
    ),
    "squeue_empty": (
        "squeue lists no job, once",
        waiting(for_calls("lists_nothing", 1, "squeue")),
        (),
    ),
    "squeue_removed": (
        "squeue is no program for some seconds",
        waiting(removed),
        ("status command fails",),
    ),
    "squeue_hangs": (
        "squeue hangs",
        waiting(for_calls("hangs", 2, "squeue")),
        (),
    ),
    "killed_unseen": (
        "a job killed while squeue fails, and forgotten",
        waiting(killed_unseen),
        ("Slurm has no job .* any more",),
    ),
    "sacct_disabled": (
        "sacct never answers (accounting storage is disabled)",
        waiting(
            asked_to_end(signal.SIGCONT, "fails", "sacct"),
            words=("--slurm-status-command", "sacct"),
        ),
        ("status command fails",),
    ),
    "sacct_empty": (
        "sacct lists no job, ever",
        waiting(
            asked_to_end(signal.SIGCONT, "lists_nothing", "sacct"),
            words=("--slurm-status-command", "sacct"),
        ),
        (),
    ),
    "scontrol_fails": (
        "scontrol fails",
        waiting(asked_to_end(signal.SIGCONT, "fails", "scontrol")),
        (),
    ),
}
ENDED: dict[str, tuple[str, Strike, tuple[str, ...]]] = {
    "terminated": ("SIGTERM to the run", asked_to_end(signal.SIGTERM), ()),
    "interrupted": ("Ctrl-C", asked_to_end(signal.SIGINT), ()),
    "terminated_hanging": (
        "SIGTERM to the run while squeue hangs",
        asked_to_end(signal.SIGTERM, "hangs", "squeue"),
        (),
    ),
    "terminated_no_scancel": (
        "SIGTERM to the run while scancel fails",
        asked_to_end(signal.SIGTERM, "fails", "scancel"),
        ("jobs may run on",),
    ),
    "sbatch_fails": (
        "sbatch and squeue fail, and the run is ended",
        asked_to_end(signal.SIGTERM, "fails", "sbatch", "squeue"),
        (),
    ),
}
FAULTS = {
    f"slurm_{name}": Fault(
        title=f"Slurm: {title}",
        begins=NOTHING,
        make=make,
        says=says,
        trains=0,
        mended=GOES_ON,
        tracebacks=name == "killed_unseen",
    )
    for name, (title, make, says) in WENT_ON.items()
} | {
    f"slurm_{name}": Fault(
        title=f"Slurm: {title}",
        begins=NOTHING,
        make=waiting(strike, goes_on=False),
        says=(*says, STORED),
        lost=IN_FLIGHT,
        tracebacks=True,
    )
    for name, (title, strike, says) in ENDED.items()
}
