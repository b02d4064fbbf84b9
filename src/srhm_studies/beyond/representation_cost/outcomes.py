"""Rows and long tables that all experiments with networks return."""

from collections.abc import Mapping
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from srhm.experiments.cells import DONE, Column
from srhm_studies.beyond.representation_cost import spectra
from srhm_studies.beyond.representation_cost.fitting import Fitted
from srhm_studies.beyond.representation_cost.networks import activations

DIVERGED = "diverged"
# Further singular values of a layer are left out of the tables: they are near 0 in a bottleneck.
MOST_VALUES = 8
LAYER_COLUMNS = (
    "k",
    "squared_parameters",
    "n_large",
    "n_visible",
    "representation_norm",
    "distance",
    "geodesic_distance",
)
VALUE_COLUMNS = ("k", "frequency", "number", "value")
Columns = Mapping[str, Column]


def numbers(fitted: Fitted) -> dict[str, Any]:
    """Columns of a cell: its status, loss, squared norm, rank of the weights of middle layers."""
    if not fitted.finite:
        return {"status": DIVERGED}
    parameters = fitted.parameters
    return {
        "status": DONE,
        "loss": fitted.loss,
        "squared_parameters": fitted.squared_norm,
        "of_biases": fitted.of_biases,
        "weight_rank": spectra.mean_large(parameters.architecture, parameters.weights),
    }


def layer_tables(
    fitted: Fitted, x_BC: Tensor, *, apart: NDArray[np.float64] | None = None
) -> Mapping[str, Columns]:
    """Tables `layers` (a row for each layer) and `values` (for each singular value of weights).

    layers: squared norm of weights and bias, number of singular values near 1 (over
    all frequencies), directions of the representation, distance of the weights from V_l V_(l-1)^T.
    values: layer, frequency, number from 1 on, value.
    """
    parameters = fitted.parameters
    architecture = parameters.architecture
    layers = activations(parameters, x_BC.to(parameters.theta.dtype))[1:]
    rows: dict[str, list[Any]] = {name: [] for name in LAYER_COLUMNS}
    values: dict[str, list[Any]] = {name: [] for name in VALUE_COLUMNS}
    for number, (weight, bias, layer) in enumerate(
        zip(parameters.weights, parameters.biases, layers, strict=True), start=1
    ):
        of_weights = spectra.singular_values(architecture, weight)
        rows["k"].append(number)
        rows["squared_parameters"].append(float(weight.square().sum() + bias.square().sum()))
        rows["n_large"].append(spectra.n_large(of_weights))
        rows["n_visible"].append(spectra.n_visible(spectra.representation_values(layer)))
        rows["representation_norm"].append(float(layer.square().sum(1).mean()))
        rows["distance"].append(nan if apart is None else float(apart[number - 1]))
        rows["geodesic_distance"].append(nan)
        for frequency, own in enumerate(of_weights):
            for place, value in enumerate(own[:MOST_VALUES], start=1):
                values["k"].append(number)
                values["frequency"].append(frequency)
                values["number"].append(place)
                values["value"].append(float(value))
    return {"layers": rows, "values": values}
