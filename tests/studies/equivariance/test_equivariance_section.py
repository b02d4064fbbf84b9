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
    values = {name: values[name] for name in ("preset", "description", "equivariance")}
    planned = preset.plan_preset(values).studies["equivariance"]
    assert not planned.curves
    assert "make env-equivariance" in planned.absent


def test_published_curves_need_no_package():
    section = EquivarianceSection(digits=[{"epochs": 3, "learning_rate": 0.01}])
    curves = STUDY.plan(section, None).curves
    keys = {name: {entry["key"] for entry in c.entries} for name, c in curves.items()}
    first, *_ = keys
    missing = dict.fromkeys(curves, "nothing here")
    whole = Planned(curves=curves, published=keys, missing=missing)
    assert whole.computable is whole
    some = Planned(curves=curves, published={first: keys[first]}, missing=missing).computable
    assert (list(some.curves), some.absent) == ([first], "nothing here")
