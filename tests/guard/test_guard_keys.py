"""No stored result gets another name unless a commit means it: `write.py` says how."""

import pytest
from stored import PRESETS, STORED_JOBS, job_lines, key_lines, stored_keys


@pytest.mark.parametrize("name", PRESETS)
def test_the_names_of_a_preset_are_those_that_were_stored(name):
    stored = set(stored_keys(name).read_text(encoding="utf-8").splitlines())
    found = set(key_lines(name))
    assert (sorted(found - stored), sorted(stored - found)) == ([], [])


def test_no_curve_is_gathered_or_measured_again():
    assert job_lines() == STORED_JOBS.read_text(encoding="utf-8").splitlines()
