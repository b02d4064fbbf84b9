"""Sensitivities: exact where they are known, and the same by dense and by sparse evaluation."""

import logging

import numpy as np
import pandas as pd
import pytest
import torch
from numpy.testing import assert_allclose

from srhm.measure.cells import MissingCell, measure_curve
from srhm.measure.representations import hierarchical_probe, layer_representations, probe_of_cell
from srhm.measure.sensitivity import measure as measure_probe
from srhm.measure.sensitivity import transform
from srhm.model.encoding import one_hot
from srhm.model.grammar import Grammar
from srhm.model.sampling import derive
from srhm.networks.geometry import geometry, initial_biases, initial_weights
from srhm.networks.hierarchical import HierarchicalNetwork
from srhm.networks.registry import HIERARCHICAL
from srhm.store.cells import StoredCell, path_of, write_cell
from srhm.store.records import read_table, write_table
from srhm.store.tables import SENSITIVITIES

WIDTH = 7


def random_weights(shape, *, dtype=np.float64, bias=False):
    stream = np.random.default_rng(1)
    weights = initial_weights(shape, generator=stream, dtype=dtype)
    if bias:
        biases = initial_biases(shape, generator=stream, dtype=dtype)
        weights |= {f"{name}.bias": array for name, array in biases.items()}
    return weights


def by_torch(weights, shape, data, *, whitening=False):
    """Layers of the reference network for all places and channels, each (n, values)."""
    biases = {k.removesuffix(".bias"): v for k, v in weights.items() if k.endswith(".bias")}
    plain = {k: v for k, v in weights.items() if not k.endswith(".bias")}
    network = HierarchicalNetwork(shape, plain, biases=biases)
    x = one_hot(data, shape.parameters, whitening=whitening).astype(plain["layer1"].dtype)
    with torch.no_grad():
        return [f.numpy().reshape(len(data), -1) for f in network.representations(torch.tensor(x))]


def spread_out(found):
    """A representation with its zeros, (n, places x channels)."""
    n, _, channels = found.values.shape
    full = np.zeros((n, found.n_places, channels), dtype=found.values.dtype)
    full[np.arange(n)[:, None], found.places] = found.values
    return full.reshape(n, -1)


def ratio_by_loops(f, images, kept):
    """Eq. 13 over the kept points, term by term; images (n_draws, n, values)."""
    moved = [((f[i] - image[i]) ** 2).sum() for i in kept for image in images]
    apart = [((f[i] - f[j]) ** 2).sum() for i in kept for j in kept if i != j]
    return np.mean(moved) / np.mean(apart)


def measure(weights, shape, grammar, data, *, whitening=False, **options):
    """All sensitivities of an LCN, CNN or FCN of these weights."""
    probe = hierarchical_probe(weights, shape, whitening=whitening)
    return measure_probe(probe, grammar, data, **options)


def table_of(rows):
    return pd.DataFrame(rows).set_index(["kind", "k", "l"]).sort_index()


@pytest.mark.parametrize(
    ("depth", "branching", "sparsity"), [(1, 3, "A"), (2, 2, "A"), (2, 3, "B"), (3, 2, "B")]
)
@pytest.mark.parametrize("net", HIERARCHICAL)
def test_sparse_and_dense_evaluation_agree(make_sample, tolerance, net, depth, branching, sparsity):
    grammar, _, data = make_sample(
        n_train=1, n_test=20, depth=depth, branching=branching, sparsity=sparsity
    )
    shape = geometry(net, grammar.parameters, width=WIDTH)
    for dtype, allowed in ((np.float64, tolerance(np.float64)), (np.float32, {"atol": 1e-5})):
        weights = random_weights(shape, dtype=dtype)
        found = layer_representations(weights, shape, data)
        expected = by_torch(weights, shape, data)
        for f, reference in zip(found, expected, strict=True):
            assert f.values.dtype == dtype
            assert_allclose(spread_out(f), reference, **allowed)


@pytest.mark.parametrize("variant", ["text", "practice"])
@pytest.mark.parametrize(
    ("net", "changes", "bias"),
    [
        ("lcn", {}, False),
        ("lcn", {"sparsity": "B"}, False),
        ("lcn", {"depth": 3, "sparsity": "B"}, False),
        ("lcn", {"branching": 3}, False),
        ("lcn", {}, True),
        ("cnn", {"sparsity": "B", "branching": 3}, False),
        ("cnn", {"depth": 3}, False),
        ("fcn", {}, False),
        ("fcn", {"depth": 1}, True),
    ],
)
def test_sensitivities_and_jackknife_are_those_of_loops_over_dense_layers(
    make_sample, tolerance, net, changes, bias, variant
):
    n, n_draws = 9, 2
    grammar, _, points = make_sample(n_train=1, n_test=n, **changes)
    shape = geometry(net, grammar.parameters, width=WIDTH)
    weights = random_weights(shape, bias=bias)
    found = table_of(
        measure(
            weights, shape, grammar, points, seed=3, n_points=n, n_draws=n_draws, variant=variant
        )
    )
    layers = by_torch(weights, shape, points)
    images = transform(points, grammar, n_draws=n_draws, seed=3, variant=variant)
    for (kind, level), image in images.items():
        for k, (f, moved) in enumerate(
            zip(layers, by_torch(weights, shape, image), strict=True), start=1
        ):
            draws = moved.reshape(n_draws, n, -1)
            value = ratio_by_loops(f, draws, range(n))
            left = [ratio_by_loops(f, draws, [j for j in range(n) if j != i]) for i in range(n)]
            error = np.sqrt((n - 1) * np.var(left))
            row = found.loc[kind, k, level]
            assert_allclose(row["value"], value, **tolerance(np.float64))
            assert_allclose(row["standard_error"], error, rtol=1e-8)


