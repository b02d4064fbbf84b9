"""A study that trains networks, without rows: it claims nothing, and its figures are drawn."""

import pytest
from drawn import rendered
from stored import drawn_of_shipped_rows, scores

from srhm.planning.registry import STUDIES

# One worker plans the preset once.
pytestmark = pytest.mark.xdist_group("without rows")
# Of this preset no rows are shipped; it has no images.
PRESET = "test"
TRAINED = sorted({name for name, one in STUDIES.items() if one.trainer is not None} - {"images"})


@pytest.mark.parametrize("name", TRAINED)
def test_without_rows_no_claim_is_decided_and_figures_are_drawn(name):
    study = STUDIES[name]
    if study.claims is not None:
        assert {row["verdict"] for row in scores(PRESET, name)} == {"inconclusive"}
    for figure in study.figures:
        rendered(drawn_of_shipped_rows(PRESET, name, figure))
