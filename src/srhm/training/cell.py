"""One cell: from its coordinates to a trained network and its row of results."""

import platform
import socket
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srhm.architectures.geometry import geometry, initial_biases, initial_weights
from srhm.grammar import GrammarParameters
from srhm.sampling import Derivations
from srhm.seeding import generator
from srhm.training.protocol import Engine, TrainingPlan, points_per_batch, train

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
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def parameters_of(cell: Mapping[str, Any]) -> GrammarParameters:
    """Parameters of the grammar that a cell learns."""
    return GrammarParameters(
        depth=cell["L"],
        branching=cell["s"],
        n_features=cell["v"],
        n_synonyms=cell["m"],
        n_classes=cell["n_c"],
        n_empty=cell["s0"],
        sparsity=cell["sparsity"],
    )


def train_cell(
    cell: Mapping[str, Any],
    training: Derivations,
    test: Derivations,
    *,
    make_engine: Callable[..., Engine],
) -> TrainedCell:
    """Trains one cell on the first P points of a sample: its row, times and final weights.

    The row depends on the cell alone: not on threads, nor on what is trained beside it.
    """
    begun = datetime.now(UTC).isoformat(timespec="seconds")
    clock = time.perf_counter()
    parameters = parameters_of(cell)
    plan = TrainingPlan(**{name: cell[name] for name in PLAN})
    training, test = training[: cell["P"]], test[: cell["n_test"]]
    shape = geometry(cell["net"], parameters, width=cell["width"])
    stream = generator(cell["seed"], role="initialisation")
    weights = initial_weights(shape, generator=stream)
    practice: dict[str, Any] = {}
    if cell["bias"]:
        practice["biases"] = initial_biases(shape, generator=stream)
    if cell["whitening"]:
        practice["whitening"] = True
    engine = make_engine(
        shape,
        weights,
        training,
        test,
        batch_size=points_per_batch(plan, n_classes=parameters.n_classes),
        rate=cell["learning_rate"] * cell["width"],  # the rate of the paper is for 1/H outputs
        momentum=cell["momentum"],
        dtype=DTYPES[cell["dtype"]],
        **practice,
    )
    outcome = train(
        engine,
        training.labels,
        plan,
        n_classes=parameters.n_classes,
        generator=generator(cell["seed"], role="order"),
    )
    # Deep grammars have more distinct data than a float can say.
    n_distinct = float(min(parameters.n_distinct, int(sys.float_info.max)))
    row = {**cell, "n_distinct": n_distinct, **vars(outcome)}
    timing = {
        "steps": outcome.steps,
        "seconds": time.perf_counter() - clock,
        "started": begun,
        "host": socket.gethostname(),
        "processor": processor(),
    }
    final = {name: array.astype(np.float32) for name, array in engine.weights().items()}
    return TrainedCell(row, timing, final)
