"""The paper's points beside curves that are learnt and read by its practice."""

from math import exp, log, sqrt

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tables import grammar

from srhm.paper.sparse_hierarchy.analysis import STEP, nearest_sizes, practice_points
from srhm.statistics.sample_complexity import all_sample_complexities
from srhm.training.configuration import published_rate

GRID = [400, 600, 900, 1350, 2000, 3000]
SHIFTS = (-0.3, 0.1, 0.2)  # of log P* of each seed


def cells_of(one, P_star, *, rate=None):
    """Best errors, the root linear in log P, 10 % at P* e^shift, on GRID; 0.05 at the stop."""
    rows = []
    for seed, shift in enumerate(SHIFTS):
        for P in GRID:
            root = sqrt(0.1) - 0.237 * log(P / (P_star * exp(shift)))
            error = float(np.clip(root, 0, sqrt(0.8))) ** 2
            rows.append(
                one
                | {"curve": f"{one['net']} {one['s0']} {one['width']} {one['batch']}", "P": P,
                   "seed": seed, "test_error": 0.05, "best_test_error": error,
                   "status": "fitted", "train_loss": 1e-3, "key": f"{P}-{seed}",
                   "learning_rate": rate or published_rate(one), "batch_size": 24,
                   "loss_threshold": 1e-3}
            )  # fmt: skip
    return rows


def tables_of(curves, published):
    cells = pd.DataFrame([row for one in curves for row in one])
    empty = pd.DataFrame(columns=["kind", "variant", "layer", "k", "l", "n", *cells, "value"])
    table = all_sample_complexities(cells, empty, thresholds=[0.1])
    names = ["net", "L", "s", "s0", "v", "m", "n_c"]
    points = [
        {name: one[0][name] for name in names} | {"P_star": P}
        for one, P in zip(curves, published, strict=True)
    ]
    return {"cells": cells, "sample_complexity": table, "published_values": pd.DataFrame(points)}


def practice(net="cnn", s0=1, **other):
    return grammar(net, 2, 6, s0) | {"batch": "balanced"} | other


def points_of(tables):
    return practice_points(*(tables[n] for n in ("sample_complexity", "cells", "published_values")))


def by_a_loop(rows):
    """The P nearest to 10 % of each seed, the smaller of equal ones."""
    of_seeds = [[row for row in rows if row["seed"] == seed] for seed in range(len(SHIFTS))]
    near = [min((abs(row["best_test_error"] - 0.1), row["P"]) for row in own) for own in of_seeds]
    return [P for _, P in near]


def test_ours_is_read_off_as_the_paper_did():
    rows = cells_of(practice(), 1000)
    sizes = by_a_loop(rows)
    assert len(set(sizes)) > 1
    read = nearest_sizes(pd.DataFrame(rows).sample(frac=1, random_state=1))
    assert sorted(np.exp(read["log_size"]).round().astype(int)) == sorted(sizes)
    (point,) = points_of(tables_of([rows], [1200.0])).to_dict("records")
    assert point["ours"] == pytest.approx(stats.gmean(sizes))
    assert point["log_ratio"] == pytest.approx(log(1200 / stats.gmean(sizes)))
    assert point["n_seeds"] == 3


def test_of_two_points_that_are_equally_near_the_smaller_counts():
    cells = pd.DataFrame(cells_of(practice(), 1000)[:2]).assign(best_test_error=[0.15, 0.05])
    assert np.exp(nearest_sizes(cells)["log_size"]).tolist() == pytest.approx([400])


def test_a_prediction_interval_holds_another_seed_and_a_step_of_the_grid():
    rows = cells_of(practice(), 1000)
    (point,) = points_of(tables_of([rows], [1000.0])).to_dict("records")
    sd = np.std(SHIFTS, ddof=1)  # of the seeds' log P*, here the curve's own
    uniform = stats.uniform(scale=log(STEP)).std()
    half = stats.t.ppf(0.975, 2) * np.sqrt(sd**2 * (1 + 1 / 3) + uniform**2)
    # P* is read off a straight line between two sizes: that of the grid is off by a few percent.
    assert log(point["high"] / point["ours"]) == pytest.approx(half, rel=0.1)
    assert log(point["ours"] / point["low"]) == pytest.approx(half, rel=0.1)
    ends = point["low"], point["high"]
    for published, inside in ((ends[0] * 1.01, True), (ends[1] * 0.99, True),
                              (ends[0] * 0.99, False), (ends[1] * 1.01, False)):  # fmt: skip
        assert points_of(tables_of([rows], [published]))["inside"].tolist() == [inside]
