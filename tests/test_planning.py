"""The estimate of what a run will cost, and what is left of it when cells are stored."""

import re
from pathlib import Path

import pytest
import torch
import yaml

from srhm.commands.plan import costs_text, expected_cells, main
from srhm.commands.presets import CONFIG, Run
from srhm.declare.study import Curve
from srhm.model.grammar import parameters_of
from srhm.networks.registry import NAMED, stand_in
from srhm.planning import preset
from srhm.planning.lengths import expected_costs
from srhm.planning.preset import Plan
from srhm.store import places
from srhm.store.cells import StoredCell, write_cell
from srhm.training.autograd import network_for
from srhm.training.cost import costs


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


@pytest.mark.parametrize("net", [net for net in NAMED if stand_in(net) == net])
def test_parameters_of_named_nets_are_those_of_the_modules(plan: Plan, net: str) -> None:
    (curve,) = curves_of(plan, "named_nets")
    for width in (8, 16, 64):
        cell = {**curve.entries[0]["cell"], "net": net, "width": width}
        (cost,) = costs([cell])
        network = network_for(
            net, parameters_of(cell), width=width, generator=torch.Generator().manual_seed(0)
        )
        # The model was made at v = n_c = 4, this grammar has 3: the first layer and the readout.
        n_parameters = sum(p.numel() for p in network.parameters())
        assert cost.stored == pytest.approx(4 * n_parameters, rel=0.05)


def test_a_stored_cell_is_not_planned_again(plan: Plan, tmp_path: Path) -> None:
    run = Run(plan, tmp_path)
    n_cells = round(expected_cells(run)["cells"].sum())
    for study in ("sparse_hierarchy", "jamming"):
        (curve, *_) = curves_of(plan, study)
        entry = curve.entries[0]
        store = tmp_path / places.store_of(curve.trainer)
        write_cell(store, entry["key"], StoredCell(entry["cell"], {}, {}, {}))
    cells = expected_cells(run)
    assert cells.groupby("study")["trained"].sum().loc[
        ["sparse_hierarchy", "jamming"]
    ].tolist() == [
        1,
        1,
    ]
    text = costs_text(cells, cores=2)
    assert f"{n_cells} cells, 2 of them trained already" in text
    assert f"to train: {n_cells - 2} cells in " in text
    counted = set[str]()  # a cell that two studies share is of the first
    for study, planned in plan.studies.items():
        keys = {entry["key"] for curve in planned.curves.values() for entry in curve.entries}
        assert not keys - counted or re.search(rf"^ *{study} ", text, re.MULTILINE)
        counted |= keys


def test_jobs_are_counted_as_they_are_split(tmp_path: Path) -> None:
    run = Run(preset.plan_preset(values(jobs={"cells": 1})), tmp_path)
    cells = expected_cells(run)
    split = cells[cells["study"] == "sparse_hierarchy"]
    (searched,) = run.searched
    candidates = split[split["curve"] == searched.name]
    assert candidates["job"].nunique() == 2  # one for each seed
    split = split[split["curve"] != searched.name]
    assert split["job"].nunique() == len(split)
    # Members of equal P are trained together, in one job.
    together = cells[cells["study"] == "crossover"].groupby("job")["P"].nunique()
    assert (together == 1).all()


def test_the_paper_preset_has_a_plan_and_an_unknown_one_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--preset", "paper", "--directory", str(tmp_path)]) == 0
    assert "core-hours" in capsys.readouterr().out
    assert main(["--preset", "absent"]) == 2
    assert "absent" in capsys.readouterr().err
