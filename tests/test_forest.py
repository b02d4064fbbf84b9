"""The forest plot: what is drawn of a row, and the SVG of a page."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from srhm.report.forest import draw, svg
from srhm.scorecard.headline import ForestRow, Mark

ROW = ForestRow(
    claim="a", heading="Complexity", label="LCN: exponent of s_0+1", says="s", place="p",
    verdict="reproduced", band=(-1.0, 1.0), measured="2.5 [2, 3]", value="2.5 ± 0.3",
    expected="2 ± 0.5", theirs="", distances=("", ""), like_authors=False, ours=Mark(0.5, 0.0, 0.9),
)  # fmt: skip
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("narrow", [False, True])
def test_nothing_leaves_the_page(narrow):
    figure = draw([ROW, replace(ROW, claim="b", authors=Mark(0.1, -9, 9))], narrow=narrow)
    axes = figure.axes[0]
    width, height = 72 * figure.get_size_inches()
    places = [*(text.get_position() for text in axes.texts)]
    places += [place for line in axes.lines for place in np.column_stack(line.get_data())]
    assert all(0 <= x <= width and 0 <= y <= height for x, y in places)


def test_the_svg_has_a_title_rows_that_are_links_and_no_id_twice():
    roots = [  # one page holds both
        ElementTree.fromstring(
            svg([ROW, replace(ROW, claim="b & c")], narrow=narrow, link="#claim-{claim}")
        )
        for narrow in (False, True)
    ]
    for root in roots:
        assert root.find(f"{SVG}title").text.startswith("2 measurements")
        links = list(root.iter(f"{SVG}a"))
        assert [link.get("href") for link in links] == ["#claim-a", "#claim-b & c"]
        assert {link.get("aria-label") for link in links} == {ROW.sentence}
        words = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
        assert ROW.value in words
        assert ROW.expected in words
        assert "LCN: exponent of s0+1" in words
    ids = [one.get("id") for root in roots for one in root.iter() if one.get("id")]
    assert len(ids) == len(set(ids))
    uses = {one.get("{http://www.w3.org/1999/xlink}href") for one in root.iter(f"{SVG}use")}
    assert uses <= {f"#{name}" for name in ids}
