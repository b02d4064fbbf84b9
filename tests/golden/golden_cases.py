"""Tiny configurations of the sampler and of every trainer, and the trace that each of them leaves.

A trainer is called through the function that the workflow's script calls.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch

from srhm.flow.cell import train_members
from srhm.images.readers import Images
from srhm.images.training import train_cell as train_image_cell
from srhm.model.grammar import GrammarParameters, draw_grammar, parameters_of
from srhm.model.sampling import draw_sample, draw_samples
from srhm.model.seeding import generator
from srhm.training.cell import train_cell
from srhm.training.dense import DenseEngine
from srhm.training.reference import ReferenceEngine
from srhm.training.sparse import SparseEngine
from srhm.training.stacked import train_stack
from srhm.training.tape_engine import TapedEngine

# Digits in a file: more than the tolerances need.
DIGITS = 13
# What a row says of the machine, not of the training.
OF_THE_MACHINE = ("device", "versions")

CORE = {
    **{"L": 2, "s": 2, "s0": 1, "v": 3, "m": 3, "n_c": 3, "sparsity": "A", "net": "cnn"},
    **{"width": 6, "alpha": 1.0, "engine": "sparse", "dtype": "float64", "whitening": False},
    **{"bias": False, "batch": "shuffled", "batch_size": 4, "learning_rate": 0.1},
    **{"momentum": 0.9, "loss_threshold": 1e-3, "max_steps": 40, "n_checks": 2},
    **{"P": 30, "seed": 3, "n_test": 60},
}
# Few steps: batch norm of a few points makes rounding larger in each.
NAMED = {"engine": "torch", "width": 4, "batch_size": 8, "learning_rate": 0.02}
NAMED |= {"max_steps": 4, "n_checks": 1, "P": 29, "n_test": 40}
EFFICIENTNET = {**NAMED, "net": "efficientnetb0", "batch_size": 28, "max_steps": 2}
FLOW = {"name": "flow", "max_evaluations": 60, "max_output_change": 0.1}
RELU_FLOW = {**FLOW, "max_gradient_change": 0.01, "kink": 0.01}
SMOOTH_FLOW = {**FLOW, "max_evaluations": 300, "max_gradient_change": 0.01, "kink": 0.0}
ADAM = {"name": "adam", "max_evaluations": 50, "first_rate": 0.01, "last_rate": 1e-4}
SGD = {"name": "sgd", "max_evaluations": 60, "learning_rate": 0.01, "batch_size": 5}
SGD |= {"momentum": 0.9, "check_every": 10}
SRHM = {
    **{"data": "srhm", "net": "cnn", "L": 2, "s": 2, "s0": 1, "v": 3, "m": 3, "n_c": 3},
    **{"sparsity": "A", "d": None, "hidden_layers": 2, "width": 5, "labels": "classes"},
    **{"loss": "cross_entropy", "loss_threshold": 1e-3, "slack": None, "activation": "relu"},
    **{"parametrisation": "ntk", "bias": False, "initialisation": "gaussian"},
    **{"subtract_initial": True, "squared_norm": None, "training": "end_to_end"},
    **{"optimiser": RELU_FLOW, "weight_decay": 0.0, "alpha_tilde": 1.0, "P": 12},
    **{"seed": 0, "member": 0, "n_test": 60},
}
HINGE = {"labels": "parity", "loss": "soft_hinge", "loss_threshold": None}
SMOOTH = {**HINGE, "activation": "softplus", "optimiser": SMOOTH_FLOW}
RANDOM = {**SRHM, **dict.fromkeys(("L", "s", "s0", "v", "m", "n_c", "sparsity"))}
RANDOM |= {"data": "random", "net": "fcn", "d": 4, "width": 4, "P": 10, "labels": "parity"}
RANDOM |= {"loss": "quadratic_hinge", "loss_threshold": None, "slack": 0.0, "bias": True}
RANDOM |= {"alpha_tilde": 2.0, "subtract_initial": False}
HANDWRITTEN = {**RANDOM, "data": "digits", "d": 64, "n_test": 30, "history": True}
STRIPE = {**RANDOM, **HINGE, "slack": None, "data": "stripe", "activation": "softplus"}
STRIPE |= {"optimiser": SMOOTH_FLOW, "subtract_initial": True, "n_test": 30, "history": True}
IMAGE = {
    **{"net": "vgg11_bn", "width": 4, "P": 40, "seed": 0, "n_test": 20, "batch_size": 20},
    **{"learning_rate": 0.01, "momentum": 0.9, "weight_decay": 0.1, "schedule": "cosine"},
    **{"augmentation": True, "loss_threshold": None, "max_steps": 4},
}
GRAMMAR: dict[str, Any] = {
    **{"depth": 2, "branching": 2, "n_features": 3, "n_synonyms": 3, "n_classes": 3},
    **{"n_empty": 1, "sparsity": "A"},
}

Trace = dict[str, Any]


def trace_of(row: dict[str, Any], arrays: dict[str, Any], cell: dict[str, Any]) -> Trace:
    """What a row says beside the cell's coordinates; a summary of each array."""
    left_out = {*cell, *OF_THE_MACHINE}
    own = {name: value for name, value in row.items() if name not in left_out}
    return {"row": own, "arrays": {name: summary(array) for name, array in arrays.items()}}


