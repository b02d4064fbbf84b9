"""A module's code without its prose, and what it imports from this package.

To parse a module and write it out again takes ten milliseconds or more, and each run asks for two
hundred of them: what was found is kept beside what Python compiled.
"""

import ast
import hashlib
import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from typing import NamedTuple

from srhm.results.atomic import write_text

# Parts of a statement that hold statements.
BLOCKS = ("body", "orelse", "finalbody")
# What was kept by another version of this module is found anew.
OWN = Path(__file__).read_bytes()


class Import(NamedTuple):
    """The name that an import binds, the module that it names, and the member that it takes of it.

    member: "" where the module itself is imported.
    """

    bound: str
    module: str
    member: str


def code_of(path: Path, package: str) -> tuple[str, list[Import]]:
    """Code of a module without prose and without its imports from a package, and those imports.

    Comments and layout are left out, too.
    """
    source = path.read_bytes()
    digest = hashlib.sha256(b"\n".join([OWN, package.encode(), source])).hexdigest()
    kept = Path(cache_from_source(str(path))).with_suffix(".json")
    with suppress(OSError, ValueError):
        found, code, imports = json.loads(kept.read_text(encoding="utf-8"))
        if found == digest:
            return code, [Import(*one) for one in imports]
    code, named = _parsed(source, package)
    if not sys.dont_write_bytecode:
        with suppress(OSError):
            write_text(kept, json.dumps([digest, code, named]))
    return code, named


def _parsed(source: bytes, package: str) -> tuple[str, list[Import]]:
    tree = ast.parse(source)
    imports: list[Import] = []
    for node in _statements(tree):
        for block in BLOCKS:
            body = [item for item in getattr(node, block, []) if not _is_prose(item)]
            own = [item for item in body if _own_imports(item, package)]
            imports += [one for item in own for one in _own_imports(item, package)]
            if hasattr(node, block):
                # Any bare string is prose: docstrings of modules, classes, functions, attributes.
                left = [item for item in body if item not in own]
                setattr(node, block, left or ([ast.Pass()] if block == "body" else []))
    # Unparsed: the same text on every Python version, unlike ast.dump.
    return ast.unparse(tree), imports


def _own_imports(node: ast.AST, package: str) -> list[Import]:
    """What a statement imports from the package; empty for another statement."""
    found = []
    if isinstance(node, ast.Import):
        found = [Import(alias.asname or alias.name, alias.name, "") for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module is not None:
        named = node.names
        found = [Import(alias.asname or alias.name, node.module, alias.name) for alias in named]
    return [one for one in found if one.module.split(".")[0] == package]


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
