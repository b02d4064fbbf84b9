"""A curve's cells: only missing ones are trained, and a cell's row depends on that cell alone."""

import pytest
from train_curves import LOG, hierarchy_curves, train_srhm

from srhm.jobs.stopping import StopRequest
from srhm.model.grammar import parameters_of
from srhm.model.sampling import draw_samples
from srhm.store.cells import path_of, read_cell
from srhm.store.records import TableError, write_derivations
from srhm.training import any_trainer
from srhm.training import engines as training_curve
from srhm.training.loop import result_rows

SECTION = {
    "seeds": 2,
    "width": 6,
    "n_test": 60,
    "training": {"engine": "reference", "max_steps": 40, "n_checks": 2},
    "curves": [{"net": "cnn", "L": 2, "v": 3, "s0": 1, "P": [30, 60, 90]}],
}


@pytest.fixture(scope="module")
def planned():
    """Entries of a curve of six cells, and the samples of its two seeds."""
    (curve,) = hierarchy_curves(SECTION)
    parameters = parameters_of(curve.entries[0]["cell"])
    return list(curve.entries), draw_samples(parameters, [0, 1], n_train=90, n_test=60)


@pytest.fixture
def trained(monkeypatch):
    """List of the (P, seed) that are trained, in order."""
    train_cell, seen = training_curve.train_cell, []

    def recorded(cell, *arguments, **options):
        seen.append((cell["P"], cell["seed"]))
        return train_cell(cell, *arguments, **options)

    monkeypatch.setattr(training_curve, "train_cell", recorded)
    return seen


def train(entries, samples, store, *, threads=1, keep_weights=True):
    return train_srhm(entries, samples, store=store, threads=threads, keep_weights=keep_weights)


def all_of(entries):
    return {(entry["cell"]["P"], entry["cell"]["seed"]) for entry in entries}


def assert_same_results(one, other):
    assert repr(one.row) == repr(other.row)
    assert one.weights.keys() == other.weights.keys()
    for name, array in one.weights.items():
        assert array.tobytes() == other.weights[name].tobytes(), name


def test_cells_in_the_store_are_not_trained_again(planned, tmp_path, trained):
    entries, samples = planned
    before = train(entries, samples, tmp_path)
    trained.clear()
    after = train(entries, samples, tmp_path)
    assert trained == []
    for one, other in zip(before, after, strict=True):
        assert_same_results(one, other)
        assert one.timing == other.timing


def test_derivations_are_read_only_where_a_cell_is_missing(planned, tmp_path):
    entries, samples = planned
    options = {
        "store": tmp_path / "cells",
        "checkpoints": tmp_path / "checkpoints",
        **{"threads": 1, "log": LOG, "stop": StopRequest(), "gpu": 0},
    }
    spec = {
        **{"cells": entries, "inputs": {}, "trainer": training_curve.__name__},
        **{"keep_weights": True, "arrays_needed": True},
    }
    file = tmp_path / "derivations.parquet"
    with pytest.raises(TableError, match="does not exist"):
        any_trainer.train_curve(spec, derivations=[str(file)], **options)
    write_derivations(samples, file, provenance={})
    cells = any_trainer.train_curve(spec, derivations=[str(file)], **options)
    for cell, other in zip(cells, train(entries, samples, tmp_path / "here"), strict=True):
        assert_same_results(cell, other)
    file.unlink()
    again = any_trainer.train_curve(spec, derivations=[str(file)], **options)
    assert [cell.row for cell in again] == [cell.row for cell in cells]


def test_only_missing_cells_are_trained(planned, tmp_path, trained):
    entries, samples = planned
    train(entries[:2] + entries[4:], samples, tmp_path)
    trained.clear()
    train(entries, samples, tmp_path)
    assert set(trained) == all_of(entries[2:4])


def test_a_damaged_cell_is_trained_again_with_a_message_that_names_its_file(
    planned, tmp_path, trained, caplog
):
    entries, samples = planned
    before = train(entries, samples, tmp_path)
    path = path_of(tmp_path, entries[3]["key"])
    path.write_bytes(path.read_bytes()[:-5])
    trained.clear()
    after = train(entries, samples, tmp_path)
    assert set(trained) == all_of(entries[3:4])
    assert f"trained again: {path}" in caplog.text
    assert_same_results(before[3], after[3])
    assert_same_results(read_cell(tmp_path, entries[3]["key"]), after[3])


def test_a_cell_is_the_same_for_any_number_of_threads(planned, tmp_path):
    entries, samples = planned
    one, several = (train(entries, samples, tmp_path / str(n), threads=n) for n in (1, 3))
    for cell, other in zip(one, several, strict=True):
        assert_same_results(cell, other)


def test_a_cell_is_the_same_whatever_is_trained_beside_it(planned, tmp_path):
    entries, samples = planned
    together = train(entries, samples, tmp_path / "together", threads=2)
    for entry, cell in zip(entries, together, strict=True):
        seed = entry["cell"]["seed"]
        own = {(seed, part): samples[seed, part] for part in ("train", "test")}
        (alone,) = train([entry], own, tmp_path / "alone")
        assert_same_results(alone, cell)


def test_a_cell_without_weights_is_trained_again_only_if_they_are_wanted(
    planned, tmp_path, trained
):
    entries, samples = planned
    for keep_weights, n_trained in ((False, 1), (False, 1), (True, 2), (True, 2), (False, 2)):
        train(entries[:1], samples, tmp_path, keep_weights=keep_weights)
        assert len(trained) == n_trained


def test_a_row_has_all_coordinates_of_its_cell_and_its_source(planned, tmp_path):
    entries, samples = planned
    rows, timings = result_rows("name", entries[:2], train(entries[:2], samples, tmp_path))
    for row, entry in zip(rows, entries[:2], strict=True):
        assert {name: row[name] for name in entry["cell"]} == entry["cell"]
        assert (row["curve"], row["key"], row["source"]) == ("name", entry["key"], entry["source"])
        assert "torch" in row["versions"]
    assert [row["key"] for row in timings] == [entry["key"] for entry in entries[:2]]
