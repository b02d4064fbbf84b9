"""What this machine, its environment and the last run are like, what is wrong, and what to do.

`make doctor`, or `srhm doctor`: the report is what an issue asks for. It changes nothing, and works
where nothing else does: it needs Python's own library alone and no new syntax, so that any Python
from 3.6 on runs it, without an environment or with a broken one.
"""

import argparse
import errno
import importlib.util
import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path

from srhm.commands import limits
from srhm.commands.installed import (
    ROOT,
    Finding,
    environment_of_clone,
    installer_of,
    package_alone,
    said_by,
)
from srhm.commands.printing import printing

try:
    import fcntl
    import resource
except ImportError:  # not a Unix
    fcntl = resource = None  # type: ignore[assignment]

TYPING = False
if TYPING:  # a Python of any age reads this file
    from collections.abc import Iterator, Mapping, Sequence

PROCESSORS = ("x86_64", "aarch64", "arm64")
# Of the C library: what wheels of PyTorch and of others are built for.
GLIBC = (2, 28)
# Modules that a Python lacks that was built without their libraries; Debian splits the last off.
PARTS = ("_bz2", "_ctypes", "_lzma", "_sqlite3", "_ssl", "zlib", "ensurepip")
# Megabytes: of an environment as it is installed, and of the results of a small run.
OF_ENVIRONMENT, OF_RESULTS = 5000, 500
# Bytes that a folder must take.
PROBE = 1 << 20
# Open files and processes that a run of some jobs needs, and megabytes of address space (PyTorch).
# Seconds of a process; Snakemake itself takes some hundred in a long run.
PROCESSOR_TIME = 3600
LEAST = (("RLIMIT_NOFILE", "open files", 256), ("RLIMIT_NPROC", "processes", 64))
ADDRESSES = 8000
OLD = sys.version_info < (3, 11)
# What a look at something broken can end with.
FAILURES = (OSError, ValueError, TypeError, AttributeError, ImportError, SyntaxError)


def main(arguments: "Sequence[str] | None" = None) -> int:
    """Prints the report; 1 where something is wrong, else 0."""
    parser = argparse.ArgumentParser(
        prog="srhm doctor",
        description="What this machine and its environment are like, what is wrong, what to do.",
        epilog="example: srhm doctor --directory elsewhere",
    )
    parser.add_argument("--directory", default=".", help="where results/ lies")
    parser.add_argument("--rows", help="both, published: archived rows are needed")
    options = parser.parse_args(arguments)
    findings = list(examined(Path(options.directory), rows=options.rows))
    width = max(len(one.topic) for one in findings)
    for one in findings:
        print(f"{one.topic.ljust(width)} {one.said}")
    wrong = [one for one in findings if one.wrong]
    print()
    for number, one in enumerate(wrong, start=1):
        print(f"WRONG {number}: {one.wrong}\n  do: {one.cure}")
    if not wrong:
        print("nothing is wrong")
    return 1 if wrong else 0


def examined(
    folder: Path,
    root: str = "/",
    environment: "Mapping[str, str]" = os.environ,
    rows: "str | None" = None,
) -> "Iterator[Finding]":
    """All that is found of a folder for results; root: where /proc and /sys lie.

    rows: what a run is to take beside what it trains, as `srhm reproduce` knows it.
    """
    clone = (ROOT / "Snakefile").is_file()
    looks = [
        ("code", lambda: _code(clone)),
        ("system", _system),
        ("python", lambda: _python(clone)),
        ("cores", lambda: _cores(root, environment)),
        ("memory", lambda: _memory(root, environment)),
        ("limits", _of_processes),
        ("disk", lambda: _disk(folder, clone, environment)),
        ("devices", lambda: _devices(environment)),
        ("packages", lambda: environment_of_clone(ROOT) if clone else package_alone()),
        ("rows", lambda: _rows(clone, rows in ("both", "published"))),
        ("run", lambda: _run(folder)),
        ("variables", lambda: _reset(environment)),
    ]
    for topic, look in looks:
        try:
            yield from look()
        except PermissionError as error:
            wrong = f"this user may not read {error.filename}"
            yield Finding(topic, "not known", wrong, "clone anew as this user, or ask who cloned")
        except FAILURES as error:
            # An old Python cannot read all that is asked, and is named itself.
            wrong = "" if OLD else f"{topic} cannot be looked at: {error!r}"
            yield Finding(topic, "not known", wrong, "send this report in with your issue")


