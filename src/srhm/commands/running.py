"""Snakemake as it runs: one at a time in a folder, its log, signals, variables of its jobs."""

import errno
import fcntl
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import IO

import psutil

from srhm.commands import variables
from srhm.commands.live_view import LiveView, PrintedLines
from srhm.commands.printing import Refused
from srhm.commands.watching import Watch
from srhm.jobs.stopping import ECHO

# Seconds for which a Snakemake that was asked to end may go on without a job. Its handler of
# SIGTERM waits for a lock that the code which it interrupts may hold.
PATIENCE = 20.0
# The same on a cluster, where it first asks the scheduler to cancel its jobs: a minute at most.
PATIENCE_OF_CLUSTER = 120.0
# Below results/: all that Snakemake and its jobs print.
LOG = "run.log"


@contextmanager
def locked(folder: Path) -> Iterator[IO[str]]:
    """The lock of the folder that holds results/, while the block runs.

    Raises:
        Refused: if another run holds it, or the folder cannot be written to.
    """
    results = folder / "results"
    try:
        results.mkdir(parents=True, exist_ok=True)
        lock_file = (results / ".lock").open("a+", encoding="utf-8")
    except OSError as error:
        raise Refused(
            f"{results} cannot be written to: {error.strerror}{whose(error)}; nothing was started"
        ) from error
    with lock_file as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read() or "it is just starting"
            raise Refused(f"another run works in {folder}: {holder}") from None
        except OSError as error:
            raise Refused(
                f"{lock_file.name} cannot be locked ({error.strerror}): two runs at a time could"
                " not be told apart here. --directory elsewhere puts results/ on a file system that"
                " has locks; nothing was started"
            ) from error
        yield lock


def snakemake_by_hand(folder: Path) -> int | None:
    """Process id of a Snakemake on this host that was started in the folder by hand, if any.

    Those that wrap a job (`--mode`) may outlive the run that sent the job, and do no harm.
    """
    for process in psutil.process_iter(["cmdline", "cwd"]):
        line = process.info["cmdline"] or []
        words = [Path(word).name for word in line[:3]]
        wraps_a_job = "--mode" in line
        if "snakemake" in words and not wraps_a_job and process.info["cwd"] == str(folder):
            return process.pid
    return None


def whose(error: OSError) -> str:
    """Of which user the file or folder is that may not be read or written, and what would let us.

    Empty where the system says something else of it.
    """
    if error.errno not in (errno.EACCES, errno.EPERM) or error.filename is None:
        return ""
    path = Path(error.filename)
    while not os.path.lexists(path):
        path = path.parent
    try:
        owner = path.owner()
    except KeyError:
        owner = f"user {path.lstat().st_uid}"
    return f". {path} belongs to {owner}: a group shares results that are made under umask 002"


def run_snakemake(
    command: list[str],
    lock: IO[str],
    preset: str,
    *,
    local: bool,
    watch: Watch,
    lines: PrintedLines,
) -> int:
    """Exit code of the command, which holds the lock too; 128 + n where signal n ended it.

    local: the jobs run on this machine, see `Stops`.
    """
    results = Path(lock.name).parent
    # Snakemake inherits what is ignored. Under nohup SIGHUP stays so here, too.
    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.signal(signal.SIGHUP, signal.SIG_IGN) != signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    # Elsewhere it must hear Ctrl-C, which a shell has its background jobs ignore.
    signal.signal(signal.SIGINT, signal.SIG_IGN if local else signal.default_int_handler)
    with (
        (results / LOG).open("wb") as output,
        (results / LOG).open("rb") as printed,
        subprocess.Popen(
            command,
            pass_fds=[lock.fileno()],
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment(results),
        ) as process,
    ):
        stops = Stops(process, local=local)
        for number in numbers:
            signal.signal(number, stops.hear)
        lock.truncate(0)
        started = datetime.now().astimezone().isoformat(sep=" ", timespec="seconds")
        host = socket.gethostname()
        lock.write(f"preset {preset}, process {process.pid} on {host}, started {started}")
        lock.flush()
        with LiveView(watch, sys.stdout, printed=printed, lines=lines):
            while process.poll() is None:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=1)
                stops.insist()
    code = process.returncode
    return code if code >= 0 else 128 - code


