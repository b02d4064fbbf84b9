"""A curve with a size or a seed more takes the published rows of all its other cells."""

from dataclasses import replace

import pandas as pd
import pytest
import yaml

from srhm.commands import publish
from srhm.commands.presets import CONFIG, Run
from srhm.commands.publish import Taken, published_before, published_schemas
from srhm.commands.watching import Watch
from srhm.planning import preset
from srhm.planning.registry import STUDIES
from srhm.store.cells import path_of
from srhm.store.gathering import completed, gather
from srhm.store.paths import stored_paths
from srhm.store.places import published_folder, store_of
from srhm.store.published import measured_keys, taken_rows
from srhm.store.records import TableError, read_table, write_table
from srhm.store.tables import CELLS, TIMINGS, schema_of
from srhm_studies.regimes.stripe.measure import NEURONS

FOLDER = published_folder("laptop", "depth")


def plan_of(study, *, name="laptop", directory=FOLDER, **changes):
    """A study of a preset with published rows, where its first group of curves has these keys."""
    values = yaml.safe_load((CONFIG / f"{name}.yaml").read_text(encoding="utf-8"))
    kept = {key: one for key, one in values.items() if key not in preset.STUDIES}
    first, *others = values[study]["curves"]
    kept[study] = values[study] | {"curves": [{**first, **changes}, *others]}
    return preset.plan_preset({**kept, "rows": "both"}, directory=directory)


def planned(**options):
    """One study of `plan_of`."""
    return plan_of("depth", **options).studies["depth"]


def test_only_the_cells_of_a_further_seed_are_trained():
    now, before = planned(seeds=5), planned()
    n = len(before.curves)
    assert before.archived == f"{n} of {n} curves are archived rows"
    partly = now.published.keys() - now.whole
    assert len(partly) == 6
    for name in partly:
        whole, left = now.curves[name], now.trained[name]
        assert {one["cell"]["seed"] for one in left.entries} == {4}
        assert {one["cell"]["seed"] for one in whole.entries} == {0, 1, 2, 3, 4}
        assert left.published_in == ""  # nothing is searched
        assert {one["key"] for one in left.entries} == {
            one["key"] for one in whole.entries
        } - now.published[name]
    number = sum(len(now.published[name]) for name in partly)
    assert f" and {number} cells of others are archived rows" in now.origin
    assert {one["key"] for left in now.trained.values() for one in left.entries}.isdisjoint(
        measured_keys(FOLDER, [])
    )


def test_of_a_searched_curve_a_further_seed_alone_is_asked_for(tmp_path):
    """Where the published searches of the other seeds have ended."""
    plan = plan_of("sparse_hierarchy", name="quick", seeds=4, directory=tmp_path)
    (curve,) = plan.curves.values()
    taken, asked = stored_paths(curve, tmp_path)
    (key,) = asked
    assert taken == []
    seeds = {e["key"]: e["cell"]["seed"] for e in curve.entries}
    assert {seeds[key], *map(seeds.get, Watch(Run(plan, tmp_path)).shares())} == {3}


def test_a_search_goes_by_a_curves_own_rows_and_not_by_published_ones_of_the_same_cells(
    tmp_path, monkeypatch
):
    """As where a cell was trained again on another machine, whose numbers differ a little."""
    folder = published_folder("quick", "sparse_hierarchy")
    run = Run(plan_of("sparse_hierarchy", name="quick", directory=tmp_path), tmp_path)
    curve = next(iter(run.plan.studies["sparse_hierarchy"].curves.values()))
    files = run.files("sparse_hierarchy", curve)
    for name, schema in {"cells": CELLS, "timings": TIMINGS}.items():
        rows = read_table(folder / f"{name}.parquet", schema)
        write_table(rows[rows["curve"] == curve.name], files[name], schema)
    own = read_table(files["cells"], CELLS)
    others = own.assign(test_error=0.0)  # their searches would go on to smaller sizes
    monkeypatch.setattr(publish, "taken_rows", lambda *_: {"cells": {curve.name: others}})
    found = publish.finished(run, "sparse_hierarchy", folder)
    assert found.remarks == []
    pd.testing.assert_frame_equal(found.rows["cells"][curve.name], own)


