"""What measuring in the plane is expected to cost: what is counted, sizes, presets, the plan."""

import re
from types import SimpleNamespace

import pytest
import yaml

from srhm.commands import plan as planning
from srhm.commands.gc import SCRIPTS
from srhm.commands.presets import CONFIG, study_of
from srhm.flow import measurement_cost
from srhm.flow.configuration import Plane
from srhm.flow.measurement_cost import (
    ALL,
    curve_features,
    curve_measuring_seconds,
    expected_measuring_seconds,
    measurements_of,
    n_parameters,
    state_features,
)
from srhm.flow.members import data_of, network_of
from srhm.flow.plan import plane_curves
from srhm.measure import flow_sensitivities as sensitivities
from srhm.measure import frozen_kernels, hessians, kernels, singular_values
from srhm.results.provenance import source_digest

GROUP = {"study": "complexity", "net": "cnn", "L": 2, "v": 4, "s0": 1, "width": 8, "P": 64}
RANDOM = {
    "study": "jamming", "data": "random", "net": "fcn", "d": 3, "hidden_layers": 2, "width": 2,
    "alpha": 1, "P": 5, "seeds": 1, "labels": "parity", "loss": "quadratic_hinge", "bias": True,
    "subtract_initial": False, "optimiser": {"name": "adam"},
}  # fmt: skip


def cells_of(group, **changes):
    section = Plane.model_validate({"n_test": 1000, "curves": [{"seeds": 1, **group, **changes}]})
    (curve,) = plane_curves(section).values()
    return [entry["cell"] for entry in curve.entries]


def test_points_and_limits_are_those_of_the_measurements():
    assert measurement_cost.POINTS == {
        "kernels": kernels.N_POINTS,
        "singular_values": singular_values.N_POINTS,
        "sensitivities": sensitivities.N_POINTS,
    }
    assert measurement_cost.DRAWS == sensitivities.N_DRAWS
    assert measurement_cost.MAX_EXACT == hessians.MAX_EXACT
    assert measurement_cost.MAX_EVALUATIONS == frozen_kernels.MAX_EVALUATIONS


@pytest.mark.parametrize(
    "changes",
    [
        *({"net": net, "L": 3, "s0": 0} for net in ("lcn", "cnn", "fcn")),
        {"net": "lcn", "bias": True},
        {"net": "fcn", "hidden_layers": 5, "bias": True},
        {"labels": "parity", "loss": "soft_hinge"},
    ],
)
def test_weights_are_those_of_the_network(changes):
    (cell,) = cells_of(GROUP, **changes)
    assert n_parameters(cell) == network_of(cell).n_parameters


def test_what_is_computed_of_a_small_network_is_that_of_a_count_by_hand():
    # Of a point: inputs 3 + 2 of filters, 2 + 2 activations; 3 x 2 + 2 x 2 products. Weights 12,
    # biases 5.
    (cell,) = cells_of(RANDOM)
    a_pass = 9 + 10
    derivatives = [5 * 5 * 4, 5 * 5 * 10, 17 * 5 * 4, 17 * 5 * 10, 5 * 17**2, 17**3]
    hessian = [1, *(count / 1e6 for count in derivatives), 0, 0, 0, 0]
    assert state_features(cell, "hessians", "end") == pytest.approx(hessian)
    n = 300
    kernel = [1, 2 * n * a_pass / 1e6, n**2 * (3 + 2 + 2 + 2) / 1e6, n**2 * 2 / 1e6, n**3 / 1e6]
    assert state_features(cell, "kernels", "end") == pytest.approx(kernel)
    loading = [1, 17 / 1e6, (5 + 1000) * 3 / 1e6]
    assert curve_features([cell], "ensembles") == pytest.approx(loading)
    both = [sum(pair) for pair in zip(hessian, hessian, strict=True)]
    assert curve_features([cell], "hessians") == pytest.approx(loading + both)


@pytest.mark.parametrize("changes", [{}, {"s0": 0, "v": 5}, {"m": 1, "n_c": 4}])
def test_sensitivities_take_a_pass_of_each_point_and_of_each_image(changes):
    (cell,) = cells_of(GROUP, **changes)
    member = SimpleNamespace(cell=cell, data=data_of(cell))
    x, moved = sensitivities.images_of(
        member, n_points=sensitivities.N_POINTS, n_draws=sensitivities.N_DRAWS
    )
    n = len(x) + sum(len(image.flatten(0, 1)) for image in moved.values() if image is not None)
    *_, numbers = state_features(cell, "sensitivities", "initial")
    assert numbers == pytest.approx(n * x[0].numel() / 1e6)


