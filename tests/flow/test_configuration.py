"""Sections of any output scale: refusals that name key and range, curves, and their keys."""

from pathlib import Path

import pytest

from srhm.declare.study import ConfigError
from srhm.flow.configuration import FlowSection
from srhm.flow.plan import plan
from srhm.planning import preset

# 4 * 16^3 = 16384 distinct data.
GROUP = {"net": "cnn", "L": 2, "v": 4, "s0": 1, "width": 8, "P": [64, 32]}
LAYERWISE = {**GROUP, "training": "layerwise"}
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


@pytest.mark.parametrize(
    ("base", "changes", "parts"),
    [
        (GROUP, {"colour": 1}, ["  complexity.curves.0.colour", "unknown key", "alpha_tilde"]),
        (GROUP, {"P": 16_335}, ["curves.0.P", "16335", "16384 distinct", "1 to 16334"]),
        (GROUP, {"s0": 0, "m": 2}, ["curves.0.P", "32 distinct", "allowed are larger s0, m"]),
        (GROUP, {"m": 5}, ["  complexity.curves.0: m = 5", "1 to 4"]),
        (GROUP, {"alpha_tilde": 1, "alpha": 1}, ["alpha, alpha_tilde: allowed is one"]),
        (GROUP, {"labels": "parity"}, ["allowed is classes for loss = cross_entropy"]),
        (GROUP, {"loss": "soft_hinge"}, ["labels = classes", "parity or shuffled for loss"]),
        (GROUP, {**HINGE}, ["slack = 0", "allowed are above 0 to 1"]),
        (GROUP, {"L": None}, ["L = null: allowed is 1 or more for data = srhm"]),
        (GROUP, {"hidden_layers": 3}, ["hidden_layers = [3]: allowed is null"]),
        (LAYERWISE, {"bias": True}, ["bias = true: allowed is false"]),
        (LAYERWISE, {"weight_decay": 0.1}, ["weight_decay = 0.1: allowed"]),
        (GROUP, {"optimiser": {"momentum": 0.5}}, ["momentum: allowed for flow are name"]),
        (GROUP, {"optimiser": {"name": "sgd", "batch_size": 33}}, ["P = 32", "33", "batch_size"]),
        (GROUP, {"newton_steps": 5}, ["data = srhm: allowed is random or digits"]),
        (RANDOM, {"net": ["fcn", "cnn"]}, ["net", "allowed is fcn for data = random"]),
        (RANDOM, {"labels": "shuffled"}, ["labels = shuffled", "parity for data = random"]),
        (RANDOM, {"hidden_layers": None}, ["hidden_layers = null: allowed is 1 or more for data"]),
        (DIGITS, {"d": 64}, ["d = [64]: allowed is null for data = digits"]),
        (DIGITS, {"P": [20, 1201]}, ["P = [20, 1201]: allowed is 1 to 1200 for data"]),
        (DIGITS, {"net": "lcn"}, ["net", "allowed is fcn or cnn for data = digits"]),
        (DIGITS, {"net": "cnn", "hidden_layers": 2}, ["allowed is 3 for data = digits, net"]),
        (DIGITS, {"labels": "classes", "loss": "cross_entropy"}, ["parity or shuffled"]),
        (STRIPE, {"d": 1}, ["d = [1]: allowed is 2 or more for data = stripe"]),
        (STRIPE, {"bias": False}, ["bias = false: allowed is true for data = stripe"]),
        (LAYERWISE, {"optimiser": {"momentum_time": 0.1}}, ["time = 0.1: allowed is null"]),
        (GROUP, {"loss": "logistic"}, ["labels = classes: allowed is parity or shuffled for loss"]),
        (LAYERWISE, {"initialisation": "orthogonal"}, ["allowed is gaussian for training = layer"]),
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
