"""What faults cost: each is made in a real run, and the run is started again afterwards.

    python benchmarks/faults.py [--only NAME ...]

A small configuration is trained in a temporary folder once undisturbed, then once for each fault:
of LCN and CNN, and for some faults of a study by gradient flow and of networks on images, too.
The table of docs/reliability.md is written from what was seen: what was lost, what was said, what
the second run did. The script fails where a finished cell is lost, where a message is missing, or
where the tables after the second run differ from the undisturbed ones. Full and read-only disks are
mounted, which needs root; without it their rows say so.
"""

import argparse
import hashlib
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psutil
import yaml

from srhm import preset
from srhm.images import cifar
from srhm.results import places
from srhm.results.provenance import versions
from srhm.results.store import DamagedCell, path_of, read_cell
from srhm.study import Trainer
from srhm.trainers import FLOW, HIERARCHY, IMAGES
from srhm.training.cell import processor

REPOSITORY = Path(__file__).resolve().parents[1]
DOCUMENT = REPOSITORY / "docs" / "reliability.md"
BEGIN, END = "<!-- faults: written by `make faults` -->", "<!-- end of faults -->"
DAY = 86_400.0
# Cells of about a second: all are trained to the cap, so that a fault finds some of them at work.
SECTION: dict[str, Any] = {
    **{"seeds": 2, "width": 12, "n_test": 100},
    "training": {"max_steps": 200_000, "loss_threshold": 1e-12},
    "measurement": {"n_points": 50, "n_draws": 1},
    "curves": [{"net": ["lcn", "cnn"], "L": 2, "v": 3, "s0": 1, "P": [60, 120, 240]}],
}
CONFIG: dict[str, Any] = {"preset": "faults", "sparse_hierarchy": SECTION}
# More points than so small a network can fit.
FLOW_CURVES = {
    **{"data": "random", "net": "fcn", "d": 4, "hidden_layers": 2, "width": [2, 3], "alpha": 1},
    **{"P": [200, 220, 240, 260, 280, 300], "seeds": 1, "labels": "parity", "measure": []},
    **{"loss": "quadratic_hinge", "optimiser": {"name": "adam", "max_evaluations": 800}},
}
IMAGES_SECTION = {
    **{"folder": "invented", "records_per_file": 20, "nets": ["vgg11_bn", "vgg16_bn"]},
    **{"P": [20, 60, 100], "seeds": 2, "width": 4, "n_test": 20, "stability": {"n_points": 10}},
    "training": {"batch_size": 10, "max_steps": 30},
}


@dataclass(frozen=True)
class Kind:
    """What is trained: a configuration, words for the launcher, and the tables that it makes."""

    config: dict[str, Any]
    trainer: Trainer
    words: tuple[str, ...]
    tables: tuple[str, ...]


def _tables(study: str, *names: str) -> tuple[str, ...]:
    return tuple(f"results/faults/tables/{study}/{name}.parquet" for name in names)


TABLES = _tables("sparse_hierarchy", "cells", "sensitivities", "sample_complexity")
MAIN = Kind(CONFIG, HIERARCHY, TABLES, TABLES)
OTHERS = {
    "gradient flow": Kind(
        {"preset": "faults", "jamming": {"n_test": 100, "curves": [FLOW_CURVES]}},
        FLOW,
        ("--study", "jamming", "--until", "gather_jamming"),
        _tables("jamming", "cells"),
    ),
    "images": Kind(
        {"preset": "faults", "images": IMAGES_SECTION},
        IMAGES,
        ("--study", "images", "--until", "gather_images"),
        _tables("images", "cells", "images"),
    ),
}


