"""The plan of a section of teaching, and what it refuses."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from srhm.studies.teaching.configuration import TeachingSection
from srhm.studies.teaching.study import STUDY
from srhm.study import ConfigError


def section(**group):
    curves = [{"net": "cnn", "v": 4, "s0": 1, "P_over_law": [1], **group}]
    return TeachingSection(curves=curves)


def planned(**group):
    return STUDY.plan(section(**group), Path())


def test_sizes_follow_the_law_and_a_job_has_what_is_taught_the_same():
    found = planned(s0=[1, 2], synonyms=[0, 1], places=["none", "all"], seeds=1)
    sizes = {
        (cell["s0"], cell["synonyms"], cell["places"]): cell["P"]
        for curve in found.curves.values() for cell in curve.cells
    }  # fmt: skip
    assert len(found.curves) == 4
    assert sizes == {
        (1, 0, "none"): 256, (2, 0, "none"): 576, (1, 1, "none"): 64, (2, 1, "none"): 144,
        (1, 0, "all"): 64, (2, 0, "all"): 64, (1, 1, "all"): 16, (2, 1, "all"): 16,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("group", "message"),
    [
        ({"synonyms": 3}, "curves.0: synonyms = 3: allowed are 0 to L = 2"),
        ({"places": "level 3"}, "curves.0: places = level 3: allowed are levels 1 to L = 2"),
        ({"places": "halves", "s0": 2}, "curves.0: s0 = 2: halves need an odd s0"),
        ({"patterns": 65}, "curves.0: patterns = 65: allowed are 0 to 64"),
        ({"v": 1, "m": 2}, "curves.0: m = 2"),
    ],
)
def test_what_cannot_be_taught_is_refused_by_its_key(group, message):
    with pytest.raises(ConfigError, match=message):
        planned(**group)


def test_another_kind_of_places_is_refused():
    with pytest.raises(ValidationError, match="level 1"):
        section(places="somewhere")
