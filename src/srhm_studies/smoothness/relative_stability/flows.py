"""Cells that are no networks on images: maximum-entropy fields, the stripe model, the SRHM.

Relative stability of the last two is by the code of the images. Stripe (Eq. 6): the change is noise
in the directions that tell nothing, beside noise in all. SRHM: informative features are moved
within their patches (level 1), beside noise on all inputs.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from srhm.experiments.cells import Outcome
from srhm.flow.cell import (
    PlaneData,
    data_of,
    initial_weights_of,
    network_of,
    predictor_of,
    train_members,
)
from srhm.flow.inputs import inputs
from srhm.images.deformations import (
    coefficients,
    displacements,
    folded,
    largest_compression,
    largest_temperature,
    mean_squared_displacement_on_pixels,
    noise,
)
from srhm.images.stability import sensitivities
from srhm.measure.flow_sensitivities import layers_of, layers_with_predictor
from srhm.measure.sensitivity import transform
from srhm.model.grammar import parameters_of
from srhm.model.seeding import generator
from srhm_studies.smoothness.relative_stability.experiment import AVERAGED


def deformation_fields(cell: Mapping[str, Any]) -> Outcome:
    """Displacement, largest Xi and folds of n_fields fields of one size, cut-off and temperature.

    To be compared with their formulas (thesis, chapter 4, Eq. 3, 13 and 14).

    The temperature is given over the bound of Eq. 14, which the table has as `temperature_bound`.
    """
    size, cutoff = cell["size"], cell["cutoff"]
    bound = largest_temperature(cutoff)
    temperature = cell["times_bound"] * bound
    stream = generator(cell["seed"], role="transformation")
    amplitudes = coefficients(
        cell["n_fields"], cutoff=cutoff, temperature=temperature, generator=stream
    )
    moved = displacements(amplitudes, size=size, cutoff=cutoff)
    compression = largest_compression(amplitudes, size=size, cutoff=cutoff)
    return Outcome({
        "temperature": temperature,
        "temperature_bound": bound,
        "squared_displacement": float((moved**2).sum(axis=1).mean()),
        "exact_squared_displacement": mean_squared_displacement_on_pixels(
            size=size, cutoff=cutoff, temperature=temperature
        ),
        "compression": float(np.median(compression)),
        "part_above_one": float((compression >= 1).mean()),
        "n_folded": int(folded(amplitudes, size=size, cutoff=cutoff).sum()),
    })  # fmt: skip


# Norm of the noises of the stripe model, whose inputs have variance 1; chosen within the linear
# range, as that of the source is not printed.
STRIPE_NORM = 0.1
LEVEL = 1
# Coordinates as gradient flow knows them, in its own order: those of both experiments, then what
# is of one.
SHARED: Mapping[str, Any] = {
    "data": "srhm", "net": "fcn", "L": None, "s": None, "s0": None, "v": None, "m": None,
    "n_c": None, "sparsity": None, "d": None, "hidden_layers": None, "width": None,
    "labels": "classes", "loss": "cross_entropy", "loss_threshold": 0.01, "slack": None,
    "activation": "relu", "parametrisation": "ntk", "bias": False, "initialisation": "gaussian",
    "subtract_initial": True, "squared_norm": None, "training": "end_to_end", "optimiser": None,
    "weight_decay": 0.0,
}  # fmt: skip
STRIPE: Mapping[str, Any] = {
    "data": "stripe", "hidden_layers": 1, "labels": "parity", "loss": "soft_hinge",
    "loss_threshold": None, "activation": "softplus", "bias": True,
}  # fmt: skip
STRIPE_STEPS = {"max_output_change": 0.1, "max_gradient_change": 0.01, "kink": 0.0}
# Steps on the SRHM, ten to a hundred times those of the thesis, see the study complexity.
LONG_STEPS = {"max_output_change": 1.0, "max_gradient_change": 1.0, "kink": 1.0}


def flow_cell(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Coordinates of the network as gradient flow knows them."""
    if cell["experiment"] == "stripe":
        task, steps = {**STRIPE, "d": cell["d"]}, STRIPE_STEPS
    else:
        v, depth = cell["v"], cell["L"]
        task = {"net": cell["net"], "L": depth, "s": 2, "s0": cell["s0"], "v": v, "m": v, "n_c": v,
                "sparsity": "A", "hidden_layers": depth}  # fmt: skip
        steps = LONG_STEPS
    optimiser = {"name": "flow", "max_evaluations": cell["max_evaluations"], **steps}
    place = {name: cell[name] for name in ("P", "seed", "alpha_tilde", "n_test")}
    return {**SHARED, **task, "width": cell["width"], "optimiser": optimiser, **place, "member": 0}


