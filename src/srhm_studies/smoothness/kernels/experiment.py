"""Cells of the study: one point of a learning curve, one spectrum, one mean distance."""

from collections.abc import Mapping
from functools import cache
from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, eigh
from scipy.spatial.distance import pdist
from sklearn.neighbors import NearestNeighbors
from sklearn.svm import SVC

from srhm.experiments.cells import DONE, Outcome
from srhm.flow.inputs import stripe
from srhm.images.readers import Images, load
from srhm.model.encoding import one_hot
from srhm.model.grammar import GrammarParameters, parameters_of
from srhm.model.sampling import Derivations, draw_samples
from srhm.model.seeding import generator
from srhm.tangent_kernel import infinite_width_kernel
from srhm_studies.smoothness.kernels.methods import (
    COMPRESSED,
    draw_fields,
    draw_points,
    expected_error,
    gram,
    regression_weights,
    shuffled_digits,
)

Labelled = tuple[NDArray[np.float64], NDArray[np.float64]]
Points = NDArray[np.float64]
# Appendix A of the paper.
SOFTNESS = 1e4
# On MNIST the unit of length is the mean distance between so many digits: of the first for
# training, or of 5,000 drawn once.
MEASURED = 1000
# Ranks that are kept: so many in all, evenly in the logarithm, and each tenth of the first hundred.
N_RANKS = 60


def squared_errors_at_random(cell: Mapping[str, Any]) -> Outcome:
    """Squared errors of a student at P random training points (see `errors`).

    A teacher draws a Gaussian field on training and test points at once, and the student
    interpolates it (sections 4 and 5 of the paper).
    """
    points = [
        draw_points(cell["data"], cell["d"], n_points, generator=generator(cell["seed"], role=role))
        for role, n_points in (("train", cell["P"]), ("test", cell["n_test"]))
    ]
    return errors(cell, np.concatenate(points))


def errors(cell: Mapping[str, Any], points: NDArray[np.float64]) -> Outcome:
    """Squared errors of the student, in units of the teacher's variance.

    points: the P training points, then the test points, (P + n_test, D). mse: mean over test points
    and over n_fields drawn fields. expected_mse: the same points, the mean over all fields in
    closed form. Where the student's Gram matrix is singular to the precision of the numbers, both
    are NaN and the status says so.
    """
    n_train = cell["P"]
    student = gram(points[:n_train], points, kernel=cell["kernel"], sigma=cell["sigma"])
    try:
        weights = regression_weights(
            student[:, :n_train], student[:, n_train:], jitter=cell["jitter"]
        )
    except LinAlgError:
        return Outcome({"status": "not positive", "mse": nan, "expected_mse": nan})
    teacher = gram(points, kernel=cell["teacher"], sigma=cell["sigma"])
    fields = draw_fields(
        teacher, cell["n_fields"], generator=generator(cell["seed"], role="drawing")
    )
    missed = fields[n_train:] - weights.T @ fields[:n_train]
    return Outcome({
        "status": DONE,
        "mse": float((missed**2).mean()),
        "expected_mse": float(expected_error(weights, teacher).mean()),
    })  # fmt: skip


def squared_errors_on_lattice(cell: Mapping[str, Any]) -> Outcome:
    """Squared errors at P = n^d points of a lattice, at uniform test points (see `errors`).

    Theorem 1 is about a periodic lattice: it has no edges, and no two points that are closer than
    others. The torus is the product of d unit circles, in 2 d dimensions, where a kernel of the
    distance depends on the difference of two angles alone, as the theorem asks.
    """
    d = cell["d"]
    test = generator(cell["seed"], role="test").random((cell["n_test"], d))
    turns = np.concatenate([lattice(round(cell["P"] ** (1 / d)), d), test])
    return errors(cell, on_torus(turns))


def lattice(side: int, d: int) -> NDArray[np.float64]:
    """Points of a periodic lattice in [0, 1)^d, (side^d, d)."""
    axes = np.meshgrid(*[np.arange(side) / side] * d, indexing="ij")
    return np.stack([axis.ravel() for axis in axes], axis=1)


