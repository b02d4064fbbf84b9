"""Images and `make test-fresh` take one list of steps; what a machine lacks is a sentence."""

import re
import subprocess
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


def test_the_clone_is_there_before_its_environment_is_installed_and_where_the_root_has_it():
    lines = CONTAINERFILE.splitlines()
    order = ["COPY envs/fresh.sh /srhm/envs/", "WORKDIR /srhm", "RUN sh envs/fresh.sh system"]
    order += ["COPY . /srhm", "RUN sh envs/fresh.sh environment"]
    assert [line for line in lines if line in order] == order
    assert fresh_root.CLONE == "srhm"


def test_images_begin_with_a_debian_that_has_been_tried():
    for text, pattern in ((CONTAINERFILE, r"^ARG DEBIAN=(\d+)"), (APPTAINER, r"^ +DEBIAN=(\d+)")):
        assert re.search(pattern, text, re.MULTILINE)[1] in fresh_root.NAMES
    # What the definition fills in has a value in it.
    assert set(re.findall(r"\{\{ (\w+) \}\}", APPTAINER)) == {"DEBIAN", "INDEX", "HASHES"}
    assert set(re.findall(r"^ +(\w+)=\w+$", APPTAINER, re.MULTILINE)) == {
        "DEBIAN",
        "INDEX",
        "HASHES",
    }


def test_an_image_has_no_environment_and_no_results_of_the_folder_that_it_is_made_from():
    lines = [
        (ENVS.parent / name).read_text("utf-8").splitlines()
        for name in (".gitignore", ".dockerignore")
    ]
    git, image = ({line.removeprefix("**").strip("/") for line in one} for one in lines)
    # What is small, or made by hand.
    left = {"", "!/results/.gitkeep", "*.nbi", "*.nbc", "learning_curve.png", "profiles/mine"}
    assert {line for line in git - image - left if line[0] != "#"} == set()
    assert "!results/.gitkeep" in image


def test_a_step_that_is_not_there_is_refused_with_those_that_are():
    done = subprocess.run(["sh", str(SCRIPT), "all"], capture_output=True, text=True)
    assert done.returncode == 2
    assert all(name in done.stderr for name in fresh_root.STEPS)


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


def test_files_that_variables_of_pip_name_are_those_that_the_root_has_too(tmp_path):
    (tmp_path / "wheels").mkdir()
    named = [f"{tmp_path}/wheels file://{tmp_path}/wheels", f"{tmp_path}/gone", "https://a/b", "60"]
    assert fresh_root.files_named_by(named) == [tmp_path / "wheels"]


def test_a_row_takes_the_place_of_the_earlier_one_of_its_kind(tmp_path, monkeypatch, capsys):
    document = tmp_path / "install.md"
    head = "| root | versions | times | when |\n|---|---|---|---|"
    document.write_text(f"a\n{fresh_root.BEGIN}\n{head}\n{fresh_root.END}\nb\n")
    monkeypatch.setattr(fresh_root, "DOCUMENT", document)
    for debian, seconds in (("13", 5), ("12", 6), ("13", 7)):
        options = type("Options", (), {"debian": debian, "whole": False, "read_only": True})
        taken = {"system": seconds, "make figures": 8.4, "make test": 9.0}
        fresh_root.note(options, taken, "Python 3", {"make test": "5 passed, 1 skipped"})
    rows = document.read_text().split(head)[1].splitlines()[1:3]
    ends = "`make figures` 8 s; `make test` 9 s (5 passed, 1 skipped)"
    assert [row.split(" | ")[:3] for row in rows] == [
        ["| Debian 12, read-only", "Python 3", f"system 6 s; {ends}"],
        ["| Debian 13, read-only", "Python 3", f"system 7 s; {ends}"],
    ]
    assert document.read_text().startswith("a\n")
    assert document.read_text().endswith("\nb\n")


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        (
            "==== 1 failed, 20 passed, 3 skipped in 800.12s (0:13:20) ====",
            "1 failed, 20 passed, 3 skipped",
        ),
        ("7 passed in 0.10s", "7 passed"),
        ("12 of 30 cells in 3 min", ""),
        ("wall time 5 min", ""),
    ],
)
def test_what_pytest_counted_is_read_of_its_last_line(line, counts):
    assert fresh_root.counted_in(f"{line}\n") == counts


def test_a_command_that_fails_says_what_pytest_counted(capsys):
    script = ["sh", "-c", "echo '1 failed, 2 passed in 0.1s'; exit 3"]
    with pytest.raises(SystemExit, match=r"exit code 3 \(1 failed, 2 passed\)"):
        fresh_root.timed(script, lambda: None, {"PATH": "/usr/bin:/bin"})
    words = ["sh", "-c", "echo '2 passed in 0.1s'; echo after"]
    seconds, counts = fresh_root.timed(words, lambda: None, {"PATH": "/usr/bin:/bin"})
    assert counts == "2 passed"
    assert seconds > 0
    assert "after" in capsys.readouterr().out
