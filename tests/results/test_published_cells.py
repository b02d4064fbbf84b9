"""A curve with a size or a seed more takes the published rows of all its other cells."""

import json
import logging
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
import yaml

from srhm.commands.presets import CONFIG
from srhm.commands.publish import published_before
from srhm.measure import rows as beside_published
from srhm.measure.rows import measured_rows, write_measured
from srhm.planning import preset, specs
from srhm.planning.registry import STUDIES
from srhm.store.cells import path_of
from srhm.store.places import PUBLISHED, published_folder, store_of
from srhm.store.published import completed, published_keys
from srhm.store.published_provenance import PublicationError
from srhm.store.records import read_table
from srhm.store.tables import CELLS
from srhm_studies.regimes.stripe.measure import NEURONS

FOLDER = published_folder("laptop", "depth")
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
        assert "order" in specs.curve_spec(left)
        assert "order" not in specs.curve_spec(whole)
        assert [Path(file).parent for file in specs.taken_files(left)] == [FOLDER] * 3
    number = sum(map(len, now.partly.values()))
    assert f" and {number} cells of others are archived rows" in now.origin
    assert {one["key"] for left in now.trained.values() for one in left.entries}.isdisjoint(
        published_keys(FOLDER)
    )


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
            specs.measuring_spec((NEURONS_OF_CELLS, {}), replace(left, entries=entries))
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
