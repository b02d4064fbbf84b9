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

PACKAGE = Path(__file__).parent


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

    Two sources that differ only in comments, docstrings or layout have one digest.
    """
    found: set[Path] = set()
    unread = set(paths)
    while unread:
        path = unread.pop()
        found.add(path)
        unread |= _imported(path) - found
    code = "\n".join(sorted(f"{path.name} {_code(path)}" for path in found))
    return hashlib.sha256(code.encode()).hexdigest()[:12]


def _imported(path: Path) -> frozenset[Path]:
    """Files of this package that a source imports."""
    return _module(path)[0]


def _code(path: Path) -> str:
    """What a source does: its code without comments, docstrings and layout."""
    return _module(path)[1]


@cache
def _module(path: Path) -> tuple[frozenset[Path], str]:
    tree = ast.parse(path.read_text())
    names: set[str] = set()
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif hasattr(node, "body"):
            # Any bare string is prose: docstrings of modules, classes, functions, attributes.
            node.body = [item for item in node.body if not _is_prose(item)] or [ast.Pass()]
    files: set[Path] = set()
    for name in names:
        first, *rest = name.split(".")
        if first == PACKAGE.name:
            stems = [PACKAGE.joinpath(*rest[:i]) for i in range(len(rest) + 1)]
            files |= {f for stem in stems for f in (stem / "__init__.py", stem.with_suffix(".py"))}
    # Unparsed: the same text on every Python version, unlike ast.dump.
    return frozenset(file for file in files if file.is_file()), ast.unparse(tree)


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """The module, its statements and theirs: a fraction of all nodes, and every import."""
    unread: list[ast.AST] = [tree]
    while unread:
        node = unread.pop()
        yield node
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            unread += getattr(node, block, [])


def _is_prose(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
