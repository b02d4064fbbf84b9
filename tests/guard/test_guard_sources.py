"""The code that trains is written down with what it stands for.

Edited code of a trainer trains all of its networks again, unless it is shown to be equal. Where the
golden traces (tests/golden) still hold and rows agree to rounding, `sources.py` lets the new digest
stand for the old one; where results change, its `stands_for` is its own digest.
"""

import json

from sources import digests

from srhm.results.provenance import SOURCES
from srhm.training.plan import engine_digest

ENTRIES = json.loads(SOURCES.read_text(encoding="utf-8"))


def test_the_sources_that_are_written_down_are_the_present_ones():
    written = [(one["trainer"], one["net"], one["digest"]) for one in ENTRIES]
    assert written == list(digests())


def test_each_entry_says_why():
    assert all(one["reason"] for one in ENTRIES)


def test_what_was_published_is_still_taken():
    assert {engine_digest("sparse", net) for net in ("lcn", "cnn", "fcn")} == {"a6a05f11ac67"}
