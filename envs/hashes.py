"""Locks with hashes, and whether each resolves on every machine and Python: `make hashes`.

    .venv/bin/python envs/hashes.py [--check]

pip is asked, without installing anything, which file of each pin it would take on Linux (x86-64 and
aarch64) and macOS (arm64) with Python 3.11, 3.12 and 3.13, on the oldest system that PyTorch runs
on. A newer one takes these files, too: pip looks at those alone whose hash it may take. Of what the
files say they need, the pins must hold all, in versions that fit. The script prints how many files
there are for each, and writes envs/hashed/; with --check it fails where that would change.
The files are those of pip's default index (or of PIP_INDEX_URL): an index or a folder of this
machine alone is left aside, as it may hold other builds.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ENVS = Path(__file__).resolve().parent
PYTHONS = ("3.11", "3.12", "3.13")
LOCKS = ("requirements", "docs", "equivariance", "images", "cuda")
# The one pin without wheels: its source is built, with the pinned setuptools.
SOURCES = ("connection_pool",)
# What PyTorch's index of builds without CUDA has for Linux, where versions end in "+cpu"; the
# default index has none of them. Read off the locks of other projects, two at least for each file;
# the file for Python 3.11 on x86-64 has been hashed itself.
CPU_BUILDS = {
    ("x86_64", "3.11"): "6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b",
    ("x86_64", "3.12"): "4ca4a9394b0c771238a4f73590fdbbc4debad85ed0fa63d026ae1b085da7d6e2",
    ("x86_64", "3.13"): "3fbf9c9d1f3c10c2d59d04aca426dee9ccc6ceb32d255c61e93acc3b4f75fae6",
    ("aarch64", "3.11"): "84453b69508ec79902f899c5ed9495acb9e2bbe9fda5f1d5d6f19e3c3842e1a7",
    ("aarch64", "3.12"): "6f307c2c32d764ffc6ff6893b801fad6d4752f3e67966cb8abf1843427c02604",
    ("aarch64", "3.13"): "0b8f7d0423027ae8b90c7977c627f3379f325363a08224dffad9b4b2d684a83d",
}


@dataclass(frozen=True)
class Machine:
    """A system and a processor, as markers and names of wheels have them."""

    name: str
    system: str
    processor: str
    # All that its pip takes, best first.
    platforms: tuple[str, ...]

    def environment(self, python: str) -> dict[str, str]:
        """Values of markers: python_version, platform_machine, ..."""
        return {
            "implementation_name": "cpython",
            "implementation_version": f"{python}.0",
            "os_name": "posix",
            "platform_machine": self.processor,
            "platform_python_implementation": "CPython",
            "platform_release": "",
            "platform_system": self.system,
            "platform_version": "",
            "python_full_version": f"{python}.0",
            "python_version": python,
            "sys_platform": self.system.lower(),
        }


def glibc(newest: int, processor: str) -> tuple[str, ...]:
    """Platforms of a Linux with glibc 2.`newest`, with the names that some had before."""
    former = {17: "manylinux2014", 12: "manylinux2010", 5: "manylinux1"}
    names = [
        name
        for minor in range(newest, 4, -1)
        for name in (f"manylinux_2_{minor}", former.get(minor))
        if name
    ]
    return tuple(f"{name}_{processor}" for name in names)


# PyTorch's files need glibc 2.28 and macOS 14.
MACHINES = (
    Machine("Linux, x86-64", "Linux", "x86_64", glibc(28, "x86_64")),
    Machine("Linux, aarch64", "Linux", "aarch64", glibc(28, "aarch64")),
    Machine("macOS, arm64", "Darwin", "arm64", ("macosx_14_0_arm64",)),
)


@dataclass(frozen=True)
class File:
    """What pip would take for a pin."""

    name: str  # of the package, as canonical
    version: str
    file: str
    hash: str
    needs: tuple[str, ...]
    python: str


def pins_of(lock: Path) -> list[str]:
    """The lines of a lock that pin a package."""
    return [line for line in lock.read_text("utf-8").splitlines() if re.match(r"[\w.-]+==", line)]


def files_of(pins: Iterable[str], python: str, platforms: Iterable[str]) -> list[File]:
    """What pip would take for pins on a machine; nothing is installed.

    Raises:
        SystemExit: if a pin has no file there, or no index answers, with what pip said.
    """
    left_aside = ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_CONSTRAINT", "PIP_NO_INDEX")
    variables = {name: value for name, value in os.environ.items() if name not in left_aside}
    with tempfile.TemporaryDirectory() as folder:
        report, lock = Path(folder) / "report.json", Path(folder) / "lock"
        lock.write_text("\n".join(pins), "utf-8")
        command = [
            *(sys.executable, "-m", "pip", "--no-input", "install", "--quiet", "--dry-run"),
            *("--ignore-installed", "--no-deps", "--target", folder, "--report", str(report)),
            *("--only-binary", ":all:", "--no-binary", ",".join(SOURCES), "--no-build-isolation"),
            *("--python-version", python, "--implementation", "cp", "--requirement", str(lock)),
            *(word for one in platforms for word in ("--platform", one)),
        ]
        run = subprocess.run(
            command, capture_output=True, text=True, env=variables | {"PIP_CONFIG_FILE": os.devnull}
        )
        if run.returncode:
            sys.exit(f"Python {python}: {run.stderr.strip()}")
        return [file_of(entry) for entry in json.loads(report.read_text("utf-8"))["install"]]


def file_of(entry: Mapping) -> File:
    """A file of pip's report."""
    metadata, download = entry["metadata"], entry["download_info"]
    return File(
        name=canonicalize_name(metadata["name"]),
        version=metadata["version"],
        file=download["url"].rsplit("/", 1)[-1],
        hash=download["archive_info"]["hashes"]["sha256"],
        needs=tuple(metadata.get("requires_dist", ())),
        python=metadata.get("requires_python", ""),
    )