def test_a_cell_that_the_store_has_is_not_taken(tmp_path):
    now = planned(seeds=5, directory=tmp_path)
    curve = next(iter(now.trained.values()))
    key = min(now.published[curve.name])
    file = path_of(tmp_path / store_of(curve.trainer), key)
    file.parent.mkdir(parents=True)
    file.touch()
    left = planned(seeds=5, directory=tmp_path).trained[curve.name]
    assert {one["key"] for one in left.entries} - {one["key"] for one in curve.entries} == {key}


def test_rows_that_another_curve_holds_are_not_lost_to_a_publication():
    known = pd.read_parquet(FOLDER / "cells.parquet")
    name = known["curve"][0]
    rows = known[known["curve"] == name]
    whole = planned()
    without = replace(whole, curves={one: whole.curves[one] for one in whole.curves if one != name})
    now = Taken(rows={"cells": {"other": rows}})
    assert published_before(FOLDER, "depth", without, now).lost == []
    (lost,) = published_before(FOLDER, "depth", without, Taken()).lost
    assert lost == f"{len(rows)} rows of {name}"


def test_rows_come_in_the_order_of_the_plan_under_the_name_of_the_curve(tmp_path):
    known = read_table(FOLDER / "cells.parquet", CELLS)
    old = known["curve"][0]
    keys = list(known["key"][known["curve"] == old])
    here, name = known[known["key"] == keys[1]].assign(curve="new", test_error=7.0), "new"
    columns = {name: {"curve": name}}
    published = taken_rows(FOLDER, {"cells": CELLS}, {name: keys}, columns)["cells"]
    write_table(here, tmp_path / f"{name}.parquet", CELLS)
    found = gather([tmp_path / f"{name}.parquet"], {name: keys}, CELLS, published=published)
    assert list(found["key"]) == keys
    assert set(found["curve"]) == {name}
    expected = known[known["curve"] == old].drop(columns="curve").reset_index(drop=True)
    expected["test_error"] = expected["test_error"].mask(expected["key"] == keys[1], 7.0)
    pd.testing.assert_frame_equal(found.drop(columns="curve"), expected)
    with pytest.raises(TableError, match=r"does not hold the planned cells .1 of"):
        gather([], {name: [*keys, "another"]}, CELLS, published=published)


def test_rows_of_ensembles_have_no_keys_and_are_of_their_own_curve_alone():
    folder = published_folder("laptop", "fluctuations")
    rows = pd.read_parquet(folder / "cells.parquet")
    old = rows["curve"][0]
    keys = list(rows["key"][rows["curve"] == old])
    planned, columns = {old: keys, "new": keys}, {old: {}, "new": {}}
    taken = taken_rows(folder, published_schemas("fluctuations"), planned, columns)
    assert taken["cells"].keys() == {old, "new"}
    assert taken["ensembles"].keys() == {old}


def test_what_was_measured_of_a_cell_stands_beside_what_is_measured_here():
    folder = published_folder("laptop", "stripe")
    schemas = {"cells": schema_of(STUDIES["stripe"].schemas["cells"]), "neurons": NEURONS}
    neurons = read_table(folder / "neurons.parquet", NEURONS)
    old = neurons["curve"][0]
    whole = neurons[neurons["curve"] == old].drop(columns="curve").reset_index(drop=True)
    keys = list(dict.fromkeys(whole["key"]))
    own = whole[whole["key"] == keys[1]].assign(curve="new")[NEURONS.names]
    taken = taken_rows(folder, schemas, {"new": keys}, {"new": {}})["neurons"]["new"]
    found = completed(own, taken, keys)
    pd.testing.assert_frame_equal(found.drop(columns="curve"), whole)
    assert set(found["curve"]) == {"new"}