def on_torus(turns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points of the product of d unit circles, (n, 2 d), at angles in turns, (n, d)."""
    angles = 2 * np.pi * turns
    return np.concatenate([np.cos(angles), np.sin(angles)], axis=1)


def parity_of_digits(cell: Mapping[str, Any]) -> Outcome:
    """Test error, a fraction, and for regression the mean squared error, on the last n_test digits.

    Section 3 of the paper, with 8 x 8 digits in place of MNIST.
    method: "regression" without ridge on targets of -1 and 1, whose sign classifies; "svm", the
    soft-margin machine with C = 1e4, which has no squared error (NaN).
    """
    return _first_and_last(cell, shuffled_digits(generator=generator(cell["seed"], role="train")))


def _first_and_last(cell: Mapping[str, Any], digits: Labelled) -> Outcome:
    n_train, n_test = cell["P"], cell["n_test"]
    images, parity = digits
    return learnt(cell, (images[:n_train], parity[:n_train]), (images[-n_test:], parity[-n_test:]))


def learnt(cell: Mapping[str, Any], training: Labelled, tested: Labelled) -> Outcome:
    """Errors as of `parity_of_digits`, of points (n, ...) and their classes -1 and 1, (n,).

    cell: method, kernel, sigma in the unit of the points, jitter.
    """
    (points, targets), (others, truth) = training, tested
    kernel = {"kernel": cell["kernel"], "sigma": cell["sigma"]}
    between = gram(others, points, **kernel)
    if cell["method"] == "svm":
        predicted, squared = machine(gram(points, **kernel), targets, between), nan
    else:
        try:
            weights = regression_weights(gram(points, **kernel), between.T, jitter=cell["jitter"])
        except LinAlgError:
            return Outcome({"status": "not positive", "mse": nan, "error": nan})
        predicted = weights.T @ targets
        squared = float(((predicted - truth) ** 2).mean())
    wrong = np.sign(predicted) != truth
    return Outcome({"status": DONE, "mse": squared, "error": float(wrong.mean())})


def machine(
    within: NDArray[np.float64], targets: NDArray[np.float64], between: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Decision function (k,) of a soft-margin machine at k points (Eq. 19 to 23).

    within: Gram matrix (P, P); targets: -1 or 1, (P,); between: kernel (k, P). Training points of
    one class alone decide for it.
    """
    if len(set(targets.tolist())) == 1:
        return np.full(len(between), targets[0])
    trained = SVC(C=SOFTNESS, kernel="precomputed").fit(within, targets)
    return np.asarray(trained.decision_function(between))


def parity_of_mnist(cell: Mapping[str, Any]) -> Outcome:
    """As `parity_of_digits`: P digits of those for training, n_test of those for testing.

    Both are drawn anew for each seed, nested in P.

    Raises:
        ImagesError: if the files are not there or are damaged.
    """
    stream = generator(cell["seed"], role="train")
    chosen = [
        (points[order[:count]], parity[order[:count]])
        for (points, parity), count in zip(both_parts(), (cell["P"], cell["n_test"]), strict=True)
        for order in (stream.permutation(len(points)),)
    ]
    return learnt(cell, *chosen)


@cache
def both_parts() -> tuple[Labelled, Labelled]:
    """Training and test digits, (n, 784), and whether each is odd (1) or even (-1), (n,)."""
    (training, odd), (tested, odd_tested) = (_flat(part) for part in load("mnist"))
    unit = pdist(training[:MEASURED]).mean()
    return (training / unit, odd), (tested / unit, odd_tested)


def _flat(digits: Images) -> Labelled:
    flat = digits.pixels.reshape(len(digits.pixels), -1).astype(np.float64)
    return flat, np.where(digits.labels % 2 == 1, 1.0, -1.0)


def parity_of_mnist5k(cell: Mapping[str, Any]) -> Outcome:
    """As `parity_of_digits`, on 5,000 digits of MNIST in random order.

    Raises:
        ImagesError: if the digits are not there or are damaged.
    """
    return _first_and_last(cell, shuffled_mnist5k(seed=cell["seed"]))


def spectrum_of_mnist5k(cell: Mapping[str, Any]) -> Outcome:
    """As `gram_spectrum`, of P digits, whose target is parity."""
    return _spectra(cell, *(part[: cell["P"]] for part in shuffled_mnist5k(seed=cell["seed"])))


def neighbours_of_mnist5k(cell: Mapping[str, Any]) -> Outcome:
    """As `nearest_neighbours`, of P digits."""
    return _distance(shuffled_mnist5k(seed=cell["seed"])[0][: cell["P"]])


def shuffled_mnist5k(*, seed: int) -> Labelled:
    """All digits, (5000, 784), in the random order of a seed; whether each is odd (1) or even (-1).

    The unit of length is the mean distance between two digits.
    """
    images, parity = _labelled()
    order = generator(seed, role="train").permutation(len(images))
    return images[order], parity[order]


@cache
def _labelled() -> Labelled:
    (digits,) = load("mnist5k")
    flat, parity = _flat(digits)
    some = generator(0, role="test").permutation(len(flat))[:MEASURED]
    return flat / pdist(flat[some]).mean(), parity


def gram_spectrum(cell: Mapping[str, Any]) -> Outcome:
    """Eigenvalues and tails of P points, at some of the ranks; see `kernel_pca`.

    Section 6 and appendix J of the paper. The Gram matrix is not centred.
    data: "digits", whose target is parity, or "sphere", whose target is drawn from the teacher.
    """
    seed, n_points = cell["seed"], cell["P"]
    stream = generator(seed, role="train")
    if cell["data"] == "digits":
        points, target = (part[:n_points] for part in shuffled_digits(generator=stream))
    else:
        points = draw_points(cell["data"], cell["d"], n_points, generator=stream)
        covariance = gram(points, kernel=cell["teacher"], sigma=cell["sigma"])
        target = draw_fields(covariance, 1, generator=generator(seed, role="drawing"))[:, 0]
    return _spectra(cell, points, target)


def _spectra(cell: Mapping[str, Any], points: Points, target: Points) -> Outcome:
    matrix = gram(points, kernel=cell["kernel"], sigma=cell["sigma"])
    eigenvalues, tails = kernel_pca(matrix, target)
    ranks = kept_ranks(len(points))
    table = {"rank": ranks, "eigenvalue": eigenvalues[ranks - 1], "tail": tails[ranks - 1]}
    return Outcome({"status": DONE}, {"spectra": table})


def kernel_pca(
    matrix: NDArray[np.float64], target: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Eigenvalues of the Gram matrix (n, n) over n, largest first, and tails, both (n,).

    The tail at rank rho is the sum of (Z . phi)^2 over ranks rho and above (Eq. 14), over n: the
    part of the mean square of the target Z that lies there.
    """
    values, vectors = eigh(matrix)
    power = (vectors[:, ::-1].T @ target) ** 2 / len(target)
    return values[::-1] / len(target), np.cumsum(power[::-1])[::-1]


def kept_ranks(n_points: int) -> NDArray[np.int64]:
    """Ranks 1 ... n_points whose values are kept."""
    even = np.geomspace(1, n_points, N_RANKS).round().astype(np.int64)
    tenths = np.arange(10, min(n_points, 100) + 1, 10)
    return np.union1d(even, tenths)


def nearest_neighbours(cell: Mapping[str, Any]) -> Outcome:
    """distance: to the nearest, mean over P points on a sphere of radius 1, or over P digits.

    Section 7 of the paper. The unit of length for digits is the mean distance between two of them.
    """
    stream = generator(cell["seed"], role="train")
    if cell["data"] == "digits":
        points = shuffled_digits(generator=stream)[0][: cell["P"]]
    else:
        points = draw_points(cell["data"], cell["d"], cell["P"], generator=stream)
    return _distance(points)


def _distance(points: Points) -> Outcome:
    # The nearest of all is the point itself.
    distances, _ = NearestNeighbors(n_neighbors=2).fit(points).kneighbors(points)
    return Outcome({"status": DONE, "distance": float(distances[:, 1].mean())})


def stripe_error(cell: Mapping[str, Any]) -> Outcome:
    """Test error, a fraction, of the soft-margin machine, C = 1e4, at P points in d dimensions.

    The limit of lazy learning (thesis, chapter 3b). Feature learning shrinks the directions that do
    not matter by 1/sqrt(P), by the thesis; a kernel on inputs that are shrunk so should learn as
    fast as a net that learns features (Fig. 9, right).
    data: "stripe", or "stripe_compressed", whose directions but the first are over sqrt(P).
    kernel: "laplace" of width sigma; "tangent", of infinitely many hidden neurons (see `tangent`).
    """
    seed, d, n_train = cell["seed"], cell["d"], cell["P"]
    points, labels = stripe(n_train, d, generator=generator(seed, role="train"))
    others, truth = stripe(cell["n_test"], d, generator=generator(seed, role="test"))
    if cell["data"] == COMPRESSED:
        scale = np.array([1.0, *[n_train**-0.5] * (d - 1)])
        points, others = points * scale, others * scale
    within, between = (_stripe_kernel(part, points, cell) for part in (points, others))
    predicted = machine(within, labels, between)
    error = float((np.sign(predicted) != truth).mean())
    return Outcome({"status": DONE, "mse": nan, "error": error})


def tangent(points: Points, others: Points, *, bias: float) -> Points:
    """Tangent kernel of one hidden layer of ReLU neurons with biases, (n, k), infinitely wide.

    The bias of a neuron is a weight of an input that is `bias` for all points.
    """
    x, y = (np.pad(part, ((0, 0), (0, 1)), constant_values=bias) for part in (points, others))
    return infinite_width_kernel(x, y, depth=1)


def _stripe_kernel(one: Points, two: Points, cell: Mapping[str, Any]) -> Points:
    if cell["kernel"] == "tangent":
        return tangent(one, two, bias=cell["sigma"])
    return gram(one, two, kernel=cell["kernel"], sigma=cell["sigma"])


def class_error(cell: Mapping[str, Any]) -> Outcome:
    """Test error, a fraction, and squared error of regression on one-hot classes of the SRHM.

    Targets are one-hot rows less 1/n_c; the largest prediction classifies. mse is over the mean
    square of the targets: 1 for the prediction 0. The unit of sigma is the distance between two
    inputs that share no feature, sqrt(2 s^L).
    """
    parameters = parameters_of(cell)
    samples = draw_samples(parameters, [cell["seed"]], n_train=cell["P"], n_test=cell["n_test"])
    training, tested = samples[cell["seed"], "train"], samples[cell["seed"], "test"]
    scale = sqrt(2 * parameters.n_leaves)
    x, y = (_inputs(part, parameters) / scale for part in (training, tested))
    kernel = {"kernel": cell["kernel"], "sigma": cell["sigma"]}
    try:
        weights = regression_weights(gram(x, **kernel), gram(x, y, **kernel))
    except LinAlgError:
        return Outcome({"status": "not positive", "mse": nan, "error": nan})
    targets, truth = (
        np.eye(parameters.n_classes)[part.labels] - 1 / parameters.n_classes
        for part in (training, tested)
    )
    predicted = weights.T @ targets
    squared = ((predicted - truth) ** 2).sum() / (truth**2).sum()
    wrong = predicted.argmax(axis=1) != tested.labels
    return Outcome({"status": DONE, "mse": float(squared), "error": float(wrong.mean())})


def _inputs(data: Derivations, parameters: GrammarParameters) -> NDArray[np.float64]:
    return one_hot(data, parameters).reshape(len(data), -1).astype(np.float64)
