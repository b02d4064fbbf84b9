"""Section `plane`: refusals that name key and range, curves, and what changes a key."""

import copy

import pytest
import yaml
from srhm.studies.sparse_hierarchy.configuration import ConfigError, plan

from srhm.flow.configuration import STUDIES, Plane
from srhm.flow.plan import plane_curves
from srhm.results.provenance import PACKAGE
from srhm.studies.sparse_hierarchy import configuration as experiments

CORE = {"preset": "toy", "curves": [{"net": "lcn", "L": 2, "v": 4, "s0": 1, "P": [100]}]}
# 4 * 16^3 = 16384 distinct data.
GROUP = {"study": "complexity", "net": "cnn", "L": 2, "v": 4, "s0": 1, "width": 8, "P": [64, 32]}
HINGE = {"labels": "parity", "loss": "quadratic_hinge"}
RANDOM = {
    **{"study": "jamming", "data": "random", "net": "fcn", "d": 5, "hidden_layers": 3},
    **{"width": 6, "P": 20, "optimiser": {"name": "adam"}, **HINGE},
}


def planned(*groups, **changes):
    section = {"n_test": 100, "curves": list(groups), **changes}
    return plan({**CORE, "plane": section}).plane


def cells(*groups, **changes):
    """Cell by key."""
    curves = planned(*groups, **changes).values()
    return {e["key"]: e["cell"] for curve in curves for e in curve.entries}


@pytest.mark.parametrize(
    ("base", "changes", "parts"),
    [
        (GROUP, {"colour": 1}, ["plane.curves.0.colour", "unknown key", "alpha_tilde"]),
        (GROUP, {"optimiser": {"lr": 1}}, ["optimiser.lr", "unknown key", "max_evaluations"]),
        (GROUP, {"study": "spectra"}, ["study", "'spectra'", *STUDIES]),
        (GROUP, {"net": "vgg11"}, ["net.0", "'vgg11'", "'lcn', 'cnn' or 'fcn'"]),
        (GROUP, {"width": []}, ["width", "at least 1 item"]),
        (GROUP, {"alpha_tilde": []}, ["alpha_tilde", "at least 1 item"]),
        (GROUP, {"P": [0]}, ["P.0", "greater than or equal to 1"]),
        (GROUP, {"P": 16_335}, ["curves.0.P", "16335", "16384 distinct", "1 to 16334"]),
        (GROUP, {"s0": 0, "m": 2}, ["curves.0.P", "32 distinct", "allowed are larger s0, m"]),
        (GROUP, {"m": 5}, ["plane.curves.0", "m = 5", "1 to 4"]),
        (GROUP, {"alpha_tilde": 0}, ["alpha_tilde.0", "greater than 0"]),
        (GROUP, {"alpha_tilde": 1, "alpha": 1}, ["alpha, alpha_tilde: allowed is one"]),
        (GROUP, {"labels": "parity"}, ["cross_entropy", "parity", "allowed labels are classes"]),
        (GROUP, {"loss": "soft_hinge"}, ["soft_hinge", "labels = classes", "parity and shuffled"]),
        (GROUP, {**HINGE}, ["slack = 0", "allowed are above 0 to 1"]),
        (GROUP, {**HINGE, "slack": 1.0}, ["slack", "less than 1"]),
        (GROUP, {"slack": 0.1}, ["slack: allowed for loss = quadratic_hinge only"]),
        (GROUP, {"hidden_layers": 3}, ["hidden_layers", "fcn only"]),
        (GROUP, {"d": 3}, ["d = [3]: allowed with data = random only"]),
        (GROUP, {"L": None}, ["L required for data = srhm"]),
        (GROUP, {"training": "layerwise", "bias": True}, ["layerwise", "bias = false"]),
        (GROUP, {"training": "layerwise", "weight_decay": 0.1}, ["weight_decay = 0"]),
        (GROUP, {"optimiser": {"momentum": 0.5}}, ["momentum: allowed for flow are name"]),
        (
            GROUP,
            {"optimiser": {"name": "adam", "kink": 1}},
            ["kink: allowed for adam", "last_rate"],
        ),
        (GROUP, {"optimiser": {"max_evaluations": 0}}, ["max_evaluations", "equal to 1"]),
        (GROUP, {"optimiser": {"name": "sgd", "batch_size": 33}}, ["P = 32", "33", "batch_size"]),
        (GROUP, {"measure": ["colours"]}, ["measure.0", "'colours'", "'kernels'"]),
        (GROUP, {"seeds": 0}, ["seeds", "greater than or equal to 1"]),
        (RANDOM, {"net": ["fcn", "cnn"]}, ["net", "allowed is fcn for data = random"]),
        (RANDOM, {"d": None}, ["d is required for data = random"]),
        (RANDOM, {"v": 4}, ["v: allowed with data = srhm only"]),
        (RANDOM, {"labels": "shuffled"}, ["labels = shuffled", "parity for data = random"]),
        (RANDOM, {"squared_norm": "inputs"}, ["squared_norm"]),
        (RANDOM, {"initialisation": "zero"}, ["initialisation", "'gaussian' or 'orthogonal'"]),
        (GROUP, {"initialisation": "orthogonal"}, ["orthogonal", "net = fcn only", "gaussian"]),
        (
            GROUP,
            {"net": "fcn", "initialisation": "orthogonal", "training": "layerwise"},
            ["orthogonal", "layerwise training is gaussian"],
        ),
    ],
)
def test_a_refusal_names_the_key_and_what_is_allowed(base, changes, parts):
    group = {key: value for key, value in (base | changes).items() if value is not None}
    with pytest.raises(ConfigError) as refusal:
        planned(group)
    for part in parts:
        assert part in str(refusal.value)


