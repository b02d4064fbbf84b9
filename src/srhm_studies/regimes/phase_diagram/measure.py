"""What the tangent kernel knows of the labels, and what it learns of compressed inputs.

Chapter 3b of the thesis, Fig. 9 and 10. Both read stored weights.
"""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from numpy.typing import NDArray
from sklearn.feature_selection import mutual_info_classif
from sklearn.svm import SVC
from torch import Tensor

from srhm.flow.kernels import Gradients, linearised_flow, mean_kernel, projections, spectrum
from srhm.flow.networks import Network, Weights
from srhm.measure.trained import WHEN, Member, members_of
from srhm.statistics.regimes import FEATURE
from srhm.store.tables import OF_SOME_CELLS

# Eigenvectors that are kept, and held-out points of the Gram matrix: the first of the test set.
N_TOP, N_POINTS = 10, 300
# Neighbours of the estimate of the mutual information (Ross 2014): the default of scikit-learn.
N_NEIGHBOURS = 3
# Gradients of a flow with a frozen kernel, at most; it ends when all points have the margin.
MAX_EVALUATIONS = 3000
POINTS_AT_ONCE = 500
# Price of a point inside the margin of a support vector machine: so large that hardly any is.
SVM_C = 1e6

NAMES = tuple((name, pa.string()) for name in ("curve", "key"))
ALIGNMENT = pa.schema(
    [
        *NAMES,
        ("when", pa.string()),
        ("rank", pa.int64()),
        *((name, pa.float64()) for name in ("eigenvalue", "omega", "information")),
    ],
    metadata=OF_SOME_CELLS,
)
COMPRESSED = pa.schema(
    [
        *NAMES,
        *((name, pa.string()) for name in ("inputs", "status")),
        ("evaluations", pa.int64()),
        *((name, pa.float64()) for name in ("ratio", "test_error", "svm_error")),
    ],
    metadata=OF_SOME_CELLS,
)


def measure_alignment(
    entries: Sequence[Mapping[str, Any]], *, store: Path, log: logging.Logger
) -> list[dict[str, Any]]:
    """Rows of ALIGNMENT without the curve, of the first eigenvectors of the Gram matrix.

    rank: 1 has the largest eigenvalue; omega: part of the labels along the eigenvector, of squared
    norm; information: mutual information of the eigenvector with the labels, nats. Before training
    ("initial") and after ("end", not of cells that diverged), of stripes and of digits' pixels.

    Raises:
        MissingCell: if the store lacks a cell.
    """
    before: dict[tuple[int, int], list[dict[str, Any]]] = {}
    table = []
    for member in members_of(entries, store=store):
        if member.cell["data"] not in ("stripe", "digits"):
            continue
        for when in WHEN:
            weights = member.weights[when]
            if weights is None:
                continue
            if when == "initial":  # the same for all P and alpha_tilde
                if member.start not in before:
                    before[member.start] = _aligned(member, weights)
                rows = before[member.start]
            else:
                rows = _aligned(member, weights)
            table += [{"key": member.key, "when": when, **row} for row in rows]
    log.info("%d eigenvectors of %d cells", len(table), len(entries))
    return table


def _aligned(member: Member, weights: Weights) -> list[dict[str, Any]]:
    x, y = member.data.x_test[:N_POINTS], member.data.y_test[:N_POINTS]
    values, vectors = spectrum(mean_kernel(member.network, weights, x))
    omega = projections(vectors, y[:, None].to(torch.float64))[0, :N_TOP]
    known = information(vectors[0, :, :N_TOP].numpy(), y.numpy())
    columns = (values[0, :N_TOP].tolist(), omega.tolist(), known.tolist())
    names = ("eigenvalue", "omega", "information")
    return [
        {"rank": rank, **dict(zip(names, row, strict=True))}
        for rank, row in enumerate(zip(*columns, strict=True), start=1)
    ]