def invariant_network(net, parameters):
    """Weights that see the first feature of each tuple only, wherever it is in its sub-patch."""
    shape = geometry(net, parameters, width=WIDTH)
    stream = np.random.default_rng(2)
    weights = {"readout": stream.standard_normal((WIDTH, parameters.n_classes))}
    for k, layer in enumerate(shape.layers, start=1):
        shared = stream.standard_normal((layer.n_inputs, WIDTH))
        slots = np.arange(layer.n_slots)
        first = slots % parameters.patch_size <= parameters.n_empty
        if net == "fcn":  # the very first leaf: first in its patch, which is first in its patch
            first &= slots // parameters.patch_size <= parameters.n_empty
        weights[f"layer{k}"] = first[:, None, None] * shared
    return shape, weights


@pytest.mark.parametrize("variant", ["text", "practice"])
@pytest.mark.parametrize(
    ("net", "depth"), [("lcn", 2), ("lcn", 3), ("cnn", 2), ("cnn", 3), ("fcn", 2)]
)
def test_an_invariant_network_has_no_sensitivity(make_sample, make_parameters, net, depth, variant):
    # The first feature of a tuple names its latent, the second is the free choice of a synonym.
    parameters = make_parameters(depth=depth)
    _, _, drawn = make_sample(n_train=1, n_test=60, depth=depth)
    rule = np.stack(np.meshgrid(np.arange(3), np.arange(3), indexing="ij"), axis=-1)
    grammar = Grammar(parameters, (rule,) * depth)
    points = derive(grammar, drawn.labels, drawn.choices, drawn.placements)
    shape, weights = invariant_network(net, parameters)
    rows = measure(weights, shape, grammar, points, seed=0, variant=variant)
    for row in rows:
        # Layer k holds the latents of level k+1, the FCN those of the class in every layer.
        if row["k"] >= row["l"] or net == "fcn":
            assert abs(row["value"]) < 1e-25, row
            assert row["standard_error"] < 1e-25
        else:
            assert row["value"] > 0.1, row
    assert all(row["n"] == len(points) for row in rows)


CELL = {
    "net": "lcn", "L": 2, "s": 2, "s0": 1, "v": 3, "m": 3, "n_c": 3, "sparsity": "A",
    "width": WIDTH, "alpha": 1.0, "engine": "sparse", "whitening": False, "bias": False,
    "batch": "shuffled", "n_test": 40,
}  # fmt: skip
MEASURE = {"n_points": 30, "n_draws": 2, "variants": ["text", "practice"]}


@pytest.fixture
def curve(tmp_path, make_sample):
    """A store with the cells of a curve, the last one diverged, and what measuring needs."""
    entries, samples = [], {}
    for number, (seed, n_train) in enumerate([(0, 10), (1, 10), (0, 20), (1, 20)]):
        cell = {**CELL, "P": n_train, "seed": seed}
        _, _, samples[seed, "test"] = make_sample(n_train=1, n_test=40, seed=seed)
        grammar = make_sample(n_train=1, seed=seed)[0]
        shape = geometry("lcn", grammar.parameters, width=WIDTH)
        stream = np.random.default_rng(number)
        weights = initial_weights(shape, generator=stream)
        status = "diverged" if number == 3 else "fitted"
        if status == "diverged":
            weights = {name: np.full_like(array, np.nan) for name, array in weights.items()}
        key = f"{number:024x}"
        write_cell(tmp_path, key, StoredCell(cell, {"status": status}, {}, weights))
        entries.append({"key": key, "cell": cell})
    log = logging.getLogger("test")
    return lambda: measure_curve(
        entries, samples, store=tmp_path, probe_of=probe_of_cell, log=log, **MEASURE
    )


def test_a_curve_has_the_sensitivities_of_each_of_its_cells(curve, make_sample, tmp_path):
    rows = [{"curve": "toy", **row} for row in curve()]
    write_table(rows, tmp_path / "table.parquet", SENSITIVITIES)
    table = read_table(tmp_path / "table.parquet", SENSITIVITIES)
    assert len(table) == 4 * 2 * 2 * 3 * 2  # cells, variants, kinds, layers, levels
    grammar, _, points = make_sample(n_train=1, n_test=40, seed=1)
    shape = geometry("lcn", grammar.parameters, width=WIDTH)
    weights = initial_weights(shape, generator=np.random.default_rng(1))
    for variant in MEASURE["variants"]:
        expected = measure(
            weights, shape, grammar, points, seed=1, n_points=30, n_draws=2, variant=variant
        )
        rows = table[(table["seed"] == 1) & (table["P"] == 10) & (table["variant"] == variant)]
        assert rows[list(expected[0])].to_dict("records") == expected


def test_a_cell_that_is_missing_or_damaged_is_named(curve, tmp_path):
    key = f"{2:024x}"
    path = path_of(tmp_path, key)
    whole = path.read_bytes()
    remedy = "run again, and it is trained"
    path.write_bytes(whole[:-5])
    with pytest.raises(MissingCell, match=f"{key}.*P = 20, seed 0.*damaged.*{remedy}"):
        curve()
    assert not path.exists()
    with pytest.raises(MissingCell, match=f"{key}.*not in the store.*{remedy}"):
        curve()
