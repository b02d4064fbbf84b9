"""The index of a folder of results: what it links, what it says is missing."""

import json
import re
from pathlib import Path

import pytest
import yaml
from markup import wrong

from srhm.commands.claims import Answer
from srhm.commands.index import write_index
from srhm.commands.presets import CONFIG, Run
from srhm.planning import preset
from srhm.scorecard.headline import StatementTable
from srhm.store import places


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """The paper's first study in the preset test: two figures, a table and the page are there."""
    plan = preset.plan_preset(yaml.safe_load((CONFIG / "test.yaml").read_text()))
    made = Run(plan.only(["sparse_hierarchy"]), tmp_path)
    files = [places.figure_files("test", name)[kind] for name in ("fig04", "fig06")
             for kind in ("png", "pdf")]  # fmt: skip
    files += [places.page_file("test", "report"), places.scorecard_json("test", "report")]
    files += [places.table_file("test", "sparse_hierarchy", "cells")]
    # Of an earlier run in this folder.
    files += [places.page_file("test", "jamming"), places.table_file("test", "jamming", "cells")]
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    verdicts = ["reproduced", "differs", "reproduced"]
    card = json.dumps([{"verdict": word} for word in verdicts])
    (tmp_path / places.scorecard_json("test", "report")).write_text(card, encoding="utf-8")
    return made


STATED = StatementTable(
    sentence="2 numbers of the paper: 1 reproduced, 1 differs.",
    rows=[("LCN: exponent of v", "2.90±0.10; 3.17±0.12", "3; 4", "2.87; 3.43",
           "reproduced; differs*")],
    remark="*: as theirs does.",
)  # fmt: skip
ANSWER = Answer(n_claims=3, stated=STATED, others=[], compared=["9 of 9 P* within 10 %"])


def test_the_index_links_what_is_there_and_names_what_is_missing(run: Run) -> None:
    index = write_index(run, None)
    text = index.read_text(encoding="utf-8")
    links = set(re.findall(r'href="([^"#]+)"', text))
    assert links == {
        "report.html",
        "scorecard.json",
        "jamming.html",
        *(f"figures/{name}.{kind}" for name in ("fig04", "fig06") for kind in ("png", "pdf")),
        "tables/sparse_hierarchy/cells.parquet",
        "tables/jamming/cells.parquet",
    }
    assert all((index.parent / link).is_file() for link in links)
    missing = text.partition('<div class="missing"')[2].partition("</div>")[0]
    assert "Figure 5: " in missing
    assert "table sensitivities of sparse_hierarchy" in missing
    assert "Figure 4" not in missing
    assert "(temperature)" in text
    assert "(jamming)" not in text
    assert "(2 reproduced, 1 differs): <a href" in text
    assert '<img src="figures/fig04.png" alt="Figure 4: ' in text


def test_the_index_begins_with_what_the_last_screen_says(run: Run) -> None:
    text = write_index(run, ANSWER).read_text(encoding="utf-8")
    assert str(run.directory) not in text  # a folder of this machine
    top = re.sub(r"<[^>]+>", "", text.partition("<main")[2].partition('class="pages"')[0])
    screen = " ".join(ANSWER.screen(run.directory))
    for said in (STATED.sentence, *STATED.rows[0][:-1], STATED.remark, *ANSWER.compared):
        assert said in top
        assert said in screen
    assert re.findall("reproduced|differs", top.partition("exponent")[2]) == [
        "reproduced", "differs",
    ]  # fmt: skip


@pytest.mark.slow
def test_the_index_has_no_wrong_markup_and_no_barrier(run: Run, tmp_path: Path) -> None:
    assert wrong(write_index(run, ANSWER).read_text(encoding="utf-8"), tmp_path) == []
