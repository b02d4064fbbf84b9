"""From a configuration to cells: refusals, windows, keys, and what leaves the keys alone."""

import copy
import json
from pathlib import Path

import pytest
import yaml
from srhm.studies.sparse_hierarchy.configuration import ConfigError, plan, published_rate

from srhm.results import provenance
from srhm.results.provenance import PACKAGE
from srhm.studies.sparse_hierarchy import configuration as experiments
from srhm.training.curve import ENGINES

REPOSITORY = PACKAGE.parents[1]
PRESETS = sorted((REPOSITORY / "config").glob("*.yaml"))
CURVES = {"net": "lcn", "L": 2, "v": 4, "s0": 1, "P": [100, 200]}
CONFIG = {"preset": "toy", "seeds": 2, "width": 8, "n_test": 100, "curves": [CURVES]}
# v = m = n_c = 4, L = s = 2, s_0 = 1: 4 * 16^3 distinct data; Eq. 3 gives 512, Eq. 4 gives 256.
N_DISTINCT = 4 * (4 * 4) ** 3


def config(*, curves=None, **changes):
    """The toy configuration with some keys of its preset and of its first group changed."""
    made = copy.deepcopy({**CONFIG, **changes})
    made["curves"][0] |= curves or {}
    return made


def cells(made):
    """Cell by key, of all curves."""
    entries = [e for curve in plan(made).curves.values() for e in curve.entries]
    return {entry["key"]: entry["cell"] for entry in entries}


def by_coordinates(made):
    """Key by (net, P, seed)."""
    return {(c["net"], c["P"], c["seed"]): key for key, c in cells(made).items()}


def sizes(made):
    return sorted({cell["P"] for cell in cells(made).values()})


WINDOW = {"low": 0.5, "high": 2, "per_octave": 1}


