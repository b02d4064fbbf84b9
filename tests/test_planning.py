"""The estimate of what a run will cost, and what is left of it when cells are stored."""

import re
from pathlib import Path

import pytest
import yaml

from srhm.commands.command import main
from srhm.commands.plan import costs_text, expected_cells
from srhm.commands.presets import CONFIG, Run
from srhm.commands.watching import Watch
from srhm.declare.study import Curve
from srhm.planning import preset
from srhm.planning.lengths import expected_costs
from srhm.planning.preset import Plan
from srhm.store import places
from srhm.store.cells import StoredCell, write_cell


def values(**changes: object) -> dict:
    """The test preset."""
    return yaml.safe_load((CONFIG / "test.yaml").read_text()) | changes


@pytest.fixture(scope="module")
def plan() -> Plan:
    return preset.plan_preset(values())


def curves_of(plan: Plan, study: str) -> list[Curve]:
    return list(plan.studies[study].curves.values())


def test_every_cell_has_a_cost_within_its_cap(plan: Plan) -> None:
    for curve in plan.curves.values():
        for cell, cost in zip(curve.cells, expected_costs(curve), strict=True):
            least = 0 if curve.trainer.seconds else 1  # experiments have no steps
            assert least <= cost.steps <= cell.get("max_steps", float("inf"))
            assert cost.seconds > 0
            assert cost.memory > 0


def test_a_stored_cell_is_not_planned_again(plan: Plan, tmp_path: Path) -> None:
    run = Run(plan, tmp_path)
    n_cells = round(expected_cells(run, Watch(run))["cells"].sum())
    for study in ("sparse_hierarchy", "jamming"):
        (curve, *_) = curves_of(plan, study)
        entry = curve.entries[0]
        store = tmp_path / places.store_of(curve.trainer)
        write_cell(store, entry["key"], StoredCell(entry["cell"], {}, {}, {}))
    cells = expected_cells(run, Watch(run))
    trained = cells.groupby("study")["trained"].sum()
    assert trained[["sparse_hierarchy", "jamming"]].tolist() == [1, 1]
    text = costs_text(cells, cores=2)
    assert f"{n_cells} cells, 2 of them trained already" in text
    assert f"to train: {n_cells - 2} cells in " in text
    counted = set[str]()  # a cell that two studies share is of the first
    for study, planned in plan.studies.items():
        keys = {entry["key"] for curve in planned.curves.values() for entry in curve.entries}
        assert not keys - counted or re.search(rf"^ *{study} ", text, re.MULTILINE)
        counted |= keys


def test_the_paper_preset_has_a_plan_and_an_unknown_one_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", "--preset", "paper", "--directory", str(tmp_path)]) == 0
    assert "core-hours" in capsys.readouterr().out
    assert main(["plan", "--preset", "absent"]) == 2
    assert "absent" in capsys.readouterr().err
