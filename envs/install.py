"""Installs the environment of this clone into .venv: whole, or absent, and the one of this folder.

`make` calls it before all else, with whatever Python there is. Where the environment is whole it
does nothing. A copied or moved one is made anew: it would run the code of the other folder. So is
one whose installation was interrupted. What it did not make itself, a link, a file or another
environment, it refuses and leaves as it is. Several calls at a time wait for each other.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# What Snakemake's jobs, which run in a shell, or the search path of programs cannot hold.
UNFIT = set(" \t\n'\"$\\{}`&;|<>()*?[]:")

# In an environment that was installed here: what it has when it is whole, and until then.
STAMP, UNFINISHED = "package.stamp", "unfinished"


def main() -> int:
    """Exit code: 0 where the environment is whole."""
    if is_whole(ROOT):
        return 0
    unfit = sorted(UNFIT & set(str(ROOT)))
    if unfit:
        return refuse(
            "this folder's path, {}, has {}: jobs would fail in a shell. Move it to a path without;"
            " results may lie anywhere (--directory)".format(ROOT, " ".join(map(repr, unfit)))
        )
    if sys.version_info < (3, 11):  # noqa: UP036
        return refuse(
            f"Python 3.11 or 3.12 is needed, {sys.executable} is older: make PYTHON=python3.12 ..."
        )
    if foreign := why_foreign(ROOT / ".venv"):
        return refuse(foreign)
    with (ROOT / ".venv.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("another make installs into .venv: waiting for it", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        return 0 if is_whole(ROOT) else install(ROOT)


def is_whole(root: Path) -> bool:
    """Whether the environment of a folder is its own, finished, and not older than its lists."""
    stamp = root / ".venv" / STAMP
    if not stamp.is_file() or not is_own(root) or is_unfinished(root):
        return False
    lists = (root / "pyproject.toml", root / "envs" / "requirements.lock")
    return all(one.stat().st_mtime <= stamp.stat().st_mtime for one in lists)


def why_foreign(venv: Path) -> str:
    """Why a path is not to be touched, since nothing here made it; empty where it may be."""
    cure = (
        f"; it is left as it is. Move it away (make clean-env removes it), and make installs {venv}"
    )
    if venv.is_symlink():
        return f"{venv} is a link to {os.readlink(venv)}" + cure
    if venv.exists() and not venv.is_dir():
        return f"{venv} is no folder" + cure
    made_here = any((venv / name).exists() for name in (STAMP, UNFINISHED))
    if venv.exists() and not made_here and any(venv.iterdir()):
        return f"{venv} was not made by make: it has neither {STAMP} nor {UNFINISHED}" + cure
    return ""


def is_own(root: Path) -> bool:
    """Whether the environment runs at all, and the code of this folder, not that of another."""
    if not (root / ".venv" / "bin" / "python").exists():
        return False
    named = (root / ".venv").glob("lib/python*/site-packages/__editable__.srhm-*.pth")
    sources = [Path(line) for file in named for line in file.read_text("utf-8").splitlines()]
    return [one.resolve() for one in sources] == [root / "src"]


def is_unfinished(root: Path) -> bool:
    """Whether an installation was begun and not ended."""
    return (root / ".venv" / UNFINISHED).exists()


def install(root: Path) -> int:
    """Makes the environment, from nothing unless a whole one is only older than its lists."""
    venv, lock = root / ".venv", root / "envs" / "requirements.lock"
    unfinished = venv / UNFINISHED
    begun = is_own(root) and not is_unfinished(root)
    # First, so that what an interruption leaves is known for ours.
    venv.mkdir(exist_ok=True)
    unfinished.touch()
    if not begun and (code := make_empty(venv)):
        return code
    n_packages = sum("==" in line for line in lock.read_text("utf-8").splitlines())
    print(
        f"Installing {n_packages} pinned packages into .venv (PyTorch, Numba, Snakemake, ...):"
        " once, one to five minutes.",
        flush=True,
    )
    for words in (
        ["--requirement", str(lock)],
        ["--no-deps", "--no-build-isolation", "--editable", str(root)],
    ):
        code = pip(root, *words)
        if code:
            return code
    (venv / STAMP).touch()
    unfinished.unlink()
    return 0


def make_empty(venv: Path) -> int:
    """Exit code of the making of an environment without packages, in place of what there is."""
    for one in venv.iterdir():
        if one.is_dir() and not one.is_symlink():
            shutil.rmtree(one)
        elif one.name != UNFINISHED:
            one.unlink()
    base = getattr(sys, "_base_executable", sys.executable)  # not one of the folder itself
    code = subprocess.run([base, "-m", "venv", str(venv)]).returncode
    if code:
        print(f"{base} cannot make an environment: see above", file=sys.stderr)
    return code


def pip(root: Path, *words: str) -> int:
    """Exit code of pip; what it says is shown only where it fails."""
    command = [str(root / ".venv" / "bin" / "python"), "-m", "pip", "--no-input"]
    command += ["--disable-pip-version-check", "install", *words]
    log = root / ".venv" / "install.log"
    with log.open("w") as file:
        code = subprocess.run(command, cwd=str(root), stdout=file, stderr=file).returncode
    if code:
        print("\n".join(log.read_text("utf-8", "replace").splitlines()[-30:]), file=sys.stderr)
    return code


def refuse(why: str) -> int:
    """Exit code of a call that installs nothing."""
    print(why, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
