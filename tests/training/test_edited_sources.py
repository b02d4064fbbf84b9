"""Code that is edited between the plan of a run and its jobs, in a copy of the package.

Nothing that edited code computes is stored under a key of the code before, and whatever decides a
network is in its key.
"""

import json
import os
import shutil
import subprocess
import sys

import pytest

from srhm.store.provenance import PACKAGE

# Plans, draws, trains: 3 cells of a net whose engine loads neither torch nor numba.
PLAN = """
import json
from pathlib import Path
from srhm.training.configuration import HierarchySection
from srhm.training.plan import plan
group = {"net": "fcn2", "L": 2, "v": 3, "s0": 1, "P": [20, 30, 40], "seeds": 1, "width": 6,
         "training": {"engine": "fcn2", "whitening": True, "bias": True, "batch": "balanced",
                      "max_steps": 8}}
planned = plan(HierarchySection.model_validate({"n_test": 50, "curves": [group]}), Path())
(curve,), (sample,) = planned.curves.values(), planned.samples.values()
spec = {"cells": curve.entries, "trainer": curve.trainer.module, "inputs": {},
        "keep_weights": True, "arrays_needed": True}
print(json.dumps([spec, sample.spec]))
"""
DRAW = """
import json, sys
from pathlib import Path
from srhm.model.grammar import parameters_of
from srhm.model.sampling import draw_samples
from srhm.store.records import write_derivations
spec = json.loads(sys.argv[1])[1]
samples = draw_samples(parameters_of(spec), spec["seeds"], n_train=spec["n_train"],
                       n_test=spec["n_test"])
write_derivations(samples, Path("samples.parquet"), provenance=spec)
"""
TRAIN = """
import json, logging, sys
from pathlib import Path
from srhm.jobs.stopping import StopRequest
from srhm.training.any_trainer import train_curve
cells = train_curve(json.loads(sys.argv[1])[0], derivations=["samples.parquet"],
                    store=Path("cells"), checkpoints=Path("checkpoints"), threads=1, gpu=0,
                    log=logging.getLogger(), stop=StopRequest())
print(len(cells))
"""


class Copy:
    """A copy of the package, with a folder of results beside it."""

    def __init__(self, folder):
        self.folder, self.package = folder, folder / "srhm"
        shutil.copytree(PACKAGE, self.package)
        self.plan = self.planned()

    def run(self, code, *arguments):
        return subprocess.run(
            [sys.executable, "-c", code, *arguments],
            env={**os.environ, "PYTHONPATH": str(self.folder)},
            cwd=self.folder,
            capture_output=True,
            text=True,
        )

    def planned(self):
        done = self.run(PLAN)
        assert not done.returncode, done.stderr
        return done.stdout

    def stored(self):
        return {file.stem for file in (self.folder / "cells").rglob("*.safetensors")}

    def edit(self, module, old, new):
        """Edits a module, and gives the function that takes the edit back."""
        file = self.package / module
        before = file.read_text(encoding="utf-8")
        assert old in before, (module, old)
        file.write_text(before.replace(old, new), encoding="utf-8")
        return lambda: file.write_text(before, encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    made = Copy(tmp_path_factory.mktemp("edited"))
    assert not made.run(DRAW, made.plan).returncode
    return made


def keys_of(plan):
    return {entry["key"] for entry in json.loads(plan)[0]["cells"]}


# What decides a network at several places between its spec and its stored cell.
EDITS = {
    "engine": ("training/fcn2.py", "in (rate, momentum)", "in (0.2 * rate, momentum)"),
    "samples thinned": ("training/engines.py", '"train"]', '"train"][::4]'),
    "features reversed": (
        "store/records.py", "flat.reshape(len(table), size)",
        "flat.reshape(len(table), size)[:, ::-1]",
    ),
    "what is stored": ("training/loop.py", "weights=result.weights if", "weights={} if"),
    "order of batches": ("model/seeding.py", "SeedSequence(seed,", "SeedSequence(1 + seed,"),
}  # fmt: skip


@pytest.mark.parametrize("what", EDITS)
def test_nothing_is_stored_by_code_that_was_edited_after_the_plan(copy, what):
    take_back = copy.edit(*EDITS[what])
    try:
        assert keys_of(copy.planned()).isdisjoint(keys_of(copy.plan))
        refused = copy.run(TRAIN, copy.plan)
    finally:
        take_back()
    assert refused.returncode
    assert "EditedSourceError: code was edited after this run had begun" in refused.stderr
    assert copy.stored() == set()


def test_code_as_it_was_planned_trains_and_an_edit_of_prose_disturbs_nothing(copy):
    copy.edit("training/fcn2.py", '"""Training', '"""The training')
    done = copy.run(TRAIN, copy.plan)
    assert not done.returncode, done.stderr
    assert copy.stored() == keys_of(copy.plan)
    assert done.stdout == "3\n"
