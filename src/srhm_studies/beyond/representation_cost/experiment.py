"""One cell: a network fitted with weight decay to one of the tasks of the talk, and its layers.

Source: A. Jacot, talk "Bottleneck structure in large depth networks" (2023), by the titles of its
slides. They name no map and no task but the ball and the factorisation (`factorisation`; deep
linear networks: `linear`). All cells have L, width, n and what `networks.fit` reads, and all rows
what `numbers` gives, with the variance of the targets.
"""

from collections.abc import Mapping
from math import log, nan, sqrt
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import linalg, ndimage
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform
from torch import Tensor

from srhm.data import random_grammar, train_and_test
from srhm.experiments.cells import DONE, Column, Outcome
from srhm.model import seeding
from srhm.model.encoding import one_hot
from srhm_studies.beyond.representation_cost import spectra
from srhm_studies.beyond.representation_cost.configuration import BEND, MAPS, N_TEST
from srhm_studies.beyond.representation_cost.networks import (
    Architecture,
    Fitted,
    activations,
    fit,
)

Values = NDArray[np.float64]
Classes = NDArray[np.int64]
DIVERGED = "diverged"
# Further singular values of a layer are left out of the tables: they are near 0 in a bottleneck.
MOST_VALUES = 8
LAYER_COLUMNS = (
    "k", "squared_parameters", "n_large", "n_visible", "representation_norm", "distance",
    "geodesic_distance",
)  # fmt: skip
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
        for frequency, spectrum in enumerate(of_weights):
            for place, value in enumerate(spectrum[:MOST_VALUES], start=1):
                values["k"].append(number)
                values["frequency"].append(frequency)
                values["number"].append(place)
                values["value"].append(float(value))
    return {"layers": rows, "values": values}


def learnt(
    cell: Mapping[str, Any], x: Tensor, y: Tensor, *, variance: float | None = None, **shape: int
) -> tuple[Fitted, dict[str, Any]]:
    """A network of a cell's depth and width that is fitted to points, and its `numbers`.

    variance: of the targets, where it is known beforehand. shape: of convolutions.
    """
    channels = (x.shape[1], *[int(cell["width"])] * (int(cell["L"]) - 1), y.shape[1])
    fitted = fit(Architecture(channels=channels, **shape), x, y, cell)
    known = float(y.var(0, correction=0).sum()) if variance is None else variance
    return fitted, {**numbers(fitted), "variance": known}


def seen(fitted: Fitted, x: Tensor) -> list[Tensor]:
    """What each layer of a fitted network makes of inputs, the inputs first."""
    return activations(fitted.parameters, x.to(fitted.parameters.theta.dtype))


def points_of_map(cell: Mapping[str, Any]) -> tuple[Tensor, Tensor]:
    """Inputs and targets (n, d), targets of zero mean but for identities, unit variance a rank.

    cell: map, n, d (of the maps of rank k; the others live in the plane), seed.
    """
    name, n, d, seed = str(cell["map"]), int(cell["n"]), int(cell["d"]), int(cell["seed"])
    generator = seeding.generator(seed, role="train")
    if name == "circle":
        angle = generator.uniform(0, 2 * np.pi, size=n)
        x = sqrt(2) * np.column_stack([np.cos(angle), np.sin(angle)])
        return torch.from_numpy(x), torch.from_numpy(x)
    if name == "square":
        x = generator.uniform(0, sqrt(12), size=(n, 2))
        return torch.from_numpy(x), torch.from_numpy(x)
    rank = MAPS[name].bottleneck_rank
    x = generator.uniform(-sqrt(3), sqrt(3), size=(n, d))
    task = seeding.generator(seed, role="transformation")
    into, out = (linalg.qr(task.normal(size=(d, d)))[0][:, :rank] for _ in range(2))
    z = x @ into
    bent = z + BEND * np.abs(z)
    return torch.from_numpy(x), torch.from_numpy((bent - bent.mean(0)) @ out.T)


def maps(cell: Mapping[str, Any]) -> Outcome:
    """A ReLU network that is fitted to a map of MAPS; slide "Parameter norm and depth".

    cell: map, d. Row: log |Jf|_+, both sides of the bound on the weights at k = Rank_BN, and the
    largest (2/N) ||J_theta f(x_i)||_op^2.
    """
    x, y = points_of_map(cell)
    fitted, row = learnt(cell, x, y)
    if not fitted.finite:
        return Outcome(row)
    inputs = x.to(fitted.parameters.theta.dtype)
    rank = MAPS[str(cell["map"])].bottleneck_rank
    derivative, _ = spectra.parameter_jacobians(fitted.parameters, inputs)
    row["sharpness"] = float(2 * derivative.max() / len(derivative))
    bounds, apart = spectra.structure(fitted.parameters, inputs, rank=rank)
    return Outcome({**row, **bounds}, layer_tables(fitted, x, apart=apart))


