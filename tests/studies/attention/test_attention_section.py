"""The plan of a section of attention, and what it refuses."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from srhm.studies.attention.configuration import AttentionSection, seconds
from srhm.studies.attention.study import STUDY
from srhm.study import ConfigError

NET = "transformer_positions"


def planned(**group):
    curves = [{"net": NET, "v": 4, "s0": 1, "P_over_law": [1], **group}]
    return STUDY.plan(AttentionSection(curves=curves), Path())


def test_sizes_follow_the_law_and_a_job_has_one_net_and_grammar():
    found = planned(net=[NET, "cnn"], s0=[0, 1], P_over_law=[1, 4], seeds=1)
    sizes = {(cell["net"], cell["s0"], cell["P"], cell["width"])
             for curve in found.curves.values() for cell in curve.cells}  # fmt: skip
    assert len(found.curves) == 4
    # 256 of the 256 data at s_0 = 0 leave no test set.
    assert sizes == {(NET, 0, 64, 32), (NET, 1, 256, 32), (NET, 1, 1024, 32),
                     ("cnn", 0, 64, 64), ("cnn", 1, 256, 64), ("cnn", 1, 1024, 64)}  # fmt: skip
    cells = [cell for curve in found.curves.values() for cell in curve.cells]
    assert all(seconds(cell) > 0 for cell in cells)


def test_what_no_grammar_has_is_refused_by_its_key():
    with pytest.raises(ConfigError, match=r"curves.0: m = 2"):
        planned(v=1, m=2)
    with pytest.raises(ValidationError, match="width = 30: allowed are multiples of 4"):
        AttentionSection(width=30, curves=[{"net": NET, "v": 4, "s0": 1, "P_over_law": [1]}])
    with pytest.raises(ValidationError, match="transformer_positions"):
        planned(net="rnn")