def _code(clone: bool) -> "Iterator[Finding]":
    """Version and commit of the code."""
    from srhm.results.commit import commit_and_reason

    if not clone:
        yield Finding("code", f"an installed package in {ROOT}, no clone")
        return
    commit, reason = commit_and_reason(ROOT)
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    version = project.partition('\nversion = "')[2].partition('"')[0]
    yield Finding("code", f"{version}, {reason or 'commit ' + commit}, in {ROOT}")


def _system() -> "Iterator[Finding]":
    """Operating system, processor, C library, make."""
    libc = platform.libc_ver()
    make = said_by(["make", "--version"]).partition("\n")[0] or "no make"
    said = [platform.platform(), platform.machine(), " ".join(libc).strip(), make]
    wrong, cure = "", ""
    if os.name != "posix":
        wrong = f"{platform.system()} has neither the locks nor the shell of a Unix"
        cure = "use Linux, macOS or the Windows Subsystem for Linux"
    elif platform.machine() not in PROCESSORS:
        wrong = f"packages with compiled code may lack a wheel for {platform.machine()}"
        cure = "use a machine with one of these: {}".format(", ".join(PROCESSORS))
    elif sys.platform == "linux" and not _numbers(libc[1]) >= GLIBC:
        wrong = "wheels of PyTorch need glibc 2.28 or newer; here is {}".format(
            " ".join(libc).strip() or "another C library"
        )
        cure = "use a distribution with glibc (Debian 10, RHEL 8 or newer), or a container of one"
    yield Finding("system", ", ".join(filter(None, said)), wrong, cure)


def _python(clone: bool) -> "Iterator[Finding]":
    """The Python that runs; one that can install matters as long as nothing is installed."""
    said = f"{sys.executable} {platform.python_version()}"
    if not clone or _is_whole():
        yield Finding("python", said)
        return
    lacking = [name for name in PARTS if importlib.util.find_spec(name) is None]
    wrong, cure = "", ""
    other = installer_of(ROOT).why_other_python()
    if other:
        wrong = f"Python 3.11, 3.12 or 3.13 is needed, {other}"
        cure = "install one, and name it: make PYTHON=python3.12 ..."
    elif lacking:
        wrong = f"this Python lacks {', '.join(lacking)}"
        cure = "install what its distribution splits off (apt install python3-venv), or another one"
    yield Finding("python", said, wrong, cure)


def _cores(root: str, environment: "Mapping[str, str]") -> "Iterator[Finding]":
    """Cores of the machine, and those that affinity, quota and job leave."""
    left = limits.cores(root, environment)
    yield Finding("cores", f"{left} to use, of {os.cpu_count()}")


def _memory(root: str, environment: "Mapping[str, str]") -> "Iterator[Finding]":
    """Memory of the machine, and the limit of a container or job."""
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // limits.MEGABYTE
    limit = limits.memory(root, environment)
    said = "{} MB, {}".format(
        there, f"{limit} MB by the limit of this container or job" if limit else "no limit"
    )
    least = limits.OF_SNAKEMAKE + limits.OF_TRAINING
    left = min(there, limit or there)
    if left < least:
        wrong = f"{left} MB of memory may be too few: a run with one job at a time takes {least}"
        yield Finding("memory", said, wrong, "give the container or job more, and CORES=1 to make")
    else:
        yield Finding("memory", said)


def _of_processes() -> "Iterator[Finding]":
    """What a process may open and start (`ulimit`)."""
    if resource is None:
        return
    said, wrong = [], []
    for name, what, least in LEAST:
        number = resource.getrlimit(getattr(resource, name))[0]
        free = number == resource.RLIM_INFINITY
        said.append("{} {}".format("any number of" if free else number, what))
        if not free and number < least:
            wrong.append(f"at most {number} {what} are allowed; a run needs {least}")
    space = resource.getrlimit(resource.RLIMIT_AS)[0]
    if space != resource.RLIM_INFINITY:
        said.append(f"{space // limits.MEGABYTE} MB of addresses")
        if space < ADDRESSES * limits.MEGABYTE:
            wrong.append("a process has too few addresses for PyTorch (ulimit -v)")
    seconds = resource.getrlimit(resource.RLIMIT_CPU)[0]
    if seconds != resource.RLIM_INFINITY:
        said.append(f"{seconds} s of processor time")
        if seconds < PROCESSOR_TIME:
            wrong.append("a job may be killed for its processor time (ulimit -t)")
    yield Finding(
        "limits", ", ".join(said), "; ".join(wrong), "raise it with `ulimit` of the shell"
    )