@pytest.mark.parametrize(
    ("changes", "curves", "parts"),
    [
        # unknown keys, at each level
        ({"colour": 1}, {}, ["colour", "unknown key", "allowed are preset, description"]),
        ({}, {"colour": 1}, ["curves.0.colour", "unknown key", "net, L, s, v, s0"]),
        ({}, {"n_classes": 3}, ["curves.0.n_classes", "unknown key", "n_c"]),
        ({"training": {"lr": 1}}, {}, ["training.lr", "unknown key", "learning_rate"]),
        ({}, {"training": {"lr": 1}}, ["curves.0.training.lr", "unknown key", "learning_rate"]),
        ({"analysis": {"epsilon": 1}}, {}, ["analysis.epsilon", "unknown key", "threshold"]),
        ({"measurement": {"n": 1}}, {}, ["measurement.n", "unknown key", "n_points"]),
        ({}, {"P": {**WINDOW, "step": 1}}, ["curves.0.P", "step", "unknown", "per_octave"]),
        # wrong types
        ({"seeds": "many"}, {}, ["seeds", "'many'", "integer"]),
        ({"width": 1.5}, {}, ["width", "1.5", "integer"]),
        ({}, {"L": "deep"}, ["curves.0.L", "'deep'", "integer"]),
        ({}, {"v": [4, 4.5]}, ["curves.0.v.1", "4.5", "integer"]),
        ({}, {"P": "all"}, ["curves.0.P", "'all'"]),
        ({"training": {"learning_rate": "high"}}, {}, ["training.learning_rate", "high", "table"]),
        ({"curves": []}, None, ["curves", "at least 1"]),
        # out of range
        ({"preset": "My preset"}, {}, ["preset", "'My preset'", "^[a-z]"]),
        ({"seeds": 0}, {}, ["seeds", "0 is not allowed", "greater than or equal to 1"]),
        ({"width": 9000}, {}, ["width", "9000", "less than or equal to 8192"]),
        ({"n_test": 49}, {}, ["n_test", "49", "greater than or equal to 50"]),
        ({}, {"net": "vgg"}, ["curves.0.net", "'vgg'", "'lcn', 'cnn', 'fcn', 'vgg11'"]),
        ({}, {"s": 1}, ["curves.0", "s = 1: allowed are 2 to 16"]),
        ({}, {"L": 9}, ["curves.0", "L = 9: allowed are 1 to 8"]),
        ({}, {"s0": -1}, ["curves.0.s0", "-1", "greater than or equal to 0"]),
        ({}, {"s0": [1, 65]}, ["curves.0", "s0 = 65: allowed are 0 to 64"]),
        ({}, {"sparsity": "C"}, ["curves.0.sparsity", "'C'", "'A' or 'B'"]),
        ({}, {"alpha": 2}, ["curves.0.alpha", "2", "less than or equal to 1"]),
        ({}, {"P": [0]}, ["curves.0.P", "0", "greater than or equal to 1"]),
        ({"training": {"momentum": 1}}, {}, ["training.momentum", "1", "less than 1"]),
        ({"training": {"learning_rate": 0}}, {}, ["learning_rate = 0", "above 0 to 10"]),
        ({"training": {"n_checks": 31}}, {}, ["training.n_checks", "31", "equal to 30"]),
        ({}, {"training": {"momentum": 2}}, ["curves.0.training.momentum", "less than 1"]),
        ({"analysis": {"threshold": 1}}, {}, ["analysis.threshold", "1", "less than 1"]),
        ({}, {"P": {**WINDOW, "low": 3}}, ["curves.0.P", "low = 3", "high = 2"]),
        # what no grammar can have
        ({}, {"m": 5}, ["curves.0", "m = 5 with v = 4", "v*m = 20", "16", "m from 1 to 4"]),
        ({}, {"n_c": 5}, ["curves.0", "m = 4 with n_c = 5", "n_c*m = 20", "m from 1 to 3"]),
        # more data than there are
        ({}, {"P": [100, 16335]}, ["curves.0.P", "P = 16335", "16384", "1 to 16334"]),
        ({}, {"v": 6, "s0": 4, "P": [10124951]}, ["curves.0.P", "20250000", "1 to 10124950"]),
        ({}, {"P": {**WINDOW, "low": 40, "high": 50}}, ["curves.0.P", "20480", "16384"]),
        # what the fast engine cannot do
        ({"training": {"bias": True}}, {}, ["training", "bias", "engine = 'reference'"]),
        ({"training": {"whitening": True}}, {}, ["training", "whitening", "engine = 'reference'"]),
        ({}, {"training": {"bias": True}}, ["curves.0.training", "bias", "'reference'"]),
        # named nets
        ({}, {"net": ["lcn", "vgg11"]}, ["curves.0", "['lcn', 'vgg11']", "group of their own"]),
        ({}, {"net": "vgg11", "P": WINDOW}, ["curves.0.P", "window", "vgg11", "give a list"]),
        (
            {},
            {"net": "vgg11", "training": {"engine": "sparse"}},
            ["curves.0.training.engine", "'sparse'", "vgg11", "'torch' alone"],
        ),
        (
            {},
            {"training": {"engine": "torch"}},
            ["curves.0.training.engine", "'torch'", "lcn", "'sparse' and 'reference'"],
        ),
        (
            {},
            {"net": "resnet18", "training": {"engine": "reference", "bias": True}},
            ["curves.0.training.engine", "'reference'"],
        ),
        ({}, {"net": "vgg11", "P": [100, 3]}, ["curves.0.P", "3", "4 or more", "whole batches"]),
        (
            {},
            {"net": "vgg11", "training": {"batch_size": 1}},
            ["curves.0.training.batch_size", "1", "2 or more"],
        ),
        ({}, {"training": {"fcn_scale": "v"}}, ["curves.0.training.fcn_scale", "lcn"]),
        ({}, {"net": "fcn", "training": {"fcn_scale": "d"}}, ["training.fcn_scale", "'dv' or 'v'"]),
    ],
)
def test_what_cannot_be_run_is_refused_with_key_value_and_what_is_allowed(changes, curves, parts):
    made = config(**changes, curves=curves) if curves is not None else {**CONFIG, **changes}
    with pytest.raises(ConfigError) as refusal:
        plan(made)
    for part in parts:
        assert part in str(refusal.value)


