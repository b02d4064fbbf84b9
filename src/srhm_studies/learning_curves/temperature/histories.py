"""Trainings once more, with their losses and sensitivities measured on the way.

The trainer keeps the end of a training alone. Here the same cells are trained again, with the same
engine, data, weights and order, and looked at at equal ratios of time. What is trained is no other
network: its steps and its test error at the end are compared with those of the stored cell.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from srhm.measure.cells import trained_cell
from srhm.measure.representations import probe_of_cell
from srhm.measure.sensitivity import sensitivities, transform
from srhm.model.grammar import draw_grammar, parameters_of
from srhm.model.sampling import Derivations
from srhm.model.seeding import generator
from srhm.store.records import read_derivations
from srhm.store.tables import SENSITIVITIES
from srhm.training.cell import train_cell
from srhm.training.protocol import Snapshot
from srhm.training.sparse import SparseEngine

# The first look after the initialisation, in steps: the engine works in calls of at most so many.
FIRST_LOOK = SparseEngine.steps_at_once

_LOOK = [SENSITIVITIES.field(name) for name in ("curve", "key")] + [
    pa.field("steps", pa.int64()),
    pa.field("time", pa.float64()),
]
# time: steps times rate over (1 - momentum); train_loss: mean of what the batches since the look
# before saw before their updates, NaN at the start.
HISTORIES = pa.schema([*_LOOK, ("train_loss", pa.float64()), ("test_error", pa.float64())])
SENSITIVITY_HISTORIES = pa.schema([
    *_LOOK,
    *(
        SENSITIVITIES.field(name)
        for name in ("kind", "layer", "k", "l", "value", "standard_error", "n")
    ),
])  # fmt: skip


class Watched(SparseEngine):
    """The sparse engine, which counts its steps, its points and their losses."""

    n_steps = 0
    n_points = 0
    summed = 0.0

    def steps(self, order: NDArray[np.integer]) -> float:
        """As the engine's own."""
        loss = super().steps(order)
        self.n_steps += -(-len(order) // self._batch_size)
        self.n_points += len(order)
        self.summed += loss
        return loss

    def mean_loss(self) -> float:
        """Mean loss of the points since the call before; NaN without any."""
        mean = self.summed / self.n_points if self.n_points else nan
        self.n_points, self.summed = 0, 0.0
        return mean


def look_steps(last: int, *, looks: int) -> list[int]:
    """Steps after which a training of so many is looked at: at equal ratios, the last excluded."""
    grid = np.geomspace(min(FIRST_LOOK, last), last, looks)
    return sorted({int(step) for step in grid if step < last})


def measure_histories(
    entries: Sequence[Mapping[str, Any]], *, derivations: Path | str, store: Path,
    log: logging.Logger, looks: int, n_points: int, n_draws: int,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:  # fmt: skip
    """Rows of HISTORIES and of SENSITIVITY_HISTORIES, without the curve, in order of time.

    looks: how many there are between the start and the end of a training; both are looked at, too.
    n_points, n_draws: as for the sensitivities of trained networks, which are measured on the same
    points with the same images.

    Raises:
        MissingCell: if a cell is not in the store or is damaged.
    """
    samples = read_derivations(Path(derivations), parameters_of(entries[0]["cell"]))
    histories, measured = list[dict[str, Any]](), list[dict[str, Any]]()
    for entry in entries:
        cell, stored = entry["cell"], trained_cell(entry, store)
        seed, parameters = cell["seed"], parameters_of(cell)
        grammar = draw_grammar(parameters, generator=generator(seed, role="grammar"))
        points = samples[seed, "test"][:n_points]
        images = transform(points, grammar, n_draws=n_draws, seed=seed, variant="text")

        def look(
            engine: Watched, entry: Mapping[str, Any] = entry, points: Derivations = points,
            images: Any = images,
        ) -> None:  # fmt: skip
            cell = entry["cell"]
            time = engine.n_steps * cell["learning_rate"] / (1 - cell["momentum"])
            at = {"key": entry["key"], "steps": engine.n_steps, "time": time}
            histories.append(
                {**at, "train_loss": engine.mean_loss(), "test_error": engine.test_error()}
            )
            probe = probe_of_cell(cell, engine.weights())
            for row in sensitivities(probe, points, images, n_draws=n_draws):
                measured.append({**at, **{n: row[n] for n in SENSITIVITY_HISTORIES.names[4:]}})

        ended = watch(
            cell, samples[seed, "train"], samples[seed, "test"],
            at=look_steps(stored.row["steps"], looks=looks), look=look,
        )  # fmt: skip
        if any(ended[name] != stored.row[name] for name in ("steps", "test_error")):
            log.warning(
                "cell %s: %d steps and an error of %.4f, stored %d and %.4f: another processor",
                *(entry["key"], ended["steps"], ended["test_error"]),
                *(stored.row["steps"], stored.row["test_error"]),
            )
    log.info("%d trainings watched, %d looks", len(entries), len(histories))
    return histories, measured


def watch(
    cell: Mapping[str, Any], training: Derivations, test: Derivations, *, at: Sequence[int],
    look: Callable[[Watched], None],
) -> dict[str, Any]:  # fmt: skip
    """Trains a cell and looks at it before, after at least each of these steps, and at the end.

    Between two looks are whole calls of the engine, whose ends the training decides. Returns the
    row of the trained cell.
    """
    engines = list[Watched]()
    waiting = list(at)

    def made(*data: Any, **options: Any) -> Watched:
        engines.append(Watched(*data, **options))
        look(engines[0])
        return engines[0]

    def pause(_snapshot: Callable[[], Snapshot]) -> None:
        if waiting and engines[0].n_steps >= waiting[0]:
            while waiting and engines[0].n_steps >= waiting[0]:
                waiting.pop(0)
            look(engines[0])

    row = train_cell(cell, training, test, make_engine=made, pause=pause).row
    if engines[0].n_points:  # else the last call was looked at
        look(engines[0])
    return row
