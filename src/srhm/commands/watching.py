"""A run as it goes on: cells that arrive in the store, their rate, and the time left."""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from srhm.commands.presets import Run
from srhm.planning.lengths import expected_costs
from srhm.store import places
from srhm.store.cells import is_outdated, row_of
from srhm.store.paths import known_paths, shares

# Seconds over which the rate is taken: long cells arrive rarely, and a cluster's jobs in waves.
WINDOW = 600.0
# Seconds between the first and the last arrival below which they say nothing of the speed.
LEAST = 5.0
# When a stored cell was written, and its row, which is empty if the cell is damaged.
Arrival = tuple[float, Mapping[str, Any]]


@dataclass(frozen=True)
class Progress:
    """Cells done of all, the done part of the planned work, and cells of the window in seconds.

    Of searches cells and work are expected numbers. left: seconds that the rest takes at the speed
    of the window.
    """

    done: int
    cells: int
    part: float
    recent: int
    window: float
    left: float

    def line(self) -> str:
        """One line for people: cells, rate, time left."""
        text = f"{self.done} of {self.cells} cells"
        if self.done == self.cells:
            return f"{text}, all trained"
        if not self.recent:
            return f"{text}, none in the last {max(self.window / 60, 1):.0f} min"
        rate = self.recent / self.window * 60
        return f"{text}, {rate:.3g} cells/min, about {_in_words(self.left)} left"

    def short(self) -> str:
        """Percent of the work and, where any cell arrived in the window, the time left."""
        text = f"{100 * self.part:.0f} %"
        return f"{text}, {_in_words(self.left)} left" if self.recent and self.part < 1 else text


def _in_words(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def last_words(logs: Path, mark: str, *, since: float) -> list[str]:
    """Last lines with this mark, of the logs that were written since then."""
    words = []
    for log in sorted(logs.rglob("*.log")):
        if log.stat().st_mtime >= since:
            last = log.read_text(encoding="utf-8", errors="replace").rstrip().rpartition("\n")[2]
            if mark in last:
                words.append(last)
    return words


class Watch:
    """Cells that a run awaits in its stores: how many have arrived, and how fast.

    work: expected seconds of training on one core, of each cell by key.
    """

    def __init__(self, run: Run) -> None:
        self._curves = run.curves.values()
        self._stores = {run.directory / places.store_of(curve.trainer) for curve in self._curves}
        self.work = {
            entry["key"]: cost.seconds
            for curve in self._curves
            for entry, cost in zip(curve.entries, expected_costs(curve), strict=True)
        }
        self._read: dict[Path, Arrival] = {}  # each file is read once
        # Of a curve the shares of its cells when so many of them have arrived.
        self._shares: dict[str, tuple[int, dict[str, float]]] = {}

    def arrived(self) -> dict[str, Arrival]:
        """Awaited cells that are stored, by key.

        Those that are trained again, see `is_outdated`, are not among them.
        """
        stored, _ = self._stored()
        return {key: arrival for key, arrival in stored.items() if not is_outdated(arrival[1])}

    def outdated(self) -> set[str]:
        """Keys of awaited cells that are stored and trained again all the same."""
        return {key for key, (_, row) in self._stored()[0].items() if is_outdated(row)}

    def shares(self) -> dict[str, float]:
        """Cells that are or may still be trained, by key: 1, or how probably (`paths.shares`)."""
        parts = dict[str, float]()
        rows = {key: row for key, (_, row) in self.arrived().items()}
        for curve in self._curves:
            known = {e["key"]: rows[e["key"]] for e in curve.entries if e["key"] in rows}
            if self._shares.get(curve.name, (-1, {}))[0] != len(known):
                left = shares(curve, *known_paths(curve, known))
                self._shares[curve.name] = len(known), left
            for key, part in self._shares[curve.name][1].items():  # curves may share a cell
                parts[key] = max(part, parts.get(key, 0.0))
        return parts

    def unreadable(self) -> list[OSError]:
        """What the system says of cells, and folders of them, that cannot be read now."""
        return self._stored()[1]

    def _stored(self) -> tuple[dict[str, Arrival], list[OSError]]:
        """Cells that are stored, and refusals of what may be others."""
        stored, errors = dict[str, Arrival](), list[OSError]()
        names = {f"{key}.safetensors" for key in self.work}
        for store in self._stores:
            for folder, _, files in os.walk(store, onerror=errors.append, followlinks=True):
                for file in (Path(folder, name) for name in files if name in names):
                    try:
                        written = file.stat().st_mtime
                        read = self._read.get(file)
                        if read is None or read[0] != written:
                            read = self._read[file] = (written, row_of(file))
                        stored[file.stem] = read
                    except OSError as error:
                        errors.append(error)
        # What is not there, or was removed meanwhile, is damaged, or collected.
        return stored, [error for error in errors if not isinstance(error, FileNotFoundError)]

    def progress(self, *, since: float = 0.0) -> Progress:
        """Progress now; the window of the rate is the last ten minutes, or from `since`.

        What cells in training have done since the last arrival counts as done at that rate, as
        otherwise the time left would stand still, or rise, while long cells train; up to nine
        tenths.
        """
        now, parts = time.time(), self.shares()
        arrived = {key: written for key, (written, _) in self.arrived().items() if key in parts}
        left = {key: part for key, part in parts.items() if key not in arrived}
        begin = max(now - WINDOW, since)
        window = max(now - begin, 1.0)
        # Clocks of other hosts differ: a cell from the future has arrived just now.
        recent = sorted((key for key in arrived if arrived[key] >= begin), key=arrived.__getitem__)
        first, last = (min(arrived[recent[end]], now) if recent else now for end in (0, -1))
        # Between the first arrival and the last: before it the workflow was read, and data drawn.
        span, timed = (last - first, recent[1:]) if last - first >= LEAST else (window, recent)
        work = sum(self.work[key] for key in arrived)
        work_left = sum(part * self.work[key] for key, part in left.items())
        seconds = work_left * span / (sum(self.work[key] for key in timed) or 1.0)
        return Progress(
            done=len(arrived),
            cells=len(arrived) + ceil(sum(left.values())),
            part=work / ((work + work_left) or 1.0),
            recent=len(recent),
            window=window,
            left=seconds - min(now - last, 0.9 * seconds),
        )
