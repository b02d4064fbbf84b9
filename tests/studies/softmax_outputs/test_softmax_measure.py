"""S and D of logits and softmax against loops over enumerated data, with torch.softmax."""

import logging
from itertools import product

import numpy as np
import pytest
import torch
from assertions import all_data

from srhm.measure.representations import layer_representations, measure_sensitivities
from srhm.measure.sensitivity import sensitivities, transform
from srhm.model.grammar import draw_grammar, parameters_of
from srhm.model.sampling import draw_samples
from srhm.model.seeding import generator
from srhm.store.cells import StoredCell, write_cell
from srhm.store.records import write_derivations
from srhm.training.cell import geometry_of
from srhm_studies.learning_curves.softmax_outputs.measure import (
    ERROR_BITS,
    OUTPUTS,
    VALUE_BITS,
    measure_outputs,
    probe_of_outputs,
)

# 2 (2 x 4)^3 = 1024 data.
CELL = {
    "net": "cnn", "L": 2, "s": 2, "s0": 1, "v": 2, "m": 2, "n_c": 2, "sparsity": "A",
    "width": 24, "alpha": 1.0, "engine": "sparse", "whitening": False, "bias": False,
    "dtype": "float32", "batch": "shuffled", "batch_size": 4, "learning_rate": 0.01,
    "momentum": 0.9, "loss_threshold": 1e-3, "max_steps": 2000, "n_checks": 2,
    "P": 40, "seed": 0, "n_test": 100,
}  # fmt: skip
N_DRAWS = 3


def grammar_of(cell):
    return draw_grammar(parameters_of(cell), generator=generator(cell["seed"], role="grammar"))


def drawn_weights(cell, scale, seed=3):
    """Weights of a network that was not trained, with logits of about this size."""
    rng = np.random.default_rng(seed)
    weights = {
        name: rng.standard_normal(shape).astype(np.float32)
        for name, shape in geometry_of(cell).weight_shapes().items()
    }
    return {**weights, "readout": weights["readout"] * np.float32(scale)}


def logits_of(cell, weights, data):
    return layer_representations(weights, geometry_of(cell), data)[-1].values[:, 0]


def by_loops(outputs, images):
    """S by its definition: a loop over points and images, a loop over all pairs of points."""
    n = len(outputs)
    moved = [
        ((outputs[i] - images[draw * n + i]) ** 2).sum()
        for draw in range(N_DRAWS)
        for i in range(n)
    ]
    pairs = [((outputs[i] - outputs[j]) ** 2).sum() for i in range(n) for j in range(n) if i != j]
    return float(np.mean(moved) / np.mean(pairs))


@pytest.mark.parametrize("net", ["cnn", "lcn"])
@pytest.mark.parametrize("scale", [1.0, 60.0])
def test_both_outputs_have_the_sensitivities_of_loops_over_all_data(net, scale):
    cell = {**CELL, "net": net}
    weights, data = drawn_weights(cell, scale), all_data(grammar_of(cell))
    assert len(data) == 1024
    points = data[::8]
    images = transform(points, grammar_of(cell), n_draws=N_DRAWS, seed=0, variant="text")
    rows = sensitivities(probe_of_outputs(cell, weights), points, images, n_draws=N_DRAWS)
    found = {(row["layer"], row["kind"], row["l"]): row["value"] for row in rows}
    assert len(found) == 2 * 2 * 2

    def probabilities(these):
        logits = torch.from_numpy(logits_of(cell, weights, these)).double()
        return torch.stack([torch.softmax(one, dim=0) for one in logits]).numpy()

    for (kind, level), moved in images.items():
        for output, of in (
            ("logits", lambda these: logits_of(cell, weights, these).astype(float)),
            ("softmax", probabilities),
        ):
            expected = by_loops(of(points), of(moved))
            assert found[output, kind, level] == pytest.approx(expected, rel=1e-5)
    # The two differ, so that one cannot stand for the other.
    assert abs(found["logits", "S", 2] - found["softmax", "S", 2]) > 1e-3


def test_the_logits_have_the_numbers_of_the_output_of_all_layers(tmp_path):
    """Of a curve of two sizes and two seeds, of which the last diverged."""
    samples = draw_samples(parameters_of(CELL), [0, 1], n_train=80, n_test=100)
    write_derivations(samples, tmp_path / "samples.parquet", provenance={})
    entries = []
    for number, (size, seed) in enumerate(product((40, 80), (0, 1))):
        cell = {**CELL, "P": size, "seed": seed}
        row = {"status": "diverged" if number == 3 else "fitted"}
        entries.append({"key": f"{number:024x}", "cell": cell})
        weights = drawn_weights(cell, 10.0, seed=number)
        write_cell(tmp_path, entries[-1]["key"], StoredCell(cell, row, {}, weights))
    how = {"derivations": tmp_path / "samples.parquet", "store": tmp_path,
           "log": logging.getLogger("test"), "n_points": 50, "n_draws": 2,
           "variants": ["text"]}  # fmt: skip
    rows = measure_outputs(entries, **how)
    expected = [row for row in measure_sensitivities(entries, **how) if row["layer"] == "output"]
    assert len(expected) == len(rows) == 16
    for row, other in zip(rows, expected, strict=True):
        assert {"curve"} | row.keys() == set(OUTPUTS.names)
        assert [row[name] for name in ("key", "kind", "l", "n", "n_draws")] == [
            other[name] for name in ("key", "kind", "l", "n", "n_draws")
        ]
        for own, name, bits in (
            ("logits", "value", VALUE_BITS), ("logits_error", "standard_error", ERROR_BITS),
        ):  # fmt: skip
            assert row[own] == pytest.approx(other[name], rel=2.0**-bits, nan_ok=True)
