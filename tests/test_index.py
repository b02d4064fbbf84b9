"""The index of a folder of results: what it links, what it says is missing."""

import json
import re
from pathlib import Path

import pytest
import yaml

from srhm.commands.index import write_index
from srhm.commands.presets import CONFIG, Run
from srhm.planning import preset
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


def test_the_index_links_what_is_there_and_names_what_is_missing(run: Run) -> None:
    index = write_index(run, others=["jamming", "temperature"])
    text = index.read_text(encoding="utf-8")
    links = set(re.findall(r'href="([^"]+)"', text))
    assert links == {
        "report.html",
        "scorecard.json",
        "jamming.html",
        *(f"figures/{name}.{kind}" for name in ("fig04", "fig06") for kind in ("png", "pdf")),
        "tables/sparse_hierarchy/cells.parquet",
        "tables/jamming/cells.parquet",
    }
    assert all((index.parent / link).is_file() for link in links)
    missing = text.partition("<h2>Missing</h2>")[2]
    assert "fig05: " in missing
    assert "table sensitivities of sparse_hierarchy" in missing
    assert "fig04" not in missing
    assert "Not made here: temperature (" in missing
    assert "(2 reproduced, 1 differs): <a href" in text
    assert '<img src="figures/fig04.png" alt="Figure 4: ' in text
