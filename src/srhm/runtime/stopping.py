"""Requests to stop: by a signal, by the end of a job's time, or by a job's own failure.

Training asks between two calls of its engine whether it is to stop. A signal is only noted when it
arrives, so that nothing is torn apart.
"""

import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import psutil

# Seconds before the end of a job's time at which its training stops; half of it for shorter jobs.
MARGIN = 60.0
# Seconds between the start of a job and that of its trainer, where the scheduler does not say when
# the job ends. Assumed: the two Snakemakes around a trainer take 4 s, on a slow file system more.
STARTUP = 60.0
# When the present job of Slurm ends, as a UNIX time.
SLURM_END = "SLURM_JOB_END_TIME"
# Exit code of a job that was stopped, as of a command that may be tried again.
STOPPED = 75
# A second Ctrl-C that comes later than this ends the process at once. One key press may arrive
# twice: from the terminal, and passed on by a parent.
ECHO = 1.0


class Stopped(SystemExit):
    """The end of a job that was asked to stop; what there is to say is in its log."""


class StopRequest:
    """Whether to stop, and why; shared by the threads of a job.

    limit: seconds that the job may last; None: no limit. environment: in a job of Slurm it says
    when the job ends. If it does not, the limit counts from the start of this process, and the
    margin is longer by the time that the job may have spent before.
    """

    def __init__(
        self, *, limit: float | None = None, environment: Mapping[str, str] = os.environ
    ) -> None:
        self._asked: str | None = None
        self._lock = threading.Lock()
        self._end: float | None = None
        if limit is not None:
            started = psutil.Process(os.getpid()).create_time()
            left, margin = limit, MARGIN + STARTUP
            said = environment.get(SLURM_END, "")
            if said.isdecimal() and float(said) > started:
                left, margin = float(said) - started, MARGIN
            self._end = started + left - min(margin, left / 2)
            self._limit = limit

    @property
    def reason(self) -> str | None:
        """Why to stop; None: go on."""
        if self._asked is None and self._end is not None and time.time() >= self._end:
            self.ask(f"the job's time of {self._limit / 60:.0f} min is almost over")
        return self._asked

    def ask(self, reason: str) -> None:
        """Asks all threads to stop; the first reason stays."""
        with self._lock:
            self._asked = self._asked or reason


@contextmanager
def stop_on_signals(request: StopRequest) -> Iterator[StopRequest]:
    """SIGTERM and SIGINT (Ctrl-C) become a request to stop, a second Ctrl-C ends at once.

    To be entered in the main thread, where signals arrive. The earlier handlers are put back unless
    there was a request.
    """
    first = 0.0

    def note(number: int, _frame: object) -> None:
        nonlocal first
        if number == signal.SIGINT and first and time.monotonic() - first > ECHO:
            raise KeyboardInterrupt
        first = first or time.monotonic()
        # No lock here: the handler may interrupt the thread that holds it.
        request._asked = request._asked or signal.Signals(number).name

    earlier = {number: signal.signal(number, note) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield request
    finally:
        # A process that is ending because it was asked to is not killed by the same request again.
        for number, handler in earlier.items():
            signal.signal(number, signal.SIG_IGN if request.reason else handler)