def summary(array: Any) -> list[Any]:
    """Type and shape of an array, its sum, its sum of squares, its first values."""
    values = np.asarray(array)
    x = values.astype(np.float64)
    numbers = [x.sum(), (x**2).sum(), *x.ravel()[:3]]
    shortened = [float(f"{number:.{DIGITS}g}") for number in numbers]
    return [str(values.dtype), list(values.shape), *shortened]


def core(make_engine: Any, **changes: Any) -> Trace:
    """One cell of a learning curve."""
    cell = {**CORE, **changes}
    n_points = {"n_train": cell["P"], "n_test": cell["n_test"]}
    samples = draw_samples(parameters_of(cell), [cell["seed"]], **n_points)
    data = samples[cell["seed"], "train"], samples[cell["seed"], "test"]
    if make_engine is train_stack:
        others = {**cell, "seed": cell["seed"] + 1}
        samples |= {(others["seed"], part): own for (_, part), own in samples.items()}
        trained, _ = train_stack(
            [{"key": "a", "cell": cell}, {"key": "b", "cell": others}],
            start=None, pause=lambda snapshot: None, samples=samples,
            device=torch.device("cpu"), made_by="cpu",
        )  # fmt: skip
    else:
        trained = train_cell(cell, *data, make_engine=make_engine)
    return trace_of(trained.row, trained.weights, cell)


def plane(base: dict[str, Any], **changes: Any) -> Trace:
    """Two members that are trained together, with scales, seeds and members of their own."""
    first = {**base, **changes}
    cells = [first, {**first, "alpha_tilde": 10 * first["alpha_tilde"], "seed": 1, "member": 1}]
    trained = train_members(cells)
    arrays = {**trained.weights, "test_outputs": trained.test_outputs}
    found: Trace = {"row": {}, "arrays": {}}
    for e, (cell, row) in enumerate(zip(cells, trained.rows, strict=True)):
        own_arrays: dict[str, Any] = {name: array[e].numpy() for name, array in arrays.items()}
        if (history := trained.histories[e]) is not None:
            own_arrays["history"] = history
        own = trace_of(row, own_arrays, cell)
        for part, entries in own.items():
            found[part] |= {f"{e}.{name}": value for name, value in entries.items()}
    return found


def lazy_and_feature_learning() -> Trace:
    """Test error and change of the kernel of three members at three output scales, on digits."""
    own: dict[str, Any] = {"d": 64, "width": 32, "P": 128, "n_test": 597, "bias": False}
    own |= {**HINGE, "slack": None, "activation": "softplus", "subtract_initial": True}
    own |= {"optimiser": {**SMOOTH_FLOW, "max_evaluations": 5000}, "history": False}
    cells = [
        {**HANDWRITTEN, **own, "alpha_tilde": scale, "member": member}
        for scale in (0.01, 1.0, 1000.0)
        for member in range(3)
    ]
    found: dict[str, Any] = {}
    for cell, row in zip(cells, train_members(cells).rows, strict=True):
        name = f"{cell['alpha_tilde']:g}.{cell['member']}"
        for column in ("status", "test_error", "kernel_change"):
            found[f"{name}.{column}"] = row[column]
    return {"row": found, "arrays": {}}