def stability_of_flow(cell: Mapping[str, Any]) -> Outcome:
    """Test error; table `stability` of all layers, the output last, see `tables`."""
    full = flow_cell(cell)
    trained = train_members([full])
    data = data_of(full)
    x = data.x_test[: cell["n_points"]]
    moved = _along_the_stripe(cell, x) if cell["experiment"] == "stripe" else _moved(cell, full, x)
    norm = float(np.linalg.norm((moved - x.numpy()).reshape(moved.shape[0] * len(x), -1), axis=1)
                 .mean())  # fmt: skip
    stream = generator(cell["seed"], role="drawing")
    noisy = x.numpy() + np.stack([noise(tuple(x.shape), norm=norm, generator=stream)
                                  for _ in moved])  # fmt: skip
    network, status = network_of(full), trained.rows[0]["status"]
    states = [("start", partial(layers_of, network, initial_weights_of([full])))]
    if status != "diverged":
        predictor = predictor_of([full], trained.weights)
        states.append(("end", partial(layers_with_predictor, predictor, trained.weights)))
    rows = [row for when, layers in states
            for row in _rows(when, layers, x.numpy(), [moved, noisy], norm)]  # fmt: skip
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    row = {name: trained.rows[0][name] for name in ("test_error", "evaluations")}
    return Outcome({**row, "status": status, "noise_norm": norm}, {"stability": columns})


def _along_the_stripe(cell: Mapping[str, Any], x: torch.Tensor) -> NDArray[np.float64]:
    """Points with noise in all directions but the first, (draws, n, 1, d)."""
    stream = generator(cell["seed"], role="transformation")
    shape = (len(x), 1, cell["d"] - 1)
    points = np.tile(x.numpy(), (cell["n_draws"], 1, 1, 1))
    for draw in points:
        draw[..., 1:] += noise(shape, norm=STRIPE_NORM, generator=stream)
    return points


def _moved(
    cell: Mapping[str, Any], full: Mapping[str, Any], x: torch.Tensor
) -> NDArray[np.float64]:
    """Points with their features at other places, (draws, n, d, v)."""
    data: PlaneData = data_of(full)
    assert data.test is not None  # the SRHM has derivations and a grammar
    assert data.grammar is not None
    drawn = transform(data.test[np.arange(len(x))], data.grammar, n_draws=cell["n_draws"],
                      seed=cell["seed"], variant="text")  # fmt: skip
    images = drawn["D", LEVEL]
    assert images is not None  # s0 is 1 or more
    return inputs(images, parameters_of(full)).reshape(cell["n_draws"], *x.shape).numpy()


def _rows(
    when: str, layers: Any, x: NDArray[np.float64], changes: list[NDArray[np.float64]], norm: float
) -> Iterator[dict[str, Any]]:
    def f(points: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        activations = layers(torch.from_numpy(points))
        return {str(k): layer.numpy() for k, layer in enumerate(activations, start=1)}

    D, G = sensitivities(f, x, changes, averages=AVERAGED)  # type: ignore[arg-type]
    n = len({name for name, _ in D})
    for (name, average), value in D.items():
        noisy = G[name, average]
        yield {"part": "output" if int(name) == n else "layers", "when": when, "layer": int(name),
               "n_layers": n, "depth": (int(name) - 1) / (n - 1), "average": average,
               "interpolation": "", "displacement": np.nan, "noise_norm": norm, "D": value,
               "G": noisy, "R": value / noisy if noisy > 0 else np.nan}  # fmt: skip
