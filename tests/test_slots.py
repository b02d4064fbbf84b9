"""A number of a sentence is the scorecard's; a sentence that its claim contradicts is refused."""

import re
from pathlib import Path

import pytest
from pages.readme import all_scorecards
from pages.slots import fill_slots

from srhm.scorecard.numbers import measured_text

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def scorecards():
    return all_scorecards(ROOT)


def test_a_slot_has_the_number_of_its_claim(scorecards):
    table = scorecards["laptop"]["teaching"]
    row = table[table["claim"] == "s0-places-lcn"].iloc[0].to_dict()
    value, _, interval = measured_text(row).partition(" ")
    page = "of <!--= s0-places-lcn reproduced -->?<!--/--> <!--= s0-places-lcn.interval --><!--/-->"
    made = fill_slots(page, scorecards, page="here", study="teaching")
    assert re.sub("<!--.*?-->", "", made) == f"of {value} {interval}"
    assert fill_slots(made, scorecards, page="here", study="teaching") == made
    tiny = fill_slots(
        "are <!--= softmax_outputs/s-softmax-lcn-L3 --><!--/-->", scorecards, page="here"
    )
    assert re.search(r">\d\.\d·10⁻⁵<", tiny)
    n = int((table["verdict"] == "differs").sum())
    counted = fill_slots("are <!--= teaching/count differs --><!--/-->", scorecards, page="docs")
    assert f">{n}<" in counted
    assert ">35<" in fill_slots(
        "are <!--= grid:headline/count --><!--/-->", scorecards, page="docs"
    )
    changed = fill_slots("are <!--= teaching/count.after --><!--/-->", scorecards, page="docs")
    assert f">{int((table['fixed'] == 'after').sum())}<" in changed
    some = fill_slots(
        "are <!--= teaching/s0-places*.count reproduced --><!--/-->", scorecards, page="docs"
    )
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
        ("<!--= nothing/s0-places-lcn --><!--/-->", "no archived results of nothing"),
    ],
)
def test_a_sentence_that_a_claim_contradicts_is_refused(slot, message, scorecards):
    with pytest.raises(ValueError, match=message):
        fill_slots(f"It is {slot}", scorecards, page="here", study="teaching")
