"""What source produced a result: a digest of the definitions that it reaches, by content.

A definition is a function, a class or a name that a module binds. Where it stands, what it and
what its functions bind are called, annotations, comments, docstrings, what is logged and the words
of errors count for nothing. So code may be moved, renamed, and modules split or joined, and no
result is made again; an edit makes again what reaches the edited definition, and nothing else.
Names of parameters, fields and methods count, and texts do: what is loaded by the name in a text is
a root of its own.
"""

import ast
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

PACKAGES = ("srhm", "srhm_studies")
# {digest now: digest that it stands for}, and {function now: its name in keys}: of what computes
# the same as before. The one table of equivalences.
EARLIER = Path(__file__).with_name("earlier.json")
LENGTH = 12
# Of these a digest says that they are used, not what they are ("module:": of all in the module).
UNREAD = frozenset(
    {
        # Tables of names: what is looked up in them is a root by itself, and a further line
        # renames nothing.
        "srhm.networks.registry:HIERARCHICAL",
        "srhm.networks.registry:CONNECTED",
        "srhm.networks.registry:NAMED",
        "srhm.networks.registry:NETS",
        "srhm.training.engines:ENGINES",
        # Which device trains: the row of a network of a stack names the digest of the stack's code.
        "srhm.training.any_trainer:torch_device",
        "srhm.training.stacked:stack_trainer",
        # What a job says while it runs, and what describes a row.
        "srhm.jobs.progress:",
        "srhm.training.loop:_Progress",
        "srhm.training.loop:_name",
        "srhm.training.loop:_result",
        "srhm.store.provenance:versions",
        # When something is made again, not what; the roots themselves.
        "srhm.store.sources:",
        "srhm.store.cells:made_by_other_code",
        "srhm.training.any_trainer:decided_by",
    }
)


EDITED = (
    "code was edited after this run had begun, and nothing is stored under the key of the code"
    " before; the same command, given again, makes the result with the code of now"
)


class SourceError(ValueError):
    """Code of which no digest can be made; the message names the module and what is in the way."""


class EditedSourceError(RuntimeError):
    """The code that a job has imported is not that of which its result was to be made."""


class Definition(NamedTuple):
    """Code in which _0, _1, ... stand for what it reaches, "module:name" each, in this order."""

    code: str
    reaches: tuple[str, ...]


@cache
def earlier() -> dict[str, str]:
    """What stands for something earlier; a name or digest that is not there stands for itself."""
    equivalences: dict[str, str] = json.loads(EARLIER.read_text(encoding="utf-8"))
    return equivalences


@cache
def digest_of(*names: str) -> str:
    """Digest of all that these names reach: "module:name", "module:" whole, or "script.py:".

    Raises:
        SourceError: if a name is not there, or code has what cannot be followed.
    """
    _digests.clear()  # of a circle another way in sees another digest: no other call is to matter
    parts = sorted({_digest(name, ())[0] for name in names})
    return parts[0] if len(parts) == 1 else _stands_for("\n".join(parts))


def reached(*names: str) -> set[str]:
    """All definitions that these names reach, themselves among them."""
    names_reached, waiting = set[str](), list(names)
    while waiting:
        name = waiting.pop()
        if name not in names_reached and _is_read(name):
            names_reached.add(name)
            waiting += definition(name).reaches
    return names_reached


@contextmanager
def as_digested(source: str, *names: str) -> Iterator[list[str]]:
    """A block that computes with the code of this digest; the modules that it reaches.

    source: their digest when the result was planned. What the block computes must be stored after
    it, or by a job of which Snakemake removes all that it has written when it fails.

    Raises:
        EditedSourceError: if the present code has another digest, or is edited within the block.
    """
    digest = digest_of(*names)
    modules = sorted({name.partition(":")[0] for name in reached(*names)})
    read = [_module(name) for name in modules]
    if digest == source:
        yield [name for name in modules if not name.endswith(".py")]
    if digest != source or any(module.file.read_bytes() != module.source for module in read):
        raise EditedSourceError(EDITED)


