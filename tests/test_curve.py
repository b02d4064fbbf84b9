"""A curve's cells: only missing ones are trained, and a cell's row depends on that cell alone."""

import logging
import sys

import numpy as np
import pytest
from train_curves import LOG, hierarchy_curves, train_srhm

from srhm.model.letters import parameters_of
from srhm.model.sampling import draw_samples
from srhm.results.records import TableError, write_derivations
from srhm.results.store import DamagedCell, path_of, read_cell
from srhm.results.tables import CELLS, TIMINGS
from srhm.runtime.stopping import StopRequest
from srhm.training import any_trainer, loop
from srhm.training import curve as training_curve
from srhm.training.cell import train_cell
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


def test_every_cell_of_an_empty_store_is_trained_once(planned, tmp_path, trained):
    entries, samples = planned
    train(entries, samples, tmp_path)
    assert len(trained) == len(entries) == 6
    assert set(trained) == all_of(entries)


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


def test_a_whole_file_that_replaces_a_damaged_one_after_it_was_read_stays(
    planned, tmp_path, trained, monkeypatch
):
    entries, samples = planned
    train(entries[:1], samples, tmp_path)
    path = path_of(tmp_path, entries[0]["key"])
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])

    def replaced_meanwhile(*arguments):
        try:
            return read_cell(*arguments)
        except DamagedCell:
            path.write_bytes(whole)  # by another process
            raise

    monkeypatch.setattr(loop, "read_cell", replaced_meanwhile)
    trained.clear()
    train(entries[:1], samples, tmp_path)
    assert trained == []  # found whole at the second look, before its training
    assert path.read_bytes() == whole


def test_cells_come_in_the_order_given(planned, tmp_path):
    entries, samples = planned
    shuffled = [entries[i] for i in (4, 0, 5, 2, 1, 3)]
    train(shuffled[:3], samples, tmp_path)
    cells = train(shuffled, samples, tmp_path)
    assert [cell.cell for cell in cells] == [entry["cell"] for entry in shuffled]


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


def test_a_cell_does_not_depend_on_the_largest_training_set(planned, tmp_path):
    entries, samples = planned
    smallest = [entry for entry in entries if entry["cell"]["P"] == 30]
    parameters = parameters_of(entries[0]["cell"])
    short = draw_samples(parameters, [0, 1], n_train=30, n_test=60)
    with_short = train(smallest, short, tmp_path / "short")
    with_long = train(smallest, samples, tmp_path / "long")
    for one, other in zip(with_short, with_long, strict=True):
        assert_same_results(one, other)


def test_cells_of_two_seeds_differ(planned, tmp_path):
    entries, samples = planned
    one, other = train([e for e in entries if e["cell"]["P"] == 30], samples, tmp_path)
    assert (one.weights["layer1"] != other.weights["layer1"]).any()


def test_a_cell_is_stored_as_soon_as_it_is_trained(planned, tmp_path, monkeypatch):
    entries, samples = planned
    train_cell = training_curve.train_cell

    def fails_at_last(cell, *arguments, **options):
        if (cell["P"], cell["seed"]) == (30, 1):
            raise MemoryError("the last cell")
        return train_cell(cell, *arguments, **options)

    monkeypatch.setattr(training_curve, "train_cell", fails_at_last)
    with pytest.raises(MemoryError, match="the last cell"):
        train(entries, samples, tmp_path)
    assert len(list(tmp_path.rglob("*.safetensors"))) == 5


def test_weights_are_left_out_if_they_are_not_kept(planned, tmp_path):
    entries, samples = planned
    (without,) = train(entries[:1], samples, tmp_path / "without", keep_weights=False)
    (with_weights,) = train(entries[:1], samples, tmp_path / "with")
    assert without.weights == {}
    assert repr(without.row) == repr(with_weights.row)
    assert read_cell(tmp_path / "without", entries[0]["key"]).weights == {}


def test_a_cell_without_weights_is_trained_again_only_if_they_are_wanted(
    planned, tmp_path, trained
):
    entries, samples = planned
    for keep_weights, n_trained in ((False, 1), (False, 1), (True, 2), (True, 2), (False, 2)):
        train(entries[:1], samples, tmp_path, keep_weights=keep_weights)
        assert len(trained) == n_trained


def test_final_weights_are_stored_in_single_precision(planned, tmp_path):
    entries, samples = planned
    cell = {**entries[0]["cell"], "dtype": "float64"}
    (stored,) = train([{**entries[0], "cell": cell}], samples, tmp_path)
    assert {array.dtype for array in stored.weights.values()} == {np.dtype(np.float32)}


def test_progress_says_how_many_cells_are_done_of_how_many(planned, tmp_path, caplog):
    entries, samples = planned
    with caplog.at_level(logging.INFO, logger=LOG.name):
        train(entries, samples, tmp_path)
    assert "6 cells: 0 in the store, 6 to train" in caplog.text
    assert "cell 6 of 6" in caplog.text


def test_a_row_has_all_coordinates_of_its_cell_and_its_source(planned, tmp_path):
    entries, samples = planned
    rows, timings = result_rows("name", entries[:2], train(entries[:2], samples, tmp_path))
    for row, entry in zip(rows, entries[:2], strict=True):
        assert {name: row[name] for name in entry["cell"]} == entry["cell"]
        assert (row["curve"], row["key"], row["source"]) == ("name", entry["key"], entry["source"])
        assert "torch" in row["versions"]
    assert [row["key"] for row in timings] == [entry["key"] for entry in entries[:2]]


class Untrained:
    """An engine that does nothing."""

    steps_at_once = 1

    def __init__(self, *_, **__):
        pass

    def steps(self, order):
        return float(len(order))

    def test_error(self):
        return 0.5

    def weights(self):
        return {}


def test_a_cell_of_a_grammar_with_more_data_than_a_float_can_say_has_a_row():
    deep = {"net": "cnn", "L": 8, "v": 4, "m": 2, "s0": 2, "P": [8], "seeds": 1}
    (curve,) = hierarchy_curves({**SECTION, "curves": [deep]})
    cell = curve.entries[0]["cell"]
    samples = draw_samples(parameters_of(cell), [0], n_train=8, n_test=60)
    trained = train_cell(cell, samples[0, "train"], samples[0, "test"], make_engine=Untrained)
    assert trained.row["n_distinct"] == sys.float_info.max


def test_rows_hold_what_the_table_of_cells_wants_and_no_times(planned, tmp_path):
    entries, samples = planned
    rows, timings = result_rows("name", entries[:1], train(entries[:1], samples, tmp_path))
    assert set(rows[0]) == set(CELLS.names)
    assert set(timings[0]) == set(TIMINGS.names)
    assert {"seconds", "host", "started", "threads"} & set(CELLS.names) == set()
