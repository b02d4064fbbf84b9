"""The code that trains is written down with what it stands for.

Edited code of a trainer trains all of its networks again, unless it is shown to be equal. Where the
golden traces (tests/golden) still hold and rows agree to rounding, `sources.py` lets the new digest
stand for the old one; where results change, its `stands_for` is its own digest.
"""

import json

from sources import digests, sources

from srhm.results import provenance
from srhm.results.code import code_of
from srhm.results.provenance import PACKAGE, SOURCES
from srhm.training.plan import engine_digest

ENTRIES = json.loads(SOURCES.read_text(encoding="utf-8"))


def test_the_sources_that_are_written_down_are_the_present_ones():
    written = [(one["trainer"], one["net"], one["digest"]) for one in ENTRIES]
    assert written == list(digests())


def test_each_entry_says_why():
    assert all(one["reason"] for one in ENTRIES)


def test_what_was_published_is_still_taken():
    assert {engine_digest("sparse", net) for net in ("lcn", "cnn", "fcn")} == {"a6a05f11ac67"}


def test_nothing_that_trains_reaches_a_model_of_a_configuration():
    """Words for people, as a field's description, would be in the digests of all that it trains."""
    unread, found = {path for _, _, paths in sources() for path in paths}, set()
    while unread:
        path = unread.pop()
        found.add(path)
        if str(path.relative_to(PACKAGE)) not in provenance.UNREAD:
            named = code_of(path, PACKAGE.name)[1]
            unread |= {provenance._target(one)[1] for one in named} - found
    assert len(found) > 50
    assert {path.name for path in found if "pydantic" in path.read_text(encoding="utf-8")} == set()
