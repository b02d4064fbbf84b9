"""Test errors on both kinds of sparsity, against enumerated data and networks made by hand."""

import logging
from itertools import combinations, product

import numpy as np
import pytest

from srhm.measure.rows import measured_rows, write_measured
from srhm.model.encoding import symbols
from srhm.model.grammar import draw_grammar, parameters_of
from srhm.model.sampling import draw_sample, draw_samples
from srhm.model.seeding import generator
from srhm.plane.sparsity_transfer import STUDY
from srhm.plane.sparsity_transfer.measure import KINDS, ONLY_B, TRANSFER, data_by_kind, errors
from srhm.store.cells import StoredCell, write_cell
from srhm.store.records import read_table, write_derivations
from srhm.store.tables import schema_of
from srhm.training.cell import geometry_of, train_cell
from srhm.training.sparse import SparseEngine

# 2 (2 x 4)^3 = 1024 data of A, 2 (2 x 6)^3 = 3456 of B. Patches have four places.
CELL = {
    "net": "cnn", "L": 2, "s": 2, "s0": 1, "v": 2, "m": 2, "n_c": 2, "sparsity": "A",
    "width": 24, "alpha": 1.0, "engine": "sparse", "whitening": False, "bias": False,
    "dtype": "float32", "batch": "shuffled", "batch_size": 4, "learning_rate": 0.01,
    "momentum": 0.9, "loss_threshold": 1e-3, "max_steps": 2000, "n_checks": 2,
    "P": 40, "seed": 0, "n_test": 400,
}  # fmt: skip
PLACES = {"A": [(0, 2), (0, 3), (1, 2), (1, 3)], "B": list(combinations(range(4), 2))}


def grammar_of(cell):
    return draw_grammar(parameters_of(cell), generator=generator(cell["seed"], role="grammar"))


def enumerated(cell, kind):
    """Label of every datum of this kind, by its symbols: patches written out one by one."""
    lower, upper = grammar_of(cell).rules
    found = {}
    for label, (left, right) in ((c, pair) for c in range(2) for pair in upper[c]):
        patches = [
            [
                tuple(pair[places.index(i)] + 1 if i in places else 0 for i in range(4))
                for pair in lower[latent]
                for places in PLACES[kind]
            ]
            for latent in (left, right)
        ]
        for first, second, places in product(*patches, PLACES[kind]):
            datum = [(0,) * 4] * 4
            datum[places[0]], datum[places[1]] = first, second
            found[sum(datum, ())] = label
    return found


def by_hand(cell, kinds="B"):
    """Weights of a network whose units see one placed tuple each, of these kinds' placements.

    Unit of layer k: 1 for each of its two features at its place, -2 for all others, so that only
    its own patch makes it positive.
    """
    shape = geometry_of(cell)
    weights = {name: np.zeros(size) for name, size in shape.weight_shapes().items()}
    lower, upper = grammar_of(cell).rules
    channels = {feature: [feature] for feature in range(cell["v"])}  # of what the layer sees
    for k, rules in enumerate((lower, upper), start=1):
        layer = np.full((4, weights[f"layer{k}"].shape[1], cell["width"]), -2.0)
        units = {latent: [] for latent in range(len(rules))}
        placed = product(range(len(rules)), range(cell["m"]), PLACES[kinds])
        for unit, (latent, synonym, places) in enumerate(placed):
            for feature, place in zip(rules[latent, synonym], places, strict=True):
                layer[place, channels[feature], unit] = 1.0
            units[latent].append(unit)
        repeats = len(weights[f"layer{k}"]) // 4  # an LCN has weights of its own for each patch
        weights[f"layer{k}"] = np.tile(layer, (repeats, 1, 1)).astype(np.float32)
        channels = units
    for label, own in channels.items():
        weights["readout"][own, label] = 1.0
    return {name: array.astype(np.float32) for name, array in weights.items()}


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("sparsity", KINDS)
def test_test_data_are_among_the_enumerated_data_of_the_same_rules(seed, sparsity):
    cell = {**CELL, "seed": seed, "sparsity": sparsity}
    all_data = {kind: enumerated(cell, kind) for kind in KINDS}
    assert [len(all_data[kind]) for kind in KINDS] == [1024, 3456]
    assert all_data["A"].items() <= all_data["B"].items()
    found = data_by_kind(cell)
    read = {
        kind: {
            tuple(row): label
            for row, label in zip(
                symbols(points, parameters_of(cell)).tolist(), points.labels.tolist(), strict=True
            )
        }
        for kind, points in found.items()
    }
    for kind in KINDS:
        assert len(read[kind]) == 400
        assert read[kind].items() <= all_data[kind].items()
    outside = {datum for datum in read["B"] if datum not in all_data["A"]}
    assert 0 < len(outside) < 400
    assert set(read[ONLY_B]) == outside


