"""The plan of a section, what it refuses, and what the study does without e3nn."""

from math import inf

import pytest
import yaml
from pydantic import ValidationError

from srhm import preset
from srhm.commands.presets import CONFIG
from srhm.studies.equivariance import configuration
from srhm.studies.equivariance.configuration import EquivarianceSection, seconds
from srhm.studies.equivariance.study import STUDY
from srhm.study import ConfigError, Curve, Planned

SECTION = {
    "tetris": [
        {"n": 13, "width": 0.25, "steps": 100, "seeds": 3},
        {"net": "plain", "low_pass": True, "n": 13, "width": 0.1, "steps": 100, "seeds": 3},
    ],
    "layers": [{"n": 13, "first": 0.25, "width": 0.25, "steps": 100}],
    "voxels": [{"net": ["steerable", "plain"], "act": "components", "n": 9, "width": 1}],
    "sphere": [{"act": "relu", "band": [3, 6], "depth": 1}],
    "digits": [{"epochs": 3, "learning_rate": 0.01, "seeds": 3}],
}  # fmt: skip


@pytest.fixture(autouse=True)
def _with_e3nn(monkeypatch):
    """What is planned is the same with and without it."""
    monkeypatch.setattr(configuration, "find_spec", lambda name: object())


def planned():
    return STUDY.plan(EquivarianceSection.model_validate(SECTION), None).curves.values()


def test_each_network_is_a_job_and_the_picture_has_one():
    names = [curve.label for curve in planned()]
    assert sorted(set(names)) == [
        "basis", "digits-planar", "digits-spherical", "layers", "sphere", "tetris-plain",
        "tetris-steerable", "voxels-plain", "voxels-steerable",
    ]  # fmt: skip
    cells = [cell for curve in planned() for cell in curve.cells]
    assert len([cell for cell in cells if cell["experiment"] == "tetris"]) == 2 * 2 * 3 + 3
    assert all(0 < seconds(cell) < inf for cell in cells)


@pytest.mark.parametrize(
    ("part", "refused"),
    [
        ({"tetris": [{"n": 5, "steps": 1}]}, "greater than or equal to 9"),
        ({"voxels": [{"n": 13, "act": "relu"}]}, "'none', 'gate', 'norm' or 'components'"),
        ({"sphere": [{"act": "relu", "band": 1, "depth": 1}]}, "greater than or equal to 2"),
        ({"digits": [{"epochs": 1, "learning_rate": 0}]}, "greater than 0"),
    ],
)
def test_a_section_refuses_what_cannot_be_run(part, refused):
    with pytest.raises(ValidationError, match=refused):
        EquivarianceSection.model_validate(part)


def test_a_cell_that_stands_twice_is_refused():
    twice = {"tetris": SECTION["tetris"] * 2}
    with pytest.raises(ConfigError, match="two groups ask for one cell"):
        STUDY.plan(EquivarianceSection.model_validate(twice), None)


def test_without_e3nn_the_study_is_left_out_aloud(monkeypatch):
    monkeypatch.setattr(configuration, "find_spec", lambda name: None)
    values = yaml.safe_load((CONFIG / "test.yaml").read_text(encoding="utf-8"))
    own = {name: values[name] for name in ("preset", "description", "equivariance")}
    found = preset.plan_preset(own).studies["equivariance"]
    assert not found.curves
    assert "make env-equivariance" in found.absent


def test_published_curves_need_no_package():
    curves = {curve.name: curve for curve in planned()}
    first, *_ = curves
    missing = dict.fromkeys(curves, "nothing here")
    some = Planned(curves=curves, published=frozenset([first]), missing=missing)
    assert list(some.computable.curves) == [first]
    assert some.computable.absent == "nothing here"
    whole = Planned(curves=curves, published=frozenset(curves), missing=missing)
    assert whole.computable is whole
    assert all(isinstance(one, Curve) for one in whole.computable.curves.values())
