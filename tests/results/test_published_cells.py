"""A curve with a size or a seed more takes the published rows of all its other cells."""

import json
import logging
import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
import yaml

from srhm import preset
from srhm.cell_measurement import CellMeasurement
from srhm.commands.plan import expected_cells
from srhm.commands.presets import CONFIG, Run
from srhm.commands.publish import published_before
from srhm.measure import beside_published
from srhm.measure.any_measurement import measured_rows, write_measured
from srhm.results.places import PUBLISHED, published_folder, store_of
from srhm.results.publications import digests
from srhm.results.published_cells import completed, published_keys
from srhm.results.published_measurements import measured_keys, published_rows
from srhm.results.published_provenance import (
    PROVENANCE_FILE,
    PublicationError,
    provenance_text,
    read_provenance_file,
)
from srhm.results.records import read_table, write_table
from srhm.results.store import path_of
from srhm.results.tables import CELLS, schema_of
from srhm.rules import curves
from srhm.rules.explorers import explored_tables
from srhm.studies.registry import STUDIES
from srhm.studies.stripe.measure import NEURONS
from srhm.study import ConfigError

FOLDER = published_folder("laptop", "depth")
(SENSITIVITIES,) = STUDIES["sparse_hierarchy"].measurements
(NEURONS_OF_CELLS,) = (one for one in STUDIES["stripe"].measurements if one.name == "neurons")
LOG = logging.getLogger(__name__)


def plan_of(*studies, name="laptop", rows="both", published=PUBLISHED, directory=FOLDER, **changes):
    """Studies of a preset, where the first group of curves of each has these keys."""
    values = yaml.safe_load((CONFIG / f"{name}.yaml").read_text(encoding="utf-8"))
    kept = {key: one for key, one in values.items() if key not in preset.STUDIES}
    for study in studies:
        first, *others = values[study]["curves"]
        kept[study] = values[study] | {"curves": [{**first, **changes}, *others]}
    return preset.plan_preset({**kept, "rows": rows}, published=published, directory=directory)


def planned(study="depth", **options):
    """One study of `plan_of`."""
    return plan_of(study, **options).studies[study]


def test_only_the_cells_of_a_further_seed_are_trained():
    now, before = planned(seeds=5), planned()
    assert not before.partly
    n = len(before.curves)
    assert before.archived == f"{n} of {n} curves are archived rows"
    assert len(now.partly) == 6
    for name in now.partly:
        whole, left = now.curves[name], now.trained[name]
        assert {one["cell"]["seed"] for one in left.entries} == {4}
        assert {one["cell"]["seed"] for one in whole.entries} == {0, 1, 2, 3, 4}
        assert left.order == tuple(one["key"] for one in whole.entries)
        assert Path(left.published_in) == FOLDER
        assert "order" in curves.curve_spec(left)
        assert "order" not in curves.curve_spec(whole)
        assert [Path(file).parent for file in curves.taken_files(left)] == [FOLDER] * 3
    number = sum(map(len, now.partly.values()))
    assert f" and {number} cells of others are archived rows" in now.origin
    assert {one["key"] for left in now.trained.values() for one in left.entries}.isdisjoint(
        published_keys(FOLDER)
    )


def test_a_curve_with_a_seed_less_has_no_cell_to_train(tmp_path):
    run = Run(plan_of("depth", seeds=3), tmp_path)
    assert [left.entries for left in run.curves.values()] == [()] * 6
    assert expected_cells(run).empty
    assert run.plan.studies["depth"].origin.endswith("nothing was trained here")


def test_a_cell_that_the_store_has_is_not_taken(tmp_path):
    now = planned(seeds=5, directory=tmp_path)
    curve = next(iter(now.trained.values()))
    file = path_of(tmp_path / store_of(curve.trainer), curve.order[0])
    file.parent.mkdir(parents=True)
    file.touch()
    left = planned(seeds=5, directory=tmp_path).trained[curve.name]
    assert {one["key"] for one in left.entries} - {one["key"] for one in curve.entries} == {
        curve.order[0]
    }


def test_of_a_curve_of_two_studies_no_single_cell_is_taken():
    both = plan_of("temperature", "weight_sharing", seeds=7)
    measured, other = (both.studies[one] for one in ("temperature", "weight_sharing"))
    shared = measured.curves.keys() & other.curves.keys()
    assert shared
    assert shared.isdisjoint(other.partly)
    assert other.partly.keys() == planned("weight_sharing", seeds=7).partly.keys() - shared


