"""A curve with a size or a seed more takes the published rows of all its other cells."""

from pathlib import Path

import pandas as pd
import pytest
import yaml

from srhm import preset
from srhm.commands.plan import expected_cells
from srhm.commands.presets import CONFIG, Run
from srhm.results.places import published_folder
from srhm.results.published_cells import completed, published_keys
from srhm.results.published_provenance import PublicationError
from srhm.results.tables import CELLS
from srhm.rules import curves

FOLDER = published_folder("laptop", "depth")


def planned(study="depth", name="laptop", *, rows="both", **changes):
    """A study of a preset, where its first group of curves has these keys."""
    values = yaml.safe_load((CONFIG / f"{name}.yaml").read_text(encoding="utf-8"))
    section = values[study]
    section["curves"][0] = {**section["curves"][0], **changes}
    kept = {key: one for key, one in values.items() if key not in preset.STUDIES}
    return preset.plan_preset({**kept, study: section, "rows": rows}).studies[study]


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
        assert [Path(file).parent for file in curves.taken_files(left)] == [FOLDER] * 4
    number = sum(map(len, now.partly.values()))
    assert f" and {number} cells of others are archived rows" in now.origin
    assert {one["key"] for left in now.trained.values() for one in left.entries}.isdisjoint(
        published_keys(FOLDER)
    )


def test_a_curve_with_a_seed_less_has_no_cell_to_train(tmp_path):
    values = yaml.safe_load((CONFIG / "laptop.yaml").read_text(encoding="utf-8"))
    now = planned(seeds=3)
    assert [left.entries for left in now.trained.values()] == [()] * 6
    plan = preset.Plan(preset.validate({**values, "rows": "both"}), {"depth": now})
    assert expected_cells(Run(plan, tmp_path)).empty


@pytest.mark.parametrize("rows", ["trained", "published"])
def test_rows_of_single_cells_are_taken_only_beside_training(rows):
    assert not planned(rows=rows, seeds=5).partly


def test_a_curve_that_is_measured_is_trained_whole():
    now = planned("sparse_hierarchy", "grid", seeds=9)
    assert any(one.measured for one in now.trained.values())
    assert all(not now.curves[name].measured for name in now.partly)


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
