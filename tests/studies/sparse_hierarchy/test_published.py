"""Published rows: what is taken, what is refused, and what is then trained.

The rows are invented: test errors that fall through 10 % at a known P*.
"""

import json
import re
import shutil
from functools import cache, partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from srhm.commands import publish as published
from srhm.commands.presets import CONFIG as CONFIGS
from srhm.commands.presets import Run, read_preset
from srhm.declare.study import ConfigError
from srhm.model import theory
from srhm.planning import preset
from srhm.statistics.publications import read_publications
from srhm.statistics.sample_complexity import all_sample_complexities
from srhm.store.cells import CODE
from srhm.store.places import PUBLISHED
from srhm.store.published_provenance import PublicationError
from srhm.store.records import read_table, write_table
from srhm.store.sources import digest_of
from srhm.store.tables import CELLS, SENSITIVITIES, TIMINGS

FACTOR = 1.5  # of the invented P* over the prediction, for all curves
DEVICE = "Invented GPU"
PACKED = digest_of(CODE)
CONFIG = {
    "preset": "big",
    "description": "curves that exist in no other preset",
    "sparse_hierarchy": {
        "seeds": 2,
        "width": 20,
        "curves": [
            {"net": net, "L": 2, "v": 4, "s0": [1, 2, 4], "P": {"low": 0.5, "high": 4,
             "per_octave": 1}} for net in ("lcn", "cnn")
        ],
    },
}  # fmt: skip


STUDY = "sparse_hierarchy"
publish = partial(published.publish, study=STUDY)


def run_in(folder: Path, **changes: Any) -> Run:
    section = {**CONFIG["sparse_hierarchy"], **changes}
    return Run(preset.plan_preset({**CONFIG, "sparse_hierarchy": section}), folder)


def rows_of(entry: dict[str, Any], name: str, *, packed: bool) -> tuple[dict, dict]:
    """A cell's row and its times: the error falls to 10 % at FACTOR times the prediction."""
    cell = entry["cell"]
    prediction = theory.predicted_sample_complexity(
        cell["net"], depth=2, branching=2, n_synonyms=cell["m"], n_classes=cell["n_c"],
        n_empty=cell["s0"],
    )  # fmt: skip
    noise = 1 + 0.1 * (cell["seed"] - 0.5)
    error = min(0.75, 0.1 * FACTOR * noise * prediction / cell["P"])
    unknown = dict.fromkeys(CELLS.names, 0)
    versions = f"torch 2.13, stacked {PACKED} on {DEVICE}" if packed else "python 3.11, numpy 2.4"
    row = unknown | cell | {
        "curve": name, "key": entry["key"], "dtype": "float32", "fcn_scale": None,
        "test_error": error, "best_test_error": error, "status": "fitted", "source": "abc",
        "versions": versions,
    }  # fmt: skip
    timing = {"curve": name, "key": entry["key"], "steps": 0, "seconds": 1.5, "host": "secret",
              "started": "2026-11-21T10:00:00+00:00", "threads": 1,
              "processor": DEVICE if packed else "Invented CPU"}  # fmt: skip
    return {column: row[column] for column in CELLS.names}, timing


def train(run: Run, names: list[str], *, packed: bool = False) -> None:
    """Leaves the tables of these curves as the workflow does."""
    for name in names:
        file, entries = run.rows(run.curves[name]), run.curves[name].entries
        rows, timings = zip(*(rows_of(e, name, packed=packed) for e in entries), strict=True)
        write_table(timings, file.with_suffix(".timings.parquet"), TIMINGS)
        write_table(rows, file, CELLS)


@pytest.fixture
def finished(tmp_path: Path) -> Run:
    """A run of which all curves but the last are finished."""
    run = run_in(tmp_path)
    train(run, list(run.curves)[:-1])
    return run


