"""What is archived says what made it: figures, scorecards, the description of the software."""

import json
import os
import re
import subprocess
import tomllib
from math import inf, nan
from pathlib import Path

import pandas as pd
import yaml
from matplotlib.figure import Figure
from PIL import Image

from srhm.figures.drawing import save
from srhm.results.commit import REPOSITORY, commit_and_reason, commit_of
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


def git_in(folder: Path, *words: str) -> str:
    name = ["-c", "user.name=a", "-c", "user.email=a@b"]
    done = subprocess.run(["git", "-C", str(folder), *name, *words],
                          check=True, capture_output=True, text=True)  # fmt: skip
    return done.stdout.strip()


def repository(folder: Path) -> str:
    """Commit of a new repository with a file."""
    git_in(folder, "init")
    (folder / "file").write_text("one", encoding="utf-8")
    git_in(folder, "add", "file")
    git_in(folder, "commit", "--message=one")
    return git_in(folder, "rev-parse", "HEAD")


def test_the_commit_is_that_of_the_tree_and_says_what_differs(tmp_path):
    assert commit_of(tmp_path) == "unknown"
    commit = repository(tmp_path)
    assert commit_of(tmp_path) == commit
    (tmp_path / "notes").write_text("no code", encoding="utf-8")
    assert commit_of(tmp_path) == commit
    (tmp_path / "file").write_text("two", encoding="utf-8")
    assert commit_of(tmp_path) == commit + " + changes"


def test_code_that_no_commit_has_is_a_change(tmp_path):
    commit = repository(tmp_path)
    (tmp_path / "src" / "srhm").mkdir(parents=True)
    (tmp_path / "src" / "srhm" / "new.py").write_text("", encoding="utf-8")
    assert commit_of(tmp_path) == commit + " + changes"


def test_the_commit_of_a_repository_around_the_folder_is_not_taken(tmp_path):
    repository(tmp_path)
    (tmp_path / "srhm").mkdir()
    commit, reason = commit_and_reason(tmp_path / "srhm")
    assert commit == "unknown"
    assert f"{tmp_path} is another one" in reason


def test_the_commit_of_a_repository_of_the_environment_is_not_taken(tmp_path, monkeypatch):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    commit = repository(tmp_path / "one")
    (tmp_path / "other" / "more").write_text("more", encoding="utf-8")
    repository(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "one"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "other" / ".git" / "index"))
    assert commit_of(tmp_path / "one") == commit


def test_the_commit_of_a_worktree_and_of_a_link_to_a_clone_is_theirs(tmp_path):
    (tmp_path / "one").mkdir()
    commit = repository(tmp_path / "one")
    git_in(tmp_path / "one", "worktree", "add", str(tmp_path / "tree"))
    (tmp_path / "link").symlink_to("one")
    assert commit_of(tmp_path / "tree") == commit_of(tmp_path / "link") == commit


def test_the_commit_of_a_damaged_repository_and_of_another_users_is_unknown(tmp_path):
    repository(tmp_path)
    if os.geteuid() == 0:
        for one in (tmp_path, *tmp_path.rglob("*")):
            os.chown(one, 65534, 65534)
        commit, reason = commit_and_reason(tmp_path)
        assert commit == "unknown"
        assert "dubious ownership" in reason
    (tmp_path / ".git" / "HEAD").write_text("nothing\n", encoding="utf-8")
    commit, reason = commit_and_reason(tmp_path)
    assert commit == "unknown"
    assert "git says" in reason


def test_why_a_commit_is_unknown_is_said(tmp_path, monkeypatch):
    git_in(tmp_path, "init")
    assert "Needed a single revision" in commit_and_reason(tmp_path)[1]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert commit_and_reason(tmp_path) == (
        "unknown", "git cannot be called (No such file or directory)"
    )  # fmt: skip


def test_the_scorecard_for_programs_has_every_claim_and_no_infinity():
    row = {"claim": "one", "statement": "P* ≤ 2", "place": "Eq. 3", "figure": "4", "note": "",
           "expected": 2.0, "tolerance": 0.5, "value": 2.25, "low": -inf, "high": inf, "n": 9,
           "authors_value": 2.25, "authors_low": nan, "authors_high": nan, "tolerance_reason": "",
           "scale": "plain", "fixed": "after",
           "verdict": "inconclusive"}  # fmt: skip
    other = {**row, "claim": "two", "value": nan}
    made = [{"study": name, "command": f"make {name}"} for name in ("a", "b")]
    parts = [(pd.DataFrame([one]), by) for one, by in zip((row, other), made, strict=True)]
    text = scorecard_data(parts, commit="abc")
    assert not re.search("NaN|Infinity", text)
    one, two = json.loads(text)
    assert one == {
        "claim": "one", "statement": "P* ≤ 2", "place": "Eq. 3", "figure": "4", "note": "",
        "scale": "plain", "fixed": "after", "verdict": "inconclusive",
        "expected": 2.0, "tolerance": 0.5, "value": 2.25, "low": None,
        "high": None, "authors_value": 2.25, "authors_low": None, "authors_high": None,
        "error": None, "in_errors": None, "in_tolerances": 0.5, "allowed": [1.5, 2.5],
        "n": 9, "study": "a", "command": "make a", "commit": "abc",
    }  # fmt: skip
    assert (two["claim"], two["value"], two["command"]) == ("two", None, "make b")


def test_a_deposit_names_no_invented_address_of_the_project():
    texts = {
        name: (REPOSITORY / name).read_text("utf-8")
        for name in ("CITATION.cff", ".zenodo.json", "codemeta.json")
    }
    reserved = re.compile(
        r"https?://[^/\s\"]*(\bexample\.(com|net|org)|\.(example|invalid|test)|localhost)\b"
    )
    assert [name for name, text in texts.items() if reserved.search(text)] == []
    # An address is that of the citation, in all of them or in none.
    citation = yaml.safe_load(texts["CITATION.cff"])
    address = citation.get("repository-code")
    assert json.loads(texts["codemeta.json"]).get("codeRepository") == address
    assert not {"url", "repository", "repository-artifact"} & citation.keys()


def test_descriptions_of_the_software_agree():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    meta = json.loads((REPOSITORY / "codemeta.json").read_text("utf-8"))
    citation = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text("utf-8"))
    assert meta["name"] == project["name"]
    assert meta["description"] == project["description"]
    assert meta["version"] == citation["version"] == project["version"]
    assert meta["license"].endswith(f"/{project['license']}")
    assert citation["license"] == project["license"]
    assert meta["keywords"] == citation["keywords"]
    names = [[one["name"] for one in author] for author in
             (meta["author"], citation["authors"], project["authors"])]  # fmt: skip
    assert names[0] == names[1] == names[2]
    paper, cited = meta["referencePublication"], citation["references"][0]
    assert (paper["name"], paper["datePublished"]) == (cited["title"], str(cited["year"]))
    families = [one["familyName"] for one in paper["author"]]
    assert families == [one["family-names"] for one in cited["authors"]]
