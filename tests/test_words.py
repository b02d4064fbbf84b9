"""Verdicts have three words: reproduced, differs, inconclusive. Pages in the older ones are listed.

tests/old_words.txt only shrinks: a page that is rewritten leaves it, and none is added.
"""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
# Of the list when it was begun.
MOST = 0
LISTED = (ROOT / "tests/old_words.txt").read_text(encoding="utf-8").split()
OLD = re.compile(
    r"\bdisagree[sd]?\b|[:*] ?agrees?\b|\bagree or close\b|too few data|no expectation"
    r"|\b(?:is|are|stays?|remains?|left|claims?) (?:still )?open\b|\bopen (?:claims?|ones)\b"
    r"|[:*] ?open\b",
    re.IGNORECASE,
)


def in_old_words() -> set[str]:
    """Pages of the repository with a verdict in an older word."""
    command = ["git", "ls-files", "*.md", "*.rst"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {name for name in names.split()
            if OLD.search((ROOT / name).read_text(encoding="utf-8"))}  # fmt: skip


def test_pages_in_old_words_are_those_of_the_list():
    found = in_old_words()
    assert not found - set(LISTED), "write reproduced, differs, inconclusive"
    assert not set(LISTED) - found, "rewritten: take them from tests/old_words.txt"
    assert len(LISTED) <= MOST


def test_what_is_found_is_an_old_word():
    for text in ("**open**", "it agrees: agrees", "2 disagree", "the claim is open"):
        assert OLD.search(text), text
    for text in ("make open", "two processors agree", "an open shell", "reproduced; differs"):
        assert not OLD.search(text), text
