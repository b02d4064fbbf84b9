"""How many curves of each figure of the paper there are, and why others are missing."""

import re
from pathlib import Path

import pandas as pd
import pytest
from tables import exact_complexities, grammar

from srhm.commands import coverage as document
from srhm.statistics.publications import read_publications
from srhm.studies.sparse_hierarchy import page
from srhm.studies.sparse_hierarchy.coverage import (
    FIGURES,
    coverage,
    curves_of_figures,
    seconds_at_the_prediction,
)
from srhm.studies.sparse_hierarchy.published_values import published_values
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


def test_figures_of_sensitivities_need_measured_curves():
    rows = found([grammar("cnn", 2, 8, 1)])
    assert (rows.loc["4", "ours"], rows.loc["14", "ours"]) == (1, 0)
    reason = "1 trained, sensitivities not kept (CNN, L = 2: (s_0, v) = (1, 8))"
    assert reason in rows.loc["14", "missing"]


@pytest.mark.parametrize(
    "other",
    [{"batch": "balanced"}, {"whitening": True}, {"bias": True}, {"sparsity": "B"}, {"m": 4}],
)
def test_other_protocols_and_grammars_are_not_the_figure_s(other):
    assert found([grammar("lcn", 2, 8, 1) | other]).loc["4", "ours"] == 0


def test_missing_curves_have_a_reason():
    asked = section({"net": "lcn", "L": 2, "v": [8, 10], "s0": 1, "P": [1000]},
                    {"net": "lcn", "L": 2, "v": 6, "s0": 1, "P": [1000],
                     "training": {"batch": "balanced"}})  # fmt: skip
    rows = found([grammar("lcn", 2, 4, 1)], asked)
    text = rows.loc["4", "missing"]
    assert (
        "2 planned, not there yet (LCN, L = 2: (s_0, v) = (1, 8), (1, 10); in all some 1 core"
        in text
    )
    assert "not in this preset (" in text
    assert "P* alone" not in rows.loc["12", "missing"]
    parts = re.split(r"\); (?!in all)", text)
    lost = sum(int(part.split()[0]) for part in parts)
    assert lost == rows.loc["4", "published"] - rows.loc["4", "ours"]


def test_curves_that_are_planned_say_what_they_take():
    asked = {"net": "lcn", "L": 3, "v": 10, "s0": 2, "P": [1000000]}
    few, many = (
        found([], section(asked | {"seeds": seeds})).loc["4", "missing"] for seeds in (1, 100)
    )
    assert (minutes := int(re.search(r"some (\d+) core-minutes", few)[1])) > 1
    hours = float(re.search(r"some ([\d.]+) core-hours", many)[1])
    assert hours == pytest.approx(100 * minutes / 60, rel=1 / minutes)
    one = asked | {"seeds": 1}
    others = [one | {"width": 512}, one | {"training": {"batch": "balanced"}}]
    assert found([], section(one, *others)).loc["4", "missing"] == few


def test_a_p_star_that_takes_hours_is_a_reason():
    dear = section(width=2048)
    one = {"net": "lcn", "L": 3, "s": 2, "s0": 2, "v": 10, "m": 10, "n_c": 10, "sparsity": "A"}
    assert seconds_at_the_prediction(one, dear) > 3600 > seconds_at_the_prediction(one, section())
    reason = "not planned, as P* alone takes more than an hour on one core"
    assert reason in found([], dear).loc["4", "missing"]
    assert reason not in found([], section()).loc["4", "missing"]


def test_the_page_has_a_row_for_each_figure():
    (table,) = exact_complexities([grammar("lcn", 2, 8, 1)]).values()
    tables = {"sample_complexity": table.assign(n_capped=0), "published_values": PUBLISHED}
    settings = {"threshold": 0.1, "section": section().model_dump()}
    title = "Curves of the paper's figures"
    (first,) = (table for table in page.tables(tables, settings) if table.title == title)
    assert [row[0] for row in first.rows] == FIGURES
    assert first.rows[0][1:3] == [1, 59]
    assert first.title not in [table.title for table in page.tables(tables, {"threshold": 0.1})]


def test_the_document_is_what_the_published_tables_say():
    """After `make publish`, or a change of these, `python -m srhm.commands.coverage` mends it."""
    files = sorted((ROOT / "published").glob("*/sparse_hierarchy/*.*"))
    text = document.text_of(read_publications(files), ROOT)
    assert (ROOT / document.FILE).read_text(encoding="utf-8") == text


def test_an_empty_table_has_no_curve():
    rows = coverage(pd.DataFrame(), PUBLISHED, section())
    assert rows["ours"].tolist() == [0] * len(FIGURES)