def images(**changes: Any) -> Trace:
    """One network on images: noise whose brightness tells the class."""
    cell = {**IMAGE, **changes}
    stream = np.random.default_rng(0)
    labels = stream.permutation(np.arange(80) % 10)
    pixels = stream.integers(0, 150, size=(80, 3, 32, 32)) + 10 * labels[:, None, None, None]
    made = Images(pixels.astype(np.uint8), labels)
    trained = train_image_cell(cell, made[:60], made[60:])
    return trace_of(trained.row, trained.weights, cell)


def sampler(**changes: Any) -> Trace:
    """Rules of a grammar, and a few of its data: whole numbers, all of them."""
    parameters = GrammarParameters(**{**GRAMMAR, **changes})
    grammar = draw_grammar(parameters, generator=generator(5, role="grammar"))
    streams = {f"{role}_generator": generator(5, role=role) for role in ("train", "test")}
    parts = draw_sample(grammar, n_train=5, n_test=3, **streams)
    found = {f"rules{level}": rules for level, rules in enumerate(grammar.rules, start=1)}
    for part, data in zip(("train", "test"), parts, strict=True):
        found |= {f"{part}.{name}": array for name, array in vars(data).items()}
    return {"row": {name: array.ravel().tolist() for name, array in found.items()}, "arrays": {}}


# By name: how close its numbers must come (see the test), and what makes the trace.
CASES: dict[str, tuple[str, Callable[[], Trace]]] = {
    "sampler_A": ("double", sampler),
    "sampler_B": ("double", partial(sampler, sparsity="B", branching=3, n_classes=4)),
    # More distinct data than are enumerated: drawn one by one.
    "sampler_large": ("double", partial(sampler, depth=3, n_features=4, n_synonyms=4)),
    "sparse_lcn": ("double", partial(core, SparseEngine, net="lcn")),
    "sparse_cnn_balanced": ("double", partial(core, SparseEngine, batch="balanced")),
    "sparse_fcn": ("double", partial(core, SparseEngine, net="fcn", loss_threshold=1.092)),
    "sparse_cnn_B": ("double", partial(core, SparseEngine, sparsity="B")),
    "reference_lcn": ("double", partial(core, ReferenceEngine, net="lcn")),
    "dense_practice": ("double", partial(core, DenseEngine, whitening=True, bias=True)),
    "reference_practice": ("double", partial(core, ReferenceEngine, whitening=True, bias=True)),
    "torch_vgg": ("single", partial(core, TapedEngine, **NAMED, net="vgg11_bn")),
    "torch_resnet": ("single", partial(core, TapedEngine, **NAMED, net="resnet18")),
    "torch_efficientnet": ("efficientnet", partial(core, TapedEngine, **EFFICIENTNET)),
    "stacked_vgg": ("single", partial(core, train_stack, **NAMED, net="vgg11_bn")),
    "flow_relu": ("double", partial(plane, SRHM)),
    "flow_softplus": ("double", partial(plane, SRHM, **SMOOTH)),
    "flow_random": ("double", partial(plane, RANDOM)),
    "lazy_feature": ("adaptive", lazy_and_feature_learning),
    "flow_stripe": ("double", partial(plane, STRIPE)),
    "adam_digits": ("double", partial(plane, HANDWRITTEN, optimiser=ADAM)),
    "adam_digits_pca": (
        "double",
        partial(plane, HANDWRITTEN, data="digits_pca", d=10, optimiser=ADAM, labels="shuffled"),
    ),
    "adam": ("double", partial(plane, SRHM, optimiser=ADAM, weight_decay=0.01, net="lcn")),
    "adam_random": ("double", partial(plane, RANDOM, optimiser=ADAM)),
    "sgd": ("double", partial(plane, SRHM, optimiser=SGD, net="fcn", hidden_layers=3)),
    "layerwise": ("double", partial(plane, SRHM, **HINGE, training="layerwise")),
    "images": ("single", images),
}
