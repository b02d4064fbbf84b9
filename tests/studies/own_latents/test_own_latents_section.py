"""The law by hand; the plan of a section, and what it refuses."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from srhm.studies.own_latents.configuration import OwnLatentsSection, closed, law, seconds
from srhm.studies.own_latents.study import STUDY
from srhm.study import ConfigError


def test_the_law_by_hand():
    dense = {"s": 2, "v": 8, "m": 4, "n_c": 8}
    assert closed(s=2, v=8, m=4) == 0.5
    assert law("context", "separate", L=4, s0=0, **dense) == 8 * 64 * 2
    assert law("context", "shared", L=4, s0=2, **dense) == 8 * 64 * 2 * 9 / 4
    assert law("parent", "separate", L=3, s0=1, **dense) == 8 * 16 * 16
    assert law("class", "shared", L=3, s0=1, **dense) == 8 * 64 * 4
    assert law("context", "shared", L=2, s0=0, s=2, v=3, m=3, n_c=3) == 81


def planned(**group):
    whole = {"target": "context", "net": "shared", "L": 3, "v": 4, "m": 2, "P_over_law": [1, 4],
             "seeds": 2, **group}  # fmt: skip
    section = OwnLatentsSection(curves=[whole, whole])
    return STUDY.plan(section, Path("unused"))


def test_groups_that_share_cells_are_joined():
    (curve,) = planned(s0=[1]).curves.values()
    assert [entry["cell"]["P"] for entry in curve.entries] == [128, 128, 512, 512]
    assert seconds(dict(curve.entries[0]["cell"])) < 0.2


def test_refusals_name_the_key():
    with pytest.raises(ConfigError, match=r"curves\.0\.L: 1 is refused; allowed are 2 or more"):
        planned(L=1)
    with pytest.raises(ConfigError, match=r"curves\.0: m = 5"):
        planned(m=5)
    with pytest.raises(ValidationError, match="target"):
        planned(target="cousins")
