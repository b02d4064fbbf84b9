"""How many curves each figure of the paper has."""

from pathlib import Path

from srhm.paper.sparse_hierarchy.analysis import published_values
from srhm.paper.sparse_hierarchy.page import curves_of_figures

ROOT = Path(__file__).parents[3]
PUBLISHED = published_values(
    reference=[str(ROOT / "reference" / "published_sample_complexity.csv")]
)


def test_the_paper_shows_as_many_curves_as_its_points_and_captions_say():
    assert {figure: len(own) for figure, own in curves_of_figures(PUBLISHED).items()} == {
        # 15 + 12 of the LCN, 20 + 12 of the CNN; s = 3: 8 + 2, 8 + 3
        "4": 59, "6": 27, "7": 6, "8": 6, "10": 10, "11": 10, "12": 4, "13": 11, "14": 43,
        "15": 4, "16": 15,
    }  # fmt: skip
    for own in curves_of_figures(PUBLISHED).values():
        assert len(set(own)) == len(own)