@pytest.mark.parametrize("sparsity", KINDS)
@pytest.mark.parametrize("net", ["cnn", "lcn"])
def test_a_network_that_knows_every_placed_tuple_errs_on_no_kind(net, sparsity):
    cell = {**CELL, "net": net, "sparsity": sparsity}
    for points in data_by_kind(cell).values():
        assert not errors(cell, by_hand(cell), points).any()


@pytest.mark.parametrize("net", ["cnn", "lcn"])
def test_a_network_that_knows_the_placements_of_a_alone_errs_where_it_sees_nothing(net):
    cell = {**CELL, "net": net}
    weights, found = by_hand(cell, kinds="A"), data_by_kind(cell)
    assert not errors(cell, weights, found["A"]).any()
    wrong = errors(cell, weights, found["B"])
    foreign = ~np.array([places in PLACES["A"] for places in PLACES["B"]])
    root, left, right = foreign[found["B"].placements].T
    # All logits are zero: two patches unknown, or two known ones at places that A cannot give. A
    # single known patch makes a guess.
    blind = (left & right) | (root & ~left & ~right)
    assert blind.sum() > 50
    assert wrong[blind].all()
    assert not wrong[~(root | left | right)].any()
    assert wrong.sum() == errors(cell, weights, found[ONLY_B]).sum() < len(found[ONLY_B])


@pytest.mark.parametrize("sparsity", KINDS)
def test_the_error_on_the_own_kind_is_that_of_training(sparsity):
    cell = {**CELL, "v": 3, "m": 3, "n_c": 3, "sparsity": sparsity}
    train, test = draw_sample(
        grammar_of(cell), n_train=100, n_test=400, train_generator=generator(0, role="train"),
        test_generator=generator(0, role="test"),
    )  # fmt: skip
    trained = train_cell(cell, train, test, make_engine=SparseEngine)
    assert 0 < trained.row["test_error"] < 1
    wrong = errors(cell, trained.weights, data_by_kind(cell)[sparsity])
    assert wrong.mean() == pytest.approx(trained.row["test_error"], abs=1e-12)


@pytest.fixture
def measured(tmp_path):
    """The table of a curve of B: two sizes, two seeds, the last cell diverged."""
    curve = {**CELL, "sparsity": "B"}
    samples = draw_samples(parameters_of(curve), [0, 1], n_train=1500, n_test=400)
    write_derivations(samples, tmp_path / "samples.parquet", provenance={})
    entries = []
    for number, (size, seed) in enumerate(product((40, 1500), (0, 1))):
        cell = {**curve, "P": size, "seed": seed}
        status = "diverged" if number == 3 else "fitted"
        entries.append({"key": f"{number:024x}", "cell": cell})
        stored = StoredCell(cell, {"status": status}, {}, by_hand(cell, kinds="A"))
        write_cell(tmp_path, entries[-1]["key"], stored)
    (declared,) = STUDY.measurements
    spec = {
        "cells": entries, "function": declared.function, "gpu": False,
        "tables": list(declared.tables.items()), "options": {}, "inputs": {}, "curve": "the curve",
        "columns": {},
    }  # fmt: skip
    log = logging.getLogger("test")
    rows = measured_rows(
        spec, derivations=[str(tmp_path / "samples.parquet")], store=tmp_path, log=log
    )
    write_measured(spec, rows, {"transfer": str(tmp_path / "transfer.parquet")})
    schema = schema_of(declared.tables["transfer"])
    assert schema is TRANSFER
    return read_table(tmp_path / "transfer.parquet", schema), samples


def test_points_that_a_network_was_trained_on_are_left_out(measured):
    table, samples = measured
    for row in table[table["key"] != f"{3:024x}"].to_dict("records"):
        cell = {**CELL, "sparsity": "B", "seed": row["seed"]}
        points = symbols(data_by_kind(cell)[row["tested_on"]], parameters_of(cell)).tolist()
        training = samples[row["seed"], "train"][: row["P"]]
        known = set(map(tuple, symbols(training, parameters_of(cell)).tolist()))
        assert row["n"] == sum(tuple(point) not in known for point in points)
    left = table[(table["tested_on"] == "A") & (table["seed"] == 0)].set_index("P")["n"]
    assert left[1500] < left[40] <= 400  # A is a part of B: some of its data were learnt
    assert set(table["n"][(table["tested_on"] == "B") & (table["seed"] == 0)]) == {400}