@cache
def import_as_digested(source: str, *names: str) -> None:
    """Imports all that these names reach, see `as_digested`; a second time it does nothing.

    What a job computes after this call, it computes with the code of this digest: later edits of
    files are not imported.
    """
    with as_digested(source, *names) as modules:
        for module in modules:
            import_module(module)


def definition(name: str) -> Definition:
    """The definition "module:name"; of "module:" a definition that reaches all of the module.

    Raises:
        SourceError: if there is none.
    """
    module, _, member = name.partition(":")
    return _module(module).definition(member)


def _is_read(name: str) -> bool:
    module = name.partition(":")[0]
    return _is_own(module) and name not in UNREAD and f"{module}:" not in UNREAD


def _is_own(module: str) -> bool:
    """Whether a module is of this project: of a package, or a script by its path."""
    return module.endswith(".py") or module.partition(".")[0] in PACKAGES


def _stands_for(text: str) -> str:
    digest = hashlib.sha256(text.encode()).hexdigest()[:LENGTH]
    return earlier().get(digest, digest)


_digests: dict[str, str] = {}


def _digest(name: str, above: tuple[str, ...]) -> tuple[str, int]:
    """Digest of a definition, and how far up the definitions above it lead back."""
    if not _is_read(name):
        is_ours = _is_own(name.partition(":")[0])
        return (f"unread {name.partition(':')[2]}" if is_ours else name), len(above)
    if name in above:
        return f"back {len(above) - above.index(name)}", above.index(name)
    if name not in _digests:
        code, reaches = definition(name)
        if code == HANDED_ON and len(reaches) == 1:
            return _digest(reaches[0], above)
        parts = [_digest(target, (*above, name)) for target in reaches]
        digest = _stands_for("\n".join([code, *(part for part, _ in parts)]))
        highest = min([len(above), *(place for _, place in parts)])
        if highest < len(above):  # it is part of a circle, and another way in sees it otherwise
            return digest, highest
        _digests[name] = digest
    return _digests[name], len(above)


# What names stand for: {name: "module:member" or "module:" each}.
Names = Mapping[str, tuple[str, ...]]
HANDED_ON = "handed on"
ANYWHERE = "*"  # the member of a module that does what it does besides binding names
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
LEFT_OUT = {"ctx", "kind", "type_comment", "type_params", "returns", "annotation", "simple"}
LOGGED = {"debug", "info", "warning", "error", "exception", "critical", "log"}
# What runs code or binds names that no reading of the text tells, and what no code here has.
UNKNOWABLE = {"exec", "eval", "globals", "locals", "__import__"}
UNREADABLE = (ast.Global, ast.Nonlocal, ast.Match, ast.AsyncFunctionDef)
# Annotations of a class that are more than a type.
FIELDS = {"ClassVar", "InitVar", "KW_ONLY"}


_modules: dict[str, "_Module"] = {}


def _module(name: str) -> "_Module":
    if name not in _modules:
        _modules[name] = _Module(name)
    return _modules[name]


