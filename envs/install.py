"""Installs the environment of this clone into .venv: whole, or absent, and the one of this folder.

`make` calls it before all else, with whatever Python there is. Where the environment is whole it
does nothing. A copied or moved one is made anew: it would run the code of the other folder. So is
one whose installation was interrupted. What it did not make itself, a link, a file or another
environment, it refuses and leaves as it is. Several calls at a time wait for each other.

    python3 envs/install.py [yes | cuda]

A word asks for the hashes of envs/hashed/: a file of another content is refused. With "cuda"
PyTorch may be the build for GPUs. An environment that was installed without is made anew.
"""

import fcntl
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# What Snakemake's jobs, which run in a shell, or the search path of programs cannot hold.
UNFIT = set(" \t\n'\"$\\{}`&;|<>()*?[]:")
# What pip says of a package in its cache that was cut off.
DAMAGED = ".whl is invalid"
# What it says of the build of PyTorch for GPUs where that without CUDA is wanted.
OTHER_BUILD = ("DO NOT MATCH THE HASHES", "torch==")
# In an environment that was installed here: what it has when it is whole, and until then.
STAMP, UNFINISHED = "package.stamp", "unfinished"
# Pythons for which every package of the lock has a wheel: from the first, and before the second.
FIRST, BEYOND = (3, 11), (3, 14)
# What may be asked for -> the locks in envs/.
LOCKS = {
    "": ["requirements.lock"],
    "yes": ["hashed/requirements.lock", "hashed/cpu.lock"],
    "cuda": ["hashed/requirements.lock", "hashed/cuda.lock"],
}


def main(hashes: str = "") -> int:
    """Exit code: 0 where the environment is whole; hashes: a key of LOCKS."""
    if hashes not in LOCKS:
        return refuse(f"HASHES={hashes}: known are HASHES=yes and HASHES=cuda")
    try:
        return made_whole(hashes)
    except OSError as error:
        return refuse(f"{error.filename or ROOT}: {error.strerror}; no environment is installed")


