"""What a terminal shows of a run: its phases on one line, what goes wrong, the first figure.

Routine is left to the log. Shown are the lines of jobs and of Snakemake that warn or tell an error.
"""

import re
import shutil
import threading
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import BinaryIO, TextIO

from srhm.commands.watching import Watch

# Seconds between two looks at a run, and between two lines about it off a terminal.
BETWEEN, ELSEWHERE = 1.0, 60.0
ERASE = "\r\x1b[K"
LOUD = ("WARNING", "Warning", "ERROR", "Error")
# Of Snakemake: a job that has ended, and a row of its table of the jobs of each rule.
ENDED = re.compile(r"Finished jobid: \d+ \(Rule: (\w+)\)")
COUNTED = re.compile(r"(\w+) +(\d+)$")
# Phases in their order, with the beginning of the names of their rules; the last has all others.
PHASES = {"data": "draw_derivations", "train": "train_", "measure": "measure_", "figures": ""}


def phase_of(rule: str) -> str:
    """The phase of a run to which the jobs of a rule belong."""
    return next(phase for phase, begins in PHASES.items() if rule.startswith(begins))


def wall_time(begun: float) -> str:
    """Time since then, in words."""
    minutes, seconds = divmod(round(time.time() - begun), 60)
    return f"{minutes} min {seconds} s"


class PrintedLines:
    """Lines as they come: how many jobs of each phase there are and have ended, which are shown.

    every_line: whether all are shown. milestones: what is said when the job of a rule has ended.
    """

    def __init__(
        self, *, every_line: bool = False, milestones: Mapping[str, str] | None = None
    ) -> None:
        self.jobs, self.ended = Counter[str](), Counter[str]()
        self._every_line, self._milestones = every_line, milestones or {}
        self._in_table, self._begun = False, time.time()

    def shown(self, line: str) -> list[str]:
        """What is shown of a line: itself, a milestone, or nothing."""
        if line.startswith("Job stats:"):
            self._in_table, self.jobs = True, Counter()
        elif self._in_table and (row := COUNTED.match(line)):
            self._in_table = row[1] != "total"
            self.jobs[phase_of(row[1])] += self._in_table * int(row[2])
        shown = [line] if self._every_line or any(word in line for word in LOUD) else []
        if ended := ENDED.match(line):
            self.ended[phase_of(ended[1])] += 1
            if ended[1] in self._milestones:
                shown.append(f"{self._milestones[ended[1]]}, after {wall_time(self._begun)}")
        return shown


class LiveView:
    """One line about a run that is renewed below its messages; a line a minute off a terminal.

    watch: the cells of the run. printed: what the run prints, from
    where it is shown here: the run itself must not fail with a reader that is gone (`| tee log`
    after Ctrl-C), nor hang up with a terminal. lines: which of it is shown.
    """

    def __init__(
        self, watch: Watch, out: TextIO, *, printed: BinaryIO, lines: PrintedLines
    ) -> None:
        self._watch, self._out, self._printed, self._lines = watch, out, printed, lines
        self._begun = self._said = time.time()
        self._rest = ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look_on, daemon=True)

    def __enter__(self) -> "LiveView":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        with suppress(OSError):
            self._show(self._news(at_end=True))

    def line(self) -> str:
        """The phases of the run: how far each is, and how long training will still take."""
        jobs, ended = self._lines.jobs, self._lines.ended
        parts = ["install"]
        for phase in PHASES:
            if not jobs[phase]:
                continue
            if ended[phase] >= jobs[phase]:
                parts.append(phase)
            elif phase == "train":
                progress = self._watch.progress(since=self._begun)
                parts.append(f"train {progress.short()}")
            else:
                parts.append(f"{phase} {ended[phase]}/{jobs[phase]}")
        return " > ".join(parts) if len(parts) > 1 else "install > reading the workflow"

    def _look_on(self) -> None:
        with suppress(OSError):  # nobody reads it any more
            while not self._over.wait(BETWEEN):
                news = self._news()
                if self._out.isatty():
                    width = shutil.get_terminal_size().columns - 1
                    self._show(news, self.line()[:width])
                elif time.time() - self._said >= ELSEWHERE:
                    self._said = time.time()
                    self._show(f"{news}{self.line()}\n")
                elif news:
                    self._show(news)

    def _show(self, text: str, line: str = "") -> None:
        """Text below what is there; line: renewed at the next time, on a terminal."""
        self._out.write((ERASE if self._out.isatty() else "") + text + line)
        self._out.flush()

    def _news(self, *, at_end: bool = False) -> str:
        """What is shown of the whole lines that were printed since the last look."""
        lines = (self._rest + self._printed.read().decode(errors="replace")).split("\n")
        self._rest = "" if at_end else lines.pop()
        shown = [text for line in lines if line for text in self._lines.shown(line)]
        return "".join(f"{text}\n" for text in shown)
