"""Planning grows with the number of cells, and no faster; times are in benchmarks/README.md."""

import sys
from types import FrameType
from typing import Any

import pandas as pd
import pytest

from srhm import preset
from srhm.results.gathering import gather
from srhm.results.records import write_table
from srhm.results.tables import TIMINGS


def configuration(n_sizes: int, n_seeds: int, n_curves: int) -> dict[str, Any]:
    """A configuration with so many P, seeds and curves of the smallest networks."""
    group = {"net": "cnn", "L": 2, "v": 8, "s0": [*range(n_curves)]}
    group["P"] = [*range(10, 10 + n_sizes)]
    section = {"seeds": n_seeds, "width": 8, "n_test": 100, "curves": [group]}
    return {"preset": "scale", "sparse_hierarchy": section}


def planned(n_sizes: int, n_seeds: int, n_curves: int) -> list[str]:
    """Keys of the cells of a configuration."""
    plan = preset.plan_preset(configuration(n_sizes, n_seeds, n_curves))
    return [entry["key"] for curve in plan.curves.values() for entry in curve.entries]


def test_a_plan_of_5000_cells_has_as_many_keys() -> None:
    keys = planned(10, 10, 50)
    assert len(set(keys)) == len(keys) == 5000


@pytest.mark.parametrize("grown", [0, 1, 2], ids=["sizes", "seeds", "curves"])
def test_planning_four_times_the_cells_takes_at_most_four_times_the_calls(grown: int) -> None:
    numbers = [4, 4, 4]
    planned(*numbers)  # digests of sources are read once
    few = calls(*numbers)
    numbers[grown] *= 4
    assert calls(*numbers) <= 4 * few


def calls(*numbers: int) -> int:
    """Calls of functions during planning: a count that does not depend on the machine."""
    count = 0

    def note(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        planned(*numbers)
    finally:
        sys.setprofile(None)
    return count


def test_hundreds_of_curve_files_are_gathered_in_the_order_of_the_plan(tmp_path) -> None:
    keys, files = {}, []
    for curve in range(200):
        keys[f"curve{curve}"] = [f"{curve}-{cell}" for cell in range(100)]
        row = {"steps": 1, "seconds": 1.0, "started": "", "host": "", "processor": "", "threads": 1}
        files.append(tmp_path / f"curve{curve}.timings.parquet")
        rows = pd.DataFrame({"key": keys[f"curve{curve}"]})
        write_table(rows.assign(curve=f"curve{curve}", **row), files[-1], TIMINGS)
    table = gather(files, keys, TIMINGS)
    assert list(table["key"]) == [key for planned in keys.values() for key in planned]