def information(features: NDArray[np.floating], labels: NDArray[Any]) -> NDArray[np.float64]:
    """Mutual information in nats of each column of (n, k) features with labels of two values, (k,).

    The estimate of scikit-learn from nearest neighbours; it is never below zero.
    """
    nats = mutual_info_classif(
        features, labels > 0, discrete_features=False, n_neighbors=N_NEIGHBOURS, random_state=0
    )
    return np.asarray(nats, dtype=float)


def measure_compressed(
    entries: Sequence[Mapping[str, Any]], *, store: Path, log: logging.Logger
) -> list[dict[str, Any]]:
    """Rows of COMPRESSED without the curve: lazy learning of (x_par, x_perp/Lambda), stripes alone.

    For each cell of feature learning, its tangent kernel before training learns its points, "whole"
    (ratio 1) and "compressed" by the Lambda of its own weights at the end: with the gradient flow
    of the frozen kernel (test_error, status, evaluations), and, by another route, as a support
    vector machine without ridge (svm_error).

    Raises:
        MissingCell: if the store lacks a cell.
    """
    table = []
    for member in members_of(entries, store=store):
        start, end = member.weights["initial"], member.weights["end"]
        features = member.cell["data"] == "stripe" and member.cell["alpha_tilde"] <= FEATURE
        if not features or start is None or end is None:
            continue
        for name, ratio in (("whole", 1.0), ("compressed", compression(end))):
            row = _learnt(member, start, ratio)
            table.append({"key": member.key, "inputs": name, "ratio": ratio, **row})
    log.info("%d trainings with kernels of %d cells", len(table), len(entries))
    return table


def compression(weights: Weights) -> float:
    """Lambda = W_par/W_perp of one network of one hidden layer.

    Lambda^2 = sum |W2| w_par^2 / sum |W2| w_perp^2 over neurons, with the mean of w_perp^2 over the
    other inputs: about 1 before training.
    """
    first_dh, weight_h = weights["layer1"][0, 0], weights["readout"][0, :, 0].abs()
    along = weight_h @ first_dh[0].square()
    across = weight_h @ first_dh[1:].square().mean(dim=0)
    return float((along / across).sqrt())


def compressed(x: Tensor, ratio: float) -> Tensor:
    """Points (B, 1, d) whose inputs but the first are divided by the ratio."""
    scale = torch.full((x.shape[-1],), 1 / ratio, dtype=x.dtype)
    scale[0] = 1.0
    return x * scale


def _learnt(member: Member, weights: Weights, ratio: float) -> dict[str, Any]:
    network, data, loss = member.network, member.data, member.loss
    x, x_test = compressed(data.x_train, ratio), compressed(data.x_test, ratio)
    budget = min(MAX_EVALUATIONS, member.cell["optimiser"]["max_evaluations"])
    trained = linearised_flow(
        Gradients.at(network, weights, x), data.y_train, loss, max_evaluations=budget
    )
    wrong = 0
    pieces = (part.split(POINTS_AT_ONCE) for part in (x_test, data.y_test))
    for points, labels in zip(*pieces, strict=True):
        F = Gradients.at(network, weights, points).along(trained.state)
        wrong += int(loss.wrong(F, labels).sum())
    return {
        "status": str(trained.status[0]),
        "evaluations": int(trained.evaluations[0]),
        "test_error": wrong / len(data.y_test),
        "svm_error": svm_error(network, weights, (x, data.y_train), (x_test, data.y_test)),
    }


def svm_error(
    network: Network, weights: Weights, train: tuple[Tensor, Tensor], test: tuple[Tensor, Tensor]
) -> float:
    """Test error of the widest margin that the tangent kernel finds; of points and labels."""
    gram = mean_kernel(network, weights, train[0])[0]
    other = mean_kernel(network, weights, test[0], train[0])[0]
    unit = float(gram.diagonal().mean())
    machine = SVC(C=SVM_C, kernel="precomputed").fit((gram / unit).numpy(), train[1].numpy())
    predicted = machine.predict((other / unit).numpy())
    return float(np.mean(predicted != test[1].numpy()))
