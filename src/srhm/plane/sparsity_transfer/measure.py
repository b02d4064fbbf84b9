"""Test errors of trained networks on sparsity A, on B, and on the data of B that A cannot give.

The rules of a grammar depend on its seed alone, not on the kind of sparsity, so that a network
meets its own rules in both. Every datum of A is one of B, but not the other way round (section 3).
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import nan, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from srhm.measure.cells import trained_cell
from srhm.measure.representations import layer_representations
from srhm.model.grammar import (
    GRAMMAR,
    GrammarParameters,
    Sparsity,
    parameters_of,
    placement_offsets,
)
from srhm.model.sampling import Derivations, draw_samples, n_test_points
from srhm.store.records import read_derivations
from srhm.store.tables import CELLS
from srhm.training.cell import geometry_of

KINDS: tuple[Sparsity, Sparsity] = ("A", "B")
# Test data of sparsity B of which at least one rule places its features as A cannot.
ONLY_B = "B, not A"
# Points that are evaluated at once.
BATCH = 256

TRANSFER = pa.schema(
    [
        *(CELLS.field(name) for name in ("curve", "key", "net", *GRAMMAR, "width", "P", "seed")),
        ("trained_on", pa.string()),
        ("tested_on", pa.string()),
        ("n", pa.int64()),
        ("error", pa.float64()),
        ("standard_error", pa.float64()),
    ]
)


def measure_transfer(
    entries: Sequence[Mapping[str, Any]],
    *,
    derivations: Path | str,
    store: Path,
    log: logging.Logger,
) -> list[dict[str, Any]]:
    """Rows of TRANSFER, without the curve, three for each cell of a curve.

    Test points that are among the P training points of a cell are left out: n are the others, and
    error is the fraction of them that is not classified right, a tie being an error. A cell that
    diverged, or that is stored without weights, has rows with n = 0 and NaN, as has a kind of data
    without any test point.

    Raises:
        MissingCell: if a cell is not in the store or is damaged.
    """
    samples = read_derivations(Path(derivations), parameters_of(entries[0]["cell"]))
    tests: dict[int, dict[str, Derivations]] = {}
    rows = []
    for entry in entries:
        cell, stored = entry["cell"], trained_cell(entry, store)
        if cell["seed"] not in tests:
            tests[cell["seed"]] = data_by_kind(cell)
        training = samples[cell["seed"], "train"][: cell["P"]]
        unknown = stored.row["status"] == "diverged" or not stored.weights
        names = {name: cell[name] for name in TRANSFER.names if name in cell}
        for kind, points in tests[cell["seed"]].items():
            new = points[~contained(points, training)]
            wrong = np.empty(0) if unknown else errors(cell, stored.weights, new)
            rows.append(
                {
                    "key": entry["key"],
                    **names,
                    "trained_on": cell["sparsity"],
                    "tested_on": kind,
                    **_fraction(wrong),
                }
            )
    log.info("%d cells tested on both kinds of sparsity", len(entries))
    return rows


def data_by_kind(cell: Mapping[str, Any]) -> dict[str, Derivations]:
    """Test data by kind, drawn with the production rules of the cell.

    Those of A and B are the test sets of the networks that are trained with A and with B on the
    cell's seed, and at most n_test points each.
    """
    tests: dict[str, Derivations] = {}
    for kind in KINDS:
        parameters = replace(parameters_of(cell), sparsity=kind)
        n_test = n_test_points(parameters, n_train=1, n_test=cell["n_test"])
        # The test set does not depend on the size of the training set.
        samples = draw_samples(parameters, [cell["seed"]], n_train=1, n_test=n_test)
        tests[kind] = samples[cell["seed"], "test"]
    of_b = tests["B"]
    return {**tests, ONLY_B: of_b[beyond_sub_patches(of_b, parameters)]}


def beyond_sub_patches(data: Derivations, parameters: GrammarParameters) -> NDArray[np.bool_]:
    """Which data of sparsity B, shape (n,), have a rule with a feature outside its sub-patch."""
    sub_patches = placement_offsets(parameters) // (parameters.n_empty + 1)
    outside = (sub_patches != np.arange(parameters.branching)).any(axis=1)
    beyond: NDArray[np.bool_] = outside[data.placements].any(axis=1)
    return beyond


def contained(points: Derivations, others: Derivations) -> NDArray[np.bool_]:
    """Which points, shape (n,), are as inputs among the others."""
    known = set(_inputs(others))
    return np.array([point in known for point in _inputs(points)], dtype=bool)


def _inputs(data: Derivations) -> list[bytes]:
    columns = np.concatenate([data.positions, data.features], axis=1, dtype=np.int32)
    return [row.tobytes() for row in columns]


def errors(
    cell: Mapping[str, Any], weights: Mapping[str, NDArray[Any]], points: Derivations
) -> NDArray[np.bool_]:
    """Which points, shape (n,), are not classified right by the network with these weights."""
    wrong = np.empty(len(points), dtype=bool)
    for start in range(0, len(points), BATCH):
        part = slice(start, start + BATCH)
        layers = layer_representations(
            weights, geometry_of(cell), points[part], whitening=cell["whitening"]
        )
        logits = layers[-1].values[:, 0]
        right = np.take_along_axis(logits, points.labels[part, None].astype(np.int64), axis=1)
        wrong[part] = (logits >= right).sum(axis=1) != 1
    return wrong


def _fraction(wrong: NDArray[Any]) -> dict[str, Any]:
    n = len(wrong)
    error = float(wrong.mean()) if n else nan
    return {"n": n, "error": error, "standard_error": sqrt(error * (1 - error) / n) if n else nan}
