"""Studies whose cells are what a function returns: planned, computed once, kept, gathered."""

import json
import logging

import pytest

from srhm.experiments import cells as computing
from srhm.experiments import groups
from srhm.experiments.cells import Outcome
from srhm.experiments.groups import CurveCells
from srhm.experiments.study import experiments
from srhm.jobs.stopping import StopRequest
from srhm.planning.specs import curve_spec
from srhm.store.cells import path_of
from srhm.training.any_trainer import train_curve
from srhm.training.loop import result_rows

LOG = logging.getLogger("test")
TRAINER = experiments("powers", title="powers")


def power(cell):
    """Powers with their digits; a base of 13 fails."""
    if cell["base"] == 13:
        raise ValueError("thirteen")
    if cell["base"] < 0:
        return Outcome({"power": float("nan"), "status": "negative base"})
    digits = str(cell["base"] ** cell["exponent"])
    row = {"power": float(digits), "name": f"{cell['base']} höher"}
    return Outcome(row, {"digits": {"place": range(len(digits)), "digit": list(digits)}})


@pytest.fixture
def calls(monkeypatch):
    """Cells that were computed, in order; the function is found under the name of any module."""
    found = []

    def counted(cell):
        found.append(dict(cell))
        return power(cell)

    monkeypatch.setattr(computing, "resolved", lambda name: counted)
    return found


def curves_of(*families):
    return list(groups.planned(TRAINER, families).curves.values())


def planned(*bases):
    cells = [{"base": base, "exponent": 10, "seed": 0} for base in bases]
    family = CurveCells(name="powers", function="srhm.declare.names:resolved", cells=cells)
    (curve,) = curves_of(family)
    return curve


def computed(curve, folder, *, stop=None):
    spec = json.loads(curve_spec(curve))
    options = {"store": folder / "cells", "checkpoints": folder / "checkpoints", "threads": 1}
    stop = stop or StopRequest()
    return train_curve(spec, derivations=[], log=LOG, stop=stop, gpu=0, **options)


def test_cells_are_computed_once_and_rows_keep_their_coordinates(tmp_path, calls):
    curve = planned(2, 3)
    first = computed(curve, tmp_path)
    assert [cell["base"] for cell in calls] == [2, 3]
    again = computed(curve, tmp_path)
    assert len(calls) == 2
    assert [cell.row for cell in again] == [cell.row for cell in first]
    rows, timings = result_rows(curve.name, curve.entries, again)
    assert [(row["base"], row["power"], row["status"]) for row in rows] == [
        (2, 1024.0, "done"),
        (3, 59049.0, "done"),
    ]
    assert rows[0]["source"] == curve.entries[0]["source"]
    assert "numpy" in rows[0]["versions"]
    assert all(row["seconds"] >= 0 for row in timings)


def test_a_cell_that_fails_is_named_and_loses_no_other(tmp_path, calls, caplog):
    curve = planned(2, 13, 3)
    with pytest.raises(ValueError, match="thirteen") as failure:
        computed(curve, tmp_path)
    assert "the cell base = 13, exponent = 10, seed = 0" in failure.value.__notes__[0]
    kept = [path_of(tmp_path / "cells", entry["key"]).is_file() for entry in curve.entries]
    assert kept == [True, False, True]
    assert "base = 13" in caplog.text


def test_a_key_covers_coordinates_and_the_function_and_its_source():
    entry = planned(2).entries[0]
    others = [
        CurveCells(
            name="powers",
            function="srhm.declare.names:resolved",
            cells=[{"base": 3, "exponent": 10}],
        ),
        CurveCells(
            name="powers", function="srhm.declare.names:import_module", cells=[entry["cell"]]
        ),
        CurveCells(name="powers", function="srhm.declare.keys:refusals", cells=[entry["cell"]]),
    ]
    keys = {one.entries[0]["key"] for family in others for one in curves_of(family)}
    assert len(keys | {entry["key"]}) == 4
    other = CurveCells(name="other", function="srhm.declare.names:resolved", cells=[entry["cell"]])
    (renamed,) = curves_of(other)
    assert renamed.entries[0]["key"] == entry["key"]
