"""A small run that is disturbed, and run again: what it may lose is the cells in training.

Cells of about half a second: all are trained to the cap, so that a fault finds some at work.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import psutil
import yaml

from srhm.declare.study import Trainer
from srhm.planning.preset import plan_preset
from srhm.store import places
from srhm.store.atomic import StorageError
from srhm.store.cells import DamagedCell, path_of, read_cell
from srhm.training.trainers import FLOW, HIERARCHY

REPOSITORY = Path(__file__).resolve().parents[1]
# Seconds, on a machine that does much else: a run that takes longer hangs.
LONGEST = 1800.0


@dataclass(frozen=True)
class Kind:
    """What is trained: a section of a configuration, its trainer, words for the launcher, tables.

    fewer: the same section with fewer cells. tables: files that are compared; without any the rows
    of all curves.
    """

    study: str
    section: dict[str, Any]
    fewer: dict[str, Any]
    trainer: Trainer
    words: tuple[str, ...]
    tables: tuple[str, ...] = ()


def with_P(section: Mapping[str, Any], P: Sequence[int]) -> dict[str, Any]:
    """A section with other sizes of the training set."""
    (curves,) = section["curves"]
    return {**section, "curves": [{**curves, "P": list(P)}]}


def tables_of(study: str, *names: str) -> tuple[str, ...]:
    """Files of tables of a study."""
    return tuple(f"results/faults/tables/{study}/{name}.parquet" for name in names)


HIERARCHIES: dict[str, Any] = {
    **{"seeds": 2, "width": 12, "n_test": 100},
    "training": {"max_steps": 100_000, "loss_threshold": 1e-12},
    "measurement": {"n_points": 50, "n_draws": 1},
    "curves": [{"net": ["lcn", "cnn"], "L": 2, "v": 3, "s0": 1, "P": [60, 120, 240]}],
}
TABLES = tables_of("sparse_hierarchy", "cells", "sensitivities", "sample_complexity")
TRAINED = Kind(
    study="sparse_hierarchy",
    section=HIERARCHIES,
    fewer=with_P(HIERARCHIES, [60, 240]),
    trainer=HIERARCHY,
    words=("--study", "sparse_hierarchy", "--until", "train_hierarchy"),
)
MEASURED = Kind("sparse_hierarchy", HIERARCHIES, TRAINED.fewer, HIERARCHY, TABLES, TABLES)
# More points than so small a network can fit.
RANDOM_POINTS: dict[str, Any] = {
    "n_test": 100,
    "curves": [
        {
            **{"data": "random", "net": "fcn", "d": 4, "hidden_layers": 2, "width": [2, 3]},
            **{"P": [200, 220, 240, 260, 280, 300], "seeds": 1, "alpha": 1, "labels": "parity"},
            **{"loss": "quadratic_hinge", "measure": []},
            "optimiser": {"name": "adam", "max_evaluations": 800},
        }
    ],
}
BY_FLOW = Kind(
    study="jamming",
    section=RANDOM_POINTS,
    fewer=with_P(RANDOM_POINTS, [200, 240, 300]),
    trainer=FLOW,
    words=("--study", "jamming", "--until", "gather_jamming"),
    tables=tables_of("jamming", "cells"),
)


class Scene:
    """The folder of a run, its configuration beside it, and what the last run said."""

    def __init__(self, folder: Path, kind: Kind = TRAINED) -> None:
        self.folder, self.kind = folder, kind
        self.log = folder.with_name(f"{folder.name}.log")
        self.file = folder.with_name(f"{folder.name}.yaml")
        self.started: list[subprocess.Popen[str]] = []
        folder.mkdir(parents=True, exist_ok=True)
        self.configure(kind.section)

    def configure(self, section: Mapping[str, Any]) -> None:
        """Writes the configuration."""
        config = {"preset": "faults", self.kind.study: deepcopy(dict(section))}
        self.file.write_text(yaml.safe_dump(config), encoding="utf-8")
        self.curves = plan_preset(config, directory=self.folder).curves
        self.keys = [entry["key"] for curve in self.curves.values() for entry in curve.entries]

    def like(self, other: "Scene") -> "Scene":
        """Takes what another run has made, with its dates."""
        subprocess.run(["cp", "-a", f"{other.folder}/.", str(self.folder)], check=True)
        for note in self.folder.glob("results/*/.configuration"):
            note.unlink()  # names the other's file
        return self

    def cell(self, number: int) -> Path:
        """File of a planned cell."""
        return path_of(self.folder / places.store_of(self.kind.trainer), self.keys[number])

    def files(self, pattern: str) -> list[Path]:
        """Files below results/ by a pattern, at least one."""
        found = sorted((self.folder / "results").glob(pattern))
        assert found, f"no file {pattern}"
        return found

    def start(
        self,
        *arguments: str,
        before: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        cwd: Path = REPOSITORY,
    ) -> "subprocess.Popen[str]":
        """Starts the workflow on two cores, in a process group of its own.

        arguments: for the launcher, in place of the kind's words. before: a program that runs it.
        """
        command = [sys.executable, "-m", "srhm.commands.command", "reproduce", "--cores", "2"]
        command += ["--configfile", str(self.file), "--directory", str(self.folder)]
        with self.log.open("w", encoding="utf-8") as log:
            process = subprocess.Popen(
                [*before, *command, *(arguments or self.kind.words)],
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

    def end(self, process: "subprocess.Popen[str]") -> tuple[int, str]:
        """Exit code of a run, and what it said."""
        try:
            code = process.wait(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it hangs:\n{self.said()}") from None
        return code, self.said()

    def run(self, *arguments: str, **options: Any) -> tuple[int, str]:
        """The same of a run that is started with options of `start`."""
        return self.end(self.start(*arguments, **options))

    def said(self) -> str:
        """What the last run said, on the terminal and in its log."""
        files = (self.log, self.folder / "results" / "run.log")
        return "".join(one.read_text(errors="replace") for one in files if one.is_file())

    def whole(self) -> dict[str, int]:
        """Planned cells that are stored and whole, with the time at which each was written."""
        found = {}
        store = self.folder / places.store_of(self.kind.trainer)
        for key in self.keys:
            with suppress(FileNotFoundError, DamagedCell, StorageError):
                read_cell(store, key)
                found[key] = path_of(store, key).stat().st_mtime_ns
        return found

    def wait_for_cells(self, number: int, process: "subprocess.Popen[str]") -> None:
        """Waits until so many cells are stored and others are being trained."""
        deadline = time.monotonic() + LONGEST
        while len(self.whole()) < number or not self.trainers(process):
            assert process.poll() is None, f"the run ended before the fault:\n{self.said()}"
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.02)

    def trainers(self, launcher: "subprocess.Popen[str]") -> list[psutil.Process]:
        """Processes that train a curve."""
        return descendants(launcher.pid, ".train_")

    def snakemake(self, launcher: "subprocess.Popen[str]") -> psutil.Process:
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


class Undisturbed:
    """Runs that nothing disturbs, each made once, for all tests of a module to begin from."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made: dict[str, Scene] = {}

    def run(self, kind: Kind, *, fewer: bool = False) -> Scene:
        """The run of a kind, or of fewer of its cells."""
        name = f"{kind.words[-1].rpartition('/')[2]}_{'fewer' if fewer else 'all'}"
        if name not in self.made:
            scene = Scene(self.folder / name, kind)
            if fewer:
                scene.configure(kind.fewer)
            code, text = scene.run()
            assert code == 0, text
            self.made[name] = scene
        return self.made[name]

    @contextmanager
    def scene(
        self, kind: Kind = TRAINED, *, of: str = "all", also: Path | None = None
    ) -> Iterator[Scene]:
        """A folder with a whole run, one of "fewer" cells, or of "none"; also: where."""
        scene = Scene(also or self.folder / "scene", kind)
        try:
            if of != "none":
                scene.like(self.run(kind, fewer=of == "fewer"))
            yield scene
        finally:
            scene.close()

    def is_finished_by(
        self, scene: Scene, *, trains: int | None = None, says: Sequence[str] = (), **options: Any
    ) -> str:
        """Runs again to the end; what that said, which holds a line for each pattern of `says`.

        Its tables are those of the undisturbed run, bit for bit, and it has trained so many cells,
        by default those that were not stored whole. options: of `Scene.start`.
        """
        tables = self.run(scene.kind).tables()
        before = scene.whole()
        code, text = scene.run(*options.pop("arguments", ()), **options)
        assert code == 0, text
        after = scene.whole()
        trained = sum(after[key] != before.get(key) for key in after)
        assert trained == (len(scene.keys) - len(before) if trains is None else trains), text
        for found, table in zip(scene.tables(), tables, strict=True):
            pd.testing.assert_frame_equal(found, table, check_exact=True)
        assert_said(text, *says)
        return text


