"""The plan of a section of memory, and what it refuses."""

from math import inf

import pytest
from pydantic import ValidationError

from srhm.studies.memory.configuration import Learning, MemorySection, seconds
from srhm.studies.memory.study import STUDY
from srhm.study import ConfigError

SECTION = {
    "columns": [{"M": [2, 4, 8], "mu": 0.1, "r": [1e-14, 1e-8, 1e-4, 1e-3]}],
    "necklaces": [{"m": [2, 3, 5], "mu": 0.1, "exit_inside": [0.1, 1e-3]}],
    "best_necklaces": [{"m": 2, "mu": 0.1, "r": 1e-3}],
    "learning": [
        {"memory": "ram", "size": [4], "start": ["random", "linear", "columns", "ccp"], "mu": 0.1,
         "r": 1e-3, "seeds": 3},
        {"memory": "ram", "size": [4], "start": "ccp", "mu": 0.1, "r": [1e-8, 1e-4]},
        {"memory": "memento", "size": 2, "start": ["random", "cycles", "necklace"], "mu": 0.1,
         "r": 1e-3, "seeds": 3},
        {"memory": "ram", "size": 16, "start": "random", "mu": 0.1, "r": 1e-5, "seeds": 3},
        {"memory": "memento", "size": [2, 3], "start": "random", "mu": 0.1, "r": 1e-5, "seeds": 3},
        {"memory": "ram", "size": 4, "start": "random", "mu": 0.1, "r": 1e-5, "seeds": 3},
    ],
}  # fmt: skip


def test_each_start_has_its_seeds_and_the_columns_one():
    curves = STUDY.plan(MemorySection.model_validate(SECTION), None).curves.values()
    cells = [entry["cell"] for curve in curves for entry in curve.entries]
    learnt = [cell for cell in cells if cell["experiment"] == "learning"]
    assert len([cell for cell in cells if cell["experiment"] == "columns"]) == 12
    assert len(learnt) == 3 * 3 + 3 + 3 * 3 + 4 * 3
    assert all(0 < seconds(cell) < inf for cell in cells)


@pytest.mark.parametrize(
    ("changed", "refused"),
    [
        ({"memory": "ram", "start": "cycles"}, "allowed are random, linear, columns, ccp"),
        ({"memory": "memento", "start": "ccp"}, "allowed are random, cycles, necklace"),
        ({"memory": "memento", "start": "random", "size": 6}, "allowed are 1 to 5 plays"),
        ({"memory": "ram", "start": "random", "r": 1e-11}, "greater than or equal to 0.0000000001"),
        ({"memory": "ram", "start": "random", "mu": 1.0}, "less than 1"),
    ],
)
def test_a_section_refuses_what_cannot_be_run(changed, refused):
    with pytest.raises(ValidationError, match=refused):
        Learning.model_validate({"size": 2, "mu": 0.1, "r": 1e-3, **changed})


def test_a_cell_that_stands_twice_is_refused():
    twice = {**SECTION, "learning": SECTION["learning"] * 2}
    with pytest.raises(ConfigError, match="allowed is each once"):
        STUDY.plan(MemorySection.model_validate(twice), None)
