"""What rules are made of: texts that scripts read, files of tables, pages and explorers."""

import dataclasses
import json
from pathlib import Path

import pytest
import yaml

from srhm.commands.presets import CONFIG
from srhm.planning import pages, preset, specs
from srhm.planning.registry import GROUPS, STUDIES
from srhm.store import places


def plan_of(*studies, **changes):
    """The plan of these studies of the test preset; without studies of all."""
    values = yaml.safe_load((CONFIG / "test.yaml").read_text()) | changes
    left_out = set(STUDIES) - set(studies or STUDIES)
    return preset.plan_preset({key: one for key, one in values.items() if key not in left_out})


@pytest.fixture(scope="module")
def plan():
    return plan_of()


@pytest.fixture(scope="module")
def paper():
    return plan_of("sparse_hierarchy", "named_nets", "jamming")


def test_a_curve_a_part_and_a_measurement_are_told_all_that_decides_the_rows(paper):
    curve = next(iter(paper.studies["sparse_hierarchy"].curves.values()))
    (measuring,) = specs.measurements_of(paper.only(["sparse_hierarchy"])).values()
    texts = (
        specs.curve_spec,
        lambda one: specs.part_spec(one, "1-of-2", [0, 2]),
        lambda one: specs.measuring_spec(measuring, one),
    )
    for told in texts:
        said = json.loads(told(curve))
        assert said["cells"] == list(curve.entries)
        for change in ({"entries": curve.entries[1:]}, {"keep_weights": False},
                       {"columns": {"a": 1}}, {"inputs": {"b": 2}}, {"name": "c"}):  # fmt: skip
            assert told(dataclasses.replace(curve, **change)) != told(curve), change
    assert json.loads(texts[1](curve))["places"] == [0, 2]
    assert json.loads(texts[2](curve))["tables"] == [["sensitivities", "SENSITIVITIES"]]


def test_a_page_has_the_configuration_of_its_studies_alone(paper):
    studies = {"report": ["sparse_hierarchy", "named_nets"], "jamming": ["jamming"]}
    assert pages.pages_of(paper) == studies
    told = json.loads(pages.page_spec(paper, "report"))
    assert {"sparse_hierarchy", "named_nets"} < json.loads(told["configuration"]).keys()
    assert not {"jamming", "device", "jobs"} & json.loads(told["configuration"]).keys()


def files_in(value):
    """All texts in a spec that name a file of results/ or of this project."""
    if isinstance(value, dict):
        return {file for one in value.values() for file in files_in(one)}
    if isinstance(value, list):
        return {file for one in value for file in files_in(one)}
    is_file = isinstance(value, str) and value.startswith(("results/", str(specs.ROOT)))
    return {value} if is_file else set()


def test_every_file_that_the_script_of_a_page_is_told_of_is_one_of_its_inputs(plan):
    for page, studies in pages.pages_of(plan).items():
        given = {file for files in pages.files_of_page(plan, studies).values()
                 for file in ([files] if isinstance(files, str) else files)}  # fmt: skip
        told = files_in(json.loads(pages.page_spec(plan, page)))
        # The PDF of a figure, and a prose that is not there, are only linked.
        assert {file for file in told - given if not file.endswith((".pdf", "README.md"))} == set()
        beside = {file for file in given - told if not file.endswith((".html", "/methods.md"))}
        assert beside == set(), page


def test_targets_are_of_the_studies_that_the_preset_has(paper):
    found = pages.files_of_studies(paper, ["jamming", "kernels"])
    assert {Path(file).name for file in found if file.endswith(".html")} == {
        "jamming.html", "jamming_methods.html"
    }  # fmt: skip
    found = pages.files_of_studies(paper, GROUPS["paper"])
    assert len(found) == len(set(found))
    for curve in paper.only(["sparse_hierarchy", "named_nets"]).curves.values():
        assert places.rows_of_curve(curve.trainer, curve.name) in found
    assert "results/test/figures/fig04.png" in found
    assert "results/test/tables/sparse_hierarchy/claims.parquet" in found
    assert not any("jamming" in file for file in found)