def made_whole(hashes: str) -> int:
    """The same.

    Raises:
        OSError: if a file cannot be read or written.
    """
    if is_whole(ROOT, hashes):
        return 0
    unfit = sorted(UNFIT & set(str(ROOT)))
    if unfit:
        return refuse(
            "this folder's path, {}, has {}: jobs would fail in a shell. Move it to a path without;"
            " results may lie anywhere (--directory)".format(ROOT, " ".join(map(repr, unfit)))
        )
    other = why_other_python()
    if other:
        return refuse(f"Python 3.11, 3.12 or 3.13 is needed, {other}: make PYTHON=python3.12 ...")
    foreign = why_foreign(ROOT / ".venv")
    if foreign:
        return refuse(foreign)
    with (ROOT / ".venv.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("another make installs into .venv: waiting for it", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        except OSError as error:
            print(
                f"{lock.name} cannot be locked ({error.strerror}): let no other make install here"
                " meanwhile",
                flush=True,
            )
        return 0 if is_whole(ROOT, hashes) else install(ROOT, hashes)


def why_other_python() -> str:
    """What the Python that runs is, where the lock has no wheels for it; else empty."""
    here = f"{sys.executable} is {sys.version.split()[0]}"
    if not FIRST <= sys.version_info[:2] < BEYOND:
        return here
    if sys.implementation.name != "cpython":
        return f"{here} of {sys.implementation.name}"
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return f"{here}, the free-threaded build"
    if sys.maxsize < 2**32:
        return f"{here} of 32 bits"
    return ""


def is_whole(root: Path, hashes: str = "") -> bool:
    """Whether the environment of a folder is its own, finished, and not older than its lists.

    One that was installed by hashes is whole without them, too.
    """
    stamp = root / ".venv" / STAMP
    if not stamp.is_file() or not is_own(root) or is_unfinished(root):
        return False
    if hashes and stamp.read_text("utf-8") != hashes:
        return False
    lists = [root / "pyproject.toml", *(root / "envs" / name for name in LOCKS[hashes])]
    return all(one.stat().st_mtime <= stamp.stat().st_mtime for one in lists)


def why_foreign(venv: Path) -> str:
    """Why a path is not to be touched, since nothing here made it; empty where it may be."""
    cure = f"; it is left as it is. Move it away or remove it, and make installs {venv}"
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


def install(root: Path, hashes: str) -> int:
    """Makes the environment, from nothing unless a whole one is only older than its lists."""
    venv, locks = root / ".venv", [root / "envs" / name for name in LOCKS[hashes]]
    unfinished = venv / UNFINISHED
    # What is installed is not compared with hashes again: with them from nothing.
    begun = is_own(root) and not is_unfinished(root) and not hashes
    # First, so that what an interruption leaves is known for ours.
    venv.mkdir(exist_ok=True)
    unfinished.touch()
    code = 0 if begun else make_empty(venv)
    if code:
        return code
    for line in variables_of(root).named(os.environ, pattern="PIP_*"):
        print(line, flush=True)
    # A pin a line, with its hashes.
    texts = [lock.read_text("utf-8").replace("\\\n", " ") for lock in locks]
    pins = [line for text in texts for line in text.splitlines() if "==" in line]
    print(
        f"Installing {len(pins)} pinned packages into .venv (PyTorch, Numba, Snakemake, ...):"
        " once, one to five minutes.",
        flush=True,
    )
    # First, since the lock has a package that is built, with this and nothing unpinned.
    first, builders = venv / "first.lock", [pin for pin in pins if pin.startswith("setuptools==")]
    first.write_text("\n".join(builders), "utf-8")
    given = [word for lock in locks for word in ("--requirement", str(lock))]
    for words in (
        ["--no-deps", "--requirement", str(first)] if builders else [],
        ["--no-build-isolation", "--use-pep517", *given],
        ["--no-build-isolation", "--no-deps", "--editable", str(root)],
    ):
        code = pip(root, *words) if words else 0
        if code:
            return code
    (venv / STAMP).write_text(hashes, "utf-8")
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
    own = variables_of(venv.parent).passed_on(os.environ)
    code = subprocess.run([base, "-m", "venv", str(venv)], env=own).returncode
    if code:
        print(f"{base} cannot make an environment: see above", file=sys.stderr)
    return code


def pip(root: Path, *words: str) -> int:
    """Exit code of pip; what it says is shown only where it fails, with how it is configured."""
    variables = variables_of(root)
    program = [str(root / ".venv" / "bin" / "python"), "-m", "pip", "--no-input"]
    # What a pip.conf may say otherwise: packages go into this environment.
    here = ["--no-user", "--target", ""]
    command = [*program, "--disable-pip-version-check", "install", *here, *words]
    log = root / ".venv" / "install.log"
    own = variables.passed_on(os.environ)
    with log.open("w") as file:
        code = subprocess.run(command, cwd=str(root), stdout=file, stderr=file, env=own).returncode
    if code and DAMAGED in log.read_text("utf-8", "replace") and "--no-cache-dir" not in words:
        print("pip's cache holds a damaged package: again without that cache", file=sys.stderr)
        return pip(root, "--no-cache-dir", *words)
    if code:
        print("\n".join(log.read_text("utf-8", "replace").splitlines()[-30:]), file=sys.stderr)
        told = subprocess.run([*program, "config", "list"], capture_output=True, text=True, env=own)
        for line in told.stdout.splitlines():
            print(f"pip is configured here: {line}", file=sys.stderr)
        if all(words in log.read_text("utf-8", "replace") for words in OTHER_BUILD):
            print(
                "By hashes alone PyTorch for Linux is the build without CUDA: name an index that"
                " has it (PIP_EXTRA_INDEX_URL, docs/install.md), or HASHES=cuda takes the other",
                file=sys.stderr,
            )
        print("`make doctor` looks at disk, limits and Python, too", file=sys.stderr)
    return code


def variables_of(root: Path):
    """The module that says which variables of the environment are passed on."""
    file = root / "src" / "srhm" / "commands" / "variables.py"
    spec = importlib.util.spec_from_file_location("variables", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def refuse(why: str) -> int:
    """Exit code of a call that installs nothing."""
    print(why, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(" ".join(sys.argv[1:])))
