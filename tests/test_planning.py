"""The estimate of what a run will cost, and what is left of it when cells are stored."""

from pathlib import Path

import numpy as np
import pytest
import yaml

from srhm import experiments
from srhm.architectures.geometry import geometry
from srhm.cost import costs, step_features
from srhm.planning import CONFIG, expected_costs, main, summary
from srhm.store import StoredCell, write_cell
from srhm.training.cell import parameters_of


@pytest.fixture(scope="module")
def plan() -> experiments.Plan:
    return experiments.plan(yaml.safe_load((CONFIG / "test.yaml").read_text()))


def cells_of(plan: experiments.Plan) -> list[dict]:
    return [entry["cell"] for curve in plan.curves.values() for entry in curve.entries]


def test_every_cell_has_a_cost_within_its_cap(plan: experiments.Plan) -> None:
    for cell, cost in zip(cells_of(plan), costs(cells_of(plan)), strict=True):
        assert 0 < cost.steps <= cell["max_steps"]
        assert cost.seconds > 0
        assert cost.memory > 0


def test_stored_bytes_are_those_of_the_weights_in_single_precision(plan: experiments.Plan) -> None:
    for cell, cost in zip(cells_of(plan), costs(cells_of(plan)), strict=True):
        shape = geometry(cell["net"], parameters_of(cell), width=cell["width"])
        weights = sum(np.prod(size) for size in shape.weight_shapes().values())
        assert cost.stored == 4 * weights


def test_products_of_a_step_are_those_of_a_loop_over_the_tree(plan: experiments.Plan) -> None:
    cell = cells_of(plan)[0] | {"L": 3}
    shape = geometry(cell["net"], parameters_of(cell), width=cell["width"])
    products = 0
    for _ in range(cell["batch_size"]):
        for layer in (2, 3):
            for _ in range(cell["s"] ** (cell["L"] - layer + 1)):
                products += cell["width"] ** 2
    assert step_features(cell, shape)[2] == products


def test_a_stored_cell_is_not_planned_again(plan: experiments.Plan, tmp_path: Path) -> None:
    entry = next(iter(plan.curves.values())).entries[0]
    write_cell(tmp_path, entry["key"], StoredCell(entry["cell"], {}, {}, {}))
    cells = expected_costs(plan, tmp_path)
    assert cells["trained"].sum() == 1
    text = summary(cells, cores=2)
    assert f"{len(cells)} cells, 1 of them trained already" in text
    assert f"to train: {len(cells) - 1} cells" in text


def test_the_paper_preset_has_a_plan_and_an_unknown_one_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--preset", "paper", "--directory", str(tmp_path)]) == 0
    assert "core-hours" in capsys.readouterr().out
    assert main(["--preset", "absent"]) == 2
    assert "absent" in capsys.readouterr().err