def unmet(files: Mapping[str, File], environment: Mapping[str, str]) -> list[str]:
    """What the files need in an environment and none of them is, or in another version.

    Args:
        files: all pins, by the canonical name of the package.
        environment: values of markers.
    """
    found = []
    # A package with extras needs more than it does alone.
    left = [(name, "") for name in sorted(files)]
    seen = set(left)
    while left:
        name, extra = left.pop(0)
        file = files[name]
        if not extra and not SpecifierSet(file.python).contains(environment["python_full_version"]):
            found.append(f"{name} {file.version} needs Python {file.python}")
        for line in file.needs:
            need = Requirement(line)
            if need.marker and not need.marker.evaluate({**environment, "extra": extra}):
                continue
            other = files.get(canonicalize_name(need.name))
            if other is None:
                found.append(f"{name} needs {line}, which is not pinned")
            elif not need.specifier.contains(other.version, prereleases=True):
                found.append(f"{name} needs {line}, and {other.version} is pinned")
            else:
                more = {(other.name, one) for one in need.extras} - seen
                seen |= more
                left += sorted(more)
    return list(dict.fromkeys(found))


def with_hashes(pin: str, hashes: Iterable[str]) -> str:
    """A pin as pip reads it with all of the hashes that it may have."""
    return " \\\n    ".join([pin, *(f"--hash=sha256:{one}" for one in sorted(set(hashes)))])


def package_of(pin: str) -> str:
    """The canonical name of what a line of a lock pins."""
    return canonicalize_name(pin.split("==")[0])


def resolved(pins: Mapping[str, list[str]]) -> tuple[dict[tuple[str, str], set[str]], list[str]]:
    """Hashes by system and package, and a row of the table for each machine; pins by lock.

    Raises:
        SystemExit: if a pin has no file, or the pins lack what a file needs.
    """
    hashes: dict[tuple[str, str], set[str]] = {}
    rows = []
    for machine in MACHINES:
        cells = []
        for python in PYTHONS:
            asked = [
                pin
                for name in LOCKS
                if name != "cuda" or machine.system == "Linux"
                for pin in pins[name]
            ]
            files = {file.name: file for file in files_of(asked, python, machine.platforms)}
            wrong = unmet(files, machine.environment(python))
            wrong += [f"{pin}: no file" for pin in asked if package_of(pin) not in files]
            if wrong:
                sys.exit(f"{machine.name}, Python {python}: {'; '.join(wrong)}")
            for file in files.values():
                hashes.setdefault((machine.system, file.name), set()).add(file.hash)
            cells.append(counted([files[package_of(pin)].file for pin in pins["requirements"]]))
            print(f"{machine.name}, Python {python}: {len(files)} files, of all locks", flush=True)
        rows.append(f"| {machine.name} | {' | '.join(cells)} |")
    return hashes, rows


def counted(files: Iterable[str]) -> str:
    """How many files there are, of each kind, by their names."""
    kinds = Counter(
        "source" if not name.endswith(".whl")
        else "Python" if name.endswith("-none-any.whl")
        else "compiled"
        for name in files
    )  # fmt: skip
    return ", ".join(f"{kinds[kind]} {kind}" for kind in ("compiled", "Python", "source"))


def texts_of(
    pins: Mapping[str, list[str]], hashes: Mapping[tuple[str, str], set[str]]
) -> dict[str, str]:
    """The locks of envs/hashed/, by name.

    PyTorch has two of its own: pip takes a file of an index, which says its hash, before one of a
    folder, which does not. Where both were allowed it would be the build for GPUs.
    """
    found = {package: set[str]() for _, package in hashes}
    for (_, package), own in hashes.items():
        found[package] |= own
    (torch,) = [pin for pin in pins["requirements"] if package_of(pin) == "torch"]
    entries = {
        name: [with_hashes(pin, found[package_of(pin)]) for pin in own if pin != torch]
        for name, own in pins.items()
    }
    entries["cpu"] = [with_hashes(torch, {*CPU_BUILDS.values(), *hashes["Darwin", "torch"]})]
    entries["cuda"].insert(0, with_hashes(torch, hashes["Linux", "torch"]))
    head = "# Pins of envs/{}.lock with the hashes that their files may have; by `make hashes`."
    return {
        name: "\n".join([head.format("requirements" if name == "cpu" else name), *own, ""])
        for name, own in entries.items()
    }


def main() -> int:
    """Exit code: 0 where the locks resolve, and with --check are those that are there."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    check = parser.parse_args().check
    pins = {name: pins_of(ENVS / f"{name}.lock") for name in LOCKS}
    hashes, rows = resolved(pins)
    texts = {
        ENVS / "hashed" / f"{name}.lock": text for name, text in texts_of(pins, hashes).items()
    }
    print("\n".join(rows))
    if check:
        old = {path: path.read_text("utf-8") for path in texts if path.is_file()}
        changed = [path.name for path, text in texts.items() if old.get(path) != text]
        print(
            "would change: " + ", ".join(changed) if changed else "envs/hashed/ is as it should be"
        )
        return int(bool(changed))
    for path, text in texts.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