@pytest.mark.parametrize("key", ["preset", "curves"])
def test_a_missing_key_is_named(key):
    with pytest.raises(ConfigError, match=f"{key}: Field required"):
        plan({name: value for name, value in CONFIG.items() if name != key})


@pytest.mark.parametrize("key", ["net", "L", "v", "s0", "P"])
def test_a_missing_key_of_a_group_is_named(key):
    curves = [{name: value for name, value in CURVES.items() if name != key}]
    with pytest.raises(ConfigError, match=rf"curves\.0\.{key}: Field required"):
        plan({**CONFIG, "curves": curves})


def test_the_second_group_is_named_by_its_number():
    with pytest.raises(ConfigError, match=r"curves\.1: m = 5"):
        plan(config(curves=None) | {"curves": [CURVES, {**CURVES, "m": 5}]})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("key", ["learning_rate", "loss_threshold", "momentum"])
def test_what_is_no_finite_number_is_refused(key, value):
    with pytest.raises(ConfigError, match=key):
        plan(config(training={key: value}))


@pytest.mark.parametrize("key", ["low", "high", "per_octave"])
def test_a_window_without_finite_ends_is_refused(key):
    with pytest.raises(ConfigError, match=r"curves\.0\.P"):
        plan(config(curves={"P": {**WINDOW, key: float("nan")}}))


@pytest.mark.parametrize(
    ("net", "window", "expected"),
    [
        ("lcn", {"low": 0.5, "high": 2, "per_octave": 1}, [256, 512, 1024]),
        ("cnn", {"low": 0.5, "high": 2, "per_octave": 1}, [128, 256, 512]),
        ("lcn", {"low": 1, "high": 2, "per_octave": 2}, [512, 724, 1024]),
        ("lcn", {"low": 1, "high": 1.99, "per_octave": 2}, [512, 724]),
        ("lcn", {"low": 1, "high": 1, "per_octave": 2}, [512]),
        ("lcn", {"low": 1, "high": 4, "per_octave": 0.5}, [512, 2048]),
        ("fcn", {"low": 1, "high": 1, "per_octave": 1}, [512]),
        # below one point, all sizes round to 1
        ("cnn", {"low": 0.001, "high": 0.004, "per_octave": 1}, [1]),
        # 16384 data, 50 kept: 8192 is the last
        ("lcn", {"low": 8, "high": 100, "per_octave": 1}, [4096, 8192]),
    ],
)
def test_a_window_gives_sizes_around_the_predicted_sample_complexity(net, window, expected):
    assert sizes(config(curves={"net": net, "P": window})) == expected


def test_a_listed_size_is_kept_once_and_in_order():
    assert sizes(config(curves={"P": [300, 7, 300, 20]})) == [7, 20, 300]


def test_the_largest_size_leaves_50_test_points():
    made = config(curves={"P": [N_DISTINCT - 50]})
    assert {cell["n_test"] for cell in cells(made).values()} == {50}


def test_lists_stand_for_all_their_combinations():
    made = config(curves={"net": ["lcn", "cnn"], "v": [4, 5, 6], "s0": [0, 1], "P": [50]})
    coordinates = {(c["net"], c["v"], c["s0"]) for c in cells(made).values()}
    assert len(coordinates) == len(plan(made).curves) == 12


def test_one_value_is_a_list_of_one():
    assert cells(config(curves={"v": 4})) == cells(config(curves={"v": [4]}))


def test_classes_and_synonyms_are_all_that_the_paper_takes_unless_given():
    (cell, *_) = cells(config(curves={"v": 3, "s": 3, "s0": 0, "P": [60]})).values()
    assert (cell["n_c"], cell["m"]) == (3, 9)
    (cell, *_) = cells(config(curves={"n_c": 2, "m": 3})).values()
    assert (cell["n_c"], cell["m"]) == (2, 3)