def test_a_cell_that_is_trained_for_one_curve_is_archived_for_none():
    def a_seed_more(section):
        more = {"seeds": section["seeds"] + 1} if "seeds" in section else {}
        return {**section, **more}

    values = yaml.safe_load((CONFIG / "laptop.yaml").read_text(encoding="utf-8"))
    config = {key: one for key, one in values.items() if key not in preset.STUDIES}
    for study in ("temperature", "weight_sharing", "depth"):
        section = a_seed_more(values[study])
        config[study] = {**section, "curves": list(map(a_seed_more, section["curves"]))}
    plan = preset.plan_preset({**config, "rows": "both"}, directory=FOLDER)
    trained = {e["key"] for curve in plan.curves.values() for e in curve.entries}
    archived = [keys for one in plan.studies.values() for keys in one.partly.values()]
    assert len(archived) > 10
    assert trained.isdisjoint(frozenset().union(*archived))
    for one in plan.studies.values():
        number = sum(map(len, one.partly.values()))
        assert f" and {number} cells of others are archived" in one.origin


def test_what_may_be_empty_was_measured_where_its_curve_has_rows():
    folder = published_folder("laptop", "gaps")
    (at_jamming,) = (one for one in STUDIES["gaps"].measurements if one.name == "at_jamming")
    cells = pd.read_parquet(folder / "cells.parquet")
    some = [set(pd.read_parquet(folder / f"{one}.parquet")["curve"]) for one in at_jamming.tables]
    found = cells[cells["key"].isin(measured_keys(folder, [at_jamming]))]
    assert set(found["curve"]) == set.union(*some)
    assert 0 < found["curve"].nunique() < cells["curve"].nunique()


def test_without_kept_networks_a_measured_curve_is_trained_whole():
    values = yaml.safe_load((CONFIG / "grid.yaml").read_text(encoding="utf-8"))
    kept = {key: one for key, one in values.items() if key not in preset.STUDIES}
    section = values["sparse_hierarchy"]
    section |= {"curves": [{**section["curves"][0], "seeds": 9}]}
    for keep in (True, False):
        config = {**kept, "rows": "both", "sparse_hierarchy": section | {"keep_weights": keep}}
        now = preset.plan_preset(config, directory=FOLDER).studies["sparse_hierarchy"]
        assert bool(now.partly) is keep


def test_where_no_row_is_taken_the_page_says_so():
    now = planned(training={"n_checks": 0, "learning_rate": 0.0029, "max_steps": 3000000})
    left = len(now.curves) - len(now.published)
    assert left == 6
    assert not now.partly
    assert now.origin.startswith(f"{len(now.published)} of {len(now.curves)} curves are archived")


def test_an_explorer_tells_single_cells_from_those_trained_here():
    plan = plan_of("depth", seeds=5)
    (told,) = {json.dumps(one["published"]) for one in explored_tables(plan, ["depth"])
               if one["schema"] == "CELLS"}  # fmt: skip
    named = set(json.loads(told)["archive: laptop"])
    assert named == plan.studies["depth"].published.union(*plan.studies["depth"].partly.values())


def test_a_damaged_table_stops_the_plan(tmp_path):
    folder = tmp_path / "laptop/depth"
    shutil.copytree(FOLDER, folder)
    (folder / "timings.parquet").write_bytes(b"no table")
    with pytest.raises(ConfigError, match=r"timings\.parquet: is not the table"):
        planned(seeds=5, published=tmp_path)


def test_rows_that_another_curve_holds_are_not_lost_to_a_publication():
    known = pd.read_parquet(FOLDER / "cells.parquet")
    keys = {name: list(rows["key"]) for name, rows in known.groupby("curve", sort=False)}
    name = next(iter(keys))
    other = {**{one: own for one, own in keys.items() if one != name}, "other": keys[name]}
    whole = published_before(FOLDER, "depth", other, elsewhere=set(keys[name]))
    assert whole.lost == []
    (lost,) = published_before(FOLDER, "depth", other).lost
    assert (
        lost == f"{len(keys[name])} rows of {name}, whose cells other curves hold now, not finished"
    )
    del other["other"]
    (lost,) = published_before(FOLDER, "depth", other).lost
    assert lost.endswith("whose keys the configuration and the code do not have")


@pytest.mark.parametrize("rows", ["trained", "published"])
def test_rows_of_single_cells_are_taken_only_beside_training(rows):
    assert not planned(rows=rows, seeds=5).partly


def test_of_a_measured_curve_too_only_further_cells_are_trained_and_measured():
    now = planned("sparse_hierarchy", name="grid", seeds=9)
    measured = [name for name in now.partly if now.curves[name].measured]
    assert measured
    for name in measured:
        whole, left = now.curves[name], now.trained[name]
        told = json.loads(curves.measuring_spec((SENSITIVITIES, {}), left))
        assert told["function"] == curves.BESIDE_PUBLISHED
        assert told["options"]["measurement"]["function"] == SENSITIVITIES.function
        assert told["options"]["order"] == [one["key"] for one in whole.entries]
        assert min(one["cell"]["seed"] for one in left.entries) > 0
        alone = json.loads(curves.measuring_spec((SENSITIVITIES, {}), whole))
        assert alone["function"] == SENSITIVITIES.function