def kept(folder: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    return (
        read_table(folder / "cells.parquet", CELLS),
        json.loads((folder / "provenance.json").read_text()),
    )


def test_what_is_finished_is_taken_with_its_estimates_and_the_rest_is_named(finished, tmp_path):
    folder = tmp_path / "published" / "big" / STUDY
    said = "\n".join(publish(finished, folder, commit="c0ffee"))
    cells, provenance = kept(folder)
    (run,) = read_publications([folder / "provenance.json"])
    table = run.sample_complexity
    names = list(finished.curves)
    assert list(cells["curve"].unique()) == names[:-1]
    assert "taken: 5 of 6 curves" in said
    assert "sensitivities of" not in said  # of no curve
    own = cells[CELLS.names]
    pd.testing.assert_frame_equal(
        own[own["curve"] == names[0]].reset_index(drop=True),
        read_table(finished.rows(finished.curves[names[0]]), CELLS),
    )
    expected = all_sample_complexities(
        own, pd.DataFrame(
            columns=["kind", "variant", "layer", "k", "l", "n", *CELLS.names, "value"]
        ),
        thresholds=[0.1, 0.05, 0.2, 0.3],
    )  # fmt: skip
    pd.testing.assert_frame_equal(table, expected[table.columns], check_dtype=False)
    assert provenance["cells"] == len(cells)
    assert (provenance["curves"], provenance["planned_curves"]) == (5, 6)


def test_a_second_call_writes_the_same_bytes_and_one_from_elsewhere_adds(finished, tmp_path):
    folder, names = tmp_path / "published" / "big" / STUDY, list(finished.curves)
    publish(finished, folder, commit="c0ffee")
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    publish(finished, folder, commit="c0ffee")
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    elsewhere = run_in(tmp_path / "elsewhere")
    train(elsewhere, names[-1:], packed=True)
    said = "\n".join(publish(elsewhere, folder, commit="c0ffee"))
    assert "5 published before" in said
    cells, provenance = kept(folder)
    assert list(cells["curve"].unique()) == names
    kinds = {(one["processor"], one["device"]) for one in provenance["trained_on"]}
    assert kinds == {("Invented CPU", "CPU"), (DEVICE, "GPU")}


@pytest.mark.parametrize("finished_anew", [False, True])
def test_rows_of_other_keys_are_kept_unless_they_may_be_dropped(
    finished_anew, finished, tmp_path, capsys
):
    folder, names = tmp_path / "published" / "big" / STUDY, list(finished.curves)
    publish(finished, folder, commit="c0ffee")
    cells, *_ = kept(folder)
    stale = cells["curve"] == names[0]
    cells.loc[stale, "key"] = "trained by other code"
    write_table(cells, folder / "cells.parquet", CELLS)
    if not finished_anew:
        finished.rows(finished.curves[names[0]]).unlink()
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    config = tmp_path / "big.yaml"
    config.write_text(yaml.safe_dump(CONFIG))
    options = ["--configfile", str(config), "--directory", str(tmp_path), "--commit", "c0ffee"]
    options += ["--published", str(folder.parents[1])]
    assert published.main(options) == 1
    refusal = capsys.readouterr().err
    assert f"no longer planned: {stale.sum()} rows of {names[0]}" in refusal
    assert "make publish PRESET=big ARGS=--drop" in refusal
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    assert published.main([*options, "--drop"]) == 0
    assert f"dropped: {stale.sum()} rows of {names[0]}" in capsys.readouterr().out
    left = kept(folder)[0]
    assert list(left["curve"].unique()) == names[0 if finished_anew else 1 : -1]
    assert not left["key"].str.startswith("trained").any()


@pytest.mark.parametrize("name", ["cells.parquet", "provenance.json"])
@pytest.mark.parametrize("damage", ["cut", "altered", "gone"])
def test_a_damaged_file_is_named_with_what_restores_it(name, damage, finished, tmp_path):
    folder = tmp_path / "published" / "big" / STUDY
    publish(finished, folder, commit="c0ffee")
    file = folder / name
    if damage == "gone":
        file.unlink()
    elif damage == "cut":
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    else:
        middle = file.stat().st_size // 3
        whole = file.read_bytes()
        file.write_bytes(whole[:middle] + bytes(40) + whole[middle + 40 :])
    with pytest.raises(PublicationError, match=f"{re.escape(str(file))}.*git checkout -- .*{name}"):
        read_publications([folder / "cells.parquet", folder / "provenance.json"])


def test_what_is_measured_of_a_curve_is_published_and_kept_by_a_later_call(finished, tmp_path):
    folder, name = tmp_path / "published" / "big" / STUDY, next(iter(finished.curves))
    file = finished.files(STUDY, finished.curves[name])["sensitivities"]
    rows = measured_rows(finished, name)
    write_table(rows, file, SENSITIVITIES)
    assert "sensitivities of 1 curve" in publish(finished, folder, commit="c0ffee")
    file.unlink()
    publish(finished, folder, commit="c0ffee")
    assert len(read_table(folder / "sensitivities.parquet", SENSITIVITIES)) == len(rows)
    tables = kept(folder)[1]["tables"]
    assert (tables["sensitivities"], len(tables["cells"])) == ([name], 5)


def measured_rows(run: Run, name: str) -> list[dict[str, Any]]:
    """A sensitivity of each cell of a curve."""
    empty = {"int64": 0, "double": 0.0, "string": "", "bool": False}
    unknown = {one.name: empty[str(one.type)] for one in SENSITIVITIES}
    return [{**unknown, "curve": name, "key": entry["key"]} for entry in run.curves[name].entries]


def planned_with(rows: str, folder: Path) -> preset.Plan:
    return preset.plan_preset({**CONFIG, "rows": rows}, published=folder)


def test_of_published_rows_alone_nothing_is_trained(finished, tmp_path):
    names = list(finished.curves)
    publish(finished, tmp_path / "published" / "big" / STUDY, commit="c0ffee")
    plan = planned_with("published", tmp_path / "published")
    assert plan.name == "big-published"
    assert list(plan.studies[STUDY].curves) == names[:-1]
    assert plan.curves == {}
    assert "5 of 6 curves" in plan.studies[STUDY].origin
    assert "commit c0ffee" in plan.studies[STUDY].origin


def test_beside_published_rows_what_they_lack_is_trained(finished, tmp_path):
    names = list(finished.curves)
    for name in names[:2]:
        file = finished.files(STUDY, finished.curves[name])["sensitivities"]
        write_table(measured_rows(finished, name), file, SENSITIVITIES)
    publish(finished, tmp_path / "published" / "big" / STUDY, commit="c0ffee")
    plan = planned_with("both", tmp_path / "published")
    assert plan.name == "big"
    assert list(plan.studies[STUDY].curves) == names
    assert list(plan.curves) == names[2:]  # of the others nothing is measured
    assert "2 of 6 curves" in plan.studies[STUDY].origin


def test_a_preset_of_which_nothing_is_published_or_damaged_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"nothing of big is published.*make publish PRESET=big"):
        planned_with("published", tmp_path)
    file = tmp_path / "big" / STUDY / "provenance.json"
    file.parent.mkdir(parents=True)
    file.write_text("{}")
    with pytest.raises(ConfigError, match=r"provenance\.json is of another version"):
        planned_with("both", tmp_path)
    file.write_text("{")
    with pytest.raises(ConfigError, match=r"provenance\.json: is damaged.*git checkout"):
        planned_with("both", tmp_path)


FOLDERS = sorted(PUBLISHED.glob("*/*/"))


@cache
def planned_of(name: str) -> preset.Plan:
    """What a preset asks for; `laptop` takes a second, and many of its studies are published.

    With published rows: of these the data may be missing here.
    """
    asked = read_preset(CONFIGS / f"{name}.yaml") | {"rows": "both"}
    return preset.plan_preset(asked, directory=PUBLISHED, published=PUBLISHED)


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: "-".join(folder.parts[-2:]))
def test_every_published_row_is_taken(folder, tmp_path):
    name, study = folder.parts[-2:]
    if study == "equivariance":
        pytest.importorskip("e3nn", reason="its curves are planned after `make env-equivariance`")
    copy = tmp_path / name / study
    shutil.copytree(folder, copy)
    run = Run(planned_of(name).only([study]), tmp_path)
    published.publish(run, copy, study=study, commit="c0ffee")
    for file in folder.glob("*.parquet"):
        assert (copy / file.name).read_bytes() == file.read_bytes()
