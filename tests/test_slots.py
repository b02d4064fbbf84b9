"""A number of a sentence is the scorecard's; a sentence that its claim contradicts is refused."""

import re
from pathlib import Path

import pytest

from srhm.commands.readme import all_scorecards
from srhm.commands.slots import filled
from srhm.scorecard.numbers import measured_text
from srhm.studies.registry import STUDIES

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def scorecards():
    return all_scorecards(ROOT)


def test_a_slot_has_the_number_of_its_claim(scorecards):
    table = scorecards["laptop"]["teaching"]
    row = table[table["claim"] == "s0-places-lcn"].iloc[0].to_dict()
    value, _, interval = measured_text(row).partition(" ")
    page = "<!--= s0-places-lcn reproduced -->?<!--/--> <!--= s0-places-lcn.interval --><!--/-->"
    made = filled(page, scorecards, page="here", study="teaching")
    assert re.sub("<!--.*?-->", "", made) == f"{value} {interval}"
    assert filled(made, scorecards, page="here", study="teaching") == made
    tiny = filled("<!--= softmax_outputs/s-softmax-lcn-L3 --><!--/-->", scorecards, page="here")
    assert re.search(r">\d\.\d·10⁻⁵<", tiny)
    n = int((table["verdict"] == "differs").sum())
    counted = filled("<!--= teaching/count differs --><!--/-->", scorecards, page="docs")
    assert f">{n}<" in counted
    assert ">35<" in filled("<!--= grid:headline/count --><!--/-->", scorecards, page="docs")
    changed = filled("<!--= teaching/count.after --><!--/-->", scorecards, page="docs")
    assert f">{int((table['fixed'] == 'after').sum())}<" in changed
    some = filled("<!--= teaching/s0-places*.count reproduced --><!--/-->", scorecards, page="docs")
    own = table[table["claim"].str.startswith("s0-places-")]
    assert f">{int((own['verdict'] == 'reproduced').sum())}<" in some


@pytest.mark.parametrize(
    ("slot", "message"),
    [
        ("<!--= s0-places-lcn differs --><!--/-->", "differs, and it is reproduced"),
        ("<!--= s0-nowhere --><!--/-->", "no such claim"),
        ("<!--= s0-nowhere-*.count --><!--/-->", "no such claim"),
        ("<!--= s0-places-lcn agrees --><!--/-->", "agrees is no verdict"),
        ("<!--= s0-places-lcn reproduced -->", "no end"),
        ("<!--= nothing/s0-places-lcn --><!--/-->", "no shipped rows of nothing"),
    ],
)
def test_a_sentence_that_a_claim_contradicts_is_refused(slot, message, scorecards):
    with pytest.raises(ValueError, match=message):
        filled(slot, scorecards, page="here", study="teaching")


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda page: page.name
)
def test_slots_of_documents_are_current(page, scorecards):
    text = page.read_text(encoding="utf-8")
    assert filled(text, scorecards, page=page.name) == text, "make readme writes them anew"


@pytest.mark.parametrize("study", STUDIES)
def test_slots_of_methods_are_current(study, scorecards):
    page = ROOT / f"src/srhm/studies/{study}/methods.md"
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    assert filled(text, scorecards, page=page.name, study=study) == text, "make readme"
