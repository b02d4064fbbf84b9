"""What a cell of any output scale is expected to cost, before it is trained. Imports no torch.

Seconds of one evaluation are linear in what it is made of; benchmarks/fit_flow_cost.py fits the
coefficients to timed evaluations of batches and keeps them in cost_model.json with their spread and
the machine. How many evaluations a cell needs is a rule of thumb: the part of their budget that
cells of its optimiser and loss have used on average.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from srhm.flow.task import n_inputs
from srhm.model.grammar import parameters_of
from srhm.networks.geometry import geometry
from srhm.store.provenance import PACKAGE
from srhm.training.cost import Cost

MODEL = PACKAGE / "cost_model.json"
# Bytes that a batch of more than one member may be expected to take, on the CPU.
BATCH_BYTES = 1e9
# Of a Newton step, over N^3: measured at N = 200 and 444.
NEWTON_SECONDS = 1.5e-9


@cache
def _model() -> dict[str, Any]:
    model: dict[str, Any] = json.loads(MODEL.read_text(encoding="utf-8"))["plane"]
    return model


def evaluation_features(cell: Mapping[str, Any]) -> list[float]:
    """What the time of one evaluation of one member is made of.

    Its start; numbers of inputs and activations, and multiplications of the forward pass, of all
    points of it; its weights; and again the activations, if they are not ReLU's. All but the first
    in millions.
    """
    numbers, products = _of_a_point(cell)
    points = cell["optimiser"].get("batch_size", cell["P"]) / 1e6
    smooth = sum(places for places, *_ in hidden_layers_of(cell)) * cell["width"]
    return [
        1.0,
        points * numbers,
        points * products,
        _n_weights(cell) / 1e6,
        points * smooth * (cell["activation"] != "relu"),
    ]


def flow_costs(cells: Iterable[Mapping[str, Any]]) -> list[Cost]:
    """Expected cost of each cell on one core.

    Steps are evaluations of the gradient; memory is that of a member trained by itself.
    """
    return [
        Cost(
            expected_evaluations(cell),
            expected_seconds(cell),
            expected_bytes(cell),
            stored_bytes(cell),
        )
        for cell in cells
    ]


def expected_evaluations(cell: Mapping[str, Any]) -> float:
    """Gradients computed until a cell fits or its budget is spent."""
    model = _model()
    budget = float(cell["optimiser"]["max_evaluations"])
    if not cell["weight_decay"]:
        budget *= model["part_of_budget"].get(cell["optimiser"]["name"], {}).get(cell["loss"], 1.0)
    return budget * (cell["hidden_layers"] if cell["training"] == "layerwise" else 1)


def expected_seconds(cell: Mapping[str, Any]) -> float:
    """Seconds on one core that a cell adds to the batch it is trained in."""
    model = _model()
    part = model["seconds"]["batches" if "batch_size" in cell["optimiser"] else "whole"]
    pairs = zip(part, evaluation_features(cell), strict=True)
    per_evaluation = sum(coefficient * feature for coefficient, feature in pairs)
    newton = cell.get("newton_steps", 0) * NEWTON_SECONDS * _n_weights(cell) ** 3
    return model["seconds_per_cell"] + expected_evaluations(cell) * per_evaluation + newton


def groups(cells: Sequence[Mapping[str, Any]]) -> list[list[int]]:
    """Places of the cells of a curve that one job trains: those of equal P, which share batches.

    The last digits of a member depend on what it is stacked with (docs/gpu.md).
    """
    places: dict[int, list[int]] = {}
    for place, cell in enumerate(cells):
        places.setdefault(cell["P"], []).append(place)
    return list(places.values())


def stored_bytes(cell: Mapping[str, Any]) -> float:
    """Bytes of the weights in the store."""
    return 8.0 * _n_weights(cell)


def expected_bytes(cell: Mapping[str, Any]) -> float:
    """Bytes in memory while a cell is trained, of a batch its part, PyTorch itself not counted.

    Inputs and, of each layer, patches, pre-activations, activations and their gradients; weights
    with gradients and moments.
    """
    numbers, _ = _of_a_point(cell)
    return 8.0 * (5 * cell["P"] * numbers + 5 * _n_weights(cell))


def hidden_layers_of(cell: Mapping[str, Any]) -> list[tuple[int, int, int]]:
    """Places, inputs of a filter and filters (of their own weights) of each hidden layer."""
    h, depth = cell["width"], cell["hidden_layers"]
    if cell["net"] == "fcn":
        return [(1, n_inputs(cell), 1), *[(1, h, 1)] * (depth - 1)]
    if cell["data"] != "srhm":  # a CNN of filters of 2 x 2
        fans = [4, *[4 * h] * (depth - 1)]
        return [(4 ** (depth - k), fan, 1) for k, fan in enumerate(fans, start=1)]
    shape = geometry(cell["net"], parameters_of(cell), width=h)
    return [
        (layer.n_places, layer.filter_size * layer.n_inputs, layer.n_filters)
        for layer in shape.layers
    ]


def _of_a_point(cell: Mapping[str, Any]) -> tuple[int, int]:
    """Numbers of input and activations, and multiplications of the forward pass, of one point."""
    layers = hidden_layers_of(cell)
    numbers = sum(places * (fan + cell["width"]) for places, fan, _ in layers)
    return numbers, sum(places * fan * cell["width"] for places, fan, _ in layers)


def _n_weights(cell: Mapping[str, Any]) -> int:
    return sum(filters * fan * cell["width"] for _, fan, filters in hidden_layers_of(cell))
