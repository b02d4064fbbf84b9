"""One cell: from its coordinates to a trained network and its row of results."""

import platform
import socket
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srhm.model.grammar import parameters_of
from srhm.model.sampling import Derivations
from srhm.model.seeding import generator
from srhm.networks.geometry import Geometry, geometry, initial_biases, initial_weights
from srhm.training.protocol import (
    Engine,
    Pause,
    Snapshot,
    TrainingOutcome,
    TrainingPlan,
    points_per_batch,
    train,
)

DTYPES = {"float32": np.float32, "float64": np.float64}
PLAN = ("batch", "batch_size", "loss_threshold", "max_steps", "n_checks")


@dataclass(frozen=True)
class TrainedCell:
    """Row of results, times, and final weights (float32) by name of layer."""

    row: dict[str, Any]
    timing: dict[str, Any]
    weights: dict[str, NDArray[np.floating]]


def processor() -> str:
    """Name of the processor, as its maker gives it where the system tells."""
    information = Path("/proc/cpuinfo")
    if information.is_file():
        for line in information.read_text().splitlines():  # noqa: PLW1514
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def geometry_of(cell: Mapping[str, Any]) -> Geometry:
    """Geometry of the LCN, CNN or FCN of a cell; `fcn_scale` is a coordinate of the FCN alone."""
    options = {name: cell[name] for name in ("fcn_scale",) if cell.get(name) is not None}
    return geometry(cell["net"], parameters_of(cell), width=cell["width"], **options)


def points_of_a_step(cell: Mapping[str, Any]) -> int:
    """Training points that one step of a cell sees."""
    return cell["batch_size"] * (cell["n_c"] if cell["batch"] == "balanced" else 1)


def train_cell(
    cell: Mapping[str, Any],
    training: Derivations,
    test: Derivations,
    *,
    make_engine: Callable[..., Engine],
    start: Snapshot | None = None,
    pause: Pause | None = None,
) -> TrainedCell:
    """Trains one cell on the first P points of a sample: its row, times and final weights.

    The row depends on the cell alone: not on threads, nor on what is trained beside it, nor on
    interruptions. start, pause: as in `protocol.train`; a snapshot knows the seconds spent so far,
    which are part of the times. make_engine: see `begun_cell`.

    Raises:
        Unresumable: if the start is not one of this training.
    """
    clock = Clock(start)
    engine, training, test, plan = begun_cell(cell, training, test, make_engine=make_engine)
    outcome = train(
        engine,
        training.labels,
        plan,
        n_classes=cell["n_c"],
        generator=generator(cell["seed"], role="order"),
        start=start,
        pause=clock.timed(pause) if pause else None,
    )
    return cell_result(cell, outcome, engine.weights(), clock.timing(steps=outcome.steps))


def begun_cell(
    cell: Mapping[str, Any],
    training: Derivations,
    test: Derivations,
    *,
    make_engine: Callable[..., Engine],
) -> tuple[Any, Derivations, Derivations, TrainingPlan]:
    """A cell before its first step: engine, its training and test points of a sample, and plan.

    make_engine: the engine's class. That of LCN, CNN and FCN is given their geometry, and weights
    and biases of the seed's stream of initialisation; another one has a class method `of_cell`,
    which makes it of the coordinates, so that its code is no part of this module and of the digests
    of their cells. Where it says `whole_batches`, the points that are left over in an epoch are
    dropped.
    """
    parameters = parameters_of(cell)
    whole_batches = getattr(make_engine, "whole_batches", False)
    plan = TrainingPlan(**{name: cell[name] for name in PLAN}, drop_incomplete=whole_batches)
    training, test = training[: cell["P"]], test[: cell["n_test"]]
    stream = generator(cell["seed"], role="initialisation")
    options: dict[str, Any] = {
        "batch_size": points_per_batch(plan, n_classes=parameters.n_classes),
        "momentum": cell["momentum"],
        "dtype": DTYPES[cell["dtype"]],
        **({"whitening": True} if cell["whitening"] else {}),
    }
    if of_cell := getattr(make_engine, "of_cell", None):
        engine = of_cell(cell, parameters, training, test, generator=stream, **options)
        return engine, training, test, plan
    shape = geometry_of(cell)
    weights = initial_weights(shape, generator=stream)
    if cell["bias"]:
        options["biases"] = initial_biases(shape, generator=stream)
    # The rate of the paper is for outputs of 1/H.
    rate = cell["learning_rate"] * cell["width"]
    return make_engine(shape, weights, training, test, rate=rate, **options), training, test, plan


def cell_result(
    cell: Mapping[str, Any],
    outcome: TrainingOutcome,
    weights: Mapping[str, NDArray[np.floating]],
    timing: dict[str, Any],
) -> TrainedCell:
    """A cell after its last step."""
    # Deep grammars have more distinct data than a float can say.
    n_distinct = float(min(parameters_of(cell).n_distinct, int(sys.float_info.max)))
    row = {"fcn_scale": None, **cell, "n_distinct": n_distinct, **vars(outcome)}
    final = {name: array.astype(np.float32) for name, array in weights.items()}
    return TrainedCell(row, timing, final)


class Clock:
    """Times of a training, those before an interruption included."""

    def __init__(self, start: Snapshot | None) -> None:
        self._before = 0.0 if start is None else start.seconds
        self._started = datetime.now(UTC).isoformat(timespec="seconds")
        self._clock = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds spent so far."""
        return self._before + time.perf_counter() - self._clock

    def timed(self, pause: Pause) -> Pause:
        """The same pause, whose snapshots know the seconds spent so far."""
        return lambda snapshot: pause(lambda: replace(snapshot(), seconds=self.seconds))

    def timing(self, **counted: int) -> dict[str, Any]:
        """Times of a finished training, with what was counted in it: steps or evaluations."""
        return {
            **counted,
            "seconds": self.seconds,
            "started": self._started,
            "host": socket.gethostname(),
            "processor": processor(),
        }
