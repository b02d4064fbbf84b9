"""The plan of a section, what it refuses, and the networks that stand beside it."""

from pathlib import Path

import pandas as pd
import pytest
from pydantic import ValidationError
from tables import curve, published_cells

from srhm.studies.level_by_level import references
from srhm.studies.level_by_level.configuration import LevelByLevelSection, law, seconds
from srhm.studies.level_by_level.study import STUDY
from srhm.study import ConfigError


def planned(**group):
    section = LevelByLevelSection(curves=[{"net": "shared", "L": 2, "P_over_law": [1, 4], **group}])
    return STUDY.plan(section, Path())


def cells_of(found):
    return [cell for curve in found.curves.values() for cell in curve.cells]


def test_sizes_are_over_the_law():
    cells = cells_of(planned(net=["shared", "separate"], L=3, v=4, s0=1, m=2, seeds=1))
    assert [(cell["net"], cell["P"]) for cell in cells] == [
        ("shared", 4 * 32), ("shared", 16 * 32), ("separate", 8 * 32), ("separate", 32 * 32),
    ]  # fmt: skip
    assert law("separate", L=3, s0=1, m=2, n_c=4) == 8 * 32
    assert all(seconds(cell) > 0 for cell in cells)


def test_distinct_data_leave_a_test_set():
    cells = cells_of(planned(v=4, draws="distinct", P_over_law=[1, 2, 4], seeds=1))
    assert [cell["P"] for cell in cells] == [64, 128]  # of 256 data


def test_groups_that_share_a_curve_are_joined():
    section = LevelByLevelSection(
        curves=[
            {"net": "shared", "L": 2, "v": 4, "P_over_law": [1, 4], "seeds": 2},
            {"net": "shared", "L": 2, "v": 4, "P_over_law": 8, "seeds": 1, "sensitivities": True},
        ]
    )
    cells = cells_of(STUDY.plan(section, Path()))
    assert sorted((cell["P"], cell["seed"]) for cell in cells) == [
        (64, 0), (64, 1), (256, 0), (256, 1), (512, 0),
    ]  # fmt: skip
    assert all(cell["sensitivities"] for cell in cells)


def test_what_cannot_be_is_refused_by_name():
    with pytest.raises(ConfigError, match=r"curves\.0: m = 9 .*allowed are m from 1 to 3"):
        planned(v=3, m=9)
    with pytest.raises(ValidationError, match="'separate'"):
        planned(v=3, net="cnn")


def test_references_are_those_of_published_rows(tmp_path):
    published = tmp_path / "grid" / "sparse_hierarchy" / "cells.parquet"
    trained = tmp_path / "laptop" / "layerwise" / "cells.parquet"
    for file in (published, trained):
        file.parent.mkdir(parents=True)
    grammar = {"L": 2, "s": 2, "s0": 0, "v": 4, "m": 4, "n_c": 4, "sparsity": "A"}
    curves = [curve("cnn", 2, 4, 0), curve("fcn", 2, 4, 0), curve("cnn", 2, 4, 0, sparsity="B")]
    published_cells(curves, P_star=150.0, n_seeds=3).to_parquet(published)
    cells = [
        {"net": "cnn", **grammar, "data": "srhm", "training": training, "P": P, "seed": seed,
         "test_error": error}
        for training in ("layerwise", "end_to_end")
        for P, error in ((100, 0.4), (400, 0.0)) for seed in (0, 1)
    ]  # fmt: skip
    pd.DataFrame(cells).to_parquet(trained)
    found = references.references(
        end_to_end=[str(published)], layerwise=[str(trained)], threshold=0.1
    )
    assert found["training"].tolist() == ["end to end", "layer by layer"]
    assert found["P_star"].tolist() == pytest.approx([150.0, 100 * 4**0.5])
    assert found["origin"].tolist() == ["grid/sparse_hierarchy", "laptop/layerwise"]
    assert references.references(end_to_end=[], layerwise=[], threshold=0.1).empty