def test_a_curve_has_a_cell_for_each_size_and_seed():
    assert set(by_coordinates(config())) == {("lcn", P, s) for P in (100, 200) for s in (0, 1)}


def test_a_group_may_have_seeds_width_and_training_of_its_own():
    made = config(curves={"seeds": 1, "width": 5, "training": {"batch_size": 2}})
    (curve,) = plan(made).curves.values()
    assert {e["cell"]["seed"] for e in curve.entries} == {0}
    assert {(e["cell"]["width"], e["cell"]["batch_size"]) for e in curve.entries} == {(5, 2)}


def test_the_training_of_a_group_adds_to_that_of_the_preset():
    made = config(training={"momentum": 0.5}, curves={"training": {"batch_size": 2}})
    assert {(c["momentum"], c["batch_size"]) for c in cells(made).values()} == {(0.5, 2)}


def test_groups_of_one_curve_are_merged_with_all_their_sizes_and_seeds():
    groups = [{**CURVES, "P": [100, 200]}, {**CURVES, "P": [200, 400], "seeds": 3}]
    made = {**CONFIG, "curves": groups}
    (curve,) = plan(made).curves.values()
    found = [(entry["cell"]["P"], entry["cell"]["seed"]) for entry in curve.entries]
    assert found == [(100, 0), (100, 1), (200, 0), (200, 1), (200, 2), (400, 0), (400, 1), (400, 2)]


def test_groups_whose_training_differs_are_curves_of_their_own():
    groups = [CURVES, {**CURVES, "training": {"batch": "balanced"}}]
    assert len(plan({**CONFIG, "curves": groups}).curves) == 2


def test_every_cell_has_a_key_of_its_own():
    made = config(curves={"net": ["lcn", "cnn"], "v": [4, 5], "sparsity": ["A", "B"]})
    assert len(cells(made)) == 2 * 2 * 2 * 2 * 2


@pytest.mark.parametrize(
    "changes",
    [
        {"seeds": 7},
        {"keep_weights": False},
        {"preset": "other", "description": "something else"},
        {"analysis": {"threshold": 0.3, "other_thresholds": []}},
        {"measurement": {"n_points": 7}},
        {"curves": [{**CURVES, "P": [100, 150, 200, 3000]}]},
        {"curves": [CURVES, {**CURVES, "net": "cnn"}, {**CURVES, "v": 6}]},
        {"curves": [{**CURVES, "v": 6}, {**CURVES, "width": 16}, CURVES]},
        {"training": {"momentum": 0.9}},  # what it was by default
    ],
    ids=lambda changes: ", ".join(changes),
)
def test_the_key_of_a_cell_does_not_depend_on(changes):
    assert set(cells(CONFIG)) <= set(cells({**CONFIG, **changes}))


@pytest.mark.parametrize(
    "changes",
    [
        {"width": 9},
        {"n_test": 99},
        {"training": {"engine": "reference"}},
        {"training": {"dtype": "float64"}},
        {"training": {"max_steps": 1999999}},
        {"training": {"n_checks": 29}},
        {"training": {"learning_rate": 0.02}},
        {"curves": [{**CURVES, "sparsity": "B"}]},
        {"curves": [{**CURVES, "m": 3}]},
    ],
    ids=str,
)
def test_the_key_of_a_cell_depends_on(changes):
    assert set(cells(CONFIG)).isdisjoint(cells({**CONFIG, **changes}))


def test_the_key_of_a_cell_depends_on_the_sources_of_its_engine(monkeypatch):
    before = set(cells(CONFIG))
    monkeypatch.setattr(experiments, "engine_digest", lambda engine: "another source")
    assert before.isdisjoint(cells(CONFIG))


