"""Faults of the repository: rows are published with the commit of this code, or with "unknown"."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from faults.scene import Defect, Scene, copy_code
from faults.table import Fault, Make

NOBODY = 65534
AS_SOMEBODY = ("-c", "user.name=a", "-c", "user.email=a@b")
# Prepares the folder of the code: the commit that must be published, and variables to publish with.
Prepare = Callable[[Path], tuple[str, Mapping[str, str]]]


def git(folder: Path, *words: str) -> str:
    """What git says in a folder."""
    command = ["git", "-C", str(folder), *AS_SOMEBODY, *words]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def committed(folder: Path) -> str:
    """The commit of a new repository of all that lies in a folder."""
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=a", "--allow-empty")
    return git(folder, "rev-parse", "HEAD")


def published_from(prepare: Prepare) -> Make:
    """Rows are published by a copy of the code in a folder of which something is unusual."""

    def make(scene: Scene) -> str:
        code = scene.folder.with_name("thesis") / "code"
        code.mkdir(parents=True)
        copy_code(code)
        expected, variables = prepare(code)
        rows = scene.folder / "published"
        command = [sys.executable, "-m", "srhm.commands.publish", "--configfile", str(scene.file)]
        command += ["--directory", str(scene.folder), "--published", str(rows)]
        done = subprocess.run(
            command,
            cwd=code,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(code / "src"), **variables},
        )
        text = done.stdout + done.stderr
        files = list(rows.rglob("provenance.json"))
        commits = [json.loads(one.read_text(encoding="utf-8"))["commit"] for one in files]
        shutil.rmtree(code.parent)
        if commits != [expected]:
            raise Defect(f"published as of {commits}, not of {expected}:\n{text}")
        return text

    return make


def in_another(code: Path) -> tuple[str, Mapping[str, str]]:
    """An unpacked archive within somebody's repository."""
    (code.parent / "thesis.tex").write_text("a thesis", encoding="utf-8")
    committed(code.parent)
    return "unknown", {}


def in_no_repository(code: Path) -> tuple[str, Mapping[str, str]]:
    """An unpacked archive."""
    return "unknown", {}


def of_the_environment(code: Path) -> tuple[str, Mapping[str, str]]:
    """GIT_DIR and its like name another repository, as in a hook."""
    other = code.parent / "other"
    other.mkdir()
    (other / "file").write_text("other", encoding="utf-8")
    committed(other)
    place = str(other / ".git")
    return committed(code), {"GIT_DIR": place, "GIT_INDEX_FILE": f"{place}/index"}


def without_a_commit(code: Path) -> tuple[str, Mapping[str, str]]:
    """A repository in which nothing was committed."""
    git(code, "init", "--quiet")
    return "unknown", {}


def without_git(code: Path) -> tuple[str, Mapping[str, str]]:
    """A machine without git."""
    committed(code)
    return "unknown", {"PATH": str(code / "reference")}


def of_another_user(code: Path) -> tuple[str, Mapping[str, str]]:
    """A clone of another user, which git refuses to read."""
    committed(code)
    for one in (code, *code.rglob("*")):
        os.chown(one, NOBODY, NOBODY, follow_symlinks=False)
    return "unknown", {}


def damaged(code: Path) -> tuple[str, Mapping[str, str]]:
    """HEAD names nothing."""
    committed(code)
    (code / ".git" / "HEAD").write_text("nothing\n", encoding="utf-8")
    return "unknown", {}


def edited(code: Path) -> tuple[str, Mapping[str, str]]:
    """A file of code that no commit has."""
    commit = committed(code)
    (code / "src" / "srhm" / "new.py").write_text("NEW = 1\n", encoding="utf-8")
    return f"{commit} + changes", {}


def worktree(code: Path) -> tuple[str, Mapping[str, str]]:
    """A second working tree of a clone."""
    first = code.rename(code.with_name("first"))
    commit = committed(first)
    git(first, "worktree", "add", "--quiet", "--detach", str(code))
    return commit, {}


CASES: dict[str, tuple[str, Prepare, str]] = {
    "in_another": ("unpacked within another repository", in_another, "is another one"),
    "in_none": ("unpacked, in no repository", in_no_repository, "not a git repository"),
    "git_dir": ("GIT_DIR and GIT_INDEX_FILE of another repository", of_the_environment, ""),
    "no_commit": ("a repository without a commit", without_a_commit, "is unknown: git says"),
    "no_git": ("no git", without_git, "git cannot be called"),
    "foreign_clone": ("a clone of another user", of_another_user, "dubious ownership"),
    "damaged": ("a damaged .git", damaged, "is unknown: git says"),
    "edited": ("a file of code that no commit has", edited, ""),
    "worktree": ("a second working tree", worktree, ""),
}
FAULTS = {
    f"commit_{name}": Fault(
        title=f"make publish, the code: {title}",
        make=published_from(prepare),
        says=(says,) if says else (),
        lost="nothing: published as “unknown”, --commit names it" if says else "nothing",
        rerun="nothing to be done" if not says else "published with the commit that --commit names",
        root=name == "foreign_clone",
    )
    for name, (title, prepare, says) in CASES.items()
}
