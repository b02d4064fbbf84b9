"""Verdicts are reproduced, differs, inconclusive: no page has an older word."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
OLD = re.compile(
    r"\bdisagree[sd]?\b|[:*] ?agrees?\b|\bagree or close\b|too few data|no expectation"
    r"|\b(?:is|are|stays?|remains?|left|claims?) (?:still )?open\b|\bopen (?:claims?|ones)\b"
    r"|[:*] ?open\b",
    re.IGNORECASE,
)


def test_no_page_has_an_older_word():
    command = ["git", "ls-files", "*.md", "*.rst"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found = {name for name in names.split()
             if OLD.search((ROOT / name).read_text(encoding="utf-8"))}  # fmt: skip
    assert found == set(), "write reproduced, differs, inconclusive"
