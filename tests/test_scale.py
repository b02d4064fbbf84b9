"""Planning grows with the number of cells, and no faster."""

import sys
from types import FrameType
from typing import Any

import pytest

from srhm.planning import preset


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