class _Module:
    """A module's text and what it binds."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.file = _file_of(name)
        self.source = self.file.read_bytes()
        self.definition = cache(self._read)

    @cached_property
    def _body(self) -> list[ast.stmt]:
        return ast.parse(self.source).body

    @cached_property
    def nodes(self) -> dict[str, list[ast.stmt]]:
        """The statements that bind each name; under ANYWHERE those that do something else."""
        nodes: dict[str, list[ast.stmt]] = {}
        for node in self._body:
            for name in _bound(node):
                nodes.setdefault(name, []).append(node)
        return nodes

    @cached_property
    def names(self) -> Names:
        """What its names stand for in all of its code."""
        bound = {name: (f"{self.name}:{name}",) for name in self.nodes if name != ANYWHERE}
        return {**bound, **_Scope(self._body, self).imported}

    @cached_property
    def effects(self) -> list[str]:
        """What its import does besides binding names, "module:*" each, imports of imports too."""
        effects = [f"{self.name}:{ANYWHERE}"] if ANYWHERE in self.nodes else []
        targets = (target for targets in self.names.values() for target in targets)
        modules = {target.partition(":")[0] for target in targets if _is_read(target)} - {self.name}
        of_imports = [effect for module in sorted(modules) for effect in _module(module).effects]
        return list(dict.fromkeys([*of_imports, *effects]))

    def _read(self, member: str) -> Definition:
        if not member:
            all_names = sorted(name for name in self.nodes if name != ANYWHERE)
            reaches = tuple(f"{self.name}:{name}" for name in all_names)
            return Definition(f"module of {all_names}", (*reaches, *self.effects))
        if member in self.nodes:
            reading = _Reading(self, member)
            for node in self.nodes[member]:
                reading.say(node)
            others = () if member == ANYWHERE else self.effects
            return Definition(reading.text, tuple(dict.fromkeys([*reading.reached, *others])))
        if member in self.names:  # it hands on what it imports
            return Definition(HANDED_ON, self.names[member])
        if ANYWHERE in self.nodes:  # it may be bound there
            return Definition(f"name {member}", (f"{self.name}:{ANYWHERE}",))
        raise SourceError(f"{self.name} has no {member!r}")


def _file_of(module: str) -> Path:
    if module.endswith(".py"):
        return Path(module)
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:
        spec = None
    if spec is None or spec.origin is None:
        raise SourceError(f"there is no module {module!r}")
    return Path(spec.origin)


@cache
def _is_module(name: str) -> bool:
    if not _is_own(name) or _file_of(name.rpartition(".")[0]).name != "__init__.py":
        return False
    return find_spec(name) is not None


def _bound(node: ast.stmt) -> list[str]:
    """Names that a statement of a module binds; ANYWHERE for one that does something else."""
    # Blocks that only import, or that an import does not run.
    is_idle = isinstance(node, ast.If | ast.With) and all(
        map(_is_silent, [*node.body, *getattr(node, "orelse", [])])
    )
    is_main = isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'"
    if _is_silent(node) or is_idle or is_main:
        return []
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    if isinstance(node, ast.Assign | ast.AnnAssign):
        named = [leaf for target in targets for leaf in _parts(target)]
        plain = [leaf.id for leaf in named if isinstance(leaf, ast.Name)]
        return plain if len(plain) == len(named) else [*plain, ANYWHERE]
    return [ANYWHERE]


def _parts(target: Any) -> list[ast.AST]:
    """Parts of a target: of (a, *b) both names."""
    if isinstance(target, ast.Tuple | ast.List):
        return [leaf for part in target.elts for leaf in _parts(part)]
    return _parts(target.value) if isinstance(target, ast.Starred) else [target]


def _is_silent(node: Any) -> bool:
    """An import, a docstring, `pass`, or what is logged."""
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Pass):
        return True
    if not isinstance(node, ast.Expr):
        return False
    value = node.value
    if isinstance(value, ast.Constant):
        return isinstance(value.value, str)
    called = value.func if isinstance(value, ast.Call) else None
    if not isinstance(called, ast.Attribute) or called.attr not in LOGGED:
        return False
    holder = called.value
    name = holder.id if isinstance(holder, ast.Name) else getattr(holder, "attr", "")
    return name in {"log", "_log"}


class _Scope:
    """What a block binds in its own scope: functions and classes in it have scopes of their own.

    kept: parameters, which keep their names in the digest; the others get numbers, but for those of
    a class.
    """

    def __init__(
        self,
        body: Iterable[ast.AST],
        module: _Module,
        *,
        kept: Iterable[str] = (),
        is_class: bool = False,
    ) -> None:
        self.is_class, self.kept = is_class, set(kept)
        self.bound = set(self.kept)
        self.imported: dict[str, tuple[str, ...]] = {}
        self.numbers: dict[str, str] = {}
        self._module = module
        waiting = [(node, False) for node in body]
        while waiting:
            node, inside = waiting.pop()  # inside a comprehension only `:=` binds a name here
            if isinstance(node, ast.Name):
                if not isinstance(node.ctx, ast.Load) and not inside:
                    self.bound.add(node.id)
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                self.bound.add(node.name)
            elif not isinstance(node, ast.Lambda | ast.Constant):
                self._add(node)
                within = inside or isinstance(node, COMPREHENSIONS)
                waiting += [(child, within) for child in ast.iter_child_nodes(node)]

    def _add(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                self._import(alias.asname or alias.name.split(".")[0], f"{alias.name}:")
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*" or node.level:
                    raise SourceError(
                        f"{self._module.name}: `{ast.unparse(node)}` hides what it uses"
                    )
                whole = f"{node.module}.{alias.name}"
                target = f"{whole}:" if _is_module(whole) else f"{node.module}:{alias.name}"
                self._import(alias.asname or alias.name, target)
        elif isinstance(node, ast.NamedExpr):
            self.bound.add(node.target.id)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            self.bound.add(node.name)

    def _import(self, name: str, target: str) -> None:
        self.imported[name] = tuple(dict.fromkeys([*self.imported.get(name, ()), target]))


class _Reading:
    """Writes what a definition does, with a number for each name whose meaning is known."""

    def __init__(self, module: _Module, own: str) -> None:
        self._module, self._own = module, own
        self.reached: dict[str, int] = {}
        self._scopes: list[_Scope] = []
        self._said: list[str] = []
        self._locals, self._wording = 0, False

    @property
    def text(self) -> str:
        return "".join(self._said)

    def say(self, node: Any) -> None:
        """Writes a node, a list of them, or a value."""
        if isinstance(node, list):
            self._said.append("[")
            for part in node:
                if not _is_silent(part):
                    self.say(part)
            self._said.append("]")
        elif isinstance(node, UNREADABLE):
            raise SourceError(f"{self._module.name}: `{ast.unparse(node)}` cannot be followed")
        elif isinstance(node, ast.AST):
            special: Callable[[Any], None] | None = getattr(self, f"_{type(node).__name__}", None)
            if special:
                special(node)
            else:
                self._plain(node)
        else:
            self._said.append(f"{node!r},")

    def _plain(self, node: ast.AST) -> None:
        self._said.append(f"{type(node).__name__}(")
        for name, value in ast.iter_fields(node):
            if name not in LEFT_OUT:
                self._said.append(f"{name}=")
                self.say(value)
        self._said.append(")")

    def _number(self, targets: Iterable[str]) -> None:
        for target in targets:
            self._said.append(f"_{self.reached.setdefault(target, len(self.reached))}.")

    def _meaning(self, name: str) -> tuple[str, ...] | str:
        """What a name stands for: definitions of modules, or what it is called in the digest."""
        if name == "__class__":
            return name
        inner = True
        for scope in reversed(self._scopes):
            if scope.is_class and not inner:
                continue
            inner = False
            if name in scope.imported:
                return scope.imported[name]
            if name in scope.bound:
                if scope.is_class or name in scope.kept:
                    return name
                if name not in scope.numbers:
                    scope.numbers[name] = f"v{self._locals}"
                    self._locals += 1
                return scope.numbers[name]
        if name == self._own:
            return "own"
        return self._module.names.get(name, name)

    def _called(self, name: str | None) -> None:
        meaning = self._meaning(name) if name is not None else "-"
        if isinstance(meaning, tuple):
            self._number(meaning)
        else:
            self._said.append(f"{meaning},")

    def _Name(self, node: ast.Name) -> None:
        if node.id in UNKNOWABLE and self._meaning(node.id) == node.id:
            raise SourceError(f"{self._module.name}: `{node.id}` cannot be followed")
        self._called(node.id)

    def _target(self, node: ast.AST) -> str:
        """What an expression names: "module:name" or "module:"; empty for anything else."""
        if isinstance(node, ast.Name):
            meaning = self._meaning(node.id)
            return meaning[0] if isinstance(meaning, tuple) and len(meaning) == 1 else ""
        if not isinstance(node, ast.Attribute):
            return ""
        module, _, member = self._target(node.value).partition(":")
        if not module or member or not _is_read(f"{module}:"):
            return ""
        if _is_module(whole := f"{module}.{node.attr}"):
            return f"{whole}:"
        known = _module(module)
        return f"{module}:{node.attr}" if node.attr in {*known.nodes, *known.names} else ""

    def _Attribute(self, node: ast.Attribute) -> None:
        """`module.name` is what the module binds."""
        if target := self._target(node):
            if not isinstance(node.ctx, ast.Load):
                raise SourceError(f"{self._module.name}: `{ast.unparse(node)} = ` binds elsewhere")
            self._number([target])
        else:
            self._plain(node)

    def _Constant(self, node: ast.Constant) -> None:
        said = self._wording and isinstance(node.value, str)
        self._said.append("words," if said else f"{type(node.value).__name__} {node.value!r},")

    def _JoinedStr(self, node: ast.JoinedStr) -> None:
        if self._wording:
            self._said.append("words,")
        else:
            self._plain(node)

    def _Raise(self, node: ast.Raise) -> None:
        """Of what is raised, without the words for people."""
        self._wording = True
        self._plain(node)
        self._wording = False

    def _AnnAssign(self, node: ast.AnnAssign) -> None:
        """A field of a class, or an assignment."""
        names = {sub.id for sub in ast.walk(node.annotation) if isinstance(sub, ast.Name)}
        names |= {sub.attr for sub in ast.walk(node.annotation) if isinstance(sub, ast.Attribute)}
        if self._scopes and self._scopes[-1].is_class:
            self._said.append(f"Field({sorted(names & FIELDS)},")
            self.say(node.target)
            self.say(node.value)
            self._said.append(")")
        elif node.value is not None:
            self.say(ast.Assign([node.target], node.value))

    def _FunctionDef(self, node: ast.FunctionDef) -> None:
        self._said.append("FunctionDef(")
        self._called(node.name)
        self.say(node.decorator_list)
        self._function(node.args, node.body)

    def _Lambda(self, node: ast.Lambda) -> None:
        self._said.append("Lambda(")
        self._function(node.args, [node.body])

    def _function(self, args: ast.arguments, body: list[Any]) -> None:
        """Defaults are of the scope outside; a parameter keeps its name."""
        self.say([args.defaults, [default or "none" for default in args.kw_defaults]])
        groups = (args.posonlyargs, args.args, [args.vararg], args.kwonlyargs, [args.kwarg])
        names = [[arg.arg for arg in group if arg is not None] for group in groups]
        kept = [name for group in names for name in group]
        self._said.append(f"{names}")
        self._scopes.append(_Scope(body, self._module, kept=kept))
        # What imports in a function do besides binding names.
        for target in [t for targets in self._scopes[-1].imported.values() for t in targets]:
            if _is_read(target):
                self._number(_module(target.partition(":")[0]).effects)
        self.say(body)
        self._scopes.pop()
        self._said.append(")")

    def _ClassDef(self, node: ast.ClassDef) -> None:
        self._said.append("ClassDef(")
        self._called(node.name)
        self.say([node.decorator_list, node.bases, node.keywords])
        self._scopes.append(_Scope(node.body, self._module, is_class=True))
        self.say(node.body)
        self._scopes.pop()
        self._said.append(")")

    def _comprehension(self, node: Any) -> None:
        """The first sequence is of the scope outside; the loops' names are of its own."""
        first, *others = node.generators
        self._said.append(f"{type(node).__name__}(")
        self.say(first.iter)
        self._scopes.append(_Scope([loop.target for loop in node.generators], self._module))
        for loop in node.generators:
            self.say([loop.target, loop.ifs, bool(loop.is_async)])
        self.say([loop.iter for loop in others])
        self.say([getattr(node, name) for name in ("elt", "key", "value") if hasattr(node, name)])
        self._scopes.pop()
        self._said.append(")")

    _ListComp = _SetComp = _DictComp = _GeneratorExp = _comprehension

    def _ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self._said.append("ExceptHandler(")
        self.say(node.type)
        self._called(node.name)
        self.say(node.body)
        self._said.append(")")
