"""Each tutorial runs as a reader runs it, prints what its page shows, and its claim holds."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.py"))
of_each = pytest.mark.parametrize("tutorial", TUTORIALS, ids=lambda path: path.stem)


def test_there_are_four():
    assert [path.stem for path in TUTORIALS] == [
        *("add_a_study", "draw_a_datum", "measure_one_p_star", "sensitivities")
    ]


@of_each
def test_a_tutorial_ends_in_a_claim(tutorial):
    *_, last = re.findall(r"^# %%\n(.*?)(?=^# %%|\Z)", tutorial.read_text(), flags=re.M | re.S)
    assert re.search(r"^ *assert ", last, flags=re.MULTILINE)


@of_each
def test_a_tutorial_runs_and_prints_what_it_shows(tutorial, tmp_path):
    done = subprocess.run([sys.executable, tutorial], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    printed = done.stdout
    for shown in re.findall(r"^# ```text\n(.*?)^# ```", tutorial.read_text(), flags=re.M | re.S):
        _, found, printed = printed.partition(re.sub(r"^# ?", "", shown, flags=re.MULTILINE))
        assert found, f"not printed, or not in this order:\n{shown}"
