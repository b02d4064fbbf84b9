"""What source produced a result: a digest that follows imports and ignores prose."""

import hashlib
import json
import platform
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from srhm.networks.registry import NETS
from srhm.results.code import Import, code_of

PACKAGE = Path(__file__).parents[1]
# Sources that train the same networks as older ones: {"trainer", "net", "digest", "stands_for",
# "reason"}.
SOURCES = PACKAGE / "sources.json"
# Modules of which a digest says that they are used, and not what they are: what a job says while it
# runs, what describes a row, and the names of networks, whose own modules are part of the digest.
UNREAD = ("runtime/progress.py", "results/provenance.py", "networks/registry.py")


def canonical_json(value: Any) -> str:
    """One text for one value: keys sorted, no spaces, shortest floats; NaN is refused."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def short_hash(value: Any, *, length: int = 12) -> str:
    """Hexadecimal digest of the canonical JSON of a value."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()[:length]


def versions(packages: Iterable[str]) -> str:
    """Versions of Python and of these packages, as one line of text."""
    found = [f"python {platform.python_version()}"]
    return ", ".join(found + [f"{name} {version(name)}" for name in packages])


@cache
def source_digest(*paths: Path) -> str:
    """Digest of source files with every module of this package that they reach by import.

    Two sources that differ only in comments, docstrings, layout, or in where their modules lie and
    what these are called have one digest. Of the modules UNREAD the place alone counts.

    Raises:
        ValueError: if modules import each other, naming them.
    """
    digests = sorted(_digest(path) for path in paths)
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()[:12]


def source_of_net(net: str) -> Path:
    """The module that makes a network of the registry."""
    return PACKAGE.parent.joinpath(*NETS[net].module.split(".")).with_suffix(".py")


def cells_digest(*paths: Path) -> str:
    """Digest of the sources that decide trained networks, as the keys of networks hold it.

    Sources that were shown to train the same networks as older ones (SOURCES) stand for these, so
    that what was trained by those is taken.
    """
    digest = source_digest(*paths)
    return _equivalent().get(digest, digest)


@cache
def _equivalent() -> dict[str, str]:
    if not SOURCES.is_file():
        return {}
    return {one["digest"]: one["stands_for"] for one in json.loads(SOURCES.read_text())}


_digests: dict[Path, str] = {}


def _digest(path: Path, above: tuple[Path, ...] = ()) -> str:
    """Digest of a module's code, in which each import stands as the digest of what it names.

    above: the modules that lead to it.
    """
    if path in above:
        circle = " -> ".join(one.stem for one in (*above[above.index(path) :], path))
        raise ValueError(f"modules import each other: {circle}")
    unread = next((one for one in UNREAD if path == PACKAGE / one), None)
    if unread is not None:
        return unread
    if path not in _digests:
        code, imports = code_of(path, PACKAGE.name)
        named = sorted(
            f"{one.bound} = {member} of {_digest(file, (*above, path))}"
            for one in imports
            for member, file in [_target(one)]
        )
        _digests[path] = hashlib.sha256("\n".join([*named, code]).encode()).hexdigest()
    return _digests[path]


def _target(one: Import) -> tuple[str, Path]:
    """The member that an import takes, "" for a whole module, and the file that holds it.

    Raises:
        ModuleNotFoundError: if there is no such module.
    """
    whole, holder = (
        _file_of(PACKAGE, dotted.rstrip("."))
        for dotted in (f"{one.module}.{one.member}", one.module)
    )
    if whole is not None:
        return "", whole
    if holder is None:
        raise ModuleNotFoundError(one.module)
    return one.member, holder


@cache
def _file_of(package: Path, dotted: str) -> Path | None:
    """File of a module or package of this package, by its dotted name; None if there is none."""
    place = package.joinpath(*dotted.split(".")[1:])
    files = (place.with_suffix(".py"), place / "__init__.py")
    return next((file for file in files if file.is_file()), None)
