"""Seconds and memory of the workflow around training: thousands of cells planned and gathered.

    python benchmarks/scale.py

plans configurations of 5,000 and 20,000 cells (`snakemake --dry-run`, `make plan`), writes invented
curve files for all cells of the largest, and lets the workflow's own rules gather them into tables
and estimate sample complexities. Everything happens in a temporary folder. The table goes into
benchmarks/README.md between its marks.
"""

import os
import platform
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from srhm.declare.study import Curve
from srhm.planning import preset
from srhm.planning.preset import Plan
from srhm.store.provenance import versions
from srhm.store.records import write_table
from srhm.store.tables import CELLS, SENSITIVITIES, TIMINGS
from srhm.training.cell import processor

REPOSITORY = Path(__file__).resolve().parents[1]
README = REPOSITORY / "benchmarks" / "README.md"
BEGIN, END = "<!-- scale: written by benchmarks/scale.py -->", "<!-- end of scale -->"
PRESET, STUDY = "scale", "sparse_hierarchy"
REPEATS = 3
NETS, DEPTHS, EMPTY = ["lcn", "cnn"], [2, 3], [1, 2, 3, 4, 5]
SIZES = range(100, 200, 10)


@dataclass(frozen=True)
class Case:
    """A configuration of a given number of cells, on curves of `points` P and `seeds` seeds."""

    points: int
    seeds: int
    features: Sequence[int]
    classes: Sequence[int]

    def config(self) -> dict[str, Any]:
        """The configuration: explicit P, so that the number of cells is known beforehand."""
        group = {"net": NETS, "L": DEPTHS, "v": [*self.features], "s0": EMPTY, "m": 2}
        group |= {"n_c": [*self.classes], "P": [*SIZES][: self.points]}
        section = {"seeds": self.seeds, "width": 16, "n_test": 100, "curves": [group]}
        return {"preset": PRESET, STUDY: section}

    @property
    def n_curves(self) -> int:
        """Learning curves of the configuration."""
        kinds = len(NETS) * len(DEPTHS) * len(EMPTY)
        return kinds * len(self.features) * len(self.classes)

    @property
    def n_cells(self) -> int:
        """Cells of the configuration."""
        return self.n_curves * self.points * self.seeds


CASES = (
    Case(points=10, seeds=5, features=range(4, 9), classes=[4]),
    Case(points=5, seeds=1, features=range(4, 14), classes=[2, 3, 4, 5, 6]),
    Case(points=10, seeds=10, features=range(4, 14), classes=[4]),
    Case(points=5, seeds=4, features=range(4, 14), classes=[2, 3, 4, 5, 6]),
)


@dataclass(frozen=True)
class Measured:
    """Wall-clock and processor seconds, and peak resident memory in MB, of a process."""

    seconds: float
    processor_seconds: float
    peak: float


def run(command: Sequence[str | Path], folder: Path, said: Path) -> Measured:
    """Runs a command to its end; raises CalledProcessError with its output if it fails."""
    begun = time.perf_counter()
    with said.open("w", encoding="utf-8") as out:
        process = subprocess.Popen(
            [str(word) for word in command], cwd=folder, stdout=out, stderr=subprocess.STDOUT
        )
        # Of this child and of those that it waited for, unlike resource.getrusage of all children.
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(
            process.returncode, command, said.read_text(encoding="utf-8")
        )
    return Measured(
        time.perf_counter() - begun, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e3
    )


def snakemake(folder: Path, *arguments: str) -> list[str | Path]:
    """Snakemake in a folder, on its config.yaml, under the default profile."""
    command: list[str | Path] = [sys.executable, "-m", "snakemake"]
    command += ["--snakefile", REPOSITORY / "Snakefile"]
    command += ["--workflow-profile", REPOSITORY / "profiles" / "default"]
    command += ["--directory", folder, "--configfile", folder / "config.yaml", "--cores", "1"]
    return [*command, *arguments]


def invented_files(plan: Plan, outputs: Sequence[str], folder: Path) -> None:
    """Writes all curve files that the plan asks for, under the names that Snakemake gives them.

    Errors fall from chance with P, as in a learning curve.
    """
    generator = np.random.default_rng(0)
    for output in outputs:
        path = folder / output
        name = path.name.removesuffix(".parquet")
        if path.parts[-2] == "curves":
            curve = plan.curves[name.removesuffix(".timings")]
            if name.endswith(".timings"):
                write_table(timing_rows(curve), path, TIMINGS)
            else:
                write_table(cell_rows(curve, generator), path, CELLS)
        elif path.parts[-2] == "sensitivities":
            write_table(sensitivity_rows(plan.curves[name], generator), path, SENSITIVITIES)


def cell_rows(curve: Curve, generator: np.random.Generator) -> list[dict[str, Any]]:
    """A row of results for each cell of a curve."""
    rows = []
    for entry in curve.entries:
        cell = entry["cell"]
        error = falling(cell["P"], generator) * (1 - 1 / cell["n_c"])
        outcome = {
            **{"epochs": 10, "steps": 1000, "train_loss": 1e-3, "status": "fitted"},
            **{"test_error": error, "best_test_error": error, "best_step": 500},
            **{"n_distinct": 1e9, "source": entry["source"], "versions": "none"},
        }
        # A coordinate of one kind of network is empty for the others.
        row = {**dict.fromkeys(CELLS.names), **cell, **outcome}
        rows.append({**row, "curve": curve.name, "key": entry["key"]})
    return rows


