"""The section: presets are planned, and bad groups are refused by name."""

from pathlib import Path

import pytest

from srhm.studies.kernels.configuration import N_DIGITS, KernelsSection
from srhm.studies.kernels.data import N_DIGITS as DIGITS_THERE
from srhm.studies.kernels.study import STUDY
from srhm.study import ConfigError


def planned(**section):
    return STUDY.plan(KernelsSection.model_validate(section), Path())


def test_a_width_d_is_the_dimension_and_a_curve_has_all_p_and_seeds():
    group = {"d": [2, 3], "teacher": "gauss", "P": [64, 32], "seeds": 2}
    curves = planned(teacher_student=[group]).curves
    assert len(curves) == 2
    for curve in curves.values():
        assert [(cell["P"], cell["seed"]) for cell in curve.cells] == [
            (32, 0), (32, 1), (64, 0), (64, 1),
        ]  # fmt: skip
        assert {cell["sigma"] for cell in curve.cells} == {float(curve.cells[0]["d"])}
    assert N_DIGITS["digits"] == DIGITS_THERE


def test_sizes_that_a_grammar_has_not_are_left_out():
    curves = planned(hierarchies=[{"s0": [0, 1], "v": 3, "P": [10, 1000], "n_test": 50}]).curves
    sizes = {(cell["s0"], cell["P"]) for curve in curves.values() for cell in curve.cells}
    assert sizes == {(0, 10), (1, 10), (1, 1000)}


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"digits": [{"kernel": "gauss", "P": 1201}]}, r"digits.0.P = 1201: allowed are 1 to 1200"),
        ({"spectra": [{"data": "digits", "d": 2, "sigma": 1, "P": 9}]}, r"spectra.0.d: digits"),
        ({"spectra": [{"data": "sphere", "d": 2, "sigma": 1, "P": 9}]}, r"spectra.0.teacher"),
        ({"spectra": [{"data": "digits", "sigma": "d", "P": 9}]}, r"spectra.0.sigma: 'd'"),
        ({"neighbours": [{"data": "sphere", "P": 9}]}, r"neighbours.0.d: digits have none"),
        ({"neighbours": [{"data": "digits", "P": 1798}]}, r"allowed are 1 to 1797"),
        (
            {"hierarchies": [{"s0": 0, "v": 3, "P": 5000}]},
            r"hierarchies.0.P: no grammar with s0 = 0, v = 3",
        ),
        (
            {"hierarchies": [{"s0": 0, "v": 3, "s": 1, "P": 5}]},
            r"hierarchies.0: s = 1: allowed are 2 to",
        ),
        (
            {"teacher_student": [{"d": 1, "teacher": "gauss", "P": 9}] * 2},
            r"two groups ask for one cell",
        ),
    ],
)
def test_a_group_that_cannot_be_is_refused(section, message):
    with pytest.raises(ConfigError, match=message):
        planned(**section)
