"""What the study does without e3nn."""

import yaml

from srhm.commands.presets import CONFIG
from srhm.declare.study import Planned
from srhm.planning import preset
from srhm_studies.beyond.equivariance import STUDY, configuration
from srhm_studies.beyond.equivariance.configuration import EquivarianceSection


def test_without_e3nn_the_study_is_left_out_aloud(monkeypatch):
    monkeypatch.setattr(configuration, "find_spec", lambda name: None)
    values = yaml.safe_load((CONFIG / "test.yaml").read_text(encoding="utf-8"))
    section = {name: values[name] for name in ("preset", "description", "equivariance")}
    planned = preset.plan_preset(section).studies["equivariance"]
    assert not planned.curves and "make env-equivariance" in planned.absent


def test_published_curves_need_no_package():
    section = {"sphere": [{"act": "relu", "band": [3, 6], "depth": 1}],
               "digits": [{"epochs": 3, "learning_rate": 0.01}]}  # fmt: skip
    curves = STUDY.plan(EquivarianceSection.model_validate(section), None).curves
    first, *_ = curves
    keys = {name: {entry["key"] for entry in c.entries} for name, c in curves.items()}
    missing = dict.fromkeys(curves, "nothing here")
    some = Planned(curves=curves, published={first: keys[first]}, missing=missing).computable
    assert list(some.curves) == [first] and some.absent == "nothing here"
    whole = Planned(curves=curves, published=keys, missing=missing)
    assert whole.computable is whole