def assert_said(text: str, *patterns: str, traceback: bool = False) -> None:
    """There is a line for each pattern, and no traceback where no job may print its own."""
    for pattern in patterns:
        assert re.search(pattern, text), f"no line says {pattern!r}:\n{text}"
    assert traceback or "Traceback" not in text, text


def as_from_a_terminal() -> None:
    """Lets a process that is started hear signals that a nohup or a shell's & have it ignore."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


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


def wait_for_group(process: "subprocess.Popen[str]") -> None:
    """Waits until the last process of a group has ended."""
    deadline = time.monotonic() + LONGEST
    with suppress(ProcessLookupError):
        while time.monotonic() < deadline:
            os.killpg(process.pid, 0)
            time.sleep(0.1)
        raise AssertionError("a process of the run does not end")


def truncated(path: Path) -> None:
    """Cuts a file in half."""
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


Strike = Callable[[Scene, "subprocess.Popen[str]"], object]


def struck(scene: Scene, strike: Strike, *, before: Sequence[str] = ()) -> tuple[int, str, int]:
    """A run that is struck while it trains, with three cells stored; no stored cell is lost.

    before: see `Scene.start`. Returns its exit code, what it said, and the cells in training.
    """
    process = scene.start(before=before)
    scene.wait_for_cells(3, process)
    stored, at_work = scene.whole(), len(scene.trainers(process))
    strike(scene, process)
    code, text = scene.end(process)
    time.sleep(0.5)  # files of killed processes are closed
    assert stored.keys() <= scene.whole().keys(), text
    return code, text, at_work