class Stops:
    """Signals to a launcher, passed on to its Snakemake and the jobs of it.

    On one machine (local) jobs get them: they leave checkpoints, and Snakemake starts no more; a
    second signal ends them at once. Ctrl-C must not reach Snakemake itself, which would report its
    own interruption as an error. On a cluster Snakemake itself takes Ctrl-C and cancels the jobs
    that it has sent; SIGTERM is passed on as Ctrl-C. A closed terminal (SIGHUP) is as SIGTERM here;
    on a cluster Snakemake sends no more jobs then, and ends with those in flight.
    """

    def __init__(self, snakemake: subprocess.Popen[bytes], *, local: bool) -> None:
        self._snakemake, self._local = snakemake, local
        self._heard = list[float]()  # when
        self._told = set[psutil.Process]()
        self._busy = 0.0  # when it last had a job

    def hear(self, number: int, _frame: object) -> None:
        """Handles a signal."""
        now = time.monotonic()
        if self._local:
            self._heard.append(now)
            self._snakemake.terminate()  # it waits for the jobs in flight
            self._end_scripts(at_once=now - self._heard[0] > ECHO[signal.SIGINT])
        elif number == signal.SIGHUP:
            self._snakemake.terminate()
        else:
            self._heard.append(now)
            in_foreground = False  # the terminal signals all processes of its group
            with suppress(OSError), open("/dev/tty", "rb") as terminal:
                in_foreground = os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
            if number == signal.SIGTERM or not in_foreground:
                self._snakemake.send_signal(signal.SIGINT)

    def insist(self) -> None:
        """Ends what was asked to end and goes on."""
        if not self._heard:
            return
        now = time.monotonic()
        if self._local:
            self._end_scripts()  # one may have been starting when the others were asked
            if self._jobs():
                self._busy = now
            elif now - max(self._busy, self._heard[0]) > PATIENCE:
                self._snakemake.kill()
        elif now - self._heard[0] > PATIENCE_OF_CLUSTER:
            self._snakemake.kill()
            print(
                f"Snakemake did not end within {PATIENCE_OF_CLUSTER:.0f} s and was killed: its jobs"
                " may run on, and fill the store (docs/cluster.md)"
            )

    def _jobs(self) -> list[psutil.Process]:
        """All processes that Snakemake has started, and theirs."""
        with suppress(psutil.NoSuchProcess):
            return list(psutil.Process(self._snakemake.pid).children(recursive=True))
        return []

    def _end_scripts(self, *, at_once: bool = False) -> None:
        """Sends SIGTERM once to each script: training leaves checkpoints. at_once: kills them."""
        for process in self._jobs():
            with suppress(psutil.NoSuchProcess):
                # Not to the shell around a script, which would leave it behind.
                words = process.cmdline()[:3]
                if not any(Path(word).match(".snakemake/scripts/*.py") for word in words):
                    continue
                if at_once:
                    process.kill()
                elif process not in self._told:
                    self._told.add(process)
                    process.terminate()


def environment(results: Path) -> dict[str, str]:
    """Variables of Snakemake: UTF-8, memory that is kept, and a cache that can be written to."""
    instead = results / ".cache"
    lacking = variables.of_nobody(instead)
    if lacking:
        set_here = ", ".join(f"{name}={value}" for name, value in lacking.items())
        print(f"this user has no entry in the table of users: {set_here}")
    passed = {**variables.KEEP_MEMORY, **os.environ, **lacking}
    passed |= {"PYTHONUTF8": "1", "PYTHONSAFEPATH": "1"}
    cache = Path(
        passed.get("XDG_CACHE_HOME") or Path(lacking.get("HOME") or Path.home()) / ".cache"
    )
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=cache) as file:
            file.write(bytes(1 << 20))  # a full disk takes an empty file
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        print(f"{cache} cannot be written to ({error.strerror}): {instead} is used")
        passed |= {"XDG_CACHE_HOME": str(instead), "MPLCONFIGDIR": str(instead / "matplotlib")}
    return passed
