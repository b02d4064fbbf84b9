"""The commit of the code that made a file."""

import os
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).parents[3]
UNKNOWN = "unknown"
# What trains, measures and draws: a file of these that no commit has is a change.
CODE = ("Snakefile", "src", "rules", "scripts")
# Of git's variables only those about its installation are kept: the others may name another
# repository, as within a hook of one.
KEPT = {"GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"}


def commit_of(folder: Path = REPOSITORY) -> str:
    """Commit of a working tree, with "+ changes" where files other than published ones differ.

    "unknown" where the folder is no working tree itself, whatever repository it lies in.
    """
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name in KEPT
    } | {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", "-C", str(folder), *words],
            capture_output=True,
            text=True,
            errors="replace",
            check=True,
            env=environment,
        ).stdout.strip()

    try:
        if Path(git("rev-parse", "--show-toplevel")).resolve() != folder.resolve():
            return UNKNOWN
        commit = git("rev-parse", "--verify", "HEAD")
        changes = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!published")
        changes += git("status", "--porcelain", "--untracked-files=all", "--", *CODE)
    except (OSError, subprocess.CalledProcessError):
        return UNKNOWN
    return commit + (" + changes" if changes else "")
