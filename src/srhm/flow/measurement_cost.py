"""What measuring cells of the plane is expected to cost, before they are trained. Imports no torch.

Seconds are linear in what a measurement computes; benchmarks/fit_plane_measuring_cost.py fits the
coefficients to timed measurements of curves and keeps them in cost_model.json with their spread and
the machine. The start of a job and the writing of its tables are not in them. A cell is measured at
its end, and at its initialisation, which cells of equal weights share. How many evaluations a
frozen kernel takes is a rule of thumb, the mean part of those allowed; for a Hessian all networks
count as having unsatisfied points, which is an upper bound.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from math import exp
from typing import Any

from srhm.flow.configuration import MEASUREMENTS
from srhm.flow.cost import MODEL, layers_of
from srhm.flow.plan import PlaneCurve
from srhm.flow.task import n_inputs

Cell = Mapping[str, Any]
# Of the curves with several members, beside what their entries ask for.
ENSEMBLES = "ensembles"
ALL = (*MEASUREMENTS, ENSEMBLES)
# As in the modules of `srhm.measure`, which import torch.
POINTS = {"kernels": 300, "singular_values": 300, "sensitivities": 500}
DRAWS = 4
MAX_EXACT = 1500
MAX_EVALUATIONS = 300
# Gradients of a frozen kernel above these bytes leave the cache that processors share.
CACHE = 2**25
# What cells with the same initial weights share, by measurement.
SHARED = {
    "kernels": ("seed", "member"),
    "singular_values": ("seed", "member"),
    "sensitivities": ("seed", "member"),
    "frozen_kernels": ("P", "seed", "member"),
    "hessians": ("P", "alpha_tilde", "seed", "member"),
}


def measurements_of(curve: PlaneCurve) -> list[str]:
    """What the rules measure of a curve, in the order of `ALL`."""
    several = any(entry["cell"]["member"] for entry in curve.entries)
    return [name for name in ALL if name in curve.measure or (name == ENSEMBLES and several)]


def expected_measuring_seconds(cell: Cell, measurement: str) -> float:
    """Seconds on one core that a measurement takes for a cell that shares nothing with others.

    Raises:
        KeyError: if there is no such measurement.
    """
    return curve_measuring_seconds([cell], measurement)


def curve_measuring_seconds(cells: Sequence[Cell], measurement: str) -> float:
    """Seconds on one core that a measurement takes for all cells of a curve.

    Raises:
        KeyError: if there is no such measurement.
    """
    coefficients = _model()["measurements"][measurement]["coefficients"]
    return _dot(coefficients, curve_features(cells, measurement))


def curve_features(
    cells: Sequence[Cell], measurement: str, *, evaluations: float | None = None
) -> list[float]:
    """What the time of measuring all cells of a curve is made of.

    Cells; their weights and the numbers of their data, once for a P and a seed, in millions; and
    `state_features` at the end of each, and at the initialisation of those that do not share it.

    evaluations: of a frozen kernel, mean; None: those that are expected.
    """
    data = {(cell["P"], cell["seed"]): cell for cell in cells}.values()
    loading = [
        float(len(cells)),
        sum(n_parameters(cell) for cell in cells) / 1e6,
        sum((cell["P"] + cell["n_test"]) * n_inputs(cell) for cell in data) / 1e6,
    ]
    if measurement == ENSEMBLES:
        return loading
    first = {tuple(cell[name] for name in SHARED[measurement]): cell for cell in cells}.values()
    states = [(cell, "end") for cell in cells] + [(cell, "initial") for cell in first]
    features = [
        state_features(cell, measurement, when, evaluations=evaluations) for cell, when in states
    ]
    return loading + [sum(column) for column in zip(*features, strict=True)]


def state_features(
    cell: Cell, measurement: str, when: str, *, evaluations: float | None = None
) -> list[float]:
    """What the time of a measurement at one set of weights is made of, by its arithmetic.

    A constant, and numbers of values and multiplications in millions; when: "initial" or "end".
    Kernels: backward passes of n points, products of their factors, n^3. Singular values: forward
    passes, singular values of filters and of representations, rows. Sensitivities: forward passes
    of points and images. Frozen kernels: backward passes of P and test points, and for each
    evaluation its layers, values (again, if they exceed a cache) and products. Hessians of
    N <= 1500 weights: the Jacobian (P O backward passes of P points), second derivatives (N of
    them), P O N^2 and N^3; of more: for each end of a spectrum layers, values and products of P
    points, and the kernel of all points, (P O)^3.

    evaluations: of a frozen kernel; None: those that are expected.
    """
    if measurement == "frozen_kernels":
        if evaluations is None:
            evaluations = expected_evaluations_of_a_kernel(cell, when)
        return _of_frozen_kernels(cell, evaluations)
    if measurement == "sensitivities":
        return _of_sensitivities(cell, when)
    return _FEATURES[measurement](cell)


def expected_evaluations_of_a_kernel(cell: Cell, when: str) -> float:
    """Evaluations until learning with a frozen kernel fits or ends at the most that are allowed."""
    allowed = min(MAX_EVALUATIONS, cell["optimiser"]["max_evaluations"])
    return allowed * float(_model()["part_of_evaluations"][when])


def n_parameters(cell: Cell) -> int:
    """Weights and biases N of the network of a cell."""
    h, outputs = cell["width"], _n_outputs(cell)
    biases = sum(filters * h for _, _, filters in layers_of(cell)) + outputs
    weights = sum(filters * fan * h for _, fan, filters in layers_of(cell)) + h * outputs
    return weights + biases * cell["bias"]


def origin(measurements: Iterable[str]) -> str:
    """Where the coefficients come from, and how far they are off, in one line."""
    model = _model()
    used = [model["measurements"][name] for name in measurements]
    spread = max(exp(one["residual_log_sd"]) for one in used)
    return (
        f"{sum(one['n'] for one in used)} measurements of curves timed on {model['machine']},"
        f" within a factor {spread:.2f} or less (one sd)"
    )


def _of_kernels(cell: Cell) -> list[float]:
    n, outputs, h = _n_points(cell, "kernels"), _n_outputs(cell), cell["width"]
    values, products = _passes(cell, n * (1 + outputs))
    layers = layers_of(cell)
    # Places that share a filter meet each other, others themselves only.
    pairs = [places if filters > 1 else places**2 for places, _, filters in layers]
    factors = sum(n_ * (fan + h * outputs) for n_, (_, fan, _) in zip(pairs, layers, strict=True))
    return [1.0, values + products, n**2 * factors / 1e6, n**2 * sum(pairs) / 1e6, n**3 / 1e6]


def _of_singular_values(cell: Cell) -> list[float]:
    n, h = _n_points(cell, "singular_values"), cell["width"]
    values, products = _passes(cell, n)
    of_filters = sum(filters * fan * h * min(fan, h) for _, fan, filters in layers_of(cell))
    sizes = [places * h for places, _, _ in layers_of(cell)]
    of_layers = sum(n * size * min(n, size) for size in sizes)
    found = sum(filters * min(fan, h) for _, fan, filters in layers_of(cell))
    rows = found + sum(min(n, size) for size in sizes)
    return [1.0, values + products, of_filters / 1e6, of_layers / 1e6, rows / 1e6]


def _of_sensitivities(cell: Cell, when: str) -> list[float]:
    kinds = 0
    if cell["data"] != "random":
        kinds = (cell["m"] > 1) + 2 * (cell["s0"] > 0)
    passes = 1
    if when == "end":  # of F, beside the layers; and of f(w0)
        passes = 3 if cell["subtract_initial"] else 2
    evaluated = _n_points(cell, "sensitivities") * (1 + kinds * DRAWS)
    return [1.0, *_passes(cell, passes * evaluated), evaluated * n_inputs(cell) / 1e6]


def _of_frozen_kernels(cell: Cell, evaluations: float) -> list[float]:
    outputs = _n_outputs(cell)
    around, _ = _passes(cell, (cell["P"] + cell["n_test"]) * (1 + outputs))
    values, products = _passes(cell, cell["P"])
    beyond = values * outputs * (8e6 * values * outputs > CACHE)
    of_each = [1e-6 * len(layers_of(cell)), values * outputs, beyond, products]
    return [1.0, around, *(evaluations * one for one in of_each)]


def _of_hessians(cell: Cell) -> list[float]:
    N, P, outputs = n_parameters(cell), cell["P"], _n_outputs(cell)
    _, products = _passes(cell, P)
    values = P * sum(places for places, _, _ in layers_of(cell)) * cell["width"] / 1e6
    rows = P * outputs
    if N <= MAX_EXACT:
        backward = [rows * values, rows * products, N * values, N * products]
        return [1.0, *backward, rows * N**2 / 1e6, N**3 / 1e6, 0.0, 0.0, 0.0, 0.0]
    # Both ends of H and of Hp, and the upper one of H0, unless it is found from a kernel.
    ends, kernel = (4, rows**3 / 1e6) if rows <= MAX_EXACT else (5, 0.0)
    each = [1e-6 * len(layers_of(cell)), values, products]
    return [1.0, *[0.0] * 6, *(ends * one for one in each), kernel]


_FEATURES: dict[str, Callable[[Cell], list[float]]] = {
    "kernels": _of_kernels,
    "singular_values": _of_singular_values,
    "hessians": _of_hessians,
}


def _n_points(cell: Cell, measurement: str) -> int:
    return min(POINTS[measurement], cell["n_test"])


def _n_outputs(cell: Cell) -> int:
    return cell["n_c"] if cell["labels"] == "classes" else 1


def _passes(cell: Cell, n: float) -> tuple[float, float]:
    """Values of patches and activations, and multiplications, of n passes of a point; millions."""
    h, layers = cell["width"], layers_of(cell)
    values = sum(places * (fan + h) for places, fan, _ in layers)
    products = sum(places * fan * h for places, fan, _ in layers)
    return n * values / 1e6, n * products / 1e6


@cache
def _model() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(MODEL.read_text())["plane"]["measuring"]
    return found


def _dot(coefficients: Iterable[float], features: Iterable[float]) -> float:
    return sum(a * b for a, b in zip(coefficients, features, strict=True))
