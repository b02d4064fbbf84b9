"""The job of a searched curve: each seed trains its own path, and nothing that the store holds."""

import json

import numpy as np
import pandas as pd
import pytest
from train_curves import LOG, StopsAfter, hierarchy_curves

from srhm.jobs.stopping import Stopped, StopRequest
from srhm.planning.lengths import CurveJobs
from srhm.planning.preset import Jobs
from srhm.planning.specs import curve_spec, part_spec
from srhm.store.gathering import checked
from srhm.store.paths import keys_of_rows, searched_spec
from srhm.store.records import TableError
from srhm.training import engines as curve_module
from srhm.training.any_trainer import spec_of_part
from srhm.training.loop import alone
from srhm.training.searching import train_paths

GROUP = {"net": "cnn", "L": 2, "v": 3, "s0": 1, "P": {"low": 0.5, "high": 8, "search": "error"}}
SECTION = {"seeds": 2, "width": 6, "n_test": 60, "first_seed": 5, "curves": [GROUP]}
(CURVE,) = hierarchy_curves(SECTION)
SIZES = sorted({cell["P"] for cell in CURVE.cells})
ENTRIES = {(e["cell"]["seed"], e["cell"]["P"]): e for e in CURVE.entries}
# P* of each seed, as a place in SIZES: the second's is beyond the window.
WEIGHTS = {"w": np.ones(1)}
FIRST_LEARNT = {5: 9, 6: len(SIZES)}


def error(cell):
    return 0.5 if SIZES.index(cell["P"]) < FIRST_LEARNT[cell["seed"]] else 0.01


def row(cell):
    outcome = {"test_error": error(cell), "train_loss": 1e-4, "status": "fitted", "steps": 9}
    return {**cell, **outcome, "versions": "none"}


@pytest.fixture
def trained(monkeypatch):
    """Cells that are trained, in their order; instead of networks their rows are made."""
    found = []

    def prepare(entries, **_):
        def train(cell, **_):
            found.append((cell["seed"], SIZES.index(cell["P"])))
            return curve_module.TrainedCell(row(cell), {"seconds": 1.0}, WEIGHTS)

        return curve_module.BatchTrainer(train=alone(train), versions="none")

    monkeypatch.setattr(curve_module, "prepare", prepare)
    return found


def by_key(spec, **options):
    entries, cells = train_paths(spec, **options)
    return {entry["key"]: cell for entry, cell in zip(entries, cells, strict=True)}


def train(folder, spec=None, *, threads=1, stop=None):
    return by_key(
        json.loads(curve_spec(CURVE)) if spec is None else spec,
        **{"derivations": [], "log": LOG, "gpu": 0, "threads": threads},
        **{"store": folder / "cells", "checkpoints": folder / "checkpoints"},
        stop=stop or StopRequest(),
    )


def paths_of(cells):
    found = {}
    for cell in cells.values():
        found.setdefault(cell.cell["seed"], []).append(SIZES.index(cell.cell["P"]))
    return found


@pytest.mark.parametrize("threads", [1, 3])
def test_each_seed_trains_its_own_path(trained, tmp_path, threads):
    cells = train(tmp_path, threads=threads)
    assert paths_of(cells)[5] == [7, 8, 9]
    assert paths_of(cells)[6][-1] == len(SIZES) - 1  # above all candidates: censored
    assert sorted(trained) == sorted((s, k) for s, own in paths_of(cells).items() for k in own)
    assert list(cells) == [entry["key"] for entry in CURVE.entries if entry["key"] in cells]
    trained.clear()
    assert train(tmp_path).keys() == cells.keys()
    assert trained == []


def test_a_stopped_job_goes_on(trained, tmp_path):
    whole = train(tmp_path / "whole")
    trained.clear()
    with pytest.raises(Stopped):
        train(tmp_path, stop=StopsAfter(4))
    before = len(trained)
    assert 0 < before < len(whole)
    assert train(tmp_path).keys() == whole.keys()
    assert len(trained) == len(whole)


def test_parts_are_split_by_seed(trained, tmp_path):
    jobs = CurveJobs(CURVE, Jobs(minutes=1e-6), directory=tmp_path)
    parts = jobs.parts
    seeds = [{CURVE.cells[place]["seed"] for place in own} for own in parts.values()]
    assert seeds in ([{5}, {6}], [{6}, {5}])
    found = {}
    for part, own in parts.items():
        found |= train(tmp_path, spec_of_part(json.loads(part_spec(CURVE, part, own))))
    assert found.keys() == train(tmp_path / "whole").keys()
    assert jobs.training_minutes(range(len(CURVE.entries)), threads=1, attempt=1) > 0


def test_rows_are_whole_when_each_search_has_ended(trained, tmp_path):
    cells = train(tmp_path)
    rows = pd.DataFrame([{"key": key, **cell.row} for key, cell in cells.items()])
    spec = json.loads(json.dumps(searched_spec(CURVE), sort_keys=True))
    keys = keys_of_rows(spec, rows)
    assert checked(rows, keys, "file") is rows
    for fewer in (rows[1:], rows[:-1], rows.drop(index=3)):
        with pytest.raises(TableError, match="planned cells"):
            checked(fewer, keys_of_rows(spec, fewer), "file")
    other = ENTRIES[5, SIZES[2]]
    more = pd.concat([rows, pd.DataFrame([{"key": other["key"], **row(other["cell"])}])])
    with pytest.raises(TableError, match="1 others"):
        checked(more, keys_of_rows(spec, more), "file")
