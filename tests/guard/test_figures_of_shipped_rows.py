"""Every figure of which rows are shipped: all that is drawn has a name, no room is wasted."""

import pytest
from drawn import assert_on_page, rendered
from figure_faults import faults
from stored import ROOT, SHIPPED, drawn_of_shipped_rows, worker

from srhm.figures.drawing import notes_of
from srhm.studies.registry import STUDIES

# The preset whose rows show most of each study.
PRESETS = ("grid", "laptop", "quick", "paper")
FIGURES = {
    figure.name: (preset, study, figure)
    for preset in reversed(PRESETS)
    for study in STUDIES
    if (ROOT / "published" / preset / study).is_dir() or (preset, study) in SHIPPED
    for figure in STUDIES[study].figures
}
SCHEMATICS: set[str] = {"fig02", "fig03", "table1"}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.xdist_group(worker(FIGURES[name][1])))
        for name in sorted(set(FIGURES) - SCHEMATICS)
    ],
)
def test_a_figure_of_shipped_rows_names_all_that_it_shows(name):
    figure = rendered(drawn_of_shipped_rows(*FIGURES[name]))
    assert_on_page(figure)
    assert f"preset {FIGURES[name][0]}" in " ".join(notes_of(figure))
    assert faults(figure) == []
