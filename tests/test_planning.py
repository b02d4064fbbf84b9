"""The estimate of what a run will cost, and what is left of it when cells are stored."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch
import yaml
from invented_images import SECTION, write_cifar

from srhm import preset
from srhm.commands import plan as planning
from srhm.commands import status
from srhm.commands.plan import costs_text, expected_cells, main, to_measure
from srhm.commands.presets import CONFIG, Run, StudyError, preset_with_rows
from srhm.commands.resources import expected_costs
from srhm.images.configuration import ImagesSection
from srhm.images.plan import cells_of
from srhm.model.letters import parameters_of
from srhm.model.seeding import generator
from srhm.networks.geometry import geometry
from srhm.networks.named import named_network
from srhm.networks.registry import NAMED, stand_in
from srhm.preset import Plan
from srhm.results import places
from srhm.results.store import StoredCell, write_cell
from srhm.studies.registry import GROUPS, STUDIES
from srhm.study import Curve
from srhm.training.cost import costs, image_costs, step_features
from srhm.training.network import network_for


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


def test_stored_bytes_are_those_of_the_weights_in_single_precision(plan: Plan) -> None:
    for curve in curves_of(plan, "sparse_hierarchy"):
        for cell, cost in zip(curve.cells, expected_costs(curve), strict=True):
            shape = geometry(cell["net"], parameters_of(cell), width=cell["width"])
            weights = sum(np.prod(size) for size in shape.weight_shapes().values())
            assert cost.stored == 4 * weights


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


def test_a_smaller_rate_or_more_points_of_a_named_net_cost_more_up_to_the_cap(
    plan: Plan,
) -> None:
    (curve,) = curves_of(plan, "named_nets")
    cell = {**curve.entries[0]["cell"], "P": 640, "max_steps": 10**6, "learning_rate": 0.01}
    changed = [{}, {"P": 1280}, {"learning_rate": 1e-5}, {"width": 64}, {"max_steps": 100}]
    base, more, slow, wide, capped = costs([{**cell, **change} for change in changed])
    assert more.steps == 2 * base.steps
    assert slow.steps > 10 * base.steps
    assert wide.seconds > base.seconds
    assert wide.memory > base.memory
    assert capped.steps == 100


def test_products_of_a_step_are_those_of_a_loop_over_the_tree(plan: Plan) -> None:
    cell = {**curves_of(plan, "sparse_hierarchy")[0].cells[0], "L": 3}
    shape = geometry(cell["net"], parameters_of(cell), width=cell["width"])
    products = 0
    for _ in range(cell["batch_size"]):
        for layer in (2, 3):
            for _ in range(cell["s"] ** (cell["L"] - layer + 1)):
                products += cell["width"] ** 2
    assert step_features(cell, shape)[2] == products


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
    for study, planned in plan.studies.items():
        assert not planned.curves or re.search(rf"^ *{study} ", text, re.MULTILINE)


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


def test_cells_on_random_points_that_two_studies_share_are_counted_and_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shared = {"data": "random", "net": "fcn", "d": 4, "hidden_layers": 2, "width": 3, "P": [20]}
    shared |= {"labels": "parity", "loss": "quadratic_hinge", "seeds": 2, "alpha_tilde": 1}
    section = {"curves": [{**shared, "optimiser": {"name": "adam"}}]}
    config = {"preset": "shared", "jamming": section, "double_descent": section}
    run = Run(preset.plan_preset(config), tmp_path)
    assert [len(curve.entries) for curve in run.curves.values()] == [2, 2]
    assert len(expected_cells(run)) == len(run.entries) == 2
    (tmp_path / "shared.yaml").write_text(yaml.safe_dump(config))
    command = ["--configfile", str(tmp_path / "shared.yaml"), "--directory", str(tmp_path)]
    assert status.main([*command, "--study", "jamming"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"jamming +fcn +- +- +3 +2 +0 +2 ", printed)
    assert "jamming: 0 of 2 cells" in printed
    assert "double_descent" not in printed
    assert planning.main(command) == 0
    assert re.search(r"double_descent +fcn +- +- +- +2 ", capsys.readouterr().out)


def test_the_paper_preset_has_a_plan_and_an_unknown_one_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--preset", "paper", "--directory", str(tmp_path)]) == 0
    assert "core-hours" in capsys.readouterr().out
    assert main(["--preset", "absent"]) == 2
    assert "absent" in capsys.readouterr().err


def test_a_name_that_is_no_study_is_refused_with_those_that_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (main, status.main):
        assert command(["--preset", "test", "--study", "jammed"]) == 2
        said = capsys.readouterr().err
        assert all(name in said for name in ("'jammed' (jamming?)", *STUDIES, *GROUPS))
        assert command(["--preset", "test", "--study", "qqqq"]) == 2
        assert "no study 'qqqq'; there are" in capsys.readouterr().err
        assert command(["--preset", "test", "--study", "images"]) == 2
        said = capsys.readouterr().err
        assert "the preset test has no study images" in said
        assert "jamming" in said


def test_shown_rows_are_of_the_preset_that_has_most_of_these_studies(tmp_path: Path) -> None:
    for name in ("laptop/memory", "laptop/jamming", "quick/jamming", "quick/crossover"):
        (tmp_path / name).mkdir(parents=True)
    meant = {"plane": "quick", "memory": "laptop", "jamming": "laptop", "paper": "quick"}
    found = {name: preset_with_rows([name], published=tmp_path) for name in meant}
    assert found == meant
    (tmp_path / "grid/named_nets").mkdir(parents=True)
    assert preset_with_rows([], published=tmp_path) == "grid"
    with pytest.raises(StudyError, match="jammed"):
        preset_with_rows(["jammed"], published=tmp_path)


def test_curves_that_are_not_measured_yet_are_counted(plan: Plan, tmp_path: Path) -> None:
    run = Run(plan.only(["sparse_hierarchy", "bottleneck"]), tmp_path)
    n_curves = len(curves_of(plan, "sparse_hierarchy"))
    said = to_measure(run)
    assert f"{n_curves + 2} curves" in said
    assert f"sparse_hierarchy, sensitivities: {n_curves};" in said
    assert "bottleneck, singular values: 1" in said
    for study in run.plan.studies:
        for measurement in STUDIES[study].measurements:
            options = places.options_of(measurement, plan.studies[study])
            for curve in curves_of(plan, study):
                for file in places.measured_files(measurement, options, curve.name).values():
                    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
                    (tmp_path / file).touch()
    assert to_measure(run) == "nothing to measure: all is measured"


@pytest.fixture
def with_images(tmp_path: Path) -> Path:
    """The test preset with small images beside it."""
    write_cifar(tmp_path / "invented", records_per_file=20, generator=generator(0, role="train"))
    path = tmp_path / "small.yaml"
    path.write_text(yaml.safe_dump(values(images=SECTION, jobs={"cells": 1})))
    return path


def test_networks_on_images_are_planned_with_their_cost_and_not_again(with_images: Path) -> None:
    folder = with_images.parent
    run = Run(
        preset.plan_preset(
            yaml.safe_load(with_images.read_text(encoding="utf-8")), directory=folder
        ),
        folder,
    )
    planned = expected_cells(run)
    own = planned[planned["study"] == "images"]
    assert own["P"].tolist() == [20, 100]
    assert own["steps"].tolist() == [3, 3]
    assert (own[["seconds", "memory", "stored"]] > 0).all(axis=None)
    assert own["job"].nunique() == 2
    assert planned["key"].is_unique
    assert set(planned["key"]) <= run.entries.keys()
    (curve,) = curves_of(run.plan, "images")
    entry = curve.entries[0]
    store = folder / places.store_of(curve.trainer)
    write_cell(store, entry["key"], StoredCell(entry["cell"], {}, {}, {}))
    assert expected_cells(run)["trained"].sum() == 1


def test_networks_on_images_are_said_to_be_left_out_where_the_images_are_absent(
    with_images: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["--configfile", str(with_images), "--directory", str(with_images.parent)]
    assert main(command) == 0
    assert "images is not counted" not in capsys.readouterr().out
    (with_images.parent / "invented").rename(with_images.parent / "elsewhere")
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "images is not counted" in said
    assert f"{with_images.parent / 'invented'} does not exist" in said


@pytest.mark.parametrize("net", [net for net in NAMED if stand_in(net) == net])
def test_what_is_stored_of_a_network_on_images_are_its_parameters(net: str) -> None:
    for width in (8, 64):
        cell = {**next(cells_of(ImagesSection(), net=net, data="x")), "width": width}
        (cost,) = image_costs([cell])
        network = named_network(
            net,
            dimensions=2,
            in_channels=3,
            n_classes=10,
            width=width,
            generator=torch.Generator(),
        )
        assert cost.stored == pytest.approx(4 * sum(p.numel() for p in network.parameters()))


def test_more_steps_width_or_batch_of_a_network_on_images_cost_more() -> None:
    cell = {**next(cells_of(ImagesSection(), net="resnet18", data="x")), "width": 16}
    changed = [{}, {"max_steps": 195_000}, {"width": 64}, {"batch_size": 256}]
    base, longer, wide, large = image_costs([{**cell, **change} for change in changed])
    assert longer.seconds == pytest.approx(2 * base.seconds, rel=0.01)
    assert wide.seconds > 4 * base.seconds
    assert large.seconds > base.seconds
    assert min(wide.memory, large.memory) > base.memory


def test_a_plan_says_that_networks_without_weights_cannot_be_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    group = {"net": "lcn", "L": 2, "v": 4, "s0": 1, "P": [100]}
    section = {"n_test": 100, "keep_weights": False, "curves": [group]}
    file = tmp_path / "bare.yaml"
    file.write_text(yaml.safe_dump({"preset": "bare", "sparse_hierarchy": section}))
    assert main(["--configfile", str(file), "--directory", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "sparse_hierarchy.keep_weights is false: sensitivities cannot be measured" in said
