"""A run knows whether it is right: P* of its grammars beside those of the archive."""

import json
from dataclasses import replace

import numpy as np
import pytest
from train_curves import LOG, hierarchy_curves

from srhm.jobs.stopping import StopRequest
from srhm.model.grammar import parameters_of
from srhm.model.sampling import draw_samples
from srhm.planning.specs import curve_spec
from srhm.scorecard.archived_run import compared, seed_stars
from srhm.store.places import PUBLISHED
from srhm.store.records import read_table, write_derivations, write_table
from srhm.store.tables import CELLS, SENSITIVITIES
from srhm.training import sparse
from srhm.training.loop import result_rows
from srhm.training.searching import train_paths

GRID = PUBLISHED / "grid/sparse_hierarchy"
SEARCHED = {"net": "cnn", "L": 2, "v": 3, "s0": 1, "P": {"low": 0.5, "high": 20, "search": "error"}}
SECTION = {"seeds": 3, "width": 16, "n_test": 200, "training": {"max_steps": 20000}}
(CURVE,) = hierarchy_curves({**SECTION, "curves": [SEARCHED]})
NONE = SENSITIVITIES.empty_table().to_pandas()


@pytest.fixture(scope="module")
def archived():
    """P* of one depth of the archive, all criteria."""
    tables = [read_table(GRID / f"{name}.parquet", schema)
              for name, schema in (("cells", CELLS), ("sensitivities", SENSITIVITIES))]  # fmt: skip
    some = [one[(one["net"] == "cnn") & (one["L"] == 2) & (one["v"] <= 4)] for one in tables]
    return some, seed_stars(*some)


def test_what_is_ten_percent_off_is_named(archived):
    stars = archived[1].dropna(subset="P_star").reset_index(drop=True)
    factors = np.ones(len(stars))
    factors[[3, 8]] = 1.12, 1 / 1.12
    factors[[5, 9]] = 1.08, np.nan
    found = compared(stars.assign(P_star=stars["P_star"] * factors), stars)
    assert len(found.far) == 3
    names = [f"{stars['P_star'][k]:.0f}" for k in (3, 8, 9)]
    assert [far.split()[-1] for far in found.far] == names
    assert " not reached, archive" in found.far[-1]
    assert found.lines()[1].startswith("other P*: CNN L = 2 v = ")


def stars_of(folder):
    """P* of the networks of CURVE, trained here."""
    parameters = parameters_of(CURVE.cells[0])
    n_train, n_test = max(cell["P"] for cell in CURVE.cells), CURVE.cells[0]["n_test"]
    samples = draw_samples(parameters, [0, 1, 2], n_train=n_train, n_test=n_test)
    write_derivations(samples, folder / "derivations.parquet", provenance={})
    entries, cells = train_paths(
        json.loads(curve_spec(CURVE)),
        derivations=[str(folder / "derivations.parquet")],
        **{"store": folder / "cells", "checkpoints": folder / "checkpoints"},
        **{"threads": 1, "log": LOG, "stop": StopRequest(), "gpu": 0},
    )
    rows, _ = result_rows(CURVE.name, entries, cells)
    write_table(rows, folder / "cells.parquet", CELLS)
    return seed_stars(read_table(folder / "cells.parquet", CELLS), NONE)


def test_a_run_whose_trainer_is_broken_says_so(tmp_path, monkeypatch):
    for name in ("right", "again", "broken"):
        (tmp_path / name).mkdir()
    right = stars_of(tmp_path / "right")
    assert len(right) == 3
    assert not compared(stars_of(tmp_path / "again"), right).far
    made = sparse.SparseEngine.__init__

    def with_wrong_labels(self, geometry, weights, train, test, **options):
        """One label of six is that of another class."""
        labels = train.labels.copy()
        labels[::6] = (labels[::6] + 1) % 3
        made(self, geometry, weights, replace(train, labels=labels), test, **options)

    monkeypatch.setattr(sparse.SparseEngine, "__init__", with_wrong_labels)
    broken = compared(stars_of(tmp_path / "broken"), right)
    assert broken.sentence() == "0 of 3 P* within 10 % of the archive"
