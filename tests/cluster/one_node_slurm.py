"""A Slurm of one node with two fake GPUs on this machine, for as long as a test needs it.

Needs root. A machine with a Slurm of its own is left alone: its configuration would have to be
replaced, since the executor plugin lets no SLURM_CONF through to the jobs.
"""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil

CONFIGURATION = Path("/etc/slurm")
FILES = ("slurm.conf", "gres.conf", "cgroup.conf")
# First line of the files written here: what a killed test left behind is known by it.
MARK = "# written by tests/cluster/one_node_slurm.py\n"
PACKAGES = ("slurmctld", "slurmd", "slurm-client", "munge")
N_GPUS = 2

# No accounting, no cgroups, no systemd. config_overrides allows more CPUs than there are, so that
# four jobs run at a time. KillWait: seconds from SIGTERM to SIGKILL; 30 by default.
SLURM = """
ClusterName=srhm-test
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
ReturnToService=2
SlurmUser=root
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmdParameters=config_overrides
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
MinJobAge=300
KillWait=10
DefMemPerCPU=500
GresTypes=gpu
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 RealMemory=16000 Gres=gpu:fake:{n_gpus} State=UNKNOWN
PartitionName=test Nodes={host} Default=YES MaxTime=60 State=UP
"""
GRES = "NodeName={host} Name=gpu Type=fake File={folder}/gpu[0-{last}]\n"
CGROUP = "CgroupAutomount=no\nConstrainCores=no\nConstrainDevices=no\nConstrainRAMSpace=no\n"


class Refused(Exception):
    """Slurm cannot or must not be started here; the message says why."""


@contextmanager
def one_node_slurm(folder: Path) -> Iterator[None]:
    """A running Slurm while the block lasts; its logs and its state are in the folder.

    Raises:
        Refused: if there is a Slurm here already, or one cannot be installed or started.
    """
    if os.getuid() != 0:
        raise Refused("starting Slurm needs root")
    _refuse_where_there_is_a_slurm()
    _install()
    # Undone in reverse order, each step also where another fails.
    with ExitStack() as undo:
        undo.callback(_remove_own_configuration)
        _configure(folder)
        if not _munge_answers():
            Path("/run/munge").mkdir(exist_ok=True)
            shutil.chown("/run/munge", "munge", "munge")
            undo.callback(_end, Path("/run/munge/munged.pid"))
            _call("runuser", "-u", "munge", "--", shutil.which("munged") or "munged", "--force")
        for daemon in ("slurmctld", "slurmd"):
            undo.callback(_end, folder / f"{daemon}.pid")
            _call(daemon)
        undo.callback(_cancel_all)
        _wait_until_idle(folder)
        yield


def _refuse_where_there_is_a_slurm() -> None:
    if "SLURM_CONF" in os.environ:
        raise Refused("SLURM_CONF names a Slurm of this machine")
    running = {process.info["name"] for process in psutil.process_iter(["name"])}
    if running & {"slurmctld", "slurmd"}:
        raise Refused("a Slurm is running here already")
    _remove_own_configuration()
    for folder in (CONFIGURATION, Path("/etc/slurm-llnl"), Path("/usr/local/etc")):
        if (folder / "slurm.conf").exists():
            raise Refused(f"{folder / 'slurm.conf'} exists: this machine has a Slurm of its own")


def _install() -> None:
    if all(shutil.which(name) for name in ("slurmctld", "slurmd", "squeue", "munged")):
        return
    if not shutil.which("apt-get"):
        raise Refused("Slurm is not installed and there is no apt-get")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "--yes", "--no-install-recommends", *PACKAGES]
    for command in (["apt-get", "update"], install):
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise Refused(f"{' '.join(command)} failed: {done.stderr.strip()[-300:]}")


def _configure(folder: Path) -> None:
    host = socket.gethostname().split(".")[0]
    for part in ("state", "spool"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for number in range(N_GPUS):
        try:  # Slurm takes character devices only; this one is /dev/null
            os.mknod(folder / f"gpu{number}", 0o666 | 0o020000, os.makedev(1, 3))
        except PermissionError as error:
            raise Refused(f"no device file can be made here: {error}") from None
    CONFIGURATION.mkdir(exist_ok=True)
    texts = (
        SLURM.format(host=host, folder=folder, n_gpus=N_GPUS),
        GRES.format(host=host, folder=folder, last=N_GPUS - 1),
        CGROUP,
    )
    for name, text in zip(FILES, texts, strict=True):
        (CONFIGURATION / name).write_text(MARK + text)


def _remove_own_configuration() -> None:
    for name in FILES:
        file = CONFIGURATION / name
        if file.exists() and file.read_text().startswith(MARK):
            file.unlink()


def _munge_answers() -> bool:
    """Whether Slurm's authentication runs already; it is then used and left running."""
    return subprocess.run(["munge", "-n"], capture_output=True).returncode == 0


def _call(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    if done.returncode:
        raise Refused(f"{' '.join(command)} failed: {done.stderr.strip()[-300:]}")


def _cancel_all() -> None:
    with suppress(subprocess.TimeoutExpired):
        subprocess.run(["scancel", "--user", "root"], timeout=30, capture_output=True)


def _wait_until_idle(folder: Path) -> None:
    deadline = time.monotonic() + 30
    while True:
        state = subprocess.run(["sinfo", "-h", "-o", "%T"], capture_output=True, text=True)
        if state.stdout.strip() == "idle":
            return
        if time.monotonic() > deadline:
            log = (folder / "slurmctld.log").read_text()[-500:]
            raise Refused(f"the node does not become idle: {state.stdout}{state.stderr}{log}")
        time.sleep(0.5)


def _end(pid_file: Path) -> None:
    with suppress(FileNotFoundError, ProcessLookupError):
        pid = int(pid_file.read_text(encoding="utf-8"))
        os.kill(pid, signal.SIGTERM)
        for _ in range(100):
            os.kill(pid, 0)  # raises when it is gone
            time.sleep(0.1)
        os.kill(pid, signal.SIGKILL)
