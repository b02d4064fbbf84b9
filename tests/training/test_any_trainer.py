"""The trainer that a curve names, and the part of a curve that a job trains."""

import json
import logging
import sys
from types import ModuleType

import pytest

from srhm.results.places import file_of
from srhm.runtime.stopping import StopRequest
from srhm.studies.registry import TRAINERS
from srhm.training.any_trainer import part_of, train

CELLS = [{"key": str(place), "cell": {"P": place}} for place in range(4)]
SPEC = {"cells": CELLS, "curve": "c", "inputs": {"folder": "data"}, "keep_weights": False}


@pytest.mark.parametrize("places", [[0], [2, 0], [0, 1, 2, 3], []])
def test_a_part_has_the_cells_at_its_places_and_all_else_of_its_curve(places):
    spec = {**SPEC, "part": "1-of-2", "places": places}
    part = part_of(spec)
    assert [cell["key"] for cell in part["cells"]] == [str(place) for place in places]
    assert {**part, "cells": CELLS} == spec
    assert spec["cells"] is CELLS  # the spec itself is left as it is


@pytest.mark.parametrize(
    ("derivations", "inputs"),
    [
        ([], {"folder": "data"}),
        (["samples.parquet"], {"folder": "data", "derivations": "samples.parquet"}),
    ],
)
def test_a_spec_is_trained_by_the_module_that_it_names(monkeypatch, tmp_path, derivations, inputs):
    module, called = ModuleType("a_trainer"), {}

    def train_entries(entries, **named):
        called.update(named, entries=entries)
        return ["trained"]

    module.train_entries = train_entries
    monkeypatch.setitem(sys.modules, "a_trainer", module)
    options = {
        "store": tmp_path / "cells",
        "checkpoints": tmp_path / "checkpoints",
        "threads": 3,
        "log": logging.getLogger("test"),
        "stop": StopRequest(),
        "gpu": 1,
    }
    spec = json.loads(json.dumps({**SPEC, "trainer": "a_trainer"}))
    assert train(spec, derivations=derivations, **options) == ["trained"]
    assert called == {**options, "entries": CELLS, "inputs": inputs, "keep_weights": False}
    assert SPEC["inputs"] == spec["inputs"] == {"folder": "data"}


@pytest.mark.parametrize("trainer", TRAINERS, ids=lambda one: one.name)
def test_every_trainer_names_a_module_that_trains(trainer):
    assert "def train_entries(" in file_of(trainer.module).read_text()