def test_a_curve_whose_measurement_needs_all_of_its_networks_is_trained_whole():
    now = planned("fluctuations", seeds=9)
    assert any(name not in now.published for name in now.curves)
    assert not now.partly


def test_cells_without_published_rows_of_what_is_measured_are_trained(tmp_path):
    folder = published_folder("laptop", "stripe", published=tmp_path)
    shutil.copytree(published_folder("laptop", "stripe"), folder)
    rows = pd.read_parquet(folder / "neurons.parquet")
    key = rows["key"][0]
    write_table(rows[rows["key"] != key], folder / "neurons.parquet", NEURONS)
    known = read_provenance_file(folder / PROVENANCE_FILE)
    known["sha256"] |= digests(folder, ["neurons"])
    (folder / PROVENANCE_FILE).write_text(provenance_text(known), encoding="utf-8")
    assert published_keys(folder) - measured_keys(folder, [NEURONS_OF_CELLS]) >= {key}
    now = planned("stripe", published=tmp_path, seeds=9)
    (name,) = (name for name, one in now.curves.items() if key in {e["key"] for e in one.entries})
    assert key in {one["key"] for one in now.trained[name].entries}
    assert now.partly[name]


def test_what_was_measured_of_a_cell_stands_beside_what_is_measured_here(tmp_path, monkeypatch):
    folder = published_folder("laptop", "stripe")
    published = read_table(folder / "neurons.parquet", NEURONS)
    name = published["curve"][0]
    expected = published[published["curve"] == name].reset_index(drop=True)
    keys = list(dict.fromkeys(expected["key"]))
    here = keys[1]
    left = replace(
        next(iter(planned("stripe").curves.values())),
        name=name,
        entries=({"key": here, "source": "", "cell": {}},),
        published_in=str(folder),
        order=tuple(keys),
    )
    asked = []

    def measured(spec, **how):
        asked.append((spec["function"], [one["key"] for one in spec["cells"]], how["derivations"]))
        own = expected[expected["key"] == here].drop(columns="curve").assign(readout=7.0)
        return {"neurons": own.to_dict("records")}

    monkeypatch.setattr(beside_published, "measured_rows", measured)
    for entries, derivations in ((left.entries, ["file"]), ((), [])):
        spec = json.loads(
            curves.measuring_spec((NEURONS_OF_CELLS, {}), replace(left, entries=entries))
        )
        rows = measured_rows(spec, derivations=derivations, store=tmp_path, log=LOG)
        write_measured(spec, rows, {"neurons": str(tmp_path / "neurons.parquet")})
        found = read_table(tmp_path / "neurons.parquet", NEURONS)
        readout = expected["readout"].mask(expected["key"] == here, 7.0) if entries else None
        whole = expected if readout is None else expected.assign(readout=readout)
        pd.testing.assert_frame_equal(found, whole)
    assert asked == [
        (NEURONS_OF_CELLS.function, [here], ["file"])
    ]  # of no cell nothing is measured


def test_a_published_table_that_is_lost_stops_the_measurement(tmp_path):
    folder = published_folder("laptop", "stripe", published=tmp_path)
    shutil.copytree(published_folder("laptop", "stripe"), folder)
    (folder / "neurons.parquet").unlink()
    with pytest.raises(PublicationError, match=r"neurons\.parquet: is missing"):
        published_rows(folder, "neurons", NEURONS, keys={"any"})


def test_each_measurement_that_is_of_single_cells_has_their_keys():
    of_cells = [
        one
        for study in STUDIES.values()
        for one in study.measurements
        if isinstance(one, CellMeasurement)
    ]
    assert len(of_cells) > 10
    for one in of_cells:
        assert all("key" in schema_of(schema).names for schema in one.tables.values()), one.name


def test_rows_come_in_the_order_of_the_plan_under_the_name_of_the_curve():
    now = planned(seeds=5)
    name = min(now.partly)
    left = now.trained[name]
    known = pd.read_parquet(FOLDER / "cells.parquet").set_index("key", drop=False)
    first = known.iloc[0].to_dict()
    trained = [{**first, "curve": name, **one["cell"], "key": one["key"]} for one in left.entries]
    rows = pd.DataFrame(trained)[CELLS.names]
    file, options = FOLDER / "cells.parquet", {"named": {"curve": name}}
    found = completed(rows, file, CELLS, order=left.order, **options)
    assert tuple(found["key"]) == left.order
    assert set(found["curve"]) == {name}
    others = found[found["seed"] < 4].set_index("key", drop=False)
    expected = known.loc[others.index].drop(columns="curve")
    pd.testing.assert_frame_equal(others.drop(columns="curve"), expected, check_dtype=False)
    with pytest.raises(PublicationError, match=r"cells\.parquet: lacks 1 cells, unknown among"):
        completed(rows, file, CELLS, order=[*left.order, "unknown"], **options)