def write_images(folder: Path) -> None:
    """Invented images in the files of CIFAR-10's format, 20 in each, and their sums."""
    folder.mkdir(parents=True)
    generator, sums = np.random.default_rng(0), []
    for name in cifar.FILES:
        records = generator.integers(256, size=(20, cifar.RECORD), dtype=np.uint8)
        records[:, 0] = np.arange(20) % cifar.N_CLASSES
        (folder / name).write_bytes(records.tobytes())
        sums.append(f"{hashlib.md5(records.tobytes()).hexdigest()}  {name}\n")
    (folder / cifar.SUMS_FILE).write_text("".join(sums))


@dataclass(frozen=True)
class Row:
    """A line of the table, as text."""

    fault: str
    lost: str
    said: str
    rerun: str


class Defect(AssertionError):
    """A fault that cost more than cells in flight, or of which nothing was said."""


class Scene:
    """A folder in which the small configuration is run, disturbed, and run again."""

    def __init__(self, folder: Path, kind: Kind = MAIN) -> None:
        self.folder, self.kind = folder, kind
        folder.mkdir(exist_ok=True)
        if kind.trainer == IMAGES:
            write_images(folder / IMAGES_SECTION["folder"])
        self.configure(kind.config)

    def configure(self, config: Mapping[str, Any] | str) -> None:
        """Writes the configuration, beside the results, as text or from a mapping."""
        text = config if isinstance(config, str) else yaml.safe_dump(dict(config))
        self.file = self.folder.with_name(f"{self.folder.name}.yaml")
        self.file.write_text(text)
        self.keys: list[str] = []
        if isinstance(config, Mapping):
            curves = preset.plan(config, directory=self.folder).curves.values()
            self.keys = [entry["key"] for curve in curves for entry in curve.entries]

    @property
    def store(self) -> Path:
        """Folder of the cells."""
        return self.folder / places.store_of(self.kind.trainer)

    def start(self, *arguments: str, before: Sequence[str] = ()) -> subprocess.Popen[str]:
        """Starts the workflow on two cores, in a process group of its own."""
        command = [
            *before,
            sys.executable,
            "-m",
            "srhm.commands.launch",
            "--configfile",
            str(self.file),
        ]
        command += ["--directory", str(self.folder), "--cores", "2"]
        self.log = self.folder.with_name(f"{self.folder.name}.log")
        with self.log.open("w") as log:
            return subprocess.Popen(
                [*command, *(arguments or self.kind.words)],
                stdout=log,
                stderr=subprocess.STDOUT,
                text=True,
                cwd=REPOSITORY,
                start_new_session=True,
            )

    def run(self, *arguments: str, before: Sequence[str] = ()) -> tuple[int, str]:
        """Runs the workflow to its end: its exit code, and what it said."""
        code = self.start(*arguments, before=before).wait(timeout=600)
        return code, self.log.read_text()

    def whole(self) -> dict[str, int]:
        """Planned cells that are stored and whole, with the time at which each was written."""
        found = {}
        for key in self.keys:
            try:
                read_cell(self.store, key)
            except (FileNotFoundError, DamagedCell):
                continue
            found[key] = path_of(self.store, key).stat().st_mtime_ns
        return found

    def wait_for_cells(self, number: int, process: subprocess.Popen[str]) -> None:
        """Waits until so many cells are stored and others are being trained."""
        deadline = time.monotonic() + 300
        while len(self.whole()) < number or not self.trainers(process):
            if process.poll() is not None or time.monotonic() > deadline:
                raise Defect(f"the run ended before the fault: {self.log.read_text()}")
            time.sleep(0.02)

    def trainers(self, launcher: subprocess.Popen[str]) -> list[psutil.Process]:
        """Processes that train a curve."""
        return _descendants(launcher.pid, ".train_")

    def tables(self) -> list[pd.DataFrame]:
        """The tables of results."""
        return [pd.read_parquet(self.folder / name) for name in self.kind.tables]


