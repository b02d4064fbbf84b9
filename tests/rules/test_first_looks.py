"""The first look at Figure 4: its curves, which are trained first, and what is drawn of them."""

import json
from pathlib import Path

import pandas as pd
import pytest
import yaml
from matplotlib.figure import Figure

from srhm import preset
from srhm.commands import launch
from srhm.commands.presets import CONFIG, Run
from srhm.preset import Plan
from srhm.results.first_look import first_look
from srhm.results.records import TableError
from srhm.rules import first_looks
from srhm.studies.registry import STUDIES

NAME, STUDY = "fig04_first_look", "sparse_hierarchy"


@pytest.fixture(scope="module")
def plan() -> Plan:
    """The preset quick; nothing of it is trained here."""
    return preset.plan_preset(yaml.safe_load((CONFIG / "quick.yaml").read_text()))


def test_only_figure_4_has_a_first_look_and_none_of_published_rows(plan: Plan) -> None:
    assert list(first_looks.looks_of(plan)) == [NAME]
    figures = {figure.name: figure for figure in STUDIES[STUDY].figures}
    assert set(first_looks.files_of_look(plan, figures["fig04"])) == {"png", "pdf"}
    assert first_looks.files_of_look(plan, figures["fig06"]) == {}
    values = yaml.safe_load((CONFIG / "grid.yaml").read_text())
    published = preset.plan_preset({**values, "rows": "published"})
    assert first_looks.looks_of(published) == {}


def test_its_curves_are_lcn_and_cnn_as_the_text_trains_them(plan: Plan) -> None:
    _, figure = first_looks.looks_of(plan)[NAME]
    chosen = first_looks.curves_of_look(plan, STUDY, figure)
    cells = pd.DataFrame([curve.cells[0] for curve in chosen.values()])
    assert set(cells["net"]) == {"lcn", "cnn"}
    assert set(cells["sparsity"]) == {"A"}
    assert set(cells["s"]) == {2}
    assert not cells["whitening"].any()
    # The figure is of these and the others alike: none that it shows waits for the end.
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
    found = first_looks.priorities(plan, lambda curve: seconds[curve.name])
    _, figure = first_looks.looks_of(plan)[NAME]
    chosen = first_looks.curves_of_look(plan, STUDY, figure)
    assert {name: found[name] for name in chosen} == {
        name: first_looks.PRIORITY + seconds[name] for name in chosen
    }
    samples = {curve.sample for curve in chosen.values()}
    assert found.keys() == {*chosen, *samples}
    for sample in samples:
        own = [found[name] for name, curve in chosen.items() if curve.sample == sample]
        assert found[sample] == max(own)


def test_rows_of_other_cells_are_refused_by_name(plan: Plan, tmp_path: Path) -> None:
    study, figure = first_looks.looks_of(plan)[NAME]
    spec = json.loads(first_looks.look_spec(plan, study, figure))
    curve = spec["planned"][0][0]
    with pytest.raises(TableError, match=curve):
        first_look(spec, [str(tmp_path / f"{curve}.parquet")])


def blank() -> Figure:
    return Figure()


def test_its_picture_says_how_many_curves_it_has(plan: Plan) -> None:
    study, figure = first_looks.looks_of(plan)[NAME]
    spec = json.loads(first_looks.look_spec(plan, study, figure))
    none = {"planned": [], "derived": [], "uses": [], "named": {}, "function": f"{__name__}:blank"}
    (text,) = first_look({**spec, **none}, []).texts
    assert text.get_text() == "first look: 54 of 91 curves"


def test_a_run_says_when_figure_4_is_there(plan: Plan, tmp_path: Path) -> None:
    said = launch._milestones(Run(plan, tmp_path))
    assert said["fig04"] == f"Figure 4: {tmp_path}/results/quick/figures/fig04.png"
    other = launch._milestones(Run(plan.only(["named_nets"]), tmp_path))
    assert other.keys() == {STUDIES["named_nets"].figures[0].name}
