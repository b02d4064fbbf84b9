"""Figure 4 is made of its own curves, which are trained first, while the others are trained."""

import pandas as pd
import pytest
import yaml

from srhm.commands.presets import CONFIG
from srhm.planning import preset, specs
from srhm.planning.preset import Plan

STUDY = "sparse_hierarchy"


@pytest.fixture(scope="module")
def plan() -> Plan:
    """The preset quick; nothing of it is trained here."""
    return preset.plan_preset(yaml.safe_load((CONFIG / "quick.yaml").read_text()))


def test_its_curves_are_all_of_lcn_and_cnn_as_the_text_trains_them(plan: Plan) -> None:
    chosen = specs.parts_of(plan)["fig04"].curves
    cells = pd.DataFrame([curve.cells[0] for curve in chosen.values()])
    assert set(cells["net"]) == {"lcn", "cnn"}
    # None that the figure shows waits for the end.
    shown = [
        name for name, curve in plan.studies[STUDY].curves.items()
        if all(curve.cells[0][key] == value for key, value in
               {"s": 2, "sparsity": "A", "whitening": False, "bias": False}.items())
        and curve.cells[0]["batch"] == "shuffled" and curve.cells[0]["net"] != "fcn"
    ]  # fmt: skip
    assert list(chosen) == shown
    assert len(shown) < len(plan.studies[STUDY].curves)


def test_it_waits_for_no_measurement(plan: Plan) -> None:
    """Its tables are of trained networks alone; those of the whole study are of all."""
    files = specs.files_of_curves(specs.parts_of(plan)["fig04"], STUDY)
    assert files["cells"]
    assert files["sensitivities"] == []
    assert specs.files_of_curves(plan, STUDY)["sensitivities"]
