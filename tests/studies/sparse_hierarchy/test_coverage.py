"""How many curves of each figure of the paper there are, and why others are missing."""

from pathlib import Path

import pandas as pd
from tables import exact_complexities, grammar

from srhm.paper.sparse_hierarchy.coverage import FIGURES, coverage, curves_of_figures
from srhm.paper.sparse_hierarchy.published_values import published_values
from srhm.training.configuration import HierarchySection

ROOT = Path(__file__).parents[3]
PUBLISHED = published_values(
    reference=[str(ROOT / "reference" / "published_sample_complexity.csv")]
)


def section(*curves, width=128):
    return HierarchySection.model_validate(
        {"width": width, "curves": curves or [{"net": "lcn", "L": 2, "v": 3, "s0": 1, "P": [50]}]}
    )


def found(curves, asked=None, others=None):
    table = pd.DataFrame()
    if curves:
        table = exact_complexities(curves, others=others)["sample_complexity"]
    return coverage(table, PUBLISHED, asked or section()).set_index("figure")


def test_the_paper_shows_as_many_curves_as_its_points_and_captions_say():
    assert {figure: len(own) for figure, own in curves_of_figures(PUBLISHED).items()} == {
        # 15 + 12 of the LCN, 20 + 12 of the CNN; s = 3: 8 + 2, 8 + 3
        "4": 59, "6": 27, "7": 6, "8": 6, "10": 10, "11": 10, "12": 4, "13": 11, "14": 43,
        "15": 4, "16": 15,
    }  # fmt: skip
    for own in curves_of_figures(PUBLISHED).values():
        assert len(set(own)) == len(own)


def test_curves_count_where_they_are_drawn():
    core = [grammar("lcn", 2, 8, s0) for s0 in (0, 1)] + [grammar("lcn", 2, 4, 1, s=3)]
    rows = found(core, others={"S_2": lambda row: row["P_star"]})
    # Figure 12 has v = 8 alone; Figures 10 and 11 have s = 3.
    ours = {"4": 2, "6": 2, "10": 1, "11": 1, "12": 2}
    assert rows["ours"].to_dict() == dict.fromkeys(FIGURES, 0) | ours
    assert (rows["published"] >= rows["ours"]).all()
