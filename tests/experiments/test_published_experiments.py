"""Published rows of experiments: which curves are whole, where a table has no row of some."""

import json
import shutil
from pathlib import Path

import pytest
import yaml

from srhm.commands.presets import Run
from srhm.commands.publish import (
    NothingFinished,
    files_of_curve,
    finished,
    publish,
    published_schemas,
)
from srhm.preset import plan_preset
from srhm.results import places
from srhm.results.publications import rows_by_curve
from srhm.results.records import write_table
from srhm.studies.equivariance import configuration as equivariance
from srhm.studies.registry import STUDIES

ROOT = Path(__file__).parents[2]
PRESET = yaml.safe_load((ROOT / "config/laptop.yaml").read_text(encoding="utf-8"))
EXPERIMENTS = [
    *("memory", "kernels", "level_by_level", "representation_cost", "relative_stability"),
    *("random_features", "equivariance", "teaching"),
]


def rows_of(study):
    schemas = published_schemas(study)
    return rows_by_curve(
        places.PUBLISHED / "laptop" / study, {"cells": schemas["cells"], **schemas}
    )


@pytest.mark.parametrize("study", EXPERIMENTS)
def test_a_published_curve_is_taken_though_a_table_has_no_row_of_it(study):
    own = {name: PRESET[name] for name in ("preset", "description", study)}
    planned = plan_preset({**own, "rows": "both"}).studies[study]
    rows = rows_of(study)
    assert planned.published == rows["cells"].keys() & planned.curves.keys() != set()


def test_the_engine_of_a_provenance_is_what_trained_the_rows():
    for file in places.PUBLISHED.glob("*/*/provenance.json"):
        trainer = STUDIES[file.parent.name].trainer
        engines = {one["engine"] for one in json.loads(file.read_text("utf-8"))["trained_on"]}
        assert ("flow" in engines) == (trainer.name == "flow"), file


def test_a_curve_is_published_with_the_tables_that_may_have_no_row_of_it(tmp_path):
    study, schemas = "memory", published_schemas("memory")
    rows = rows_of(study)
    name = next(one for one in rows["cells"] if one not in rows["history"])
    whole = plan_preset({key: PRESET[key] for key in ("preset", "description", study)})
    run = Run(plan=whole, directory=tmp_path)
    files = files_of_curve(run, study, whole.studies[study].curves[name])
    for table in ("cells", "timings"):
        write_table(rows[table][name], files[table], schemas[table])
    taken = finished(run, study)
    assert not taken.curves
    (remark,) = taken.remarks
    assert "history" in remark
    assert "still to be made" in remark
    files["history"].parent.mkdir(parents=True)
    files["history"].write_bytes(b"damage")
    taken = finished(run, study)
    assert not taken.curves
    assert "is damaged" in " ".join(taken.remarks)
    nothing = next(iter(rows["history"].values()))[:0]
    write_table(nothing, files["history"], schemas["history"])
    assert finished(run, study).curves == {name}


def test_published_rows_of_a_study_whose_package_is_missing_are_left_as_they_are(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(equivariance, "find_spec", lambda name: None)
    own = {key: PRESET[key] for key in ("preset", "description", "equivariance")}
    run, folder = Run(plan=plan_preset(own), directory=tmp_path), tmp_path / "published"
    shutil.copytree(places.PUBLISHED / "laptop" / "equivariance", folder)
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    with pytest.raises(NothingFinished, match=r"left as it is[\s\S]*make env-equivariance"):
        publish(run, folder, study="equivariance", commit="0" * 40)
    assert before == {file.name: file.read_bytes() for file in folder.iterdir()}
