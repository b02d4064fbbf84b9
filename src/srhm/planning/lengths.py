"""The jobs of a curve: its parts, and the minutes and megabytes that each asks of a cluster.

A curve that is expected to take too long for one job is split into parts, each a job of its own.
Parts train into the store, so that a curve that is split otherwise next time trains nothing twice.
All numbers are estimates with a margin, of the costs of cells. A job that still runs out of time
stops before its end, leaves checkpoints, and is sent again with more. On one machine nobody looks
at minutes and megabytes.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from pathlib import Path

from srhm.declare.names import resolved
from srhm.declare.study import Curve, CurveMeasurement
from srhm.flow.cost import BATCH_BYTES, groups
from srhm.planning.preset import Jobs
from srhm.store import places
from srhm.store.paths import stored_paths, visits
from srhm.training.cost import Cost

# Of a cell that is no network of known size: in memory, libraries aside, and stored.
EXPERIMENT_BYTES, STORED_BYTES = 5e8, 1e4
# Seconds asked for over those expected: steps of a cell are off by a factor of 1.5 or so (one sd,
# see cost_model.json), and machines by another.
SAFETY = 3.0
# Minutes for starting, for compiling, and for reading and writing on a slow file system.
START = 10
# Assumed: bytes of a job without networks: Python, Numba or PyTorch, and the Snakemakes around it.
PROGRAM = 1.2e9
# Assumed: bytes that a job with a GPU takes on the host besides: the libraries of CUDA, the context
# of the device, kernels and their compiler.
GPU_PROGRAM = 3.0e9
# Assumed: networks that a job with a GPU has copies of on the host at a time, whatever its threads:
# as many as a stack of named nets holds.
STACK = 16
# Memory of a network in training over that of its weights and momenta: a checkpoint is put together
# in memory before it is written.
COPIES = 3
# Assumed: bytes of the activations of the points that sensitivities are measured on.
ACTIVATIONS = 1.0e9
# Assumed: seconds to measure one cell of width 512; a smaller one takes less.
SECONDS_TO_MEASURE = 20.0
MEGABYTE = 1e6


def split(
    expected: Sequence[Cost],
    *,
    minutes: float,
    groups: Sequence[Sequence[int]] | None = None,
) -> dict[str, list[int]]:
    """Places of the cells of each part of a curve, by the part's name ("1-of-3").

    Empty where one job does. A group, or a single cell, is never split. All parts take about the
    same time. The choice depends on the arguments alone.

    expected: cost of each cell, in the order of the curve. minutes: that a part may be expected to
    take on one core. groups: places of cells that are trained together; None: each by itself.
    """
    groups = groups or [[place] for place in range(len(expected))]
    n_parts = ceil(sum(cost.seconds for cost in expected) / (60 * minutes))
    n_parts = min(n_parts, len(groups))
    if n_parts <= 1:
        return {}
    filled: list[list[int]] = [[] for _ in range(n_parts)]
    load = [0.0] * n_parts
    seconds = [sum(expected[place].seconds for place in group) for group in groups]
    # The longest first, each to the part that has least so far.
    for k in sorted(range(len(groups)), key=lambda k: (-seconds[k], k)):
        least = min(range(n_parts), key=lambda i: (load[i], len(filled[i]), i))
        filled[least] += groups[k]
        load[least] += seconds[k]
    return {f"{i}-of-{len(filled)}": sorted(part) for i, part in enumerate(filled, start=1)}


@dataclass(frozen=True)
class CurveJobs:
    """The jobs of one curve.

    limits: key `jobs` of the preset. directory: the folder that holds results/. inside_a_job:
    whether Snakemake runs within a job of its own. All parts that it needs are there then.
    """

    curve: Curve
    limits: Jobs
    directory: Path = Path()
    inside_a_job: bool = False

    @property
    def _folder(self) -> Path:
        return self.directory / places.parts_of_curve(self.curve.trainer, self.curve.name)

    @property
    def _gathered(self) -> bool:
        rows = places.rows_of_curve(self.curve.trainer, self.curve.name)
        return (self.directory / rows).is_file()

    @cached_property
    def parts(self) -> dict[str, list[int]]:
        """Places in the curve of each part's cells; empty where one job trains the whole curve."""
        if self.limits.minutes is None:
            return {}
        return split(self._costs, minutes=self.limits.minutes, groups=self._groups)

    @property
    def _groups(self) -> list[list[int]] | None:
        """Places of the cells that one job trains: stacks of equal P, candidates of a seed."""
        if self.curve.search is None:
            return groups(self.curve.cells) if self.curve.trainer.stacked else None
        by_seed: dict[int, list[int]] = {}
        for place, cell in enumerate(self.curve.cells):
            by_seed.setdefault(cell["seed"], []).append(place)
        return list(by_seed.values())

    @cached_property
    def _costs(self) -> list[Cost]:
        """Expected cost of each cell; seconds of candidates as far as they are expected at all."""
        cells = {entry["key"]: entry["cell"] for entry in self.curve.entries}
        parts = visits(self.curve.search, cells)
        return [
            replace(cost, seconds=parts[entry["key"]] * cost.seconds)
            for entry, cost in zip(self.curve.entries, expected_costs(self.curve), strict=True)
        ]

    def files(self) -> list[str]:
        """Files that the part jobs leave, one for each.

        For a curve that is gathered already, those that it was gathered from: otherwise it would be
        gathered and measured again whenever `jobs` is changed.
        """
        if self._gathered or self.inside_a_job:
            return sorted(str(file) for file in self._folder.glob("*-of-*.json"))
        return [f"{self._folder}/{part}.json" for part in self.parts]

    def places(self, part: str) -> list[int]:
        """Places of a part's cells in the curve.

        A part that is there but not planned comes from other `jobs`; its file says which cells.
        """
        planned = self.parts.get(part)
        file = self._folder / f"{part}.json"
        if planned is not None and not (self._gathered and file.is_file()):
            return planned
        keys = set(json.loads(file.read_text(encoding="utf-8")))
        return [place for place, entry in enumerate(self.curve.entries) if entry["key"] in keys]

    def lacking(self) -> list[int]:
        """Places of the cells that the job of the curve itself has to train.

        Those are what the store lacks after all parts; none while a part is still to come. Cells
        that a GPU trained by other code count as missing: they are trained again.
        """
        parts = self.parts
        if not (self._gathered or all((self._folder / f"{part}.json").is_file() for part in parts)):
            return []  # parts will train them: then the curve is only gathered
        _, asked = stored_paths(self.curve, self.directory / places.store_of(self.curve.trainer))
        return [place for place, entry in enumerate(self.curve.entries) if entry["key"] in asked]

    def training_minutes(self, cells: Sequence[int], *, threads: int, attempt: int) -> int:
        """Minutes to ask for to train the cells at these places; each attempt asks for more.

        A job that needs more than the limit goes on from its checkpoints next time.
        """
        seconds = [self._costs[place].seconds for place in cells]
        longest = max(seconds, default=0.0)
        # Threads take the longest cells first; none ends later than this.
        return self._minutes((sum(seconds) - longest) / threads + longest, attempt=attempt)

    def measuring_minutes(self, measurement: CurveMeasurement, *, attempt: int) -> int:
        """Minutes to ask for to measure all cells one by one; each attempt asks for more."""
        parts = [SECONDS_TO_MEASURE + measurement.share * cost.seconds for cost in self._costs]
        return self._minutes(sum(parts), attempt=attempt)

    def _minutes(self, seconds: float, *, attempt: int) -> int:
        minutes = attempt * (START + ceil(SAFETY * seconds / 60))
        return minutes if self.limits.limit is None else min(minutes, self.limits.limit)

    def training_megabytes(
        self, cells: Sequence[int], *, threads: int, attempt: int, gpu: int
    ) -> int:
        """Megabytes to ask for to train the cells at these places; each attempt asks for more."""
        if self.curve.trainer.stacked:
            working = ACTIVATIONS + COPIES * self._stack(cells)
        else:
            # Networks on images are not trained together.
            together = gpu and self.curve.sample is not None
            memory = [self._costs[place].memory for place in cells]
            largest = sorted(memory, reverse=True)[: max(threads, STACK) if together else threads]
            working = COPIES * sum(largest)
        return _megabytes(working, attempt=attempt, gpu=gpu)

    def measuring_megabytes(self, *, attempt: int, gpu: int) -> int:
        """Megabytes to ask for to measure all cells; each attempt asks for more."""
        largest = (
            self._stack(range(len(self._costs)))
            if self.curve.trainer.stacked
            else max((cost.memory for cost in self._costs), default=0.0)
        )
        return _megabytes(ACTIVATIONS + COPIES * largest, attempt=attempt, gpu=gpu)

    def _stack(self, cells: Sequence[int]) -> float:
        """Bytes of the largest stack of cells of equal P: of all, or of as many as are at once."""
        size = {place: self.curve.entries[place]["cell"]["P"] for place in cells}
        memory = {place: self._costs[place].memory for place in cells}
        members = Counter(size.values())
        stacks = (max(memory[k], min(members[size[k]] * memory[k], BATCH_BYTES)) for k in cells)
        return max(stacks, default=0.0)


def _megabytes(working: float, *, attempt: int, gpu: int) -> int:
    return attempt * ceil((PROGRAM + gpu * GPU_PROGRAM + working) / MEGABYTE)


# By the name of a curve and the number of its cells, some of which may be archived.
_costs: dict[tuple[str, int], list[Cost]] = {}


def expected_costs(curve: Curve) -> list[Cost]:
    """Expected cost of each cell of a curve, by its trainer."""
    name = curve.name, len(curve.entries)
    if name not in _costs:
        trainer = curve.trainer
        if trainer.seconds:
            seconds = map(resolved(trainer.seconds), curve.cells)
            _costs[name] = [
                Cost(0, duration, EXPERIMENT_BYTES, STORED_BYTES) for duration in seconds
            ]
        else:
            _costs[name] = resolved(trainer.cost)(curve.cells)
    return _costs[name]
