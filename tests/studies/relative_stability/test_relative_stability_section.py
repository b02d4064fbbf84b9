"""What a section of relative stability refuses or leaves out."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from srhm.studies.relative_stability.configuration import Networks, RelativeStabilitySection
from srhm.studies.relative_stability.study import STUDY
from srhm.study import ConfigError

GROUP = {"net": ["fc2", "lenet"], "P": [150, 400], "seeds": 3}


@pytest.mark.parametrize(
    ("changed", "refused"),
    [
        ({"net": "lenet5"}, "allowed are fc2"),
        ({"P": 1300}, "allowed on digits are"),
        ({"P": 16}, "one batch"),
        ({"n_points": 600}, "597 test images"),
        ({"displacement": 1.5}, "fold"),
        ({"data": "digits8"}, "fold"),
        ({"data": "letters"}, "Input should be"),
    ],
)
def test_a_section_refuses_what_cannot_be_run(changed, refused):
    with pytest.raises(ValidationError, match=refused):
        Networks.model_validate({"net": "fc2", "P": 200, **changed})


def test_a_cell_that_stands_twice_is_refused():
    twice = {"networks": [GROUP, GROUP]}
    with pytest.raises(ConfigError, match="allowed is each once"):
        STUDY.plan(RelativeStabilitySection.model_validate(twice), Path())


def test_images_whose_files_are_not_there_are_left_out_aloud(tmp_path):
    section = {"networks": [{"net": "fc2", "data": ["digits", "mnist", "cifar10"], "P": 200}]}
    found = STUDY.plan(RelativeStabilitySection.model_validate(section), tmp_path)
    assert [curve.label for curve in found.curves.values()] == ["digits-fc2-h64"]
    assert "make mnist" in found.absent
    assert "make cifar" in found.absent
