"""What a terminal shows of a run: its phases on one line, what goes wrong, the first figure.

Routine is left to the log: the lines of jobs that begin, go on and end. All else is shown: errors,
warnings of jobs, and whatever is not known here.
"""

import re
import shutil
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import BinaryIO, TextIO

from srhm.commands.watching import Watch

# Seconds between two looks at a run, and between two lines about it off a terminal.
BETWEEN, ELSEWHERE = 1.0, 60.0
ERASE = "\r\x1b[K"
# Of jobs that go on as they should, after the time and the name of the job.
JOB = re.compile(r"\d\d:\d\d:\d\d \S+: ")
OF_A_JOB = re.compile(
    JOB.pattern
    + "(?:"
    + "|".join(
        (
            r"cell \d+ of \d+: (?!.*diverged)",
            r"\d+ ",
            r"\S+: \d+ rows",
            r"(?:kernels|Hessians|singular values|gaps and preactivations) of \d+ cells",
            r"ends and gaps of \d+ cells",
            r"seed \d+: \d+ deformations",
            r"\S+, P = \d+, seed \d+: R_f",
            r"\S+, \d+\.\d MB",
            r"device \S+ (?:of|as given by) ",
            r"beside it the published run ",
        )
    )
    + ")"
)
OF_SNAKEMAKE = re.compile(
    "|".join(
        (
            r"$",
            r"Using (?:workflow specific profile|shell:) ",
            r"Assuming unrestricted shared filesystem",
            r"Building DAG of jobs",
            r"Provided (?:cores|resources|remote nodes): ",
            r"Rules claiming more threads",
            r"Conda environments: ",
            r"Job stats:|job +count|-+ +-+$|\w+ +\d+$",
            r"Select jobs to execute|Execute \d+ jobs",
            r"\[\w{3} \w{3} +\d+ [\d:]{8} \d{4}\]$",
            r"Job \d+: |Reason: |Shell command: |Finished jobid: |\d+ of \d+ steps ",
            r"Job \d+ has been submitted ",
            r"(?:Removing|Would remove) temporary output ",
            r"Complete log|Elapsed time: ",
            # Of the report of a job that failed: its files, thousands of characters.
            r"    (?:input|output|jobid|conda-env|resources): |    message: None$",
            r"(?:local)?rule \w+:$",
        )
    )
)
# Lines of jobs of one kind that are shown; a kind is a line without its words with digits.
MOST = 5
ENDED = re.compile(r"Finished jobid: \d+ \(Rule: (\w+)\)")
COUNTED = re.compile(r"(\w+) +(\d+)$")
# Phases in their order, with the beginning of the names of their rules; the last has all others.
PHASES = {"data": "draw_derivations", "train": "train_", "measure": "measure_", "figures": ""}


def is_routine(line: str) -> bool:
    """Whether a line says only that a run goes on as it should."""
    return bool(OF_A_JOB.match(line) or OF_SNAKEMAKE.match(line))


def phase_of(rule: str) -> str:
    """The phase of a run to which the jobs of a rule belong."""
    return next(phase for phase, begins in PHASES.items() if rule.startswith(begins))


class PrintedLines:
    """Lines as they come: how many jobs of each phase there are and have ended, which are shown.

    every_line: whether all are shown. milestones: what is said when the job of a rule has ended.
    """

    def __init__(
        self, *, every_line: bool = False, milestones: Mapping[str, str] | None = None
    ) -> None:
        self.jobs, self.ended = Counter[str](), Counter[str]()
        self._every_line, self._milestones = every_line, milestones or {}
        self._kinds = Counter[str]()
        self._in_table, self._begun = False, time.monotonic()

    def taken(self, lines: Sequence[str]) -> list[str]:
        """What is shown of these lines, with milestones."""
        found = []
        for line in lines:
            self._count(line)
            if self._every_line:
                found.append(line)
            elif not is_routine(line):
                found += self._of_its_kind(line)
            if (ended := ENDED.match(line)) and ended[1] in self._milestones:
                seconds = round(time.monotonic() - self._begun)
                found.append(
                    f"{self._milestones[ended[1]]}, after {seconds // 60} min {seconds % 60} s"
                )
        return found

    def _of_its_kind(self, line: str) -> list[str]:
        """The line, unless it is of a job and many of its kind were shown."""
        if not JOB.match(line):
            return [line]
        kind = re.sub(r"\S*\d\S*", "", line)
        self._kinds[kind] += 1
        if self._kinds[kind] == MOST + 1:
            return ["more lines of this kind are in the log"]
        return [line] if self._kinds[kind] <= MOST else []

    def _count(self, line: str) -> None:
        if ended := ENDED.match(line):
            self.ended[phase_of(ended[1])] += 1
        elif line.startswith("Job stats:"):
            self._in_table, self.jobs = True, Counter()
        elif self._in_table and (row := COUNTED.match(line)):
            if row[1] == "total":
                self._in_table = False
            else:
                self.jobs[phase_of(row[1])] += int(row[2])


class LiveView:
    """One line about a run that is renewed below its messages; a line a minute off a terminal.

    watch: the cells of the run, None if they are not known. printed: what the run prints, from
    where it is shown here: the run itself must not fail with a reader that is gone (`| tee log`
    after Ctrl-C), nor hang up with a terminal. lines: which of it is shown.
    """

    def __init__(
        self, watch: Watch | None, out: TextIO, *, printed: BinaryIO, lines: PrintedLines
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
            news = self._news()
            self._show(news + "".join(f"{one}\n" for one in self._taken(self._rest)))

    def line(self) -> str:
        """The phases of the run: how far each is, and how long training will still take."""
        jobs, ended = self._lines.jobs, self._lines.ended
        parts = ["install"]
        for phase in PHASES:
            if not jobs[phase]:
                continue
            if ended[phase] >= jobs[phase]:
                parts.append(phase)
            elif phase == "train" and self._watch is not None:
                progress = self._watch.progress(now=time.time(), since=self._begun)
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

    def _news(self) -> str:
        """What is shown of the whole lines that were printed since the last look."""
        new = self._printed.read()
        whole, _, self._rest = (self._rest + new.decode(errors="replace")).rpartition("\n")
        return "".join(f"{one}\n" for one in self._taken(whole))

    def _taken(self, text: str) -> list[str]:
        return self._lines.taken(text.split("\n")) if text else []