def _descendants(pid: int, word: str) -> list[psutil.Process]:
    try:
        family = psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
    found = []
    for process in family:
        try:
            if any(word in part for part in process.cmdline()):
                found.append(process)
        except psutil.NoSuchProcess:
            continue
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
        line = (
            line.replace(f"{folder}.yaml", "config.yaml")
            .replace(f"{folder}/", "")
            .replace(f"{folder}", ".")
            .replace(f"{REPOSITORY}/", "")
        )
        said.append(line.replace("|", "\\|"))
    return "<br>".join(f"“{line}”" for line in said)


def finished_again(
    scene: Scene,
    undisturbed: Sequence[pd.DataFrame],
    *,
    trains: int | None = None,
    arguments: Sequence[str] = (),
) -> tuple[str, str]:
    """Runs again to the end: what that did, and what it said.

    trains: cells that may be trained, by default those that are not stored whole.

    Raises:
        Defect: if it fails, trains more, or ends with other tables than an undisturbed run.
    """
    before = scene.whole()
    code, text = scene.run(*arguments)
    if code != 0:
        raise Defect(f"the second run fails:\n{text}")
    after = scene.whole()
    trained = sum(after[key] != before.get(key) for key in after)
    expected = len(scene.keys) - len(before) if trains is None else trains
    if trained != expected:
        raise Defect(f"{trained} cells trained, {expected} were lacking:\n{text}")
    for table, reference in zip(scene.tables(), undisturbed, strict=True):
        pd.testing.assert_frame_equal(table, reference, check_exact=True)
    resumed = len(re.findall("goes on from its checkpoint", text))
    how = f", {resumed} of them from a checkpoint" if resumed else ""
    return f"trained {trained} of {len(scene.keys)} cells{how}; tables equal", text


# Each fault below takes a fresh scene and the tables of an undisturbed run, and gives its row.
Fault = Callable[[Scene, Sequence[pd.DataFrame]], Row]


def _struck(
    scene: Scene,
    undisturbed: Sequence[pd.DataFrame],
    fault: str,
    strike: Callable[[subprocess.Popen[str]], None],
    *says: str,
    in_flight: int | None = None,
    keeps: str = "",
) -> Row:
    """A run that is struck while it trains, with three cells stored.

    in_flight: cells that are in training in what is struck, by default one for each trainer.
    """
    process = scene.start()
    scene.wait_for_cells(3, process)
    stored, at_work = scene.whole(), len(scene.trainers(process))
    strike(process)
    process.wait(timeout=120)
    time.sleep(0.5)  # files of killed processes are closed
    text = scene.log.read_text()
    lost = stored.keys() - scene.whole().keys()
    if lost:
        raise Defect(f"{fault}: finished cells lost: {lost}")
    rerun, again = finished_again(scene, undisturbed)
    said = quoted(text + again, *says, folder=scene.folder)
    number = in_flight or at_work
    cells = f"{number} cell{'s' * (number > 1)}"
    return Row(fault, f"at most {cells} in flight{keeps}, no finished one", said, rerun)


def killed_trainer(scene: Scene, undisturbed: Sequence[pd.DataFrame]) -> Row:
    """SIGKILL of one process that trains, as by the system when memory runs out."""

    def strike(process: subprocess.Popen[str]) -> None:
        scene.trainers(process)[0].kill()

    return _struck(
        *(scene, undisturbed, "SIGKILL of a trainer (or out of memory)", strike),
        *(r"(died with <Signals.SIGKILL: 9>)", "(\\d+ of \\d+ networks are stored.*)"),
        in_flight=1,
    )


def killed_run(scene: Scene, undisturbed: Sequence[pd.DataFrame]) -> Row:
    """SIGKILL of launcher, Snakemake and trainers, as by a loss of power."""

    def strike(process: subprocess.Popen[str]) -> None:
        os.killpg(process.pid, signal.SIGKILL)

    return _struck(
        *(scene, undisturbed, "SIGKILL of everything (or loss of power)", strike),
        "an earlier run was interrupted",
    )


