"""What this machine, its environment and the last run are like, what is wrong, and what to do.

`make doctor`, or `srhm doctor`: the report is what an issue asks for. It changes nothing, and works
where nothing else does: it needs Python's own library alone and no new syntax, so that any Python
from 3.6 on runs it, without an environment or with a broken one.
"""

import argparse
import fcntl
import importlib.util
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from srhm.commands import limits
from srhm.commands.printing import printing

TYPING = False
if TYPING:  # a Python of any age reads this file
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parents[3]
# Megabytes of an environment as it is installed, and of the results of a small run.
OF_ENVIRONMENT, OF_RESULTS = 5000, 500
# What a run of some jobs needs of `ulimit`; megabytes of addresses are for PyTorch.
LEAST = (
    ("RLIMIT_NOFILE", "open files", 1, 256),
    ("RLIMIT_NPROC", "processes", 1, 64),
    ("RLIMIT_CPU", "s of processor time", 1, 3600),
    ("RLIMIT_AS", "MB of addresses", limits.MEGABYTE, 8000),
)
LOADED = "import numpy, scipy, pandas, pyarrow, numba, matplotlib, torch, snakemake"


class Finding(NamedTuple):
    """A line of the report; where something is wrong, what that is and what to do."""

    topic: str
    said: str
    wrong: str = ""
    cure: str = ""


def main(arguments: "Sequence[str] | None" = None) -> int:
    """Prints the report; 1 where something is wrong, else 0."""
    parser = argparse.ArgumentParser(
        prog="srhm doctor",
        description="What this machine and its environment are like, what is wrong, what to do.",
        epilog="example: srhm doctor --directory elsewhere",
    )
    parser.add_argument("--directory", default=".", help="where results/ lies")
    findings = list(examined(Path(parser.parse_args(arguments).directory)))
    width = max(len(finding.topic) for finding in findings)
    for finding in findings:
        print(f"{finding.topic.ljust(width)} {finding.said}")
    wrong = [finding for finding in findings if finding.wrong]
    print()
    for number, finding in enumerate(wrong, start=1):
        print(f"WRONG {number}: {finding.wrong}\n  do: {finding.cure}")
    if not wrong:
        print("nothing is wrong")
    return 1 if wrong else 0


def examined(folder: Path) -> "Iterator[Finding]":
    """All that is found of a folder for results."""
    clone, version = (ROOT / "Snakefile").is_file(), "an installed package"
    if clone:
        project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        code, commit = _said_by(["git", "rev-parse", "HEAD"])
        version = project.partition('\nversion = "')[2].partition('"')[0]
        version += f", commit {'unknown' if code else commit}"
    yield Finding("code", f"{version}, in {ROOT}")
    yield Finding("system", f"{platform.platform()}, {' '.join(platform.libc_ver())}")
    if clone:
        yield from _environment(ROOT / ".venv")
    yield Finding("cores", f"{limits.cores()} to use, of {os.cpu_count()}")
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // limits.MEGABYTE
    left, least = min(there, limits.memory() or there), limits.OF_SNAKEMAKE + limits.OF_TRAINING
    wrong = f"{left} MB of memory may be too few: a run with one job at a time takes {least}"
    cure = "give the container or job more, and CORES=1 to make"
    yield Finding("memory", f"{left} MB to use, of {there}", wrong if left < least else "", cure)
    for name, what, unit, least in LEAST:
        most = resource.getrlimit(getattr(resource, name))[0]
        if most != resource.RLIM_INFINITY:
            wrong = f"at most {most // unit} {what} are allowed; a run needs {least}"
            wrong = wrong if most // unit < least else ""
            cure = "raise it with `ulimit` of the shell"
            yield Finding("limits", f"{most // unit} {what}", wrong, cure)
    yield _folder("results", folder / "results", OF_RESULTS, "ARGS='--directory elsewhere'")
    yield _folder("temporary", Path(tempfile.gettempdir()), OF_RESULTS, "export TMPDIR=...")
    if clone:
        room = 0 if (ROOT / ".venv").exists() else OF_ENVIRONMENT
        yield _folder("clone", ROOT / ".venv", room, "move this clone to a disk that has room")
    yield _run(folder / "results")


