"""The estimate of what a run will cost, and what is left of it when cells are stored."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch
import yaml
from invented_images import SECTION, write_cifar

from srhm.commands import plan as planning
from srhm.commands import status
from srhm.commands.plan import expected_costs, main, summary
from srhm.commands.presets import CONFIG, study_of
from srhm.images.configuration import Images
from srhm.measure.sensitivity import transform
from srhm.model.grammar import draw_grammar
from srhm.model.sampling import draw_samples
from srhm.model.seeding import generator
from srhm.networks.geometry import geometry
from srhm.networks.named import NAMED, named_network
from srhm.results.store import StoredCell, write_cell
from srhm.studies.sparse_hierarchy import configuration as experiments
from srhm.training.cell import parameters_of
from srhm.training.cost import FORWARD, costs, evaluation_seconds, measuring_seconds, step_features
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
    study = study_of(yaml.safe_load((CONFIG / "test.yaml").read_text()), tmp_path)
    entry = next(iter(plan.curves.values())).entries[0]
    write_cell(tmp_path / "results" / "cells", entry["key"], StoredCell(entry["cell"], {}, {}, {}))
    cells = expected_costs(study)
    assert cells["trained"].sum() == 1
    text = summary(cells, cores=2)
    assert f"{len(cells)} cells, 1 of them trained already" in text
    assert f"to train: {len(cells) - 1} cells in " in text


@pytest.mark.parametrize("s0", [0, 1])
def test_measuring_costs_a_forward_pass_of_each_point_and_of_each_image(s0: int) -> None:
    config = {"preset": "tiny", "seeds": 1, "width": 6, "n_test": 60}
    config |= {"curves": [{"net": "cnn", "L": 2, "v": 3, "s0": s0, "P": [10]}]}
    (curve,) = experiments.plan(config).curves.values()
    cell = curve.entries[0]["cell"]
    parameters = parameters_of(cell)
    sample = draw_samples(parameters, [0], n_train=10, n_test=cell["n_test"])
    points = sample[0, "test"][:20]
    grammar = draw_grammar(parameters, generator=generator(0, role="grammar"))
    images = transform(points, grammar, n_draws=3, seed=0, variant="text").values()
    n_evaluated = len(points) + sum(len(image) for image in images if image is not None)
    (cost,) = costs([cell])
    a_pass = FORWARD * cost.seconds / cost.steps / cell["batch_size"]
    seconds = measuring_seconds(cell, cost, n_points=20, n_draws=3, n_variants=2)
    assert seconds == pytest.approx(2 * n_evaluated * a_pass)


def test_curves_of_the_plane_are_planned_as_they_are_trained_each_in_one_job(
    tmp_path: Path,
) -> None:
    values = yaml.safe_load((CONFIG / "test.yaml").read_text()) | {"jobs": {"cells": 1}}
    cells = expected_costs(study_of(values, tmp_path).of_the_plane)
    assert cells["job"].equals(cells["curve"])


def test_cells_on_random_points_that_two_studies_share_are_counted_and_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shared = {"data": "random", "net": "fcn", "d": 4, "hidden_layers": 2, "width": 3, "P": [20]}
    shared |= {"labels": "parity", "loss": "quadratic_hinge", "seeds": 2, "alpha_tilde": 1}
    shared |= {"optimiser": {"name": "adam"}}
    studies = [{**shared, "study": study} for study in ("jamming", "double_descent")]
    values = yaml.safe_load((CONFIG / "test.yaml").read_text())
    study = study_of(values | {"plane": {"curves": studies}}, tmp_path).of_the_plane
    assert [len(curve) for curve in study.plane.curves.values()] == [2, 2]
    assert len(expected_costs(study)) == 2
    (tmp_path / "shared.yaml").write_text(yaml.safe_dump(values | {"plane": {"curves": studies}}))
    folder = ["--directory", str(tmp_path)]
    assert status.main(["--configfile", str(tmp_path / "shared.yaml"), *folder]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"plane +fcn +- +- +3 +2 +0 +2 ", printed)
    assert planning.main(["--configfile", str(tmp_path / "shared.yaml"), *folder]) == 0
    assert re.search(r"jamming +fcn +- +2 ", capsys.readouterr().out)
    assert "0 of 2 cells" in printed


def test_the_paper_preset_has_a_plan_and_an_unknown_one_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--preset", "paper", "--directory", str(tmp_path)]) == 0
    assert "core-hours" in capsys.readouterr().out
    assert main(["--preset", "absent"]) == 2
    assert "absent" in capsys.readouterr().err


@pytest.fixture
def with_images(tmp_path: Path) -> Path:
    """The test preset with small images beside it."""
    write_cifar(tmp_path / "invented", records_per_file=20, generator=generator(0, role="train"))
    values = yaml.safe_load((CONFIG / "test.yaml").read_text())
    path = tmp_path / "small.yaml"
    path.write_text(yaml.safe_dump({**values, "images": SECTION, "jobs": {"cells": 1}}))
    return path


def test_networks_on_images_are_planned_with_their_cost_and_not_again(with_images: Path) -> None:
    study = study_of(yaml.safe_load(with_images.read_text()), with_images.parent)
    planned = expected_costs(study)
    own = planned[planned["data"] == "images"]
    assert own["P"].tolist() == [20, 100]
    assert own["steps"].tolist() == [3, 3]
    assert (own[["seconds", "memory", "stored"]] > 0).all(axis=None)
    assert own["job"].nunique() == 2
    assert len(planned) == len(study.cells)
    entry = study.networks[1].entries[0]
    write_cell(study.networks[1].store, entry["key"], StoredCell(entry["cell"], {}, {}, {}))
    cells = expected_costs(study)
    assert cells["trained"].sum() == 1
    assert "of them on images" in summary(cells, cores=2)


def test_networks_on_images_are_said_to_be_left_out_where_the_images_are_absent(
    with_images: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["--configfile", str(with_images), "--directory", str(with_images.parent)]
    assert main(command) == 0
    assert "not counted" not in capsys.readouterr().out
    (with_images.parent / "invented").rename(with_images.parent / "elsewhere")
    assert main(command) == 0
    assert f"not counted: {with_images.parent / 'invented'} does not exist" in (
        capsys.readouterr().out
    )


@pytest.mark.parametrize("net", NAMED)
def test_what_is_stored_of_a_network_on_images_are_its_parameters(net: str) -> None:
    for width in (8, 64):
        cell = {**Images().cell(net=net, P=512, seed=0), "width": width, "data": "x"}
        (cost,) = costs([cell])
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
    cell = {**Images().cell(net="resnet18", P=512, seed=0), "width": 16, "data": "x"}
    changed = [{}, {"max_steps": 195_000}, {"width": 64}, {"batch_size": 256}]
    base, longer, wide, large = costs([{**cell, **change} for change in changed])
    assert longer.seconds == pytest.approx(2 * base.seconds, rel=0.01)
    assert wide.seconds > 4 * base.seconds
    assert large.seconds > base.seconds
    assert min(wide.memory, large.memory) > base.memory
    one, other = (evaluation_seconds(cell, n_images=n) for n in (100, 200))
    assert other == pytest.approx(2 * one)
