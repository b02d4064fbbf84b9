"""A run as it goes on: cells that arrive in the store, their rate, and the time left."""

import re
import shutil
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO, TextIO

import psutil

from srhm.results.outdated import is_outdated

# Seconds over which the rate is taken: long cells arrive rarely, and a cluster's jobs in waves.
WINDOW = 600.0


@dataclass(frozen=True)
class Progress:
    """Cells done of all, expected seconds of work done and left, and those done in the window."""

    done: int
    cells: int
    work_left: float
    recent_cells: int
    recent_work: float
    window: float

    def line(self) -> str:
        """One line for people: cells, rate, time left."""
        text = f"{self.done} of {self.cells} cells"
        if self.done == self.cells:
            return f"{text}, all trained"
        if not self.recent_cells:
            new = (
                f"none in the last {self.window / 60:.0f}" if self.window > 90 else "none yet in 1"
            )
            return f"{text}, {new} min"
        rate = self.recent_cells / self.window * 60
        return f"{text}, {rate:.3g} cells/min, about {self.left()} left"

    def left(self) -> str:
        """Time that the rest takes at the rate of the window, in words."""
        seconds = self.work_left * self.window / self.recent_work
        if seconds < 90:
            return f"{seconds:.0f} s"
        return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def last_words(logs: Path, mark: str, *, since: float) -> list[str]:
    """Last lines with this mark, of the logs that were written since then."""
    found = []
    for log in sorted(logs.rglob("*.log")):
        if log.stat().st_mtime >= since:
            last = log.read_text(encoding="utf-8", errors="replace").rstrip().rpartition("\n")[2]
            if mark in last:
                found.append(last)
    return found


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


class Watch:
    """Cells that are awaited in one or more stores: how many have arrived, and how fast.

    work: expected seconds of training of each by key.
    """

    def __init__(self, work: Mapping[str, float], *stores: Path) -> None:
        self.work = work
        self._stores = stores
        # When a stored cell was written, and whether it is trained again: each file is read once.
        self._judged: dict[Path, tuple[float, bool]] = {}

    def arrivals(self) -> dict[str, float]:
        """Awaited cells that are stored, by key, with the time at which each was written.

        Those that are trained again, see `outdated.is_outdated`, are not among them.
        """
        return {key: written for key, (written, outdated) in self._found().items() if not outdated}

    def n_outdated(self) -> int:
        """Number of awaited cells that are stored and trained again all the same."""
        return sum(outdated for _, outdated in self._found().values())

    def _found(self) -> dict[str, tuple[float, bool]]:
        names = {f"{key}.safetensors" for key in self.work}
        found = {}
        for file in chain.from_iterable(s.glob("*/*.safetensors") for s in self._stores):
            if file.name in names:
                try:
                    written = file.stat().st_mtime
                except FileNotFoundError:  # removed since: damaged, or collected
                    continue
                judged = self._judged.get(file)
                if judged is None or judged[0] != written:
                    judged = self._judged[file] = (written, is_outdated(file))
                found[file.stem] = judged
        return found

    def progress(self, *, now: float, since: float | None = None) -> Progress:
        """Progress at a time; the window of the rate is the last ten minutes, or from `since`."""
        arrived = self.arrivals()
        begin = max(now - WINDOW, since or 0.0)
        # Clocks of other hosts differ: a cell from the future has arrived just now.
        recent = [key for key, written in arrived.items() if written >= begin]
        return Progress(
            done=len(arrived),
            cells=len(self.work),
            work_left=sum(work for key, work in self.work.items() if key not in arrived),
            recent_cells=len(recent),
            recent_work=sum(self.work[key] for key in recent),
            window=max(now - begin, 1.0),
        )


# Seconds between two looks at a run, and between two lines about it off a terminal.
BETWEEN, ELSEWHERE = 1.0, 60.0
JOBS = re.compile(r"^(\d+) of (\d+) steps", re.MULTILINE)
ERASE = "\r\x1b[K"


class LiveView:
    """One line about a run that is renewed below its messages; plain lines off a terminal.

    watch: the cells of the run, None if they are not known. printed: what the run prints, from
    where it is shown here: the run itself must not fail with a reader that is gone (`| tee log`
    after Ctrl-C), nor hang up with a terminal.
    """

    def __init__(self, watch: Watch | None, out: TextIO, *, printed: BinaryIO) -> None:
        self._watch, self._out, self._printed = watch, out, printed
        self._begun = self._said = time.time()
        self._rest, self._jobs = "", ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look_on, daemon=True)

    def __enter__(self) -> "LiveView":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        with suppress(OSError):
            self._show(self._news() + self._rest)

    def line(self) -> str:
        """Jobs and cells done, rate, time left."""
        parts = [self._jobs] if self._jobs else []
        if self._watch is not None:
            parts.append(self._watch.progress(now=time.time(), since=self._begun).line())
        return ", ".join(parts)

    def _look_on(self) -> None:
        with suppress(OSError):  # nobody reads it any more
            while not self._over.wait(BETWEEN):
                news = self._news()
                if self._out.isatty():
                    width = shutil.get_terminal_size().columns - 1
                    self._show(news, self.line()[:width])
                elif self._watch and time.time() - self._said >= ELSEWHERE:
                    self._said = time.time()
                    self._show(f"{news}{self.line()}\n")
                elif news:
                    self._show(news)

    def _show(self, text: str, line: str = "") -> None:
        """Text below what is there; line: renewed at the next time, on a terminal."""
        self._out.write((ERASE if self._out.isatty() else "") + text + line)
        self._out.flush()

    def _news(self) -> str:
        """Whole lines that were printed since the last look."""
        new = self._printed.read()
        whole, _, self._rest = (self._rest + new.decode(errors="replace")).rpartition("\n")
        for done, of in JOBS.findall(whole):
            self._jobs = f"{done} of {of} jobs"
        return f"{whole}\n" if whole else ""