def test_one_more_size_adds_a_cell_for_each_seed():
    more = set(cells(config(curves={"P": [100, 150, 200]}))) - set(cells(CONFIG))
    assert len(more) == 2


def test_a_size_that_leaves_fewer_test_points_changes_the_keys_of_its_curve():
    # A curve has one test set, so that a pool which no longer holds n_test points for all retrains
    # the curve: 16384 data, 16300 for training, 84 for testing.
    before, after = cells(CONFIG), cells(config(curves={"P": [100, 200, 16300]}))
    assert set(before).isdisjoint(after)
    assert {cell["n_test"] for cell in before.values()} == {100}
    assert {cell["n_test"] for cell in after.values()} == {84}


def test_the_name_of_a_curve_changes_with_its_cells():
    names = [set(plan(made).curves) for made in (CONFIG, config(seeds=3), config(width=9))]
    assert len(names[0] | names[1] | names[2]) == 3
    assert all(name.startswith("lcn_L2_s2_s0-1_v4_m4_nc4_A_h") for (name,) in names)


def test_a_sample_holds_what_its_curve_needs():
    planned = plan(config(curves={"P": [100, 200], "seeds": 3}))
    (sample,) = planned.samples.values()
    assert sample.spec["n_train"] == 200
    assert sample.spec["n_test"] == 100
    assert sample.spec["seeds"] == [0, 1, 2]
    assert [curve.sample for curve in planned.curves.values()] == [sample.name]


def test_curves_that_need_the_same_data_share_a_sample():
    planned = plan(config(curves={"net": ["lcn", "cnn", "fcn"]}))
    assert (len(planned.curves), len(planned.samples)) == (3, 1)


def test_every_curve_has_a_planned_sample():
    planned = plan(config(curves={"net": ["lcn", "cnn"], "v": [4, 5], "P": WINDOW}))
    assert {curve.sample for curve in planned.curves.values()} == set(planned.samples)


def test_cells_are_plain_values():
    for cell in cells(CONFIG).values():
        assert {type(value) for value in cell.values()} <= {str, int, float, bool}


NAMED_GROUP = {**CURVES, "net": ["vgg11", "resnet18"], "s0": 2}


def test_named_nets_are_a_part_of_the_plan_of_their_own():
    planned = plan({**CONFIG, "curves": [NAMED_GROUP, CURVES]})
    assert {curve.split("_")[0] for curve in planned.core} == {"lcn"}
    assert {curve.split("_")[0] for curve in planned.networks} == {"vgg11", "resnet18"}
    assert list(planned.curves) == [*planned.core, *planned.networks]
    assert len(planned.samples) == 2


def test_named_nets_have_the_training_of_appendix_b_and_not_the_rate_of_the_preset():
    made = {
        **CONFIG,
        "width": 512,
        "training": {"learning_rate": 0.5, "loss_threshold": 1e-5, "max_steps": 77},
        "curves": [NAMED_GROUP],
    }
    for cell in cells(made).values():
        assert (cell["engine"], cell["learning_rate"], cell["loss_threshold"]) == (
            "torch",
            1e-4,
            1e-2,
        )
        assert (cell["width"], cell["batch_size"], cell["momentum"]) == (64, 4, 0.9)
        assert cell["max_steps"] == 77  # of the preset, as all that means the same for them
    own = {**NAMED_GROUP, "width": 8, "training": {"learning_rate": 0.3, "loss_threshold": 1e-3}}
    for cell in cells({**made, "curves": [own]}).values():
        assert (cell["width"], cell["learning_rate"], cell["loss_threshold"]) == (8, 0.3, 1e-3)


def test_the_rate_from_the_table_of_a_named_net_is_that_of_the_published_figures():
    group = {**NAMED_GROUP, "training": {"learning_rate": "table"}}
    assert {c["learning_rate"] for c in cells({**CONFIG, "curves": [group]}).values()} == {64e-4}


