"""Every figure of shipped rows: marks are the stored ones, all have a name, no room is wasted."""

import pytest
from drawn import assert_on_page, rendered
from figure_faults import faults
from marks import FIGURES, marks_of, read
from stored import drawn_of_shipped_rows, worker

from srhm.figures.drawing import notes_of

SCHEMATICS: set[str] = {"fig02", "fig03", "table1"}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.xdist_group(worker(FIGURES[name][1])))
     for name in sorted(FIGURES)],
)  # fmt: skip
def test_a_figure_of_shipped_rows_draws_what_was_stored_and_names_all_that_it_shows(name):
    preset, study, _ = FIGURES[name]
    figure = rendered(drawn_of_shipped_rows(*FIGURES[name]))
    stored, found = read(study).get(name, []), marks_of(figure)
    assert [one[:3] for one in found] == [one[:3] for one in stored]
    for mark, expected in zip(found, stored, strict=True):
        assert mark[3:] == pytest.approx(expected[3:], rel=1e-6, abs=1e-9), mark[:3]
    if name not in SCHEMATICS:
        assert_on_page(figure)
        assert f"preset {preset}" in " ".join(notes_of(figure))
        assert faults(figure) == []
