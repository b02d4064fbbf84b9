"""What a preset will cost before it is run: steps and seconds of each cell, and its memory.

Steps to reach zero loss are a power law in the number of points and in their ratio to the predicted
sample complexity, with a factor for the net, the depth and the branching, divided by the learning
rate over (1 - momentum), whatever the batch; seconds for a step grow with the multiplications of a
step, and with its memory traffic. Coefficients are fitted by benchmarks/fit_cost_model.py to what
was trained and timed, and stored in cost_model.json with their residual spread and the machine they
belong to. Named nets have coefficients of their own, from benchmarks/fit_network_cost.py, and a
number of epochs by rule of thumb. Networks on images have others, from
benchmarks/fit_image_cost.py, and take as many steps as their cap.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import exp, inf, log, prod
from typing import Any

from srhm.declare.names import resolved
from srhm.model import theory
from srhm.model.grammar import parameters_of
from srhm.networks.geometry import Geometry, geometry
from srhm.networks.registry import CONNECTED, function_of, stand_in
from srhm.store.provenance import PACKAGE
from srhm.training.cell import points_of_a_step
from srhm.training.engines import AUTOGRAD, NAMED_ENGINES

MODEL = PACKAGE / "cost_model.json"
BYTES = {"float32": 4, "float64": 8}
# Weights and momenta above these bytes leave a core's own cache, and then the shared one.
CACHES = (2**20, 2**25)
# Bytes of one image and its label, its places and channels; images of the dataset.
IMAGE_BYTES, IMAGE_PLACES, IMAGE_CHANNELS, DATASET = 3073, 32 * 32, 3, 60_000
# An evaluation is a forward pass, about a third of a step.
FORWARD = 1 / 3
# Rate over (1 - momentum) to which the coefficients of the steps belong. That the steps of LCN and
# CNN are in proportion to its inverse was measured at L = 2, v = 6, s_0 = 1 and P = 2444 of a CNN:
# rate times steps is 379 at 0.02, 391 at 0.01, 420 at 0.003, 436 at 0.001, and 391 to 399 at
# batches of 1, 4, 16 and 64 with 0.0025 for each point.
FITTED_RATE = 0.1
# Seconds of a step of a net of CONNECTED: its start, and each weight for each point. Of fcn2 at
# H = 64 on an AMD EPYC: 0.14, 0.33, 0.16 ms at (L, v, s_0) = (2, 6, 1), (2, 8, 2), (3, 4, 0).
CONNECTED_STEP = (9e-5, 5.6e-11)
# Weights, gradients and momenta of a named net; activations and their gradients.
COPIES, LIVE = 3, 2


@dataclass(frozen=True)
class Cost:
    """Expected steps, seconds on one core, bytes in memory and bytes stored of one cell."""

    steps: float
    seconds: float
    memory: float
    stored: float


def step_features(cell: Mapping[str, Any], shape: Geometry) -> list[float]:
    """What the time of one step is made of: its start, its rows, its products.

    A constant; channels of the rows that are read for the first layer, for each point of the batch;
    multiplications of the layers above, of which ReLU leaves about half, in the forward pass and
    twice in the backward one; the same again for weights that exceed one cache, and both.
    """
    n_points = min(points_of_a_step(cell), cell.get("P", inf))
    parameters = shape.parameters
    leaves, width = parameters.n_leaves, shape.width
    products, inputs = 0, leaves
    for below, layer in pairwise(shape.layers):
        inputs //= below.arity
        products += n_points * inputs * width * width
        assert layer.n_inputs == width
    held = 2 * BYTES[cell["dtype"]] * _n_weights(shape)
    beyond = [float(products if held > size else 0) for size in CACHES]
    return [1.0, float(n_points * leaves * width), float(products), *beyond]


def step_predictors(cell: Mapping[str, Any]) -> list[float]:
    """Logarithms that the number of steps depends on: points, and their ratio to the prediction.

    Numbers besides, of CNN, FCN and depth; the branching counts in proportion to two.
    """
    net = stand_in(cell["net"])
    ratio = log(cell["P"] / theory.predicted(cell, net))
    is_cnn = float(net == "cnn")
    is_fcn, branching = float(net == "fcn"), log(cell["s"] / 2)
    sizes = [float(cell["L"]), log(cell["P"]), log(cell["s0"] + 1), ratio, ratio**2, branching]
    return [1.0, is_cnn, *sizes, is_fcn]


def slowness(cell: Mapping[str, Any]) -> float:
    """Steps over those at the rate to which the coefficients belong."""
    return FITTED_RATE * (1 - float(cell["momentum"])) / float(cell["learning_rate"])


def costs(cells: Iterable[Mapping[str, Any]]) -> list[Cost]:
    """Expected cost of each cell on the SRHM, trained by its engine on one core."""
    model = json.loads(MODEL.read_text(encoding="utf-8"))
    expected = []
    for cell in cells:
        if cell["engine"] in NAMED_ENGINES:
            expected.append(_network_cost(cell, model["networks"]))
            continue
        if cell["net"] in CONNECTED:
            expected.append(_connected_cost(cell, model))
            continue
        parameters = parameters_of(cell)
        shape = geometry(cell["net"], parameters, width=cell["width"])
        steps = _expected_steps(cell, model)
        per_step = _dot(model["seconds_per_step"]["coefficients"], step_features(cell, shape))
        if cell["engine"] != "sparse":
            per_step *= model[f"{cell['engine']}_over_sparse"]
        n_weights = _n_weights(shape)
        width = BYTES[cell["dtype"]]
        rows = n_weights / shape.width
        data = (cell["P"] + cell["n_test"]) * 4 * (4 * parameters.n_leaves + 2 * parameters.n_nodes)
        expected.append(
            Cost(steps, steps * per_step, 2 * width * n_weights + 8 * rows + data, 4 * n_weights)
        )
    return expected


def _expected_steps(cell: Mapping[str, Any], model: Mapping[str, Any]) -> float:
    """Steps of an LCN, CNN or FCN."""
    steps = exp(_dot(model["log_steps"]["coefficients"], step_predictors(cell)))
    return min(steps * slowness(cell), cell["max_steps"])


def _connected_cost(cell: Mapping[str, Any], model: Mapping[str, Any]) -> Cost:
    parameters, width = parameters_of(cell), cell["width"]
    layers = resolved(function_of(cell["net"]))(parameters, width=width)
    n_weights = sum(layer.n_inputs * layer.n_units for layer in layers)
    n_weights += width * parameters.n_classes
    steps = _expected_steps(cell, model)
    start, product = CONNECTED_STEP
    per_step = start + product * points_of_a_step(cell) * n_weights
    inputs = (cell["P"] + cell["n_test"]) * parameters.n_leaves * 4
    return Cost(
        steps, steps * per_step, 3 * BYTES[cell["dtype"]] * n_weights + inputs, 4 * n_weights
    )


def network_step_features(cell: Mapping[str, Any]) -> list[float]:
    """What the time of one step of a named net is made of: its start, its places, its products.

    A constant; places of all points of the batch, in thousands; the same times the width over 64,
    and times its square.
    """
    places = points_of_a_step(cell) * parameters_of(cell).input_length / 1e3
    return [1.0, *(places * power for power in _powers(cell))]


def _powers(cell: Mapping[str, Any]) -> list[float]:
    """1, the width over 64, and its square."""
    scale = cell["width"] / 64
    return [1.0, scale, scale**2]


def _network_cost(cell: Mapping[str, Any], model: Mapping[str, Any]) -> Cost:
    net = model["nets"][stand_in(cell["net"])]
    points = points_of_a_step(cell)
    # At small rates progress is in proportion to rate times steps.
    slowness = max(1.0, model["slow_rate"] * points / cell["learning_rate"])
    epochs = net["epochs"] * slowness
    steps = min(epochs * (cell["P"] // points), cell["max_steps"])
    per_step = _dot(net["seconds_per_step"], network_step_features(cell))
    per_step *= model["autograd_over_torch"] if cell["engine"] == AUTOGRAD else 1
    width, powers = BYTES[cell["dtype"]], _powers(cell)
    n_weights = _dot(net["parameters"], powers)
    # A place of 64 channels in each of some tens of layers, the first of which are the longest.
    activations = LIVE * width * 64 * 20 * points * parameters_of(cell).input_length * powers[1]
    memory = COPIES * width * n_weights + activations
    return Cost(steps, steps * per_step, memory, 4 * n_weights)


def image_step_features(cell: Mapping[str, Any]) -> list[float]:
    """As `network_step_features`, for a batch of images."""
    places = cell["batch_size"] * IMAGE_PLACES / 1e3
    return [1.0, *(places * power for power in _powers(cell))]


def image_costs(cells: Iterable[Mapping[str, Any]]) -> list[Cost]:
    """Expected cost of each cell on images, on one core."""
    model = json.loads(MODEL.read_text(encoding="utf-8"))["images"]
    expected = []
    for cell in cells:
        net = model["nets"][stand_in(cell["net"])]
        steps = float(cell["max_steps"])  # a threshold, if there is one, may end it before
        per_step = _dot(net["seconds_per_step"], image_step_features(cell))
        powers = _powers(cell)
        n_weights = _dot(net["parameters"], powers)
        kept = cell["batch_size"] * _dot(net["kept_per_image"], powers)
        # The dataset, the images of the cell, and those of the test as floats, first in two copies.
        data = (DATASET + cell["P"]) * IMAGE_BYTES
        data += 2 * 4 * cell["n_test"] * IMAGE_PLACES * IMAGE_CHANNELS
        evaluation = FORWARD * per_step * cell["n_test"] / cell["batch_size"]
        memory = COPIES * 4 * n_weights + kept + data
        expected.append(Cost(steps, steps * per_step + evaluation, memory, 4 * n_weights))
    return expected


def model_origin() -> str:
    """Where the coefficients come from, and how far they are off, in one line."""
    model = json.loads(MODEL.read_text(encoding="utf-8"))
    return (
        f"the steps of {model['n_cells']} trained cells, within a factor"
        f" {exp(model['log_steps']['residual_sd']):.2f}, and seconds a step on {model['machine']},"
        f" within {exp(model['seconds_per_step']['residual_log_sd']):.2f} (one sd)"
    )


def _n_weights(shape: Geometry) -> int:
    return sum(prod(size) for size in shape.weight_shapes().values())


def _dot(coefficients: Iterable[float], values: Iterable[float]) -> float:
    return sum(a * b for a, b in zip(coefficients, values, strict=True))
