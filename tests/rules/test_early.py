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


def test_only_figure_4_is_early_and_none_of_published_rows(plan: Plan) -> None:
    assert list(specs.parts_of(plan)) == ["fig04"]
    values = yaml.safe_load((CONFIG / "grid.yaml").read_text())
    published = preset.plan_preset({**values, "rows": "published"})
    assert specs.parts_of(published) == {}


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


def test_its_curves_go_first_the_longest_before_all(plan: Plan) -> None:
    seconds = {name: float(place) for place, name in enumerate(plan.curves)}
    found = specs.priorities(plan, lambda curve: seconds[curve.name])
    chosen = specs.parts_of(plan)["fig04"].curves
    assert {name: found[name] for name in chosen} == {
        name: specs.PRIORITY + seconds[name] for name in chosen
    }
    samples = {curve.sample for curve in chosen.values()}
    assert found.keys() == {*chosen, *samples}
    for sample in samples:
        own = [found[name] for name, curve in chosen.items() if curve.sample == sample]
        assert found[sample] == max(own)


def test_it_waits_for_no_measurement(plan: Plan) -> None:
    """Its tables are of trained networks alone; those of the whole study are of all."""
    files = specs.files_of_curves(specs.parts_of(plan)["fig04"], STUDY)
    assert files["cells"] and files["sensitivities"] == []
    assert specs.files_of_curves(plan, STUDY)["sensitivities"]