def tree_length(points: NDArray[np.float64]) -> float:
    """Length of the minimum spanning tree of distinct points (N, k)."""
    return float(minimum_spanning_tree(squareform(pdist(points))).sum())


def paths(cell: Mapping[str, Any]) -> Outcome:
    """How long a curve through N points must be: why a fit of rank 1 costs more with every point.

    Slide "Symmetry overfitting?": a function of bottleneck rank 1 that fits N random values of a
    map of rank k* has

        R^(1) > 2 (1 - 1/k*) log N + c .

    Such a function maps an interval to a curve through the N values, and R^(1) is not below twice
    the logarithm of its largest slope, hence of the length of the curve over that of the interval.
    No curve through the points is shorter than their minimum spanning tree, whose length grows as
    N^(1 - 1/k*) (Steele 1988). The learnt curve itself is not computed: the shortest one is a
    travelling salesman's.

    cell: rank (k*), n (N), seed. Row: path_bound, twice the logarithm of the tree's length, of
    uniform points of the unit cube of k* dimensions.
    """
    generator = seeding.generator(int(cell["seed"]), role="train")
    points = generator.random((int(cell["n"]), int(cell["rank"])))
    return Outcome({"path_bound": 2 * log(tree_length(points))})


N_CLASSES = 4
# Curves, bent like an S and shifted along the first axis.
SHIFT, BENT, NOISE = 0.9, 0.6, 0.04
# Of the zigzag: centres are STEP apart along the first axis, at +-HEIGHT along the second.
STEP, HEIGHT, NOISE_OF_ZIGZAG = 0.9, 0.35, 0.08
HALF = 1.8  # the regions are drawn, and tripoints counted, in the square [-HALF, HALF]^2


def points_of_classes(cell: Mapping[str, Any]) -> tuple[Tensor, Classes]:
    """Points (n, 2) and their classes (n,), in equal numbers. cell: n, seed."""
    generator = seeding.generator(int(cell["seed"]), role="train")
    classes = np.arange(int(cell["n"])) % N_CLASSES
    height = generator.uniform(-1.4, 1.4, size=len(classes))
    x = (classes - (N_CLASSES - 1) / 2) * SHIFT - BENT * np.sin(2.2 * height)
    x += NOISE * generator.normal(size=len(classes))
    return torch.from_numpy(np.column_stack([x, height])), classes


def points_of_zigzag(cell: Mapping[str, Any]) -> tuple[Tensor, Classes]:
    """Points (n, 2) and their classes (n,), in equal numbers. cell: n, seed."""
    generator = seeding.generator(int(cell["seed"]), role="train")
    classes = np.arange(int(cell["n"])) % N_CLASSES
    centres = np.column_stack([(classes - (N_CLASSES - 1) / 2) * STEP, HEIGHT * (-1.0) ** classes])
    return torch.from_numpy(
        centres + NOISE_OF_ZIGZAG * generator.normal(size=centres.shape)
    ), classes


def targets_of(classes: Classes) -> Tensor:
    """Centred one-hot rows (n, 4), of unit variance in sum."""
    rows = np.eye(N_CLASSES)[classes]
    centred = rows - rows.mean(0)
    return torch.from_numpy(centred / np.sqrt(centred.var(0).sum()))


def square(size: int) -> Tensor:
    """Points (size^2, 2) of a grid on the square, row by row from below."""
    ticks = np.linspace(-HALF, HALF, size)
    return torch.from_numpy(np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2))


def n_tripoints(regions: NDArray[np.integer]) -> int:
    """Places on a grid of classes where three or more meet.

    A square of four neighbours that holds three classes, squares that touch counted once.
    """
    corners = np.stack([regions[:-1, :-1], regions[1:, :-1], regions[:-1, 1:], regions[1:, 1:]])
    ordered = np.sort(corners, axis=0)
    meeting = (np.diff(ordered, axis=0) > 0).sum(0) >= 2
    return int(ndimage.label(meeting, structure=np.ones((3, 3)))[1])


def classes(cell: Mapping[str, Any]) -> Outcome:
    """Four classes in the plane, each a curve: where three of their regions meet.

    Slide "Implications: Classification": a classifier of rank 1 has no tripoints. The slide does
    not describe its data.
    """
    return _classified(cell, *points_of_classes(cell))


