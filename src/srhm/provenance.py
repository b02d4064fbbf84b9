"""What source produced a result: a digest that follows imports and ignores prose."""

import ast
import hashlib
import json
import platform
from collections.abc import Iterable
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


@cache
def _imported(path: Path) -> frozenset[Path]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    files: set[Path] = set()
    for name in names:
        first, *rest = name.split(".")
        if first == PACKAGE.name:
            stems = [PACKAGE.joinpath(*rest[:i]) for i in range(len(rest) + 1)]
            files |= {f for stem in stems for f in (stem / "__init__.py", stem.with_suffix(".py"))}
    return frozenset(file for file in files if file.is_file())


@cache
def _code(path: Path) -> str:
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if hasattr(node, "body") and isinstance(node.body, list):
            # Any bare string is prose: docstrings of modules, classes, functions, attributes.
            node.body = [item for item in node.body if not _is_prose(item)] or [ast.Pass()]
    return ast.unparse(tree)  # the same text on every Python version, unlike ast.dump


def _is_prose(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
