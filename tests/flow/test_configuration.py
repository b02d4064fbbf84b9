"""Sections of any output scale: refusals that name key and range, curves, and their keys."""

from pathlib import Path

import pytest

from srhm.declare.study import ConfigError
from srhm.flow.configuration import FlowSection
from srhm.flow.plan import plan
from srhm.planning import preset

# 4 * 16^3 = 16384 distinct data.
GROUP = {"net": "cnn", "L": 2, "v": 4, "s0": 1, "width": 8, "P": [64, 32]}
HINGE = {"labels": "parity", "loss": "quadratic_hinge"}
RANDOM = {
    **{"data": "random", "net": "fcn", "d": 5, "hidden_layers": 3},
    **{"width": 6, "P": 20, "optimiser": {"name": "adam"}, **HINGE},
}
DIGITS = {**{key: value for key, value in RANDOM.items() if key != "d"}, "data": "digits"}
STRIPE = {**RANDOM, "data": "stripe", "bias": True}


MEASURED = ("sensitivities", "frozen_kernels")


def planned(*groups, study="complexity", measured=MEASURED, **changes):
    """Curves of a study's section, by name."""
    section = FlowSection.model_validate({"n_test": 100, "curves": list(groups), **changes})
    return plan(section, Path(), study=study, measured=measured).curves


def cells(*groups, **changes):
    """Cell by key."""
    curves = planned(*groups, **changes).values()
    return {e["key"]: e["cell"] for curve in curves for e in curve.entries}


@pytest.mark.parametrize(
    ("base", "changes", "parts"),
    [
        (GROUP, {"colour": 1}, ["  complexity.curves.0.colour", "unknown key", "alpha_tilde"]),
        (GROUP, {"net": "vgg11"}, ["net.0", "'vgg11'", "'lcn', 'cnn'"]),
        (GROUP, {"width": []}, ["width", "at least 1 item"]),
        (GROUP, {"P": 16_335}, ["curves.0.P", "16335", "16384 distinct", "1 to 16334"]),
        (GROUP, {"s0": 0, "m": 2}, ["curves.0.P", "32 distinct", "allowed are larger s0, m"]),
        (GROUP, {"m": 5}, ["  complexity.curves.0: m = 5", "1 to 4"]),
        (GROUP, {"alpha_tilde": 0}, ["alpha_tilde.0", "greater than 0"]),
        (GROUP, {"alpha_tilde": 1, "alpha": 1}, ["alpha, alpha_tilde: allowed is one"]),
        (GROUP, {"labels": "parity"}, ["cross_entropy", "parity", "allowed labels are classes"]),
        (GROUP, {"loss": "soft_hinge"}, ["soft_hinge", "labels = classes", "parity and shuffled"]),
        (GROUP, {**HINGE}, ["slack = 0", "allowed are above 0 to 1"]),
        (GROUP, {"slack": 0.1}, ["slack: allowed for loss = quadratic_hinge only"]),
        (GROUP, {"hidden_layers": 3}, ["hidden_layers", "fcn only"]),
        (GROUP, {"L": None}, ["L required for data = srhm"]),
        (GROUP, {"training": "layerwise", "bias": True}, ["layerwise", "bias = false"]),
        (GROUP, {"training": "layerwise", "weight_decay": 0.1}, ["weight_decay = 0"]),
        (GROUP, {"optimiser": {"momentum": 0.5}}, ["momentum: allowed for flow are name"]),
        (GROUP, {"optimiser": {"max_evaluations": 0}}, ["max_evaluations", "equal to 1"]),
        (GROUP, {"optimiser": {"name": "sgd", "batch_size": 33}}, ["P = 32", "33", "batch_size"]),
        (GROUP, {"measure": ["colours"]}, ["measure.0", "'colours'", "'kernels'"]),
        (RANDOM, {"net": ["fcn", "cnn"]}, ["net", "allowed is fcn for data = random"]),
        (RANDOM, {"v": 4}, ["v: allowed with data = srhm only"]),
        (RANDOM, {"labels": "shuffled"}, ["labels = shuffled", "parity for data = random"]),
        (RANDOM, {"squared_norm": "inputs"}, ["squared_norm"]),
        (RANDOM, {"hidden_layers": None}, ["hidden_layers is required", "1 or more"]),
        (DIGITS, {"d": 64}, ["d = [64]: allowed with data = random or stripe only"]),
        (DIGITS, {"P": [20, 1201]}, ["P = 1201: allowed are 1 to 1200 for data = digits"]),
        (DIGITS, {"net": "lcn"}, ["net", "allowed is cnn or fcn for data = digits"]),
        (DIGITS, {"net": "cnn", "hidden_layers": 2}, ["hidden_layers", "allowed is 3 for a cnn"]),
        (DIGITS, {"labels": "classes", "loss": "cross_entropy"}, ["parity or shuffled"]),
        (STRIPE, {"d": 1}, ["d is required for data = stripe: 2 or more"]),
        (STRIPE, {"bias": False}, ["bias = false: allowed is true for data = stripe"]),
        (
            GROUP,
            {"training": "layerwise", "optimiser": {"momentum_time": 0.1}},
            ["momentum_time", "end_to_end only"],
        ),
        (GROUP, {"training": "layerwise", "history": True}, ["history", "end_to_end only"]),
        (RANDOM, {"initialisation": "zero"}, ["initialisation", "'gaussian' or 'orthogonal'"]),
        (GROUP, {"loss": "logistic"}, ["loss = logistic", "labels = classes", "parity"]),
        (
            GROUP,
            {"net": "lcn", "initialisation": "orthogonal", "training": "layerwise"},
            ["orthogonal", "layerwise training is gaussian"],
        ),
    ],
)
def test_a_refusal_names_the_key_and_what_is_allowed(base, changes, parts):
    group = {key: value for key, value in (base | changes).items() if value is not None}
    section = {"n_test": 100, "curves": [group]}
    with pytest.raises(ConfigError) as refusal:
        preset.plan_preset({"preset": "toy", "complexity": section})
    for part in parts:
        assert part in str(refusal.value)


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
        assert curve.measured == (*MEASURED, "ensembles")
        assert curve.columns == {"study": "complexity"}


def test_groups_of_one_curve_are_joined_and_studies_share_cells():
    other = {**GROUP, "P": [64, 128], "measure": ["kernels"]}
    (joined,) = planned(GROUP, other).values()
    assert {e["cell"]["P"] for e in joined.entries} == {32, 64, 128}
    assert joined.measured == ("kernels", *MEASURED)
    (one,), (two,) = (planned(GROUP, study=study).values() for study in ("complexity", "crossover"))
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


def test_alpha_stands_for_alpha_tilde_over_the_root_of_the_width():
    found = cells({**GROUP, "alpha": 2, "width": [4, 9]}).values()
    assert {(c["width"], c["alpha_tilde"]) for c in found} == {(4, 4.0), (9, 6.0)}
