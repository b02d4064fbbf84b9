"""The commit of the code that made a file."""

import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).parents[3]


def commit_of(folder: Path = REPOSITORY) -> str:
    """Commit of a working tree, with "+ changes" where files other than published ones differ."""

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", "-C", str(folder), *words], capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        changes = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!published")
        return git("rev-parse", "HEAD") + (" + changes" if changes else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
