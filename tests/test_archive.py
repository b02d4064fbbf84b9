"""What is archived says what made it: figures, scorecards, the description of the software."""

import json
import re
import subprocess
from math import inf, nan

import pandas as pd
from matplotlib.figure import Figure
from PIL import Image

from srhm.figures.drawing import save
from srhm.results.commit import commit_of
from srhm.scorecard.data import scorecard_data


def test_figures_name_command_and_commit_and_not_the_day(tmp_path):
    figure = Figure(figsize=(1, 1))
    figure.add_axes((0, 0, 1, 1))
    pdf, png = tmp_path / "a.pdf", tmp_path / "a.png"
    save(figure, pdf=pdf, png=png, command="make figures PRESET=grid", commit="abc")
    with Image.open(png) as image:
        assert image.text == {"Source": "make figures PRESET=grid", "Comment": "commit abc"}
    assert b"/Subject (make figures PRESET=grid, commit abc)" in pdf.read_bytes()
    assert b"Date" not in pdf.read_bytes()


def test_the_commit_is_that_of_the_tree_and_says_what_differs(tmp_path):
    assert commit_of(tmp_path) == "unknown"

    def git(*words: str) -> str:
        name = ["-c", "user.name=a", "-c", "user.email=a@b"]
        done = subprocess.run(["git", "-C", str(tmp_path), *name, *words],
                              check=True, capture_output=True, text=True)  # fmt: skip
        return done.stdout.strip()

    git("init")
    (tmp_path / "file").write_text("one")
    git("add", "file")
    git("commit", "--message=one")
    assert commit_of(tmp_path) == git("rev-parse", "HEAD")
    (tmp_path / "file").write_text("two")
    assert commit_of(tmp_path) == git("rev-parse", "HEAD") + " + changes"


def test_the_scorecard_for_programs_has_every_claim_and_no_infinity():
    row = {"claim": "one", "statement": "P* ≤ 2", "place": "Eq. 3", "figure": "4", "note": "",
           "expected": 2.0, "tolerance": 0.5, "value": 2.25, "low": -inf, "high": inf, "n": 9,
           "tolerance_reason": "", "verdict": "undecided"}  # fmt: skip
    other = {**row, "claim": "two", "value": nan}
    made = [{"study": name, "command": f"make {name}"} for name in ("a", "b")]
    parts = [(pd.DataFrame([one]), by) for one, by in zip((row, other), made, strict=True)]
    text = scorecard_data(parts, commit="abc")
    assert not re.search("NaN|Infinity", text)
    one, two = json.loads(text)
    assert one == {
        "claim": "one", "statement": "P* ≤ 2", "place": "Eq. 3", "figure": "4", "note": "",
        "verdict": "undecided", "expected": 2.0, "tolerance": 0.5, "value": 2.25, "low": None,
        "high": None, "n": 9, "study": "a", "command": "make a", "commit": "abc",
    }  # fmt: skip
    assert (two["claim"], two["value"], two["command"]) == ("two", None, "make b")
