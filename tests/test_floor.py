"""FLOOR, the error that all grammars of a curve share, measured on shipped curves of finer steps.

Curves of `weight_sharing`, at steps of 1.26 in P, are read again with every second P alone. What
this changes alike in all grammars of a curve is common to them, since they share their P. A search
ends at steps of 1.19, where the same is smaller by the square of the steps, so that FLOOR holds.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from srhm.statistics.regression import FLOOR
from srhm.statistics.sample_complexity import crossing, is_dead, lasting_crossing

PUBLISHED = Path(__file__).parents[1] / "published"
FINE, LEAST_SEEDS = 1.5, 3


def offsets(rule):
    """Change of log P* with every second P, mean over the grammars of a curve: step, offset."""
    cells = pd.read_parquet(PUBLISHED / "laptop/weight_sharing/cells.parquet")
    cells = cells[~is_dead(cells)]
    found = []
    for _, curve in cells.groupby("curve"):
        table = curve.pivot(index="P", columns="seed", values="test_error").dropna(axis=1)
        sizes = table.index.to_numpy(float)
        if len(sizes) < 4 or np.exp(np.diff(np.log(sizes)).mean()) > FINE:
            continue
        for start in (0, 1):
            each = []
            for values in table.to_numpy(float).T:
                whole = rule(sizes, values, 0.1)
                thin = rule(sizes[start::2], values[start::2], 0.1)
                if whole.status == thin.status == "reached":
                    each.append(thin.log_size - whole.log_size)
            if len(each) >= LEAST_SEEDS:
                found.append((np.exp(2 * np.diff(np.log(sizes)).mean()), np.mean(each)))
    return np.array(found)


def test_the_shared_error_is_that_of_the_floor():
    root = offsets(crossing)
    linear = offsets(lasting_crossing)
    assert len(root) > 40
    assert np.median(root[:, 0]) == pytest.approx(1.59, abs=0.02)
    assert 0.7 * FLOOR < np.sqrt(np.square(root[:, 1]).mean()) < 1.1 * FLOOR
    assert linear[:, 1].mean() > 2 * abs(root[:, 1].mean())