def test_the_unchanged_groups_are_not_refused():
    assert len(cells(GROUP)) == 4
    assert len(cells(RANDOM)) == 2


def test_unknown_keys_of_the_section_and_of_the_first_step_are_refused():
    with pytest.raises(ConfigError, match=r"plane\.colour: unknown key; allowed are n_test"):
        planned(colour=1)
    group = {"net": "lcn", "L": 2, "v": 4, "s0": 1, "P": 10, "width": 3}
    with pytest.raises(ConfigError, match=r"first_step\.0\.width: unknown key; allowed are net, L"):
        planned(first_step=[group])
    del group["width"]
    planned(first_step=[group])
    with pytest.raises(ConfigError, match=r"first_step\.0: P = 16384: .* from 1 to 16334"):
        planned(first_step=[{**group, "P": [10, 16_384]}])
    with pytest.raises(ConfigError, match=r"first_step\.0: m = 5 .*; allowed are m from 1 to 4"):
        planned(first_step=[{**group, "m": 5}])


def test_a_curve_is_all_cells_but_for_p_alpha_tilde_seed_and_member():
    group = {
        **GROUP,
        "net": ["cnn", "lcn"],
        "width": [8, 16],
        "alpha_tilde": [1, 0.1],
        "members": 3,
    }
    found = planned(group)
    assert len(found) == 4
    for name, curve in found.items():
        assert name == curve.name
        assert name.startswith(f"complexity_{curve.entries[0]['cell']['net']}_L2_s2_s01_v4_h")
        places = [
            (e["cell"]["P"], e["cell"]["alpha_tilde"], e["cell"]["seed"], e["cell"]["member"])
            for e in curve.entries
        ]
        assert places == sorted(places)
        assert len(set(places)) == 2 * 2 * 2 * 3
        assert curve.measure == ("sensitivities", "frozen_kernels")


def test_groups_of_one_curve_are_joined_and_studies_share_cells():
    other = {**GROUP, "P": [64, 128], "measure": ["kernels"]}
    (joined,) = planned(GROUP, other).values()
    assert {e["cell"]["P"] for e in joined.entries} == {32, 64, 128}
    assert joined.measure == ("kernels", "sensitivities", "frozen_kernels")
    crossover = {**GROUP, "study": "crossover"}
    one, two = planned(GROUP, crossover).values()
    assert [e["key"] for e in one.entries] == [e["key"] for e in two.entries]
    assert one.name != two.name


def test_defaults_that_are_written_out_change_no_key():
    written = {"n_c": 4, "m": 4, "s": 2, "alpha_tilde": 1, "loss_threshold": 0.001, "seeds": 2}
    optimiser = {"name": "flow", "max_evaluations": 10_000, "kink": 0.01}
    assert cells({**GROUP, **written, "optimiser": optimiser}).keys() == cells(GROUP).keys()
    assert cells({**GROUP, "net": "fcn", "hidden_layers": 2}) == cells({**GROUP, "net": "fcn"})


@pytest.mark.parametrize(
    "changes",
    [
        {"loss_threshold": 0.01},
        {"optimiser": {"max_evaluations": 10}},
        {"optimiser": {"name": "sgd"}},
        {"activation": "softplus"},
        {"parametrisation": "mean_field"},
        {"squared_norm": "inputs"},
        {"weight_decay": 0.1},
        {"training": "layerwise"},
    ],
)
def test_what_decides_a_cell_changes_its_key(changes):
    assert not cells({**GROUP, **changes}).keys() & cells(GROUP).keys()


def test_what_is_measured_changes_no_key_and_no_name():
    assert planned({**GROUP, "measure": []}).keys() == planned(GROUP).keys()


def test_alpha_stands_for_alpha_tilde_over_the_root_of_the_width():
    found = cells({**GROUP, "alpha": 2, "width": [4, 9]}).values()
    assert {(c["width"], c["alpha_tilde"]) for c in found} == {(4, 4.0), (9, 6.0)}


def test_the_section_changes_no_key_of_the_core():
    def core(config):
        return {e["key"] for curve in plan(config).curves.values() for e in curve.entries}

    assert core({**CORE, "plane": {"curves": [GROUP]}}) == core(CORE)
    assert plan(CORE).plane == {}


@pytest.mark.parametrize("path", sorted((PACKAGE.parents[1] / "config").glob("*.yaml")), ids=str)
def test_every_preset_has_each_study(path):
    config = yaml.safe_load(path.read_text())
    assert {curve.study for curve in plan(config).plane.values()} == set(STUDIES)
    assert experiments.validate(config).plane.first_step


def test_a_section_is_not_changed_by_planning():
    section = {"n_test": 100, "curves": [copy.deepcopy(GROUP)]}
    plane_curves(Plane.model_validate(section))
    assert section["curves"] == [GROUP]
