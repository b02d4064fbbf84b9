"""A GPU is trusted on first use: what a form of training computes there is compared before.

A form is a way to train on a GPU: the kernels of the packed engine, say. At its first use on a
device it trains two small networks there and on the processor, in a process of its own, which may
fail or hang. The outcome is kept by form, device, driver, torch and code, and asked for by every
job that trains on a GPU. Nothing is trained, and so nothing stored, by a form that has not passed.
"""

import json
import logging
import math
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from srhm.results.atomic import write_text
from srhm.results.provenance import PACKAGE, short_hash
from srhm.results.sources import digest_of
from srhm.runtime.devices import locked_device
from srhm.runtime.no_device import NoDevice
from srhm.runtime.stopping import STOPPED, Stopped, StopRequest

# Where outcomes are kept, in the folder of a run.
FOLDER = Path("results/benchmarks/first_use")
CHILD = "srhm.runtime.trial_process"
# Seconds after which a trial hangs. It loads torch, compiles kernels, and trains for seconds.
LIMIT = 600.0
# Seconds between two looks at a trial, and for which one that was killed may go on.
BETWEEN_LOOKS, PATIENCE = 0.1, 10.0
# Characters of what a trial that failed has said, which are kept.
KEPT = 4000
REPORT = "please report it with the table of `make check-gpu`, which also tries again"

Ending = Literal["equal", "differs", "failed", "hung"]


@dataclass(frozen=True)
class GpuForm:
    """A way to train on a GPU.

    module: of its code. trial: "module:function" that yields rows, see `trial_process`. must_pay:
    it is not used where one core of the processor has done the same sooner.
    """

    name: str
    module: str
    trial: str
    must_pay: bool = False

    @property
    def digest(self) -> str:
        """Digest of the code that trains, and of that which compares."""
        return digest_of(f"{self.module}:", self.trial)


@dataclass(frozen=True)
class FirstUse:
    """What the first use of a form on a device has shown.

    device: {"name", "driver", "torch", "triton", "digest"}; empty where the trial did not get so
    far. reason: why it did not pass. rows: one for each network, see `trial_process`. seconds: that
    the trial took. said: the end of what a trial that failed printed.
    """

    form: str
    outcome: Ending
    device: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    rows: Sequence[Mapping[str, Any]] = ()
    seconds: float = 0.0
    checked: str = ""
    host: str = ""
    said: str = ""

    @property
    def slower(self) -> bool:
        """Whether one core of the processor trained all networks sooner."""
        there, here = (sum(row[name] for row in self.rows) for name in ("seconds", "on_processor"))
        return there > here


def trusted(
    forms: Sequence[GpuForm],
    *,
    log: logging.Logger,
    stop: StopRequest | None = None,
    folder: Path = FOLDER,
    device: str | None = None,
    limit: float = LIMIT,
) -> GpuForm | None:
    """The first of these forms that can be trusted on this device; None: train on processors.

    forms: in the order of preference. stop: request that ends a trial. folder: of the outcomes.
    device: of torch; None: the GPU. limit: seconds of a trial.

    Raises:
        NoDevice: if there is no GPU.
        Stopped: if asked to stop; the log says so.
    """
    for form in forms:
        found = first_use_of(form, log=log, stop=stop, folder=folder, device=device, limit=limit)
        name = found.device.get("name", "the device")
        if found.outcome != "equal":
            log.warning(
                "%s is not used on %s: its first use there has %s (%s); %s",
                *(form.name, name, SAID[found.outcome], found.reason, REPORT),
            )
        elif form.must_pay and found.slower:
            log.warning("%s is not used on %s: slower than one core here", form.name, name)
        else:
            log.info("%s on %s: equal within rounding at first use", form.name, name)
            return form
    log.warning(
        "networks are trained on processors, although this job holds a GPU: DEVICE=cpu trains on"
        " all cores"
    )
    return None


# How a trial has ended, for people.
SAID: dict[Ending, str] = {
    "equal": "agreed with the processor",
    "differs": "differed from the processor",
    "failed": "failed",
    "hung": "hung",
}


def first_use_of(
    form: GpuForm,
    *,
    log: logging.Logger,
    stop: StopRequest | None = None,
    folder: Path = FOLDER,
    device: str | None = None,
    limit: float = LIMIT,
    again: bool = False,
) -> FirstUse:
    """The outcome that is kept of a form on this device; that of a trial where there is none.

    again: a trial in any case. All else as of `trusted`, and so what is raised.
    """
    with _trial(form, device=device, limit=limit, stop=stop, log=log) as trial:
        trial.wait(lambda: bool(trial.device))
        if trial.ended:
            return trial.first_use_of()
        file = folder / f"{form.name}-{short_hash(trial.device)}.json"
        if not again and (kept := _kept(file)):
            return kept
        # One at a time on a machine: the others find its outcome, and none disturbs its times.
        with locked_device([f"first use of {form.name}"], log=log, stop=stop):
            if not again and (kept := _kept(file)):
                return kept
            log.info(
                "first use of %s on %s: two networks are trained there and here",
                *(form.name, trial.device["name"]),
            )
            trial.go()
            trial.wait(lambda: False)
            found = trial.first_use_of()
            if not trial.crowded:
                try:
                    write_text(file, json.dumps(asdict(found), indent=1) + "\n")
                except OSError as fault:
                    log.warning("%s cannot be written (%s): the next job tries again", file, fault)
        return found


