"""What is installed: the environment of a clone against its lock, or the package alone.

Of `srhm doctor`: Python's own library alone, and no new syntax.
"""

import importlib.util
import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

TYPING = False
if TYPING:  # a Python of any age reads this file
    from collections.abc import Iterator, Sequence
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[3]
# Seconds after which a program that is asked something is given up; loading all is slow on NFS.
PATIENCE, OF_LOADING = 20, 300
# What jobs load; what one of them needs is loaded by it.
LOADED = ("numpy", "scipy", "pandas", "pyarrow", "numba", "matplotlib", "torch", "snakemake")
# Names first, since a package that was built for another processor ends Python itself.
LOAD = """
import importlib, sys
for name in sys.argv[1:]:
    print(name, end=" ", flush=True)
    try:
        module = importlib.import_module(name)
        print(getattr(module, "__version__", "loads"), flush=True)
    except BaseException as error:
        print("FAILED", (str(error) or repr(error)).strip().splitlines()[0], flush=True)
torch = sys.modules.get("torch")
if torch is not None and hasattr(torch, "cuda"):
    found = torch.cuda.device_count() if torch.cuda.is_available() else 0
    names = ", ".join(torch.cuda.get_device_name(n) for n in range(found)) or "no device"
    print("CUDA", torch.version.cuda, names)
"""


class Finding(NamedTuple):
    """A line of the report; where something is wrong, what that is and what to do."""

    topic: str
    said: str
    wrong: str = ""
    cure: str = ""


def environment_of_clone(root: Path) -> "Iterator[Finding]":
    """The environment of a clone: its state, its packages against the lock, whether they load."""
    installer, venv = installer_of(root), root / ".venv"
    anew = "`make clean-env env` installs all anew"
    foreign = installer.why_foreign(venv)
    if foreign:
        yield Finding(".venv", "not of make", *foreign.split("; it is left as it is. ", 1))
        return
    if not venv.exists():
        yield Finding(".venv", "absent: the first make installs it")
        return
    if installer.is_unfinished(root):
        begun = "begun and not ended; {} has what pip said".format(venv / "install.log")
        yield Finding(".venv", begun, "the installation into .venv was interrupted", "`make env`")
        return
    if not installer.is_own(root):
        wrong = ".venv runs the code of another folder, or its Python is gone"
        yield Finding(".venv", "not of this folder", wrong, "`make env` makes it anew")
        return
    lock, found = _locked(root / "envs" / "requirements.lock"), _packages(venv)
    missing = sorted(name for name in lock if name not in found)
    # "2.13.0+cpu" is a build of 2.13.0.
    other = sorted(n for n in lock if n in found and found[n].split("+")[0] != lock[n])
    state = "whole" if installer.is_whole(root) else "older than its lists: the next make mends it"
    n_equal = len(lock) - len(missing) - len(other)
    said = f"{state}, {len(found)} packages, {n_equal} of the {len(lock)} of the lock"
    differs = []
    if missing:
        differs.append(".venv lacks {}".format(", ".join(missing)))
    if other:
        names = [f"{name} {found[name]} (the lock: {lock[name]})" for name in other]
        differs.append(".venv has other versions than the lock: {}".format(", ".join(names)))
    yield Finding(".venv", said, "; ".join(differs), anew)
    yield _loading(venv / "bin" / "python", [name for name in LOADED if name not in missing], anew)


def _loading(python: Path, names: "Sequence[str]", anew: str) -> Finding:
    """Whether packages load, each by name."""
    said = said_by([str(python), "-c", LOAD, *list(names)], seconds=OF_LOADING)
    lines = [line for line in said.splitlines() if line.split()[:1]]
    failed = [line.replace(" FAILED", ":") for line in lines if " FAILED " in line]
    reached = [line.split()[0] for line in lines]
    if lines and len(lines[-1].split()) == 1:
        failed.append(f"{lines[-1].strip()} ends Python, or takes minutes")
    elif names and names[-1] not in reached:
        failed.append(f"{python} runs no program")
    cure = "{}; a library of the system that is too old, or another one ({}), stays".format(
        anew, "LD_LIBRARY_PATH, LD_PRELOAD"
    )
    wrong = "cannot be loaded: {}".format("; ".join(failed)) if failed else ""
    return Finding("loads", ", ".join(lines) or "nothing", wrong, cure)


def package_alone() -> "Iterator[Finding]":
    """The installed package without a clone: its version, and of each extra what is missing."""
    from importlib.metadata import PackageNotFoundError, requires, version

    yield Finding("package", f"srhm {version('srhm')}")
    for name, needed in _extras(requires("srhm") or []).items():
        missing = []
        for package in needed:
            try:
                version(package)
            except PackageNotFoundError:
                missing.append(package)
        cure = f"lacks {', '.join(missing)}: pip install 'srhm[{name}]'" if missing else "whole"
        yield Finding("extra", f"{name} {cure}")


def _extras(lines: "Sequence[str]") -> "dict[str, list[str]]":
    """Packages of each extra; lines as metadata have them: pandas>=2; extra == "analysis"."""
    found: dict[str, list[str]] = {}
    for line in lines:
        extra = re.search(r"extra *== *[\"'](\w+)", line)
        package = re.match(r"[\w.-]+", line)
        if extra and package and package[0] != "srhm":
            found.setdefault(extra[1], []).append(package[0])
    return found


def installer_of(root: Path) -> "ModuleType":
    """envs/install.py of a clone, which knows what a whole environment is.

    Raises:
        ImportError: if there is none, or this Python cannot read it.
    """
    spec = importlib.util.spec_from_file_location("install", str(root / "envs" / "install.py"))
    if spec is None or spec.loader is None:
        raise ImportError("envs/install.py cannot be read")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def said_by(words: "Sequence[str]", seconds: int = PATIENCE) -> str:
    """What a program prints; as much as it has printed when it is given up, empty if it is not."""
    environment = dict(os.environ, LC_ALL="C", PYTHONNOUSERSITE="1")
    try:
        process = subprocess.Popen(
            list(words), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
    except OSError:
        return ""
    try:
        said, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        said, _ = process.communicate()
    return said.decode("utf-8", "replace")


def _locked(lock: Path) -> "dict[str, str]":
    """Versions of a lock by name."""
    lines = lock.read_text(encoding="utf-8").splitlines()
    pairs = [line.split("==") for line in lines if "==" in line and not line.startswith("#")]
    return {_plain(name): version.split()[0] for name, version in pairs}


def _packages(venv: Path) -> "dict[str, str]":
    """Versions of the packages of an environment by name, as its folders say."""
    found = {}
    for folder in sorted(venv.glob("lib/python3*/site-packages/*.dist-info")):
        name, _, version = folder.name[: -len(".dist-info")].partition("-")
        found[_plain(name)] = version
    return found


def _plain(name: str) -> str:
    """Name of a package as all of its spellings."""
    return re.sub(r"[-_.]+", "-", name.strip()).lower()
