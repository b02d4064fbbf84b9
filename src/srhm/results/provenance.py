"""What source produced a result: a digest that follows imports and ignores prose."""

import ast
import hashlib
import json
import platform
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[1]
# Sources that train the same networks as older ones: {"trainer", "digest", "stands_for", "reason"}.
SOURCES = PACKAGE / "sources.json"
# Parts of a statement that hold statements.
BLOCKS = ("body", "orelse", "finalbody")


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
    what these are called have one digest.

    Raises:
        ValueError: if modules import each other, naming them.
    """
    digests = sorted(_digest(path) for path in paths)
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()[:12]


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
    if path not in _digests:
        code, imports = _module(path)
        named = sorted(
            f"{bound} = {member} of {_digest(file, (*above, path))}"
            for bound, member, file in imports
        )
        _digests[path] = hashlib.sha256("\n".join([*named, code]).encode()).hexdigest()
    return _digests[path]


@cache
def _module(path: Path) -> tuple[str, tuple[tuple[str, str, Path], ...]]:
    """Code without prose and without imports from this package, and those imports.

    An import: the name that it binds, the member that it takes of the module ("" for the module
    itself), and the module's file.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imports: list[tuple[str, str, Path]] = []
    for node in _statements(tree):
        for block in BLOCKS:
            body = [item for item in getattr(node, block, []) if not _is_prose(item)]
            own = [item for item in body if _own_imports(item)]
            imports += [one for item in own for one in _own_imports(item)]
            if hasattr(node, block):
                # Any bare string is prose: docstrings of modules, classes, functions, attributes.
                left = [item for item in body if item not in own]
                setattr(node, block, left or ([ast.Pass()] if block == "body" else []))
    # Unparsed: the same text on every Python version, unlike ast.dump.
    return ast.unparse(tree), tuple(imports)


def _own_imports(node: ast.AST) -> list[tuple[str, str, Path]]:
    """What a statement imports from this package; empty for another statement."""
    found = []
    if isinstance(node, ast.Import):
        for alias in node.names:
            file = _file_of(alias.name)
            if file is not None:
                found.append((alias.asname or alias.name, "", file))
    elif isinstance(node, ast.ImportFrom) and node.module is not None:
        for alias in node.names:
            bound = alias.asname or alias.name
            module, holder = _file_of(f"{node.module}.{alias.name}"), _file_of(node.module)
            if module is not None:
                found.append((bound, "", module))
            elif holder is not None:
                found.append((bound, alias.name, holder))
    return found


def _file_of(dotted: str) -> Path | None:
    """File of a module or package of this package, by its dotted name; None for all others."""
    first, *rest = dotted.split(".")
    if first != PACKAGE.name:
        return None
    place = PACKAGE.joinpath(*rest)
    files = (place.with_suffix(".py"), place / "__init__.py")
    return next((file for file in files if file.is_file()), None)


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """The module, its statements and theirs: a fraction of all nodes, and every import."""
    unread: list[ast.AST] = [tree]
    while unread:
        node = unread.pop()
        yield node
        for block in (*BLOCKS, "handlers", "cases"):
            unread += getattr(node, block, [])


def _is_prose(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
