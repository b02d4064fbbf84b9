"""Trainings that are watched are the stored ones."""

import logging

import numpy as np
import pytest

from srhm.model.grammar import parameters_of
from srhm.model.sampling import draw_samples
from srhm.store.cells import StoredCell, write_cell
from srhm.store.records import write_derivations
from srhm.training.cell import train_cell
from srhm.training.sparse import SparseEngine
from srhm_studies.learning_curves.temperature.configuration import TemperatureSection, plan
from srhm_studies.learning_curves.temperature.histories import (
    HISTORIES,
    SENSITIVITY_HISTORIES,
    measure_histories,
    watch,
)

GROUP = {"net": "cnn", "L": 2, "v": 3, "s0": 1, "P": [60, 120]}
SECTION = {
    "seeds": 1, "width": 6, "n_test": 60,
    "training": {"learning_rate": 0.03, "n_checks": 0, "max_steps": 2600},
    "curves": [GROUP], "watched": [{**GROUP, "P": [120]}],
    "watching": {"looks": 4, "n_points": 20, "n_draws": 1},
}  # fmt: skip


def planned(directory, **changed):
    return plan(TemperatureSection.model_validate({**SECTION, **changed}), directory)


def the_watched(one):
    (curve,) = [curve for curve in one.curves.values() if "histories" in curve.measured]
    return curve


def test_a_watched_training_is_the_same_and_is_seen_from_its_start_to_its_end(tmp_path):
    cell = dict(the_watched(planned(tmp_path)).entries[0]["cell"])
    samples = draw_samples(parameters_of(cell), [0], n_train=120, n_test=60)
    data = (samples[0, "train"], samples[0, "test"])
    plain = train_cell(cell, *data, make_engine=SparseEngine)
    seen = []

    def look(engine):
        seen.append((engine.n_steps, engine.mean_loss(), engine.weights()))

    row = watch(cell, *data, at=[500, 1000], look=look)
    assert row["steps"] == plain.row["steps"]
    assert row["train_loss"] == plain.row["train_loss"]
    assert seen[0][0] == 0
    assert np.isnan(seen[0][1])
    assert seen[1][0] >= 500
    assert seen[-1][0] == plain.row["steps"]
    for name, weights in plain.weights.items():
        assert np.array_equal(seen[-1][2][name].astype(np.float32), weights)
    # the loss of a look is the mean of the points since the look before
    assert seen[-1][1] < seen[1][1] < np.log(3) * 1.1


def test_histories_of_the_cells_of_a_store(tmp_path, caplog):
    curve = the_watched(planned(tmp_path))
    entry, cell = curve.entries[0], dict(curve.entries[0]["cell"])
    samples = draw_samples(parameters_of(cell), [0], n_train=120, n_test=60)
    write_derivations(samples, tmp_path / "derivations.parquet", provenance={})
    trained = train_cell(cell, samples[0, "train"], samples[0, "test"], make_engine=SparseEngine)
    whole = StoredCell(cell, dict(trained.row), dict(trained.timing), trained.weights)
    write_cell(tmp_path / "cells", entry["key"], whole)
    with caplog.at_level(logging.WARNING):
        histories, felt = measure_histories(
            [entry], derivations=tmp_path / "derivations.parquet", store=tmp_path / "cells",
            log=logging.getLogger("test"), **SECTION["watching"],
        )  # fmt: skip
    assert not caplog.records  # the same steps and the same test error
    assert {"curve"} | histories[0].keys() == set(HISTORIES.names)
    assert {"curve"} | felt[0].keys() == set(SENSITIVITY_HISTORIES.names)
    steps = [row["steps"] for row in histories]
    assert steps == sorted(steps)
    assert steps[0] == 0
    last = histories[-1]
    assert last["steps"] == trained.row["steps"]
    assert last["test_error"] == trained.row["test_error"]
    assert last["time"] == pytest.approx(last["steps"] * 0.03 / 0.1)
    # S and D, three layers, two levels at each look
    assert len(felt) == 12 * len(histories)