def test_the_code_of_named_nets_is_not_part_of_the_keys_of_the_others():
    own = {"network.py", "named.py", "vgg.py", "resnet.py", "efficientnet.py"}
    for engine, (module, *_) in ENGINES.items():
        found: set[Path] = set()
        unread = {PACKAGE / "training/cell.py", PACKAGE / f"training/{module.split('.')[-1]}.py"}
        while unread:
            path = unread.pop()
            found.add(path)
            unread |= provenance._imported(path) - found
        assert own & {path.name for path in found} == (own if engine == "torch" else set())


def test_the_scale_of_the_fcn_is_a_coordinate_of_the_fcn_alone():
    made = config(curves={"net": ["lcn", "fcn"]})
    assert {(c["net"], c.get("fcn_scale")) for c in cells(made).values()} == {
        ("lcn", None),
        ("fcn", "dv"),
    }
    other = config(curves={"net": "fcn", "training": {"fcn_scale": "v"}})
    assert {c["fcn_scale"] for c in cells(other).values()} == {"v"}
    assert set(cells(made)).isdisjoint(cells(other))


@pytest.mark.parametrize(
    ("cell", "rate"),
    [
        # LCN s = 2: .01 (s_0 < 4), .003 (s_0 >= 4); s > 2 .003
        ({"net": "lcn", "s0": 2}, 0.01),
        ({"net": "lcn", "s0": 4}, 0.003),
        ({"net": "lcn", "s": 3}, 0.003),
        # CNN s = 2: L = 2 .1/.03/.01 (s_0 < 4, = 4, more), L = 3 .01/.003/.001
        ({"net": "cnn", "s0": 2}, 0.1),
        ({"net": "cnn", "s0": 4}, 0.03),
        ({"net": "cnn", "s0": 6}, 0.01),
        ({"net": "cnn", "L": 3, "s0": 1}, 0.01),
        ({"net": "cnn", "L": 3, "s0": 4}, 0.003),
        ({"net": "cnn", "L": 3, "s0": 6}, 0.001),
        # CNN s = 3: .01, or .003 for v = 4 or s_0 = 4
        ({"net": "cnn", "s": 3, "v": 6}, 0.01),
        ({"net": "cnn", "s": 3, "v": 4}, 0.003),
        ({"net": "cnn", "s": 3, "v": 6, "s0": 4}, 0.003),
    ],
)
def test_the_table_of_rates_is_the_published_one(cell, rate):
    assert published_rate({"L": 2, "s": 2, "s0": 1, "v": 8, **cell}) == rate


def test_a_rate_from_the_table_is_a_number_in_the_cell():
    made = config(training={"learning_rate": "table"}, curves={"net": ["lcn", "cnn"]})
    rates = {(cell["net"], cell["learning_rate"]) for cell in cells(made).values()}
    assert rates == {("lcn", 0.01), ("cnn", 0.1)}


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.stem)
def test_a_shipped_preset_can_be_planned_and_has_the_name_of_its_file(path):
    planned = plan(yaml.safe_load(path.read_text()))
    assert planned.preset.preset == path.stem
    assert planned.curves


def test_the_four_presets_are_shipped():
    assert {"quick", "laptop", "paper", "test"} <= {path.stem for path in PRESETS}


def test_the_stored_schema_is_that_of_the_models():
    stored = json.loads((REPOSITORY / "config" / "schema.json").read_text())
    assert stored == json.loads(json.dumps(experiments.schema())), "run `make schema`"


def test_the_readme_of_the_presets_holds_the_table_of_keys():
    readme = (REPOSITORY / "config" / "README.md").read_text()
    assert experiments.key_table() in readme, "run `make schema`"


def test_writing_the_documents_again_changes_nothing(tmp_path):
    for name in ("README.md", "schema.json"):
        (tmp_path / name).write_text((REPOSITORY / "config" / name).read_text())
    experiments.write_documents(Path(tmp_path))
    for name in ("README.md", "schema.json"):
        assert (tmp_path / name).read_text() == (REPOSITORY / "config" / name).read_text()