def killed_snakemake(scene: Scene, undisturbed: Sequence[pd.DataFrame]) -> Row:
    """SIGKILL of Snakemake alone: its trainers go on as orphans, and the second run beside them."""
    process = scene.start()
    scene.wait_for_cells(3, process)
    orphans = scene.trainers(process)
    before = scene.whole()
    (snakemake,) = [
        child
        for child in psutil.Process(process.pid).children()
        if "snakemake" in " ".join(child.cmdline()[:3])
    ]
    snakemake.kill()
    process.wait(timeout=60)
    alive = sum(orphan.is_running() for orphan in orphans)
    if not alive:
        raise Defect("no trainer outlived Snakemake: nothing was tested")
    code, text = scene.run()
    psutil.wait_procs(orphans, timeout=60)
    after = scene.whole()
    if code or len(after) < len(scene.keys):
        raise Defect(f"the run beside orphans fails:\n{text}")
    if any(after[key] != before[key] for key in before):
        raise Defect("a stored cell was trained again")
    for table, reference in zip(scene.tables(), undisturbed, strict=True):
        pd.testing.assert_frame_equal(table, reference, check_exact=True)
    said = quoted(text, "an earlier run was interrupted", folder=scene.folder)
    both = f"{len(scene.keys) - len(before)} of {len(scene.keys)} cells were lacking"
    return Row(
        f"SIGKILL of Snakemake alone, run again beside its {alive} orphaned trainers",
        "nothing: the orphans store their cells",
        said,
        f"{both}; trained by it or by the orphans; tables equal",
    )


def terminated_trainer(scene: Scene, undisturbed: Sequence[pd.DataFrame]) -> Row:
    """SIGTERM to one process that trains."""

    def strike(process: subprocess.Popen[str]) -> None:
        scene.trainers(process)[0].terminate()

    return _struck(
        *(scene, undisturbed, "SIGTERM to a trainer (preemption)", strike),
        *("SIGTERM", "(\\d+ of \\d+ networks are stored.*)"),
        in_flight=1,
        keeps=" (checkpointed)",
    )


def terminated_run(scene: Scene, undisturbed: Sequence[pd.DataFrame]) -> Row:
    """SIGTERM to the launcher."""

    def strike(process: subprocess.Popen[str]) -> None:
        process.terminate()

    return _struck(
        *(scene, undisturbed, "SIGTERM to the run (end of a session)", strike),
        *("(\\d+ of \\d+ networks are stored.*)",),
        keeps=" (checkpointed)",
    )


def interrupted_run(scene: Scene, undisturbed: Sequence[pd.DataFrame]) -> Row:
    """Ctrl-C: SIGINT to the whole process group."""

    def strike(process: subprocess.Popen[str]) -> None:
        os.killpg(process.pid, signal.SIGINT)

    return _struck(
        *(scene, undisturbed, "Ctrl-C", strike),
        *("(\\d+ of \\d+ networks are stored.*)",),
        keeps=" (checkpointed)",
    )