def timing_rows(curve: Curve) -> list[dict[str, Any]]:
    """A row of times for each cell of a curve."""
    times = {
        "steps": 1000,
        "seconds": 1.0,
        "started": "",
        "host": "",
        "processor": "",
        "threads": 1,
    }
    return [{"curve": curve.name, "key": entry["key"], **times} for entry in curve.entries]


def sensitivity_rows(curve: Curve, generator: np.random.Generator) -> list[dict[str, Any]]:
    """Rows for each cell: both kinds, every layer, every level."""
    rows = []
    for entry in curve.entries:
        cell, depth = entry["cell"], entry["cell"]["L"]
        shared = {name: cell.get(name) for name in SENSITIVITIES.names}
        shared |= {"curve": curve.name, "key": entry["key"], "variant": "text"}
        shared |= {"standard_error": 0.01, "n": 100, "n_draws": 4}
        for kind, k, level in product("SD", range(1, depth + 2), range(1, depth + 1)):
            layer = "output" if k > depth else f"layer{k}"
            value = falling(cell["P"], generator)
            rows.append(
                {**shared, "kind": kind, "layer": layer, "k": k, "l": level, "value": value}
            )
    return rows


def falling(n_train: int, generator: np.random.Generator) -> float:
    """A number that falls from near 1 to near 0 over the range of P, with noise of 5 %."""
    middle = (SIZES[0] * SIZES[-1]) ** 0.5
    return float(np.exp(0.05 * generator.standard_normal()) / (1 + (n_train / middle) ** 12))


def outputs_of(folder: Path, target: str) -> list[str]:
    """Files that Snakemake would make on the way to a target."""
    command = [str(word) for word in snakemake(folder, target, "--summary")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    head, *lines = [line.split("\t") for line in done.stdout.splitlines() if "\t" in line]
    return [line[head.index("output_file")] for line in lines]


def planning(case: Case, folder: Path) -> Iterator[tuple[str, list[Measured]]]:
    """Times of planning a configuration in both ways."""
    folder.mkdir()
    config = folder / "config.yaml"
    config.write_text(yaml.safe_dump(case.config()))
    planned = preset.plan_preset(case.config())
    assert sum(len(curve.entries) for curve in planned.curves.values()) == case.n_cells
    where = f"{case.n_cells:,} cells on {case.n_curves:,} curves"
    said = folder / "said.txt"
    command = snakemake(folder, "--dry-run")
    yield f"`snakemake --dry-run`, {where}", [run(command, folder, said) for _ in range(REPEATS)]
    command = [
        sys.executable,
        "-m",
        "srhm.commands.plan",
        "--configfile",
        config,
        "--directory",
        folder,
    ]
    yield f"`srhm.commands.plan`, {where}", [run(command, folder, said) for _ in range(REPEATS)]


def aggregation(case: Case, folder: Path) -> Iterator[tuple[str, list[Measured]]]:
    """Times of the rules that read every cell, run by Snakemake on invented curve files."""
    tables = f"results/{PRESET}/tables/{STUDY}"
    goal = f"{tables}/sample_complexity.parquet"
    invented_files(preset.plan_preset(case.config()), outputs_of(folder, goal), folder)
    where = f"{case.n_cells:,} cells on {case.n_curves:,} curves"
    for rule, target in ((f"gather_{STUDY}", f"{tables}/cells.parquet"), ("", goal)):
        name = rule or f"derive_{STUDY}_sample_complexity"
        # Planning of the job included. What is older than its inputs is made anew: run once each.
        yield f"`{name}`, {where}", [run(snakemake(folder, target), folder, folder / "said.txt")]
    assert len(pd.read_parquet(folder / tables / "cells.parquet")) == case.n_cells
    yield (
        f"`snakemake --dry-run`, {where}, all curves there",
        [
            run(snakemake(folder, "--dry-run", goal), folder, folder / "said.txt")
            for _ in range(REPEATS)
        ],
    )


def as_markdown(rows: Mapping[str, Sequence[Measured]]) -> str:
    """The table, with what it was measured on."""
    lines = [
        f"{processor()}, {len(os.sched_getaffinity(0))} cores,"
        f" {os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB;"
        f" {platform.system()}; {versions(['snakemake', 'pandas', 'pyarrow', 'pydantic'])};"
        f" {datetime.now(UTC):%Y-%m-%d};"
        f" `{shlex.join(['.venv/bin/python', 'benchmarks/scale.py'])}`.",
        "Seconds as mean (fastest, slowest) of n runs of the whole process; memory is the largest"
        " peak of a process.",
        "",
        "| what | seconds | processor seconds | peak memory (MB) | n |",
        "|---|---|---|---|---|",
    ]
    for name, runs in rows.items():
        seconds = [measured.seconds for measured in runs]
        spread = f" ({min(seconds):.1f}, {max(seconds):.1f})" if len(runs) > 1 else ""
        lines.append(
            f"| {name} | {statistics.mean(seconds):.1f}{spread}"
            f" | {statistics.mean(measured.processor_seconds for measured in runs):.1f}"
            f" | {max(measured.peak for measured in runs):.0f} | {len(runs)} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Measures, prints the table and writes it into benchmarks/README.md."""
    rows: dict[str, list[Measured]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        for number, case in enumerate(CASES):
            folder = Path(temporary) / str(number)
            rows |= dict(planning(case, folder))
            if case.n_cells >= 20_000:
                rows |= dict(aggregation(case, folder))
    table = as_markdown(rows)
    print(table)
    before, rest = README.read_text().split(BEGIN)
    README.write_text(f"{before}{BEGIN}\n{table}\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
