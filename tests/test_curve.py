"""A curve's cells: only missing ones are trained, and a cell's row depends on that cell alone."""

import pytest
from train_curves import assert_same_cells, hierarchy_curves, train_srhm

from srhm.model.grammar import parameters_of
from srhm.model.sampling import draw_samples
from srhm.store.cells import path_of, read_cell
from srhm.training import engines as training_curve

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


def test_a_damaged_cell_is_trained_again_with_a_message_that_names_its_file(
    planned, tmp_path, trained, caplog
):
    entries, samples = planned
    before = train(entries, samples, tmp_path)
    path = path_of(tmp_path, entries[3]["key"])
    path.write_bytes(path.read_bytes()[:-5])
    trained.clear()
    after = train(entries, samples, tmp_path)
    assert trained == [(entries[3]["cell"]["P"], entries[3]["cell"]["seed"])]
    assert f"trained again: {path}" in caplog.text
    assert_same_cells(before, after)
    assert_same_cells([read_cell(tmp_path, entries[3]["key"])], after[3:4])


def test_a_cell_without_weights_is_trained_again_only_if_they_are_wanted(
    planned, tmp_path, trained
):
    entries, samples = planned
    for keep_weights, n_trained in ((False, 1), (False, 1), (True, 2), (True, 2), (False, 2)):
        train(entries[:1], samples, tmp_path, keep_weights=keep_weights)
        assert len(trained) == n_trained
