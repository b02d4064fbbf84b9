"""The forest plot: one layout, drawn as SVG, as a picture and as text."""

from dataclasses import replace
from itertools import pairwise
from math import inf, nan
from xml.etree import ElementTree

import pytest

from srhm.forest import picture
from srhm.forest.layout import EXTENT, Band, Segment, Symbol, Words, layout
from srhm.forest.letters import runs
from srhm.forest.svg import svg
from srhm.scorecard.headline import ForestRow, Mark
from srhm.scorecard.verdicts import SIGNS, VERDICTS

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


def test_a_legend_of_all_verdicts_fits():
    words = list(VERDICTS)
    made = layout([replace(ROW, claim=word, verdict=word) for word in words], narrow=True)
    shown = [one for placed in made.placed if not placed.row for one in placed.parts]
    entries = [one for one in shown if isinstance(one, Words) and one.text.endswith(" 1")]
    assert len(entries) == len(words)
    assert all(one.x + 0.56 * made.font * len(one.text) <= made.width for one in entries)


def test_the_band_of_a_bound_is_half():
    (both,) = parts([ROW], Band)
    (half,) = parts([replace(ROW, band=(-inf, 0.0))], Band)
    (expected,) = (one for one in parts([ROW], Segment) if one.style == "expected")
    assert both.x + both.width / 2 == pytest.approx(expected.x)
    assert half.x + half.width == pytest.approx(expected.x)
    assert half.x < both.x


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


def test_every_verdict_has_a_shape_of_its_own_and_others_stand_in_grey():
    shapes = {symbols(replace(ROW, verdict=word))[0][0] for word in SIGNS}
    assert len(shapes) == len(SIGNS) == len(set(SIGNS.values()))
    row = replace(ROW, authors=Mark(1, 0, 2), other=Mark(0, -1, 1))
    assert symbols(row) == [("small", "other"), ("square", "authors"), ("dot", "ours")]
    assert symbols(replace(ROW, ours=None)) == []


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


def test_what_a_row_says_is_escaped():
    row = replace(ROW, label="a < b & c", value="1 < 2")
    assert "a < b & c" in "".join(ElementTree.fromstring(svg([row])).itertext())


def test_the_picture_has_a_mark_for_each_of_the_layout():
    row = replace(ROW, authors=Mark(1, 0, 2))
    figure = picture.draw([row])
    (axes,) = figure.axes
    drawn = sum(isinstance(part, (Segment, Symbol)) for one in layout([row], narrow=True).placed
                for part in one.parts)  # fmt: skip
    assert len(axes.lines) == drawn
    texts = {one.get_text() for one in axes.texts}
    assert {ROW.value, ROW.expected, ROW.heading} <= texts


def test_indices_and_powers():
    assert runs("P*_S / s^(L/2)") == [
        ("P*", "plain"), ("S", "index"), (" / s", "plain"), ("L/2", "power"),
    ]  # fmt: skip
    assert runs("plain") == [("plain", "plain")]
    assert [kind for _, kind in runs("s_0+1")] == ["plain", "index", "plain"]


def test_words_are_those_of_the_rows():
    assert ROW.label in [part.text for part in parts([ROW], Words)]