def _environment(venv: Path) -> "Iterator[Finding]":
    """The Python that runs, and the environment of a clone: whole, in agreement, loadable."""
    # envs/install.py of the clone knows what a whole environment is.
    spec = importlib.util.spec_from_file_location("install", str(ROOT / "envs" / "install.py"))
    assert spec is not None and spec.loader is not None  # noqa: PT018
    installer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(installer)
    foreign, begun = installer.why_foreign(venv), installer.is_unfinished(ROOT)
    there = venv.exists() and not foreign
    other = "" if there and not begun else installer.why_other_python()
    wrong = f"Python 3.11, 3.12 or 3.13 is needed, {other}" if other else ""
    said = f"{sys.executable} {platform.python_version()}"
    yield Finding("python", said, wrong, "install one, and name it: make PYTHON=python3.12 ...")
    if foreign:
        yield Finding(".venv", "not of make", *foreign.split("; it is left as it is. ", 1))
    elif not there:
        yield Finding(".venv", "absent: the first make installs it")
    elif begun:
        wrong = "the installation into .venv was interrupted"
        yield Finding(".venv", f"{venv / 'install.log'} has what pip said", wrong, "`make env`")
    elif not installer.is_own(ROOT):
        wrong = ".venv runs the code of another folder, or its Python is gone"
        yield Finding(".venv", "not of this folder", wrong, "`make env` makes it anew")
    else:
        whole = installer.is_whole(ROOT)
        state = "whole" if whole else "older than its lists: the next make mends it"
        anew = "`rm -rf .venv; make env` installs all anew; a library of the system, or another one"
        anew += " (LD_LIBRARY_PATH, LD_PRELOAD), stays"
        for words in (["-m", "pip", "--disable-pip-version-check", "check"], ["-c", LOADED]):
            code, text = _said_by([str(venv / "bin" / "python"), *words])
            if code:
                last = text.splitlines()[-1] if text else f"{words[-1]} ends Python ({code})"
                yield Finding(".venv", state, f"packages of .venv are at fault: {last}", anew)
                return
        yield Finding(".venv", f"{state}; its packages agree and can be loaded")


def _folder(what: str, folder: Path, least: int, cure: str) -> Finding:
    """Of a folder that need not be there yet. least: megabytes that it must have room for."""
    place = folder.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        free = shutil.disk_usage(str(place)).free // limits.MEGABYTE
        with tempfile.TemporaryFile(dir=str(place)) as file:
            file.write(bytes(1 << 20))  # a full disk takes an empty file
            file.flush()
            os.fsync(file.fileno())
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        wrong = f"{place} takes no file, or no lock: {error.strerror}"
        return Finding(what, f"{folder}: {error.strerror}", wrong, f"make room, or: {cure}")
    wrong = f"{place} has {free} MB free; {least} MB are needed" if free < least else ""
    return Finding(what, f"{folder}: {free} MB free", wrong, f"make room, or: {cure}")


def _run(results: Path) -> Finding:
    """The run that is going on, or how the last one ended."""
    lock, log, holder = results / ".lock", results / "run.log", ""
    if lock.is_file():
        with lock.open(encoding="utf-8", errors="replace") as file:
            holder = file.read().strip()
            try:
                fcntl.flock(file.fileno(), fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return Finding("run", f"going on: {holder or 'just starting'}")
            except OSError:
                pass  # said of the folder
    said = f"none is going on; the last was killed ({holder}): the same command goes on"
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.is_file() else []
    failed = [line for line in lines if ": failed: " in line]
    wrong = f"the last run failed: {failed[-1]}" if failed else ""
    cure = f"mend that, and repeat the command: it goes on from there; {log} has all it said"
    return Finding("run", said if holder else "none is going on", wrong, cure)


def _said_by(words: "Sequence[str]") -> "tuple[int, str]":
    """Exit code of a program in the clone, and what it printed."""
    try:
        done = subprocess.run(
            list(words), cwd=str(ROOT), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=300, env=dict(os.environ, LC_ALL="C", PYTHONNOUSERSITE="1"),
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return 1, str(error)
    return done.returncode, done.stdout.decode("utf-8", "replace").strip()


if __name__ == "__main__":
    sys.exit(printing(main))
