"""The trainer that a curve names, and the part of a curve that a job trains."""

import logging
import sys
from types import ModuleType

import numpy as np
import pytest
import torch

from srhm.jobs.stopping import StopRequest
from srhm.store.sources import digest_of
from srhm.training.any_trainer import decided_by, train_curve
from srhm.training.cell import TrainedCell
from srhm.training.loop import BatchTrainer


@pytest.mark.parametrize(
    ("derivations", "inputs"),
    [
        ([], {"folder": "data"}),
        (["samples.parquet"], {"folder": "data", "derivations": "samples.parquet"}),
    ],
)
@pytest.mark.parametrize("gpu", [0, 1])
def test_a_spec_is_trained_by_the_module_that_it_names(
    monkeypatch, tmp_path, derivations, inputs, gpu
):
    module, called = ModuleType("a_trainer"), []

    def prepare(entries, **named):
        called.append({"entries": entries, **named})
        return BatchTrainer(train=trained, versions="of none")

    def trained(batch, **options):
        row = {**batch[0]["cell"], "status": "done", "steps": 1, "test_error": 0.0}
        return [TrainedCell(row, {"seconds": 0.0}, {"w": np.ones(2)})]

    module.prepare = prepare
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setitem(sys.modules, "a_trainer", module)
    log = logging.getLogger("test")
    places = {"store": tmp_path / "cells", "checkpoints": tmp_path / "checkpoints"}
    options = {**places, "threads": 3, "log": log, "stop": StopRequest(), "gpu": gpu}
    source = digest_of(*decided_by("a_trainer", {}))
    entries = [
        {"key": 24 * f"{place}", "source": source, "cell": {"P": place, "seed": 0}}
        for place in range(4)
    ]
    spec = {"cells": entries, "trainer": "a_trainer", "inputs": {"folder": "data"},
            "keep_weights": False, "arrays_needed": True}  # fmt: skip
    cells = train_curve(spec, derivations=derivations, **options)
    assert [cell.row["P"] for cell in cells] == [0, 1, 2, 3]
    assert [cell.weights for cell in cells] == [{}] * 4
    device = "cuda" if gpu else "cpu"
    assert called == [{"entries": entries, "inputs": inputs, "device": device, "log": log}]
    assert spec["inputs"] == {"folder": "data"}
    again = train_curve(spec, derivations=derivations, **options)
    assert [cell.row for cell in again] == [cell.row for cell in cells]
    assert len(called) == 1  # nothing was missing, so that nothing was prepared
