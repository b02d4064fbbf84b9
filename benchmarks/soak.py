"""A long walk over a run that is killed again and again: `make soak`.

    python benchmarks/soak.py [--kills 50] [--seed 0]

A small configuration, of the paper's study and of one by gradient flow, is run once undisturbed.
Then it is started again and again, and each time struck at a random time by a random signal, at all
of its processes, at Snakemake or at one job. Where it ends before it is struck it begins anew in an
empty folder, so that there are as many kills as asked for. The last start is undisturbed. The
script fails where a cell that was stored is lost or trained again, where a run hangs, or where the
tables at the end differ from the undisturbed ones in any bit. The result is a row of
docs/reliability.md.
"""

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
from faults.kinds import GRADIENT_FLOW, MEASURED, Kind
from faults.rows import short_commit
from faults.scene import LONGEST_RUN, REPOSITORY, Defect, Scene, descendants

from srhm.results import places
from srhm.results.store import path_of
from srhm.training.cell import processor

DOCUMENT = REPOSITORY / "docs" / "reliability.md"
BEGIN, END = "<!-- soak: written by `make soak` -->", "<!-- end of soak -->"
# At whom a signal goes, and which: a launcher passes on what it can, SIGKILL reaches it alone.
KILLS = (
    *((whom, signal.SIGKILL) for whom in ("all", "Snakemake", "a job")),
    *(("all", number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)),
    *(("the launcher", number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)),
    *(("a job", number) for number in (signal.SIGTERM, signal.SIGINT)),
)
# When a run is struck: when it has taken this part of the processor time of an undisturbed one.
# Wall time would say little on a machine that does other work.
EARLIEST, LATEST = 0.1, 0.5
LOOK = 0.05  # seconds


def kind_of_soak() -> Kind:
    """The paper's study and one by gradient flow, of few cells, and the tables of both."""
    config = {**GRADIENT_FLOW.without, **MEASURED.without}
    tables = (*MEASURED.tables, *GRADIENT_FLOW.tables)
    return replace(MEASURED, name="soak", config=config, words=tables, tables=tables)


class Walk(Scene):
    """A run of several trainers, with all of its tables."""

    def configure(self, config: object) -> None:
        """Writes the configuration; the cells lie in the stores of several trainers."""
        super().configure(config)  # type: ignore[arg-type]
        curves = self.curves.values()
        self.paths = {
            entry["key"]: path_of(self.folder / places.store_of(curve.trainer), entry["key"])
            for curve in curves
            for entry in curve.entries
        }

    def dates(self) -> dict[str, int]:
        """When each stored cell was written."""
        return {key: path.stat().st_mtime_ns for key, path in self.paths.items() if path.is_file()}


@dataclass
class Outcome:
    """What a walk was."""

    kills: Counter[str] = field(default_factory=Counter)
    runs_to_the_end: int = 0
    cells: int = 0


def spent(process: subprocess.Popen[str]) -> float:
    """Processor time, in seconds, of a run and all that it has started."""
    try:
        family = [psutil.Process(process.pid), *descendants(process.pid)]
    except psutil.NoSuchProcess:
        return 0.0
    total = 0.0
    for one in family:
        with suppress(psutil.NoSuchProcess):
            times = one.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


def struck(walk: Walk, process: subprocess.Popen[str], whom: str, number: int, at: float) -> bool:
    """Strikes a run when it has spent so much processor time; False if it ended before."""
    while process.poll() is None:
        if spent(process) >= at and strike(walk, process, whom, number):
            return True
        time.sleep(LOOK)
    return False


def strike(walk: Walk, process: subprocess.Popen[str], whom: str, number: int) -> bool:
    """Sends a signal; False where there is nobody to receive it."""
    try:
        if whom == "all":
            os.killpg(process.pid, number)
        elif whom == "the launcher":
            process.send_signal(number)
        elif whom == "Snakemake":
            walk.snakemake(process).send_signal(number)
        else:
            jobs = descendants(process.pid, ".snakemake/scripts/")
            jobs[-1].send_signal(number)
    except (ProcessLookupError, psutil.NoSuchProcess, StopIteration, IndexError):
        return False
    return process.returncode is None


