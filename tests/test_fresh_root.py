"""Images and fresh_root.py take one list of steps; what a machine lacks is a sentence."""

import re
from pathlib import Path

import fresh_root
import pytest

ENVS = Path(__file__).parents[1] / "envs"
CONTAINERFILE = (ENVS / "Containerfile").read_text("utf-8")
APPTAINER = (ENVS / "apptainer.def").read_text("utf-8")
SCRIPT = ENVS / "fresh.sh"


def test_both_images_take_the_steps_of_the_fresh_root_and_no_others():
    cases = re.findall(r"^(\w+)\)", SCRIPT.read_text("utf-8"), re.MULTILINE)
    assert cases == list(fresh_root.STEPS)
    steps = [f"sh envs/fresh.sh {name}" for name in fresh_root.STEPS]
    assert re.findall(r"^RUN (.*)", CONTAINERFILE, re.MULTILINE) == steps
    post = APPTAINER.split("%post\n")[1].split("\n\n")[0]
    called = [line.strip() for line in post.splitlines()]
    assert [line for line in called if not line.startswith("test ")] == ["cd /srhm", *steps]


@pytest.mark.parametrize(
    ("user", "found", "free", "words"),
    [
        (1000, True, 1e12, "needs root"),
        (0, False, 1e12, "needs mmdebstrap"),
        (0, True, 1e9, "1.0 are free"),
        (0, True, 1e12, ""),
    ],
)
def test_what_is_lacking_for_a_new_root_is_a_sentence(monkeypatch, user, found, free, words):
    monkeypatch.setattr(fresh_root.os, "geteuid", lambda: user)
    monkeypatch.setattr(fresh_root.shutil, "which", lambda name: name if found else None)
    usage = type("Usage", (), {"free": free})
    monkeypatch.setattr(fresh_root.shutil, "disk_usage", lambda folder: usage)
    said = fresh_root.why_not()
    assert words in said
    assert bool(said) == bool(words)