def _disk(folder: Path, clone: bool, environment: "Mapping[str, str]") -> "Iterator[Finding]":
    """Folders that are written: room, and whether they take a file and a lock."""
    home = os.path.expanduser("~")
    cache = Path(environment.get("XDG_CACHE_HOME") or os.path.join(home, ".cache"))
    installs = clone and not _is_whole()
    yield _of_folder("results", folder / "results", OF_RESULTS, locks=True)
    if clone:
        yield _of_folder("clone", ROOT / ".venv", OF_ENVIRONMENT if installs else 0, locks=True)
    yield _of_folder("temporary", Path(tempfile.gettempdir()), OF_RESULTS)
    yield _of_folder("cache", cache, 0)


def _is_whole() -> bool:
    """Whether the environment of the clone is; one that this user may not read is not."""
    try:
        return installer_of(ROOT).is_whole(ROOT)
    except PermissionError:
        return False


def _of_folder(what: str, folder: Path, least: int, locks: bool = False) -> Finding:
    """Of a folder that need not be there yet. least: megabytes that it must have room for."""
    place = folder.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    elsewhere = {
        "results": "let results lie elsewhere: ARGS='--directory elsewhere'",
        "clone": "move this clone to a disk that is yours and has room",
        "temporary": "name another folder: export TMPDIR=...",
        "cache": "name another folder: export XDG_CACHE_HOME=...",
    }[what]
    try:
        free = shutil.disk_usage(str(place)).free // limits.MEGABYTE
        said = f"{folder}: {free} MB free"
        if free < least:
            wrong = f"{place} has {free} MB free; {least} MB are needed"
            return Finding(what, said, wrong, f"make room, or {elsewhere}")
        with tempfile.TemporaryFile(dir=str(place)) as file:
            file.write(bytes(PROBE))  # a full disk takes an empty file
            file.flush()
            os.fsync(file.fileno())
            if locks and fcntl is not None:
                try:
                    fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError as error:
                    wrong = f"files in {place} cannot be locked ({error.strerror})"
                    return Finding(what, said, wrong, elsewhere)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        wrong = f"{place} cannot be written to: {error.strerror}"
        cure = f"make room, or {elsewhere}" if full else elsewhere
        return Finding(what, f"{folder}: {error.strerror}", wrong, cure)
    return Finding(what, said + (", takes files and locks" if locks else ", takes files"))


def _devices(environment: "Mapping[str, str]") -> "Iterator[Finding]":
    """Graphics cards, which nothing needs."""
    cards = said_by(["nvidia-smi", "-L"]).strip()
    visible = environment.get("CUDA_VISIBLE_DEVICES")
    said = "; ".join(cards.splitlines()) or "no NVIDIA card that its driver names"
    if visible is not None:
        said += f"; CUDA_VISIBLE_DEVICES={visible}"
    yield Finding("devices", said)


def _rows(clone: bool, needed: bool) -> "Iterator[Finding]":
    """Archived rows that the clone has."""
    if not clone:
        return
    folder = ROOT / "published"
    number = len(list(folder.glob("*/*/provenance.json")))
    wrong = f"{folder} has no archived rows, which this run is to take"
    cure = "`git checkout -- published` restores them, or leave FROM=published out"
    said = "archived rows of {}, each of one preset".format(_counted(number, "study", "studies"))
    yield Finding("rows", said, wrong if needed and not number else "", cure)


def _counted(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"


def _run(folder: Path) -> "Iterator[Finding]":
    """The run that is going on in a folder, or the last one."""
    lock, holder, going_on = folder / "results" / ".lock", "", False
    if lock.is_file():
        with lock.open(encoding="utf-8", errors="replace") as file:
            holder = file.read().strip()
            try:
                if fcntl is not None:
                    fcntl.flock(file.fileno(), fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                going_on = True
            except OSError:
                pass  # said of the folder
    if going_on:
        said = "going on: {}; `make status` says how far".format(holder or "just starting")
    elif holder:
        said = f"none is going on; the last was killed ({holder}): the same command goes on"
    else:
        said = "none is going on"
    if (folder / "results" / "run.log").is_file():
        said += "; what it said: {}".format(folder / "results" / "run.log")
    yield Finding("run", said)


def _reset(environment: "Mapping[str, str]") -> "Iterator[Finding]":
    """Variables that a user may have meant for the workflow, and that are not heeded."""
    from srhm.commands.variables import named

    for line in named(environment):
        yield Finding("variables", line)


def _numbers(version: str) -> "tuple[int, ...]":
    return tuple(int(part) for part in version.split(".") if part.isdigit())


if __name__ == "__main__":
    sys.exit(printing(main))
