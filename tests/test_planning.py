"""The estimate of what a run will cost, and what is left of it when cells are stored."""

from pathlib import Path

import numpy as np
import pytest
import torch
import yaml

from srhm import experiments
from srhm.architectures.geometry import geometry
from srhm.architectures.named import NAMED
from srhm.cost import costs, step_features
from srhm.planning import CONFIG, expected_costs, main, summary
from srhm.store import StoredCell, write_cell
from srhm.training.cell import parameters_of
from srhm.training.network import network_for


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
    core = [entry["cell"] for curve in plan.core.values() for entry in curve.entries]
    for cell, cost in zip(core, costs(core), strict=True):
        shape = geometry(cell["net"], parameters_of(cell), width=cell["width"])
        weights = sum(np.prod(size) for size in shape.weight_shapes().values())
        assert cost.stored == 4 * weights


@pytest.mark.parametrize("net", NAMED)
def test_parameters_of_named_nets_are_those_of_the_modules(
    plan: experiments.Plan, net: str
) -> None:
    curve = next(iter(plan.networks.values()))
    for width in (8, 16, 64):
        cell = {**curve.entries[0]["cell"], "net": net, "width": width}
        (cost,) = costs([cell])
        network = network_for(
            net, parameters_of(cell), width=width, generator=torch.Generator().manual_seed(0)
        )
        # The model was made at v = n_c = 4, this grammar has 3: the first layer and the readout.
        n_parameters = sum(p.numel() for p in network.parameters())
        assert cost.stored == pytest.approx(4 * n_parameters, rel=0.05)


def test_a_smaller_rate_or_more_points_of_a_named_net_cost_more_up_to_the_cap(
    plan: experiments.Plan,
) -> None:
    curve = next(iter(plan.networks.values()))
    cell = {**curve.entries[0]["cell"], "P": 640, "max_steps": 10**6, "learning_rate": 0.01}
    changed = [{}, {"P": 1280}, {"learning_rate": 1e-5}, {"width": 64}, {"max_steps": 100}]
    base, more, slow, wide, capped = costs([{**cell, **change} for change in changed])
    assert more.steps == 2 * base.steps
    assert slow.steps > 10 * base.steps
    assert wide.seconds > base.seconds
    assert wide.memory > base.memory
    assert capped.steps == 100


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
    assert f"to train: {len(cells) - 1} cells in " in text


def test_the_paper_preset_has_a_plan_and_an_unknown_one_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--preset", "paper", "--directory", str(tmp_path)]) == 0
    assert "core-hours" in capsys.readouterr().out
    assert main(["--preset", "absent"]) == 2
    assert "absent" in capsys.readouterr().err
