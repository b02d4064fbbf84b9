"""What a terminal shows of a run: its phases on one line, what goes wrong, the first figure."""

import shutil
import threading
import time
from contextlib import suppress
from typing import BinaryIO, TextIO

from srhm.commands.printed_lines import PHASES, PrintedLines
from srhm.commands.watching import Watch

# Seconds between two looks at a run, and between two lines about it off a terminal.
BETWEEN, ELSEWHERE = 1.0, 60.0
ERASE = "\r\x1b[K"


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