def check(walk: Walk, settled: dict[str, int]) -> None:
    """Whether cells that were stored are as they were.

    Raises:
        Defect: if one is lost, or trained again.
    """
    now = walk.dates()
    if lost := settled.keys() - now.keys():
        raise Defect(f"cells lost: {sorted(lost)}\n{walk.said()}")
    if again := {key for key in settled if now[key] != settled[key]}:
        raise Defect(f"cells trained again: {sorted(again)}\n{walk.said()}")


def compared(walk: Walk, undisturbed: list[pd.DataFrame]) -> None:
    """Whether all tables are those of an undisturbed run.

    Raises:
        AssertionError: if one differs in any bit.
    """
    for found, table in zip(walk.tables(), undisturbed, strict=True):
        pd.testing.assert_frame_equal(found, table, check_exact=True)


def soak(folder: Path, *, n_kills: int, generator: np.random.Generator) -> Outcome:
    """Runs that are struck, and one that is not.

    Raises:
        Defect, AssertionError: at the first fault.
    """
    kind, outcome = kind_of_soak(), Outcome()
    reference = Walk(folder / "undisturbed", kind)
    code, text = reference.run()
    if code:
        raise Defect(f"the undisturbed run fails:\n{text}")
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    whole = usage.ru_utime + usage.ru_stime
    undisturbed = reference.tables()
    outcome.cells = len(reference.paths)
    print(f"undisturbed: {whole:.0f} s of processors, {outcome.cells} cells", flush=True)
    walk, settled, younger = Walk(folder / "walk_0", kind), dict[str, int](), dict[str, int]()
    while outcome.kills.total() < n_kills:
        whom, number = KILLS[generator.integers(len(KILLS))]
        at = whole * generator.uniform(EARLIEST, LATEST)
        # An orphan may store a cell beside this run, which then stores it too: only what was there
        # before the start of the run before must not be written again.
        settled, younger = younger, walk.dates()
        process = walk.start()
        met = struck(walk, process, whom, number, at)
        code, text = walk.end(process, within=LONGEST_RUN)
        check(walk, settled)
        name = f"{number.name} of {whom}"
        n_stored = len(walk.dates())
        if met and code:
            outcome.kills[name] += 1
        print(
            f"{outcome.kills.total()}: {name if met else 'not struck'} at {at:.0f} s of processors,"
            f" exit code {code}, {n_stored} of {outcome.cells} cells",
            flush=True,
        )
        if code == 0:
            compared(walk, undisturbed)
            outcome.runs_to_the_end += 1
            walk.close()
            walk = Walk(folder / f"walk_{outcome.runs_to_the_end}", kind)
            settled, younger = {}, {}
        elif not met:
            raise Defect(f"a run that was not struck fails:\n{text}")
    code, text = walk.run()
    if code:
        raise Defect(f"the last run fails:\n{text}")
    check(walk, settled)
    compared(walk, undisturbed)
    outcome.runs_to_the_end += 1
    return outcome


def row(outcome: Outcome, *, seed: int, seconds: float, commit: str) -> str:
    """The table, with what it was made on."""
    kills = ", ".join(f"{number} × {name}" for name, number in sorted(outcome.kills.items()))
    return "\n".join(
        [
            "| made | cells | kills | reached the end | seconds | result |",
            "|---|---|---|---|---|---|",
            f"| {datetime.now(UTC):%Y-%m-%d}, {commit}, {processor()},"
            f" {len(os.sched_getaffinity(0))} cores, seed {seed} | {outcome.cells} |"
            f" {outcome.kills.total()}: {kills} | {outcome.runs_to_the_end} times |"
            f" {seconds:.0f} | nothing lost, no stored cell trained again, no run hung, all tables"
            " equal in every bit each time |",
        ]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the row; 1, and nothing written, where something was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    begun, commit = time.monotonic(), short_commit()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        try:
            outcome = soak(
                Path(folder), n_kills=options.kills, generator=np.random.default_rng(options.seed)
            )
        except AssertionError as defect:
            print(f"DEFECT after {time.monotonic() - begun:.0f} s: {defect}")
            return 1
    table = row(outcome, seed=options.seed, seconds=time.monotonic() - begun, commit=commit)
    print(table)
    before, rest = DOCUMENT.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    DOCUMENT.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
