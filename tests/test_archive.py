"""What is archived says what made it: figures, and the commit of the tree."""

import subprocess
from pathlib import Path

from matplotlib.figure import Figure
from PIL import Image

from srhm.figures.drawing import save
from srhm.store.provenance import commit_of


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
