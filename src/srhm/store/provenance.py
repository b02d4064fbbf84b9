"""Digests of values, versions of packages and the commit of the code, as results carry them."""

import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[1]
REPOSITORY = PACKAGE.parents[1]
UNKNOWN = "unknown"
# What trains, measures and draws: a file of these that no commit has is a change.
CODE = ("Snakefile", "src", "rules", "scripts")
# Of git's variables only those about its installation are kept: the others may name another
# repository, as within a hook of one.
KEPT = {"GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"}


def canonical_json(value: Any) -> str:
    """One text for one value: keys sorted, no spaces, shortest floats; NaN is refused."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def short_hash(value: Any, *, length: int = 12) -> str:
    """Hexadecimal digest of the canonical JSON of a value."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()[:length]


def versions(packages: Iterable[str]) -> str:
    """Versions of Python and of these packages, as one line of text."""
    parts = [f"python {platform.python_version()}"]
    return ", ".join(parts + [f"{name} {version(name)}" for name in packages])


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
