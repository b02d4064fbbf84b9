"""The forest plot: one layout, drawn as SVG, as a picture and as text."""

from dataclasses import replace
from itertools import pairwise
from math import inf, nan
from xml.etree import ElementTree

import pytest

from srhm.forest.layout import EXTENT, Segment, Symbol, layout
from srhm.forest.svg import svg
from srhm.scorecard.headline import ForestRow, Mark

ROW = ForestRow(
    claim="a", heading="Complexity", label="LCN: exponent of s_0+1", says="s", place="p",
    verdict="reproduced", band=(-1.0, 1.0), measured="2.5 [2, 3]", value="2.5 ± 0.3",
    expected="2 ± 0.5", theirs="", distances=("", ""), ours=Mark(0.5, 0.0, 0.9),
)  # fmt: skip
SVG = "{http://www.w3.org/2000/svg}"


def parts(rows, kind, **options):
    made = layout(rows, **options)
    return [part for one in made.placed if one.row for part in one.parts if isinstance(part, kind)]


def symbols(row):
    return [(part.shape, part.style) for part in parts([row], Symbol)]


@pytest.mark.parametrize("narrow", [False, True])
def test_nothing_leaves_the_page_and_no_row_covers_another(narrow):
    made = layout([ROW, replace(ROW, claim="b")], narrow=narrow)
    for one in made.placed:
        for part in one.parts:
            assert 0 <= part.x <= made.width
            assert 0 <= part.y <= made.height
    ends = [(one.y, one.y + one.height) for one in made.placed]
    assert all(end <= start for (_, end), (start, _) in pairwise(ends))


def test_ends_beyond_the_plot_are_arrows_and_unknown_ones_are_not_drawn():
    assert symbols(ROW) == [("dot", "ours")]
    assert ("left", "ours") in symbols(replace(ROW, ours=Mark(-2, -2 * EXTENT, 0)))
    unlimited = symbols(replace(ROW, ours=Mark(0, -inf, inf)))
    assert [shape for shape, _ in unlimited] == ["left", "right", "dot"]
    unknown = replace(ROW, ours=Mark(0, nan, nan))
    assert symbols(unknown) == [("dot", "ours")]
    assert {one.style for one in parts([unknown], Segment)} == {"expected"}
    assert symbols(replace(ROW, ours=Mark(9, nan, nan))) == [("right", "ours")]
    beyond = symbols(replace(ROW, ours=Mark(9, 5, 12)))
    assert [shape for shape, _ in beyond] == ["right"]


@pytest.mark.parametrize("narrow", [False, True])
def test_the_svg_has_a_title_and_rows_in_reach_of_the_keyboard(narrow):
    root = ElementTree.fromstring(svg([ROW], narrow=narrow, link="#claim-{claim}"))
    assert root.find(f"{SVG}title").text.startswith("1 measurement")
    (row,) = root.iter(f"{SVG}a")
    assert row.get("href") == "#claim-a"
    assert row.get("aria-label") == ROW.sentence
    (alone,) = (g for g in ElementTree.fromstring(svg([ROW])).iter(f"{SVG}g") if g.get("tabindex"))
    assert alone.find(f"{SVG}title").text == ROW.sentence
    words = "".join(root.itertext())
    assert ROW.value in words
    assert ROW.expected in words
