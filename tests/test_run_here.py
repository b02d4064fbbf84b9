"""What strangers check first: the manifest of the headline's values, and where the commands ran."""

import csv
import math
import re
from pathlib import Path

import pytest
import yaml
from pages import records

from srhm.paper.sparse_hierarchy.headline import HEADLINE
from srhm.scorecard.card import read_scorecards

ROOT = Path(__file__).parents[1]
MANIFEST = (ROOT / records.MANIFEST).read_text("utf-8")
ITEMS = yaml.safe_load(MANIFEST)["manifest"]


def test_the_manifest_has_each_claim_of_the_headline():
    assert MANIFEST.startswith("---\n")  # the rules of CODECHECK ask for it
    assert {item["claim"] for item in ITEMS} == {
        claim for statement in HEADLINE for claim in statement.lines.values()
    }


def number(text):
    """As the files have it: of a ratio its logarithm."""
    ratio, text = text.startswith("×"), text.removeprefix("×").replace("−", "-")
    return math.log(float(text)) if ratio else float(text)


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item["claim"])
def test_a_statement_has_the_value_and_verdict_of_its_file(item):
    file = ROOT / item["file"]
    found = read_scorecards(ROOT, file.parent.name)[file.stem].set_index("claim").loc[item["claim"]]
    said = re.search(r": (\S+) \[(\S+), (\S+)\], expected .*: (\w+)", item["comment"]).groups()
    unit = "×" if said[0].startswith("×") else ""
    values = [number(said[0]), *(number(unit + bound.removeprefix("×")) for bound in said[1:3])]
    assert values == pytest.approx([found["value"], found["low"], found["high"]], abs=0.02)
    assert said[3] == found["verdict"]


def test_a_run_has_its_date_its_commit_and_its_outcome():
    with (ROOT / "reference/run_here.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    # What was never run has none of them.
    assert {len({bool(row[one]) for one in ("date", "commit", "outcome")}) for row in rows} == {1}
    for command in ("make figures", "make reproduce"):
        places = " ".join(row["where"] for row in rows if row["what"] == command)
        for debian in ("Debian 12", "Debian 13"):
            for python in ("3.11", "3.12", "3.13"):
                assert f"{debian}, Python {python}" in places, command
