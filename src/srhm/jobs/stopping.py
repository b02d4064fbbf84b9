"""Requests to stop: by a signal, by the end of a job's time, or by a job's own failure.

Training asks between two calls of its engine whether it is to stop. A signal is only noted when it
arrives, so that nothing is torn apart. A thread beside the training sees what the training cannot
say itself while it stands still: that it does, and that it is asked a second time to end.
"""

import logging
import os
import select
import signal
import threading
import time
from collections.abc import Iterator
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
# Signals that ask a process to stop; SIGHUP when its terminal is closed. A second one that comes
# later than so many seconds ends it at once. One key press may arrive twice, from the terminal and
# passed on by a parent, and the steps of a scheduler's job each pass its end on.
ECHO = {signal.SIGINT: 1.0, signal.SIGTERM: 10.0, signal.SIGHUP: 10.0}
SIGNALS = tuple(ECHO)
# Seconds after which a training that has not asked whether to stop is said to stand still.
STILL = 600.0
# What its log then says.
NO_STEP = "no step for"


class Stopped(SystemExit):
    """The end of a job that was asked to stop; what there is to say is in its log."""


class StopRequest:
    """Whether to stop, and why; shared by the threads of a job.

    limit: seconds that the job may last; None: no limit. In a job of Slurm the environment says
    when the job ends. If it does not, the limit counts from the start of this process, and the
    margin is longer by the time that the job may have spent before.
    """

    def __init__(self, *, limit: float | None = None) -> None:
        self._asked: str | None = None
        # When the training last looked, on the clock `time.monotonic`.
        self.looked = time.monotonic()
        self._end: float | None = None
        if limit is not None:
            started = psutil.Process(os.getpid()).create_time()
            left, margin = limit, MARGIN + STARTUP
            said = os.environ.get(SLURM_END, "")
            if said.isdecimal() and float(said) > started:
                left, margin = float(said) - started, MARGIN
            self._end = started + left - min(margin, left / 2)
            self._limit = limit

    @property
    def reason(self) -> str | None:
        """Why to stop; None: go on."""
        self.looked = time.monotonic()
        if self._asked is None and self._end is not None and time.time() >= self._end:
            self.ask(f"the job's time of {self._limit / 60:.0f} min is almost over")
        return self._asked

    def ask(self, reason: str) -> None:
        """Asks all threads to stop; the first reason stays.

        No lock here: the handler of a signal may interrupt the thread that holds it.
        """
        self._asked = self._asked or reason


@contextmanager
def stop_on_signals(
    request: StopRequest, *, log: logging.Logger | None = None
) -> Iterator[StopRequest]:
    """The first of SIGNALS becomes a request to stop, a second one ends the process at once.

    To be entered in the main thread, where signals arrive. A SIGHUP that is ignored, as under
    nohup, stays so. The earlier handlers are put back unless there was a request. log: told where
    the training stands still.
    """

    def note(number: int, _frame: object) -> None:
        request.ask(signal.Signals(number).name)

    hung_up = signal.getsignal(signal.SIGHUP) != signal.SIG_IGN
    numbers = [number for number in SIGNALS if number != signal.SIGHUP or hung_up]
    # Each signal is a byte here as soon as it arrives, even while the main thread computes.
    arrived, wakeup = os.pipe()
    os.set_blocking(wakeup, False)
    earlier_wakeup = signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
    earlier = {number: signal.signal(number, note) for number in numbers}
    thread = threading.Thread(target=_look_on, args=(request, arrived, log), daemon=True)
    thread.start()
    try:
        yield request
    finally:
        # A process that is ending because it was asked to is not killed by the same request again.
        for number, handler in earlier.items():
            signal.signal(number, signal.SIG_IGN if request.reason else handler)
        signal.set_wakeup_fd(earlier_wakeup)
        os.close(wakeup)  # ends the thread
        thread.join()
        os.close(arrived)


def _look_on(request: StopRequest, arrived: int, log: logging.Logger | None) -> None:
    """Ends the process at a second signal; says when the training has not looked for long."""
    first, said = 0.0, 0.0
    while True:
        readable, _, _ = select.select([arrived], [], [], STILL / 10)
        now = time.monotonic()
        if not readable:
            if log and now - max(request.looked, said) >= STILL:
                said = now
                log.warning(
                    "%s %.0f minutes; if it does not go on, end it (a second signal always does)"
                    " and give the same command again",
                    *(NO_STEP, (now - request.looked) / 60),
                )
            continue
        number = next(iter(os.read(arrived, 1)), None)
        if number is None:
            return
        if number in SIGNALS:
            if first and now - first > ECHO[signal.Signals(number)]:
                os._exit(128 + number)
            first = first or now
