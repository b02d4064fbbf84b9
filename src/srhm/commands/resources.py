"""The jobs of a curve: its parts, and the minutes and megabytes that each asks of a cluster.

On one machine nobody looks at minutes and megabytes.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from srhm.commands import jobs
from srhm.declare.names import resolved
from srhm.declare.study import Curve, CurveMeasurement
from srhm.flow.cost import groups
from srhm.planning.preset import Jobs
from srhm.store import places
from srhm.store.paths import stored_paths, visits
from srhm.training.cost import Cost

# Of a cell that is no network of known size: in memory, libraries aside, and stored.
EXPERIMENT_BYTES, STORED_BYTES = 5e8, 1e4


class CurveJobs:
    """The jobs of one curve.

    limits: key `jobs` of the preset. directory: the folder that holds results/. inside_a_job:
    whether Snakemake runs within a job of its own. All parts that it needs are there then.
    """

    def __init__(
        self, curve: Curve, limits: Jobs, *, directory: Path = Path(), inside_a_job: bool = False
    ) -> None:
        self._curve = curve
        self._limits = limits
        self._directory = directory
        self._inside_a_job = inside_a_job
        self._folder = directory / places.parts_of_curve(curve.trainer, curve.name)

    @property
    def _gathered(self) -> bool:
        rows = places.rows_of_curve(self._curve.trainer, self._curve.name)
        return (self._directory / rows).is_file()

    def parts(self) -> dict[str, list[int]]:
        """Places in the curve of each part's cells; empty where one job trains the whole curve."""
        return self._parts

    @cached_property
    def _parts(self) -> dict[str, list[int]]:
        if self._limits.minutes is None and self._limits.cells is None:
            return {}
        return jobs.parts(
            self._costs,
            minutes=self._limits.minutes,
            cells=self._limits.cells,
            groups=self._groups,
        )

    @property
    def _groups(self) -> list[list[int]] | None:
        """Places of the cells that one job trains: stacks of equal P, candidates of a seed."""
        if self._curve.search is None:
            return groups(self._curve.cells) if self._curve.trainer.stacked else None
        found: dict[int, list[int]] = {}
        for place, cell in enumerate(self._curve.cells):
            found.setdefault(cell["seed"], []).append(place)
        return list(found.values())

    @cached_property
    def _costs(self) -> list[Cost]:
        """Expected cost of each cell; seconds of candidates as far as they are expected at all."""
        costs = expected_costs(self._curve)
        if self._curve.search is None:
            return costs
        cells = {entry["key"]: entry["cell"] for entry in self._curve.entries}
        parts = visits(self._curve.search, cells).values()
        return [
            replace(cost, seconds=part * cost.seconds)
            for cost, part in zip(costs, parts, strict=True)
        ]

    def files(self) -> list[str]:
        """Files that the part jobs leave, one for each.

        For a curve that is gathered already, those that it was gathered from: otherwise it would be
        gathered and measured again whenever `jobs` is changed.
        """
        if self._gathered or self._inside_a_job:
            return sorted(str(file) for file in self._folder.glob("*-of-*.json"))
        return [f"{self._folder}/{part}.json" for part in self.parts()]

    def places(self, part: str) -> list[int]:
        """Places of a part's cells in the curve.

        A part that is there but not planned comes from other `jobs`; its file says which cells.
        """
        planned = self.parts().get(part)
        file = self._folder / f"{part}.json"
        if planned is not None and not (self._gathered and file.is_file()):
            return planned
        keys = set(json.loads(file.read_text(encoding="utf-8")))
        return [place for place, entry in enumerate(self._curve.entries) if entry["key"] in keys]

    def lacking(self) -> list[int]:
        """Places of the cells that the job of the curve itself has to train.

        Those are what the store lacks after all parts; none while a part is still to come. Cells
        that a GPU trained by other code count as missing: they are trained again.
        """
        parts = self.parts()
        if not (self._gathered or all((self._folder / f"{part}.json").is_file() for part in parts)):
            return []  # parts will train them: then the curve is only gathered
        _, asked = stored_paths(self._curve, self._directory / places.store_of(self._curve.trainer))
        return [place for place, entry in enumerate(self._curve.entries) if entry["key"] in asked]

    def training_minutes(self, cells: Sequence[int], *, threads: int, attempt: int) -> int:
        """Minutes to ask for to train the cells at these places."""
        expected = [self._costs[place] for place in cells]
        return jobs.training_minutes(
            expected, threads=threads, attempt=attempt, limit=self._limits.limit
        )

    def training_megabytes(
        self, cells: Sequence[int], *, threads: int, attempt: int, gpu: int
    ) -> int:
        """Megabytes to ask for to train the cells at these places."""
        if self._curve.trainer.stacked:
            return jobs.megabytes(self._stack(cells), attempt=attempt, gpu=gpu)
        expected = [expected_costs(self._curve)[place] for place in cells]
        # Networks on images are not trained together.
        together = self._curve.sample is not None
        return jobs.training_megabytes(
            expected, threads=threads, attempt=attempt, gpu=gpu, together=together
        )

    def measuring_minutes(self, measurement: CurveMeasurement, *, attempt: int) -> int:
        """Minutes to ask for to measure all cells."""
        seconds = [
            jobs.SECONDS_TO_MEASURE + measurement.share * cost.seconds for cost in self._costs
        ]
        return jobs.measuring_minutes(seconds, attempt=attempt, limit=self._limits.limit)

    def measuring_megabytes(self, *, attempt: int, gpu: int) -> int:
        """Megabytes to ask for to measure all cells."""
        if self._curve.trainer.stacked:
            working = self._stack(range(len(self._curve.entries)))
            return jobs.megabytes(working, attempt=attempt, gpu=gpu)
        return jobs.measuring_megabytes(expected_costs(self._curve), attempt=attempt, gpu=gpu)

    def _stack(self, cells: Sequence[int]) -> float:
        """Bytes of the largest stack of cells of equal P."""
        expected = expected_costs(self._curve)
        sizes = [self._curve.entries[place]["cell"]["P"] for place in cells]
        members = Counter(sizes)
        return max(
            (
                jobs.batch_bytes(expected[place].memory, members=members[P])
                for place, P in zip(cells, sizes, strict=True)
            ),
            default=0.0,
        )


# By the name of a curve and the number of its cells, some of which may be archived.
_costs: dict[tuple[str, int], list[Cost]] = {}


def expected_costs(curve: Curve) -> list[Cost]:
    """Expected cost of each cell of a curve, by its trainer."""
    name = curve.name, len(curve.entries)
    if name not in _costs:
        trainer = curve.trainer
        if trainer.seconds:
            seconds = map(resolved(trainer.seconds), curve.cells)
            _costs[name] = [Cost(0, one, EXPERIMENT_BYTES, STORED_BYTES) for one in seconds]
        else:
            _costs[name] = resolved(trainer.cost)(curve.cells)
    return _costs[name]
