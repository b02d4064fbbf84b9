"""The plan of a section of optimisers, and what it refuses."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from srhm.studies.optimisers.configuration import OptimisersSection
from srhm.studies.optimisers.study import STUDY
from srhm.study import ConfigError


def planned(**group):
    curves = [{"net": "cnn", "optimiser": "adam", "rate": 0.01, "v": 4, "s0": 1, "P_over_law": 1,
               **group}]  # fmt: skip
    return STUDY.plan(OptimisersSection(curves=curves), Path())


def test_sizes_follow_the_law_and_a_job_has_an_optimiser_at_all_rates():
    found = planned(optimiser=["adam", "plain"], rate=[0.01, 0.03], s0=[1, 2], seeds=1)
    cells = [cell for curve in found.curves.values() for cell in curve.cells]
    assert len(found.curves) == 2
    assert {(cell["s0"], cell["P"]) for cell in cells} == {(1, 256), (2, 576)}
    assert len(cells) == 8


def test_what_is_no_grammar_and_no_optimiser_is_refused():
    with pytest.raises(ConfigError, match=r"curves.0: m = 2"):
        planned(v=1, m=2)
    with pytest.raises(ValidationError, match="adam"):
        planned(optimiser="muon")