def disagreements(rows: Sequence[Mapping[str, Any]]) -> str:
    """What differs by more than is allowed, for people; empty: nothing does."""
    return "; ".join(
        f"{row['network']}: {name} {found:.2g}, allowed {allowed:.2g}"
        for row in rows
        for name, (found, allowed) in row["differences"].items()
        if not (math.isfinite(found) and found <= allowed)
    )


def _kept(file: Path) -> FirstUse | None:
    """A outcome of a file; None if there is none, or it is damaged."""
    try:
        return FirstUse(**json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


@contextmanager
def _trial(
    form: GpuForm,
    *,
    device: str | None,
    limit: float,
    stop: StopRequest | None,
    log: logging.Logger,
) -> Iterator["_Trial"]:
    """A trial that has begun, in a process that does not outlive the block."""
    paths = [str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
    with tempfile.TemporaryDirectory(prefix="srhm-first-use-") as place:
        answers, said = Path(place, "answers"), Path(place, "said")
        command = [sys.executable, "-m", CHILD, str(answers), form.trial, "--limit", f"{limit}"]
        command += ["--device", device] if device else []
        with said.open("wb") as output:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )
        try:
            yield _Trial(form, process, answers, said, limit, stop)
        except Stopped:
            log.warning("stopped before a device had passed: nothing was trained")
            raise
        finally:
            assert process.stdin is not None
            with suppress(OSError):
                process.stdin.close()
            process.kill()
            with suppress(subprocess.TimeoutExpired):  # in the driver no signal reaches it
                process.wait(PATIENCE)


class _Trial:
    """A trial in a process of its own, and what it has answered so far."""

    def __init__(
        self,
        form: GpuForm,
        process: "subprocess.Popen[bytes]",
        answers: Path,
        said: Path,
        limit: float,
        stop: StopRequest | None,
    ) -> None:
        self._form, self._process, self._limit, self._stop = form, process, limit, stop
        self._answers, self._said = answers, said
        self._begun, self._seconds = time.monotonic(), 0.0
        self.device = dict[str, str]()
        self._rows = list[dict[str, Any]]()
        self._error = ""
        self.ended: Ending | None = None
        self.crowded = False

    def go(self) -> None:
        """Lets a trial that has named its device train."""
        assert self._process.stdin is not None
        self._begun = time.monotonic()
        with suppress(BrokenPipeError):  # it has ended, which is seen soon
            self._process.stdin.write(b"go\n")
            self._process.stdin.flush()

    def wait(self, told: Callable[[], bool]) -> None:
        """Waits until something is told, or the trial has ended, by itself or by its limit.

        Raises:
            NoDevice: if it has found no GPU.
            Stopped: if asked to stop.
        """
        while not told():
            code = self._process.poll()
            self._read()
            self._seconds = time.monotonic() - self._begun
            if code is not None:
                self._end(code)
                return
            if self._seconds > self._limit:
                self._process.send_signal(signal.SIGABRT)  # it says where it stands
                with suppress(subprocess.TimeoutExpired):
                    self._process.wait(PATIENCE)
                self.ended, self._error = "hung", f"no answer in {self._limit:.0f} s"
                return
            if self._stop and self._stop.reason:
                raise Stopped(STOPPED)
            time.sleep(BETWEEN_LOOKS)

    def _read(self) -> None:
        """Reads what there is: one JSON a line."""
        text = self._answers.read_text(encoding="utf-8") if self._answers.is_file() else ""
        self._rows = []
        for line in text.splitlines(keepends=True):
            answer = json.loads(line) if line.endswith("\n") else {}
            if "no_device" in answer:
                raise NoDevice(answer["no_device"])
            if "device" in answer and not self.device:
                self.device = {**answer["device"], "digest": self._form.digest}
            if "row" in answer:
                self._rows.append(answer["row"])
            if "error" in answer:
                self._error, self.crowded = answer["error"], answer["crowded"]

    def _end(self, code: int) -> None:
        if code or not self._rows:
            self.ended = "failed"
            by_signal = f"it was ended by {signal.Signals(-code).name}" if code < 0 else ""
            self._error = by_signal or self._error or f"exit code {code}"
            return
        self._error = disagreements(self._rows)
        self.ended = "differs" if self._error else "equal"

    def first_use_of(self) -> FirstUse:
        """The outcome of a trial that has ended."""
        assert self.ended is not None
        said = self._said.read_text(encoding="utf-8", errors="replace")[-KEPT:]
        return FirstUse(
            form=self._form.name,
            outcome=self.ended,
            device=self.device,
            reason=self._error,
            rows=self._rows,
            seconds=round(self._seconds, 1),
            checked=datetime.now(UTC).isoformat(timespec="seconds"),
            host=socket.gethostname(),
            said="" if self.ended == "equal" else said,
        )
