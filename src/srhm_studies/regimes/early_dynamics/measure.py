"""How fast preactivations move at the start, and outputs that two tolerances are compared by.

Chapter 3a of the thesis, Fig. 11 and 13.
"""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from torch import Tensor
from torch.autograd.functional import jvp

from srhm.flow.descents import NetworkSystem
from srhm.flow.networks import Weights, trace
from srhm.measure.trained import Member, members_of
from srhm.store.tables import OF_SOME_CELLS

# Test points whose outputs are kept, the first ones.
N_POINTS = 16
# Up to this budget of gradients a cell is there for its start alone.
UNTRAINED = 10

NAMES = tuple((name, pa.string()) for name in ("curve", "key"))
RATES = pa.schema([*NAMES, ("layer", pa.int64()), ("rate", pa.float64())], metadata=OF_SOME_CELLS)
OUTPUTS = pa.schema([*NAMES, ("point", pa.int64()), ("F", pa.float64())], metadata=OF_SOME_CELLS)


def measure_beginnings(
    entries: Sequence[Mapping[str, Any]], *, store: Path, log: logging.Logger
) -> dict[str, list[dict[str, Any]]]:
    """Rows of RATES and of OUTPUTS without the curve.

    rates: |dz/dt| at t = 0 of each hidden layer, of cells with a budget of UNTRAINED gradients at
    most. outputs: F on the first N_POINTS test points, of the first network of each data set of the
    others, where it did not diverge; trainings that differ in their tolerance alone have the same
    points.

    Raises:
        MissingCell: if the store lacks a cell.
    """
    tables: dict[str, list[dict[str, Any]]] = {"rates": [], "outputs": []}
    for member in members_of(entries, store=store):
        start, name = member.weights["initial"], {"key": member.key}
        if member.cell["optimiser"]["max_evaluations"] <= UNTRAINED and start is not None:
            rates = enumerate(preactivation_rates(member, start), start=1)
            tables["rates"] += [{**name, "layer": k, "rate": rate} for k, rate in rates]
        elif not member.cell["member"] and member.weights["end"] is not None:
            values = enumerate(member.test_outputs[:N_POINTS, 0].tolist())
            tables["outputs"] += [{**name, "point": i, "F": F} for i, F in values]
    counts = [len(rows) for rows in tables.values()]
    log.info("%d rates and %d outputs of %d cells", *counts, len(entries))
    return tables


def preactivation_rates(member: Member, weights: Weights) -> list[float]:
    """Root mean square over neurons and training points of dz/dt for dw/dt = -grad Loss, by layer.

    The exact derivative of the preactivations along the flow. The thesis takes the difference over
    one step.
    """
    x = member.data.x_train
    system = NetworkSystem.of(member.predictor, x, member.data.y_train, member.loss)
    velocity = tuple(-g for g in system.evaluate(weights).gradient.values())

    def preactivations(*arrays: Tensor) -> tuple[Tensor, ...]:
        return tuple(
            trace(member.network, dict(zip(weights, arrays, strict=True)), x).preactivations
        )

    _, rates = jvp(preactivations, tuple(weights.values()), velocity)
    return [float(rate.square().mean().sqrt()) for rate in rates]