@contextmanager
def _own_disk(scene: Scene, *, megabytes: int) -> Iterator[None]:
    """A disk of memory in the place of the scene's folder."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(scene.folder)]
    subprocess.run(mount, check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(scene.folder)], check=True)


def full_disk(scene: Scene, undisturbed: Sequence[pd.DataFrame]) -> Row:
    """The disk of the results is filled up while cells are trained."""
    ballast = scene.folder / "ballast"

    def strike(_: subprocess.Popen[str]) -> None:
        with ballast.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass

    class Emptied(Scene):
        def run(self, *arguments: str, before: Sequence[str] = ()) -> tuple[int, str]:
            ballast.unlink()
            return super().run(*arguments, before=before)

    scene.__class__ = Emptied
    with _own_disk(scene, megabytes=64):
        return _struck(
            *(scene, undisturbed, "disk full while training", strike),
            *("No space left", "(\\d+ of \\d+ networks are stored.*)"),
        )


def read_only_disk(scene: Scene, undisturbed: Sequence[pd.DataFrame]) -> Row:
    """The disk of the results becomes read-only between two runs."""
    with _own_disk(scene, megabytes=64):
        config = deepcopy(CONFIG)
        config["sparse_hierarchy"]["curves"][0]["P"] = [60, 240]
        scene.configure(config)
        _complete(scene)
        scene.configure(CONFIG)
        subprocess.run(["mount", "-o", "remount,ro", str(scene.folder)], check=True)
        before = scene.whole()
        code, text = scene.run()
        if not code or scene.whole() != before:
            raise Defect(f"a read-only disk was not noticed:\n{text}")
        if "Traceback" in text:
            raise Defect(f"a traceback instead of a sentence:\n{text}")
        said = quoted(text, "[Rr]ead-only", folder=scene.folder)
        subprocess.run(["mount", "-o", "remount,rw", str(scene.folder)], check=True)
        rerun, _ = finished_again(scene, undisturbed)
    return Row("results on a read-only disk", "nothing", said, rerun)


def foreign_results(scene: Scene, undisturbed: Sequence[pd.DataFrame]) -> Row:
    """Results that belong to another user are read, and more cells wanted."""
    config = deepcopy(CONFIG)
    config["sparse_hierarchy"]["curves"][0]["P"] = [60, 240]
    scene.configure(config)
    _complete(scene)
    scene.configure(CONFIG)
    before = scene.whole()
    # Root without its right to write what it does not own: an ordinary user beside the owner.
    subprocess.run(["chown", "--recursive", "65534", str(scene.folder)], check=True)
    code, text = scene.run(before=["setpriv", "--bounding-set=-dac_override,-dac_read_search"])
    subprocess.run(["chown", "--recursive", "0", str(scene.folder)], check=True)
    if not code or scene.whole() != before:
        raise Defect(f"a foreign folder was not noticed:\n{text}")
    if "Traceback" in text:
        raise Defect(f"a traceback instead of a sentence:\n{text}")
    said = quoted(text, "cannot be written to: Permission denied", folder=scene.folder)
    rerun, _ = finished_again(scene, undisturbed)
    return Row("results of another user", "nothing", said, rerun)


def _complete(scene: Scene) -> None:
    """Runs undisturbed to the end."""
    code, text = scene.run()
    if code:
        raise Defect(f"the undisturbed run fails:\n{text}")


def truncated(path: Path) -> None:
    """Cuts a file in half."""
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def bit_flipped(path: Path) -> None:
    """Turns over one bit near the end of a file, as a failing disk does, without a new date."""
    data, dates = bytearray(path.read_bytes()), path.stat()
    data[-len(data) // 4] ^= 4
    path.write_bytes(data)
    os.utime(path, ns=(dates.st_atime_ns, dates.st_mtime_ns))


def damaged_cells(scene: Scene, undisturbed: Sequence[pd.DataFrame]) -> Row:
    """A cut, an altered and a foreign cell file, found by the next training of their curve."""
    _complete(scene)
    paths = [path_of(scene.store, key) for key in scene.keys]
    truncated(paths[0])
    bit_flipped(paths[1])
    shutil.copy(paths[3], paths[2])
    config = deepcopy(CONFIG)
    config["sparse_hierarchy"]["curves"][0]["P"] = [60, 90, 120, 240]
    scene.configure(config)
    before = scene.whole()
    code, text = scene.run()
    if code:
        raise Defect(f"the run over damaged cells fails:\n{text}")
    after = scene.whole()
    trained = sum(after[key] != before.get(key) for key in after)
    if len(after) != len(scene.keys) or trained != 3 + 4:
        raise Defect(f"{trained} cells trained, 3 damaged and 4 added ones were lacking:\n{text}")
    said = quoted(
        text,
        *("trained again: .*cannot be read", "trained again: .*checksum", "trained again: .*holds"),
        folder=scene.folder,
    )
    scene.configure(CONFIG)
    for table, reference in zip(_tables_without(scene, 90), undisturbed[:1], strict=True):
        pd.testing.assert_frame_equal(table, reference, check_exact=True)
    return Row(
        "a truncated, a bit-flipped and a foreign cell file, then one P added",
        "these 3 cells",
        said,
        f"trained {trained} of {len(after)} cells, the 4 added ones and these; earlier rows equal",
    )


def _tables_without(scene: Scene, size: int) -> list[pd.DataFrame]:
    """Table of cells without one P, as if it had never been there."""
    cells = scene.tables()[0].query(f"P != {size}").reset_index(drop=True)
    # The curve's name holds a digest of all its cells.
    return [cells.assign(curve=[_curve_of(key) for key in cells["key"]])]


def _curve_of(key: str) -> str:
    curves = preset.plan(CONFIG).curves.values()
    return next(c.name for c in curves if any(e["key"] == key for e in c.entries))


def damaged_weights(scene: Scene, undisturbed: Sequence[pd.DataFrame]) -> Row:
    """A cell file is altered after its curve was trained, and measured later."""
    _complete(scene)
    bit_flipped(path_of(scene.store, scene.keys[0]))
    for file in (scene.folder / "results").rglob("*.parquet"):
        if "sensitivities" in str(file.relative_to(scene.folder)):
            file.unlink()
    code, text = scene.run()
    if code == 0:
        raise Defect(f"a damaged cell was not noticed:\n{text}")
    said = quoted(text, "checksum.*run again", folder=scene.folder)
    rerun, _ = finished_again(scene, undisturbed)
    return Row("a bit-flipped cell file, then measured anew", "this cell", said, rerun)


def lost_cell(scene: Scene, undisturbed: Sequence[pd.DataFrame]) -> Row:
    """A cell file is deleted."""
    _complete(scene)
    path_of(scene.store, scene.keys[0]).unlink()
    rerun, text = finished_again(scene, undisturbed)
    said = quoted(text, "not in the store", folder=scene.folder)
    return Row("a cell file deleted", "this cell", said, rerun)


def _damaged_table(kind: str, pattern: str, sort: str) -> Fault:
    def strike(scene: Scene, undisturbed: Sequence[pd.DataFrame]) -> Row:
        _complete(scene)
        table = sorted((scene.folder / "results").glob(pattern))[0]
        truncated(table)
        code, text = scene.run()
        if not code:
            raise Defect(f"a damaged table was not noticed:\n{text}")
        said = quoted(text, "is damaged", folder=scene.folder)
        table.unlink()  # as the message says
        rerun, _ = finished_again(scene, undisturbed, trains=0)
        return Row(f"a truncated {sort}", "this file", said, f"{rerun}, once it is deleted")

    strike.__doc__ = f"A {kind} is cut in half."
    return strike


def diverging(scene: Scene, undisturbed: Sequence[pd.DataFrame]) -> Row:
    """A learning rate at which one network diverges."""
    config = deepcopy(CONFIG)
    group = config["sparse_hierarchy"]["curves"][0]
    config["sparse_hierarchy"]["curves"] = [
        {**group, "net": "lcn"},
        {**group, "net": "cnn", "training": {"learning_rate": 10.0}},
    ]
    scene.configure(config)
    code, text = scene.run()
    if code:
        raise Defect(f"a diverging cell ends the run:\n{text}")
    cells = scene.tables()[0]
    diverged = cells["status"] == "diverged"
    if not diverged.any() or cells.loc[diverged, "test_error"].notna().any():
        raise Defect("nothing diverged, or a diverged cell has an error")
    lcn = cells["net"] == "lcn"
    pd.testing.assert_frame_equal(
        cells[lcn].reset_index(drop=True),
        undisturbed[0].query("net == 'lcn'").reset_index(drop=True),
        check_exact=True,
    )
    before = scene.whole()
    scene.run()
    if scene.whole() != before:
        raise Defect("a diverged cell is trained again")
    return Row(
        "diverging cells (learning rate 10)",
        f"{diverged.sum()} of {len(cells)} cells have a row with `status: diverged`, no error",
        quoted(text, "diverged after", folder=scene.folder),
        "nothing to be done: a diverged cell is a result",
    )


def future_dates(scene: Scene, undisturbed: Sequence[pd.DataFrame]) -> Row:
    """All results are dated a day ahead, as after work on a machine whose clock was wrong."""
    _complete(scene)
    ahead = time.time() + DAY
    for file in (scene.folder / "results").rglob("*"):
        os.utime(file, (ahead, ahead))
    stored = scene.whole()
    config = deepcopy(CONFIG)
    config["sparse_hierarchy"]["curves"][0]["P"] = [60, 90, 120, 240]
    scene.configure(config)
    code, text = scene.run()
    if code:
        raise Defect(f"files of the future end the run:\n{text}")
    after = scene.whole()
    if any(after[key] != stored[key] for key in stored):
        raise Defect("files of the future were trained again")
    for table, reference in zip(_tables_without(scene, 90), undisturbed[:1], strict=True):
        pd.testing.assert_frame_equal(table, reference, check_exact=True)
    code, again = scene.run()
    if code or scene.whole() != after:
        raise Defect(f"the run after it fails, or trains:\n{again}")
    return Row(
        "all files dated a day ahead, then one P added",
        "nothing",
        quoted(text, "dated in the future", folder=scene.folder),
        f"trained the {len(after) - len(stored)} added cells; a third run trained none",
    )


REFUSED: dict[str, tuple[str, str]] = {
    "unknown key": ("seeds: 2", "sedes: 2"),
    "value out of range": ("seeds: 2", "seeds: 0"),
    "value of another kind": ("width: 12", "width: wide"),
    "unknown network": ("- cnn", "- cnm"),
    "impossible grammar": ("v: 3", "v: 3\n    m: 4"),
    "P larger than the data": ("- 240", "- 240000000"),
    "contradictory options": ("max_steps: 200000", "max_steps: 200000\n    bias: true"),
    "key missing": ("    s0: 1\n", ""),
    "not YAML": ("curves:", "curves: ]"),
}


def _refused(kind: str, old: str, new: str) -> Fault:
    def strike(scene: Scene, _: Sequence[pd.DataFrame]) -> Row:
        text = yaml.safe_dump(CONFIG, sort_keys=False)
        if old not in text:
            raise Defect(f"{old!r} is not in the configuration")
        scene.configure(text.replace(old, new, 1))
        code, said = scene.run()
        if not code or scene.store.exists():
            raise Defect(f"the configuration was not refused:\n{said}")
        if "Traceback" in said:
            raise Defect(f"a traceback instead of a sentence:\n{said}")
        line = quoted(said, _NAMES[kind], folder=scene.folder)
        return Row(f"config: {kind}", "nothing: no job starts", line, "nothing, until it is mended")

    strike.__doc__ = f"A configuration with this error: {kind}."
    return strike


# What a message must say: the key, and where there is one the value.
_NAMES = {
    "unknown key": "sedes.*unknown key",
    "value out of range": "seeds.*0",
    "value of another kind": "width.*wide",
    "unknown network": "net.*cnm",
    "impossible grammar": "m = 4",
    "P larger than the data": "P.*240000000",
    "contradictory options": "bias",
    "key missing": "s0.*required",
    "not YAML": "line \\d+",
}

FAULTS: dict[str, Fault] = {
    "killed_trainer": killed_trainer,
    "killed_run": killed_run,
    "killed_snakemake": killed_snakemake,
    "terminated_trainer": terminated_trainer,
    "terminated_run": terminated_run,
    "interrupted_run": interrupted_run,
    "full_disk": full_disk,
    "read_only_disk": read_only_disk,
    "foreign_results": foreign_results,
    "lost_cell": lost_cell,
    "damaged_cells": damaged_cells,
    "damaged_weights": damaged_weights,
    "damaged_derivations": _damaged_table("sample", "derivations/*.parquet", "sample of data"),
    "damaged_curve": _damaged_table("curve", "curves/lcn*[0-9a-f].parquet", "curve file"),
    "damaged_table": _damaged_table(
        "table", "faults/tables/sparse_hierarchy/cells.parquet", "table of cells"
    ),
    "diverging": diverging,
    "future_dates": future_dates,
    **{f"config_{kind.replace(' ', '_')}": _refused(kind, *edit) for kind, edit in REFUSED.items()},
}
# Those that are made of other kinds of networks, too.
FOR_ALL = (
    *("killed_trainer", "killed_run", "terminated_trainer", "terminated_run"),
    *("lost_cell",),
)
KINDS = {f"{name}_{kind.replace(' ', '_')}": (name, kind) for kind in OTHERS for name in FOR_ALL}
OF_ROOT = ("full_disk", "read_only_disk", "foreign_results")


def as_markdown(rows: Sequence[Row]) -> str:
    """The table, with what it was made on."""
    lines = [
        f"{datetime.now(UTC):%Y-%m-%d}, {processor()}, {len(os.sched_getaffinity(0))} cores,"
        f" {platform.system()};"
        f" {versions(['snakemake', 'numba', 'numpy', 'safetensors', 'pyarrow'])}; `make faults`.",
        "",
        "| fault | lost | said | the run after it |",
        "|---|---|---|---|",
        *(f"| {row.fault} | {row.lost} | {row.said} | {row.rerun} |" for row in rows),
    ]
    return "\n".join(lines)


def main() -> int:
    """Makes the faults and writes the table; 1 if one of them was a defect, and writes nothing."""
    parser = argparse.ArgumentParser(description=__doc__)
    names = [*FAULTS, *KINDS]
    parser.add_argument("--only", nargs="+", choices=names, default=names)
    chosen = parser.parse_args().only
    rows, defects = [], []
    undisturbed: dict[str, list[pd.DataFrame]] = {}
    with tempfile.TemporaryDirectory(prefix="faults-") as temporary:
        for name in chosen:
            begun = time.monotonic()
            try:
                if name in OF_ROOT and os.geteuid() != 0:
                    rows.append(Row(name.replace("_", " "), "", "not made: needs root", ""))
                    continue
                fault, kind = KINDS.get(name, (name, ""))
                if kind not in undisturbed:
                    reference = Scene(
                        Path(temporary) / f"undisturbed_{kind}", OTHERS.get(kind, MAIN)
                    )
                    _complete(reference)
                    undisturbed[kind] = reference.tables()
                scene = Scene(Path(temporary) / name, OTHERS.get(kind, MAIN))
                row = FAULTS[fault](scene, undisturbed[kind])
                rows.append(replace(row, fault=f"{row.fault}; {kind}") if kind else row)
                print(f"{name}: {time.monotonic() - begun:.0f} s", flush=True)
            except AssertionError as defect:
                defects.append(name)
                print(f"DEFECT {name} after {time.monotonic() - begun:.0f} s: {defect}", flush=True)
    print(as_markdown(rows))
    if defects:
        print(f"defects: {', '.join(defects)}")
        return 1
    before, rest = DOCUMENT.read_text().split(BEGIN)
    earlier, after = rest.split(END)
    table = as_markdown(rows)
    if chosen != names:
        table = with_renewed_rows(earlier.strip(), table)
    DOCUMENT.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}")
    return 0


def with_renewed_rows(earlier: str, renewed: str) -> str:
    """A table with the rows of another one in the place of those of the same faults."""
    by_fault = {line.split("|")[1]: line for line in renewed.splitlines() if line.startswith("| ")}
    lines = earlier.splitlines()
    return "\n".join(by_fault.get((line + "||").split("|")[1], line) for line in lines)


if __name__ == "__main__":
    sys.exit(main())
