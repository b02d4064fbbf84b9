"""The folder in which a small configuration is run, disturbed, and run again."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import pandas as pd
import psutil
import yaml

from faults.kinds import IMAGES_SECTION, MAIN, Kind, write_images
from srhm import preset
from srhm.results import places
from srhm.results.store import DamagedCell, StorageError, path_of, read_cell
from srhm.study import Curve
from srhm.trainers import IMAGES

REPOSITORY = Path(__file__).resolve().parents[2]
# Seconds, on a machine that does much else: a run that takes longer hangs.
LONGEST_RUN, LONGEST_END = 1800.0, 600.0


class Defect(AssertionError):
    """A fault that cost more than it may, or of which nothing was said."""


class Absent(Exception):
    """What a fault is made with is not here; the message says what."""


class Scene:
    """The folder of a run, its configuration beside it, and what it said."""

    def __init__(self, folder: Path, kind: Kind = MAIN) -> None:
        self.folder, self.kind = folder, kind
        self.log = folder.with_name(f"{folder.name}.log")
        self.file = folder.with_name(f"{folder.name}.yaml")
        self.started: list[subprocess.Popen[str]] = []
        self.at_work = 0  # trainers that a fault met
        self.stored: dict[str, int] = {}  # cells that were whole when the fault was made
        self.under: dict[str, Any] = {}  # options of the next run: what the fault puts around it
        self.curves: Mapping[str, Curve] = {}
        self.keys: list[str] = []
        folder.mkdir(parents=True, exist_ok=True)
        if kind.trainer == IMAGES:
            write_images(folder / IMAGES_SECTION["folder"])
        self.configure(kind.config)

    def configure(self, config: Mapping[str, Any] | str) -> None:
        """Writes the configuration, as text or from a mapping."""
        self.file.write_text(
            config if isinstance(config, str) else yaml.safe_dump(deepcopy(dict(config))),
            encoding="utf-8",
        )
        if isinstance(config, Mapping):
            self.curves = preset.plan_preset(config, directory=self.folder).curves
            self.keys = [entry["key"] for curve in self.curves.values() for entry in curve.entries]

    def like(self, other: "Scene") -> None:
        """Takes what another run has made, with its dates."""
        subprocess.run(["cp", "-a", f"{other.folder}/.", str(self.folder)], check=True)
        for note in self.folder.glob("results/*/.configuration"):
            note.unlink()  # names the other's file

    @property
    def store(self) -> Path:
        """Folder of the cells."""
        return self.folder / places.store_of(self.kind.trainer)

    def cell(self, number: int) -> Path:
        """File of a planned cell."""
        return path_of(self.store, self.keys[number])

    def command(self, *arguments: str) -> list[str]:
        """The launcher's command on two cores."""
        command = [sys.executable, "-m", "srhm.commands.launch", "--configfile", str(self.file)]
        command += ["--directory", str(self.folder), "--cores", "2"]
        return [*command, *(arguments or self.kind.words)]

    def start(
        self,
        *arguments: str,
        before: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        cwd: Path = REPOSITORY,
    ) -> subprocess.Popen[str]:
        """Starts the workflow in a process group of its own; what it says goes to a file.

        before: words before the command, a program that runs it.
        """
        with self.log.open("w", encoding="utf-8") as log:
            process = subprocess.Popen(
                [*before, *self.command(*arguments)],
                stdout=log,
                stderr=subprocess.STDOUT,
                text=True,
                cwd=cwd,
                env={**os.environ, **(environment or {})},
                start_new_session=True,
                preexec_fn=as_from_a_terminal,
            )
        self.started.append(process)
        return process

    def run(
        self, *arguments: str, around: AbstractContextManager[object] | None = None, **options: Any
    ) -> tuple[int, str]:
        """Runs the workflow to its end: its exit code, and what it said.

        around: entered before and left after it. options: of `start`.
        """
        with around or nullcontext():
            return self.end(self.start(*arguments, **options), within=LONGEST_RUN)

    def end(self, process: subprocess.Popen[str], *, within: float) -> tuple[int, str]:
        """Exit code of a run, and what it said.

        Raises:
            Defect: if it does not end within so many seconds.
        """
        try:
            code = process.wait(timeout=within)
        except subprocess.TimeoutExpired:
            raise Defect(f"it hangs for {within:.0f} s:\n{self.said()}") from None
        return code, self.said()

    def said(self) -> str:
        """What the last run said."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def whole(self) -> dict[str, int]:
        """Planned cells that are stored and whole, with the time at which each was written."""
        found = {}
        for key in self.keys:
            with suppress(FileNotFoundError, DamagedCell, StorageError):
                read_cell(self.store, key)
                found[key] = path_of(self.store, key).stat().st_mtime_ns
        return found

    def wait_for_cells(self, number: int, process: subprocess.Popen[str]) -> None:
        """Waits until so many cells are stored and others are being trained."""
        deadline = time.monotonic() + LONGEST_RUN
        n_stored = 0
        while n_stored < number or not self.trainers(process):
            if process.poll() is not None or time.monotonic() > deadline:
                raise Defect(f"the run ended before the fault:\n{self.said()}")
            time.sleep(0.02)
            n_stored = sum(path_of(self.store, key).is_file() for key in self.keys)

    def trainers(self, launcher: subprocess.Popen[str]) -> list[psutil.Process]:
        """Processes that train a curve."""
        return descendants(launcher.pid, ".train_")

    def snakemake(self, launcher: subprocess.Popen[str]) -> psutil.Process:
        """The launcher's Snakemake."""
        children = psutil.Process(launcher.pid).children()
        return next(one for one in children if "snakemake" in " ".join(one.cmdline()[:3]))

    def tables(self) -> list[pd.DataFrame]:
        """The tables of results, or else the rows of each curve."""
        files = self.kind.tables or [
            places.rows_of_curve(self.kind.trainer, name) for name in self.curves
        ]
        return [pd.read_parquet(self.folder / file) for file in files]

    def close(self) -> None:
        """Ends what still runs, and removes the folder."""
        for process in self.started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def copy_code(folder: Path) -> None:
    """Copies all that the workflow's code needs of the repository, without its history."""
    for name in ("src", "rules", "scripts", "profiles", "config", "envs", "docs", "reference"):
        shutil.copytree(
            REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    for name in ("Snakefile", "CITATION.cff", ".gitignore"):
        shutil.copy(REPOSITORY / name, folder)


def as_from_a_terminal() -> None:
    """Lets a process that is started hear signals that a nohup or a shell's & have it ignore."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


def wait_for_group(process: subprocess.Popen[str]) -> None:
    """Waits until the last process of a group has ended.

    Raises:
        Defect: if one does not end.
    """
    deadline = time.monotonic() + LONGEST_END
    while time.monotonic() < deadline:
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    raise Defect("a process of the run does not end")


def descendants(pid: int, word: str = "") -> list[psutil.Process]:
    """Processes that a process has started, and theirs, with a word in their command."""
    try:
        family = psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
    found = []
    for process in family:
        with suppress(psutil.NoSuchProcess):
            if any(word in part for part in process.cmdline()):
                found.append(process)
    return found


def quoted(text: str, *patterns: str, folder: Path) -> str:
    """The first line that matches each pattern, without times and folders, or its group.

    Raises:
        Defect: if a line is missing: nothing was said about the fault.
    """
    said = []
    for pattern in patterns:
        matches = (re.search(pattern, line) for line in text.splitlines())
        found = next(filter(None, matches), None)
        if not found:
            raise Defect(f"no line says {pattern!r}:\n{text}")
        line = found[1] if found.re.groups else found.string
        line = re.sub(r"^\s*(\[[^]]*\]|\d\d:\d\d:\d\d)\s*", "", line).strip()
        line = re.sub(r"127.0.0.1:\d+", "this-host", re.sub(r"process \d+", "process ...", line))
        line = re.sub(r" on \S+, started [-\d:+ ]+", " on this host, started ...", line)
        for name, short in (
            (f"{folder}.yaml", "config.yaml"),
            (f"{folder}/", ""),
            (f"{folder}", "."),
            (f"{folder.parent}/", ""),
            (f"{REPOSITORY}/", ""),
            (f"{REPOSITORY}", "the clone"),
            (f"{Path.home()}/", "~/"),
        ):
            line = line.replace(name, short)
        # Code of a document is looked at by its tests.
        said.append(line.replace("|", "\\|").replace("`", "'"))
    return "<br>".join(f"“{line}”" for line in said)