def zigzag(cell: Mapping[str, Any]) -> Outcome:
    """Four groups on a zigzag: tripoints of shallow networks that deep ones lack.

    The slide's figure shows a task whose regions meet in tripoints at the smaller of two depths
    alone. Here the groups alternate between two heights, one step apart along the first axis: that
    coordinate alone tells them apart, so that a classifier of rank 1 is possible. In the plane each
    is nearest to two others or three, whose regions meet.
    """
    return _classified(cell, *points_of_zigzag(cell))


def _classified(cell: Mapping[str, Any], x: Tensor, classes: Classes) -> Outcome:
    """One network that learns points (n, 2) of N_CLASSES classes (n,).

    cell: grid (points along a side of the square). Row: the training error and the number of
    tripoints. Table `regions`: the class at each grid point of seed 0.
    """
    fitted, row = learnt(cell, x, targets_of(classes), variance=1.0)
    if not fitted.finite:
        return Outcome(row)
    size = int(cell["grid"])
    grid = seen(fitted, square(size))[-1].argmax(1).numpy()
    guessed = seen(fitted, x)[-1].argmax(1).numpy()
    row["tripoints"] = float(n_tripoints(grid.reshape(size, size)))
    row["train_error"] = float(np.mean(guessed != classes))
    tables = dict(layer_tables(fitted, x))
    if int(cell["seed"]) == 0:
        place = np.arange(size * size)
        tables["regions"] = {"row": place // size, "column": place % size, "class": grid}
    return Outcome(row, tables)


RADIUS = 2.0  # of the disc: unit variance of each coordinate
N_PAIRS = 500


def drawn(n: int, d: int, *, generator: np.random.Generator) -> tuple[Values, Values]:
    """z (n, 2), uniform in the disc, and u (n, d - 2), of unit variance."""
    angle = generator.uniform(0, 2 * np.pi, size=n)
    radius = RADIUS * np.sqrt(generator.uniform(size=n))
    z = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return z, generator.uniform(-np.sqrt(3), np.sqrt(3), size=(n, d - 2))


def task(z: Values, outputs: int) -> Values:
    """The first outputs of (|z|, z_1, z_2), each of zero mean and unit variance on the disc."""
    mean, deviation = 2 / 3 * RADIUS, RADIUS / np.sqrt(18)
    length = (np.linalg.norm(z, axis=1) - mean) / deviation
    return np.column_stack([length, z])[:, :outputs]


def turned(z: Values, *, generator: np.random.Generator) -> Values:
    """Each z at another angle, of the same length."""
    angle = generator.uniform(0, 2 * np.pi, size=len(z))
    return np.linalg.norm(z, axis=1)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


def half(cell: Mapping[str, Any]) -> Outcome:
    """A task of fewer outputs than its symmetry leaves, and the same with all outputs.

    Slide "Impact of the Output Dim.": where dim(Omega/~) >= d_out, networks learn f*(x) = f*(y) in
    the bottleneck in place of the true symmetry ~, which could be learnt before it.

    Here x = A^T z + B^T u in d dimensions, z uniform in a disc and u in a cube. The true symmetry
    is that u does not matter, and leaves the two dimensions of z. Of one output the task is |z|:
    then f*(x) = f*(y) on circles, besides. Of three outputs it is (|z|, z_1, z_2): the full
    bottleneck.

    cell: outputs (1 or 3), d. Table `layers` has, of pairs that were not fitted, the mean squared
    distance of their representations over that of independent pairs: apart_true where z is equal
    and u is not, apart_full where |z| alone is equal.
    """
    seed, n, d, outputs = (int(cell[name]) for name in ("seed", "n", "d", "outputs"))
    turn = seeding.generator(seed, role="transformation")
    basis = linalg.qr(turn.normal(size=(d, d)))[0]

    def inputs(z: Values, u: Values) -> Tensor:
        return torch.from_numpy(np.column_stack([z, u]) @ basis.T)

    z, u = drawn(n, d, generator=seeding.generator(seed, role="train"))
    x = inputs(z, u)
    fitted, row = learnt(cell, x, torch.from_numpy(task(z, outputs)))
    if not fitted.finite:
        return Outcome(row)
    pairs = seeding.generator(seed, role="test")
    z_one, u_one = drawn(N_PAIRS, d, generator=pairs)
    z_other, u_other = drawn(N_PAIRS, d, generator=pairs)
    ends = {"true": z_one, "full": turned(z_one, generator=pairs), "any": z_other}
    first = seen(fitted, inputs(z_one, u_one))[1:]
    apart = {
        name: [float((a - b).square().sum(1).mean())
               for a, b in zip(first, seen(fitted, inputs(end, u_other))[1:], strict=True)]
        for name, end in ends.items()
    }  # fmt: skip
    tables = layer_tables(fitted, x)
    layers = {
        **tables["layers"],
        **{f"apart_{name}": np.divide(apart[name], apart["any"]) for name in ("true", "full")},
    }
    middle = first[int(cell["L"]) // 2 - 1]
    row["representation_rank"] = float(spectra.n_visible(spectra.representation_values(middle)))
    return Outcome(row, {**tables, "layers": layers})


FRAMES_IN = 2  # of these, position and velocity can be told
CONCENTRATION = 1.0  # of the ball's image, a von Mises bump: about a third of the ring is bright
GRAVITY = 0.15  # of the ring's 2 pi, by the square of the time between frames
FASTEST = 0.8  # initial velocity in the same units: below half a ring a frame, so that it is unique


def positions(n: int, frames: int, *, generator: np.random.Generator) -> NDArray[np.float64]:
    """Angles (n, frames) of balls that fall from random places with random velocities."""
    start = generator.uniform(0, 2 * np.pi, size=(n, 1))
    velocity = generator.uniform(-FASTEST, FASTEST, size=(n, 1))
    time = np.arange(frames)
    return np.asarray(start + velocity * time - GRAVITY / 2 * time**2)


def images(angles: NDArray[np.float64], places: int) -> NDArray[np.float64]:
    """Frames as brightness on a ring, (n, places, frames), of zero mean and unit variance."""
    ring = 2 * np.pi * np.arange(places) / places
    bump = np.exp(CONCENTRATION * np.cos(ring[None, :, None] - angles[:, None, :]))
    centred = bump - bump.mean()
    return np.asarray(centred / np.sqrt(np.mean(centred**2)))


def points_of_ball(cell: Mapping[str, Any]) -> tuple[Tensor, Tensor]:
    """Frames in and frames out, rows are the places of each trajectory. cell: n, places, frames."""
    n, places, frames = int(cell["n"]), int(cell["places"]), int(cell["frames"])
    generator = seeding.generator(int(cell["seed"]), role="train")
    film = images(positions(n, FRAMES_IN + frames, generator=generator), places)
    film = film.reshape(n * places, FRAMES_IN + frames)
    return torch.from_numpy(film[:, :FRAMES_IN]), torch.from_numpy(film[:, FRAMES_IN:])


def ball(cell: Mapping[str, Any]) -> Outcome:
    """A ball under gravity on a ring: two frames in, the next ones out, learnt by convolutions.

    Slide "Learning Newtonian Mechanics": a network keeps position and velocity in two pairs of
    frequency 1. The talk's frames are n x n images; here a frame is a ring of n places on which the
    ball falls. cell: n (films), places, reach, frames (out). C and variance are sums over the
    channels, means over places.
    """
    x, y = points_of_ball(cell)
    fitted, row = learnt(cell, x, y, places=int(cell["places"]), reach=int(cell["reach"]))
    return Outcome(row, layer_tables(fitted, x) if fitted.finite else {})


def centred_classes(labels: NDArray[np.integer], n_classes: int) -> Tensor:
    """Centred one-hot rows, of unit variance in each of the n_c - 1 directions of the classes."""
    rows = np.eye(n_classes)[labels] - 1 / n_classes
    return torch.from_numpy(rows * np.sqrt(n_classes))


def hierarchy(cell: Mapping[str, Any]) -> Outcome:
    """Ranks by layer of a deep network that learns the classes of a grammar (Tomasini, Wyart 2024).

    Slide "Convergence of the representations": symmetries are learnt in the first layers. cell:
    levels, s, v, m, n_c, s0 (of the grammar). Row: the test error, and directions of the middle
    representation.
    """
    n_classes, seed = int(cell["n_c"]), int(cell["seed"])
    grammar = random_grammar(
        depth=int(cell["levels"]), branching=int(cell["s"]), n_features=int(cell["v"]),
        n_synonyms=int(cell["m"]), n_classes=n_classes, n_empty=int(cell["s0"]), seed=seed,
    )  # fmt: skip
    train, test = train_and_test(grammar, n_train=int(cell["n"]), n_test=N_TEST, seed=seed)
    x, x_test = (
        torch.from_numpy(one_hot(data, grammar.parameters).reshape(len(data), -1))
        for data in (train, test)
    )
    wanted = centred_classes(train.labels, n_classes)
    fitted, row = learnt(cell, x, wanted, variance=float(n_classes - 1))
    if not fitted.finite:
        return Outcome(row)
    layers = seen(fitted, x_test)
    row["test_error"] = float(np.mean(layers[-1].argmax(1).numpy() != test.labels))
    middle = spectra.representation_values(layers[len(layers) // 2])
    row["representation_rank"] = float(spectra.n_visible(middle))
    return Outcome(row, layer_tables(fitted, x_test))