LARGER = {
    "kernels": [{"width": 16}, {"L": 3, "P": 65}, {"n_c": 3}],
    "hessians": [{"width": 12}, {"P": 128}, {"width": 40}, {"n_c": 3}],
    "singular_values": [{"width": 16}, {"L": 3}, {"s0": 2}],
    "sensitivities": [{"width": 16}, {"L": 3}, {"s0": 2}],
    "frozen_kernels": [
        {"width": 16},
        {"P": 128},
        {"L": 3},
        {"optimiser": {"max_evaluations": 250}},
    ],
    "ensembles": [{"width": 16}, {"P": 128}],
}


@pytest.mark.parametrize(
    ("measurement", "changes"), [(name, one) for name, several in LARGER.items() for one in several]
)
def test_the_estimate_grows_with_each_size(measurement, changes):
    shared = {"n_c": 2, "width": 8, "optimiser": {"max_evaluations": 200}}
    (small,), (large,) = cells_of(GROUP, **shared), cells_of(GROUP, **{**shared, **changes})
    seconds = expected_measuring_seconds(small, measurement)
    assert expected_measuring_seconds(large, measurement) > 1.001 * seconds > 0


@pytest.mark.parametrize("width", [8, 40])  # all eigenvalues, and some
def test_more_points_make_a_longer_hessian_on_either_side_of_all_eigenvalues(width):
    seconds = [
        expected_measuring_seconds(cells_of(GROUP, width=width, P=P)[0], "hessians")
        for P in (64, 256, 1024)
    ]
    assert seconds[2] > 2 * seconds[1] > 2 * seconds[0]


def test_cells_that_share_their_initialisation_are_measured_there_once():
    cells = cells_of(GROUP, alpha_tilde=[0.1, 1, 100])
    one = {name: expected_measuring_seconds(cells[0], name) for name in ALL}
    three = {name: curve_measuring_seconds(cells, name) for name in ALL}
    for name in ("kernels", "singular_values", "sensitivities", "frozen_kernels"):
        assert one[name] < three[name] < 2.6 * one[name]
    # What they share is their data alone.
    assert 2.5 * one["hessians"] < three["hessians"] < 3.001 * one["hessians"]


@pytest.mark.parametrize("preset", ["test", "quick", "laptop", "paper"])
def test_every_measurement_of_every_preset_has_a_cost(preset):
    section = yaml.safe_load((CONFIG / f"{preset}.yaml").read_text())["plane"]
    measured = set()
    for curve in plane_curves(Plane.model_validate(section)).values():
        for measurement in measurements_of(curve):
            measured.add(measurement)
            for entry in (curve.entries[0], curve.entries[-1]):
                assert 0 < expected_measuring_seconds(entry["cell"], measurement) < 3600
    assert measured == set(ALL)


def test_the_plan_says_what_is_left_to_measure(tmp_path, capsys):
    command = ["--preset", "test", "--directory", str(tmp_path)]
    assert planning.main(command) == 0
    printed = capsys.readouterr().out
    assert set(re.findall(r"^ *(\w+) +\d+ +\d+ +\S+ +\S+$", printed, re.MULTILINE)) >= set(ALL)
    line = r"beside the above: (\d+) cells in (\d+) jobs, (\S+) core-hours \(without"
    ((n_cells, n_jobs, hours),) = re.findall(line, printed)
    assert float(hours) > 0

    study = study_of(yaml.safe_load((CONFIG / "test.yaml").read_text()), tmp_path)
    curve = next(c for c in study.plan.plane.values() if measurements_of(c) == ["hessians"])
    made_by = source_digest(SCRIPTS / "measure_plane_hessians.py")
    folder = study.plane.rows.parent / "hessians" / made_by / "summaries"
    file = folder / f"{curve.name}.parquet"
    file.parent.mkdir(parents=True)
    file.touch()
    left = planning.to_measure_in_the_plane(study)
    assert f": {int(n_cells) - len(curve.entries)} cells in {int(n_jobs) - 1} jobs" in left
