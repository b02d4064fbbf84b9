"""Digests of definitions: blind to prose, places and names, awake to all that is computed."""

import ast
import sys
from itertools import count

import pytest
from changed_source import appended, digests_after, replaced

from srhm.flow.plan import FLOW
from srhm.store import sources
from srhm.store.sources import (
    EditedSourceError,
    SourceError,
    as_digested,
    digest_of,
    import_as_digested,
    reached,
)
from srhm.training.any_trainer import SAMPLES, decided_by
from srhm.training.engines import ENGINES
from srhm.training.trainers import HIERARCHY, IMAGES

MAIN = '''"""Module."""

import logging
import math

from PACKAGE.grammar import draw

log = logging.getLogger()


class Point:
    """A point."""

    x: int = 1
    """its place"""

    def norm(self, y: float = 2, *, power=2):
        """Norm."""
        # why
        square = [one**power for one in (self.x, y)]
        log.info("two numbers")
        if not square:
            raise ValueError("no number")
        return math.sqrt(sum(square))


def root(points):
    return draw([point.norm(3) for point in points])
'''
OTHERS = {
    "__init__": "",
    "grammar": "from PACKAGE import rules\n\n\ndef draw(of):\n    return rules.N, of\n",
    "rules": "N = 1\n",
}
PACKAGES = (f"invented_{number}" for number in count())


@pytest.fixture
def digest(tmp_path, monkeypatch):
    """Digest of `root` of the module `main` of an invented package, of these modules."""
    monkeypatch.syspath_prepend(tmp_path)

    def of(main=MAIN, root="main:root", **others):
        package = next(PACKAGES)
        monkeypatch.setattr(sources, "PACKAGES", (*sources.PACKAGES, package))
        folder = tmp_path / package
        for name, text in {**OTHERS, "main": main, **others}.items():
            file = folder.joinpath(*name.split("__in__")).with_suffix(".py")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.replace("PACKAGE", package), encoding="utf-8")
        return digest_of(f"{package}.{root}")

    return of


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# why", "# why not"),
        ('"""Module."""\n', ""),
        ('"""A point."""', '"""A place."""'),
        ('    """its place"""\n', ""),
        ("x: int", "x: float"),
        ("y: float = 2", "y=2"),
        ("(self.x, y)", "(\n            self.x, y,\n        )"),
        ("one", "number"),
        ("square", "squares"),
        ("Point", "Place"),
        ("draw", "drawn"),
        ("import draw", "import draw as drawn"),
        ('"two numbers"', '"numbers: %s", square'),
        ('"no number"', 'f"no number {y}"'),
        ("log = ", "LAW = 1\nlog = "),
        ("\n\nclass", "\n\n\ndef more():\n    return 1\n\n\nclass"),
    ],
)
def test_what_computes_the_same_keeps_the_digest(digest, old, new):
    text = MAIN.replace(old, new)
    if new.endswith("as drawn"):
        text = text.replace("draw([", "drawn([")
    others = {"grammar": OTHERS["grammar"].replace("draw", "drawn")} if old == "draw" else {}
    assert text != MAIN
    assert digest(text, **others) == digest()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x: int = 1", "x: int = 2"),
        ("y: float = 2", "y: float = 3"),
        ("power=2", "power=3"),
        ("y: float = 2, *, power=2", "power: float = 2, *, y=2"),
        ("one**power", "one**-power"),
        ("if not square", "if square"),
        ("ValueError", "TypeError"),
        ("math.sqrt", "math.cbrt"),
        ("sum(square)", "sum(square[1:])"),
        ("self.x", "self.norm"),
        ("norm", "size"),
        ("draw([", "max(["),
        ("    x: int = 1\n", ""),
        ("class Point:", "class Point(dict):"),
        ("    def norm", "    @property\n    def norm"),
    ],
)
def test_an_edit_of_what_is_computed_changes_the_digest(digest, old, new):
    text = MAIN.replace("def root(points)", "def root(points=(Point(),))")
    assert old in text
    assert digest(text.replace(old, new)) != digest(text)


def test_an_edit_of_what_is_reached_changes_the_digest_and_of_nothing_else(digest):
    assert digest(rules="N = 2\n") != digest()
    assert digest(rules="# so many\nN = 1\nM = 2\n") == digest()
    assert digest(MAIN + "\n\ndef unused():\n    return 1\n") == digest()


def test_moves_joins_and_renames_keep_the_digest(digest):
    joined = MAIN.replace("from PACKAGE.grammar import draw\n", "").replace(
        "class Point", "NUMBER = 1\n\n\ndef drawn(of):\n    return NUMBER, of\n\n\nclass Place"
    )
    moved = {"deep__in____init__": "", "deep__in__law": "LAW = 1\n"}
    lawful = OTHERS["grammar"].replace("PACKAGE import rules", "PACKAGE.deep.law import LAW")
    assert digest(joined.replace("draw([", "drawn([")) == digest()
    assert digest(grammar=lawful.replace("rules.N", "LAW"), **moved) == digest()
    assert digest(MAIN.replace("root", "origin"), root="main:origin") == digest()
    handed_on = {"hub": "from PACKAGE.grammar import draw\n"}
    assert digest(MAIN.replace("PACKAGE.grammar", "PACKAGE.hub"), **handed_on) == digest()


# Code of `root` that uses N of the module `rules`, or a file of the package that holds it.
USES = {
    "module": "import PACKAGE.rules\ndef root(): return PACKAGE.rules.N",
    "module by a name": "import PACKAGE.rules as r\ndef root(): return r.N",
    "module of a package": "import PACKAGE as p\ndef root(): return p.rules.N",
    "member": "from PACKAGE.rules import N\ndef root(): return N",
    "in a function": "def root():\n from PACKAGE.rules import N\n return N",
    "one of two of a name": (
        "def other():\n from PACKAGE.grammar import draw as N\n return N\n"
        "def root():\n from PACKAGE.rules import N\n return N"
    ),
    "under a condition": (
        "if 1 > 0:\n from PACKAGE.rules import N\nelse:\n N = 0\ndef root(): return N"
    ),
    "in try": (
        "try:\n from PACKAGE.rules import N\nexcept ImportError:\n N = 0\ndef root(): return N"
    ),
    "for types only": (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n from PACKAGE.rules import N\n"
        "def root(): return N"
    ),
    "as a whole": "from PACKAGE import rules\ndef root(name): return getattr(rules, name)",
    "by a default": "from PACKAGE.rules import N\ndef root(n=N): return n",
    "by a default of a keyword": "from PACKAGE.rules import N\ndef root(*, n=N): return n",
    "by a default, of the same name": "from PACKAGE.rules import N\ndef root(N=N): return N",
    "by a decorator": "from PACKAGE import rules\n@rules.N\ndef root(): return 1",
    "by a base": "from PACKAGE.rules import N\nclass root(N): pass",
    "by a keyword of a class": "from PACKAGE.rules import N\nclass root(metaclass=N): pass",
    "by a method": "from PACKAGE.rules import N\nclass root:\n def f(self): return N",
    "beside a field of the name": (
        "from PACKAGE.rules import N\nclass root:\n N = 2\n def f(self): return N"
    ),
    "in a class of a class": "from PACKAGE.rules import N\nclass root:\n class Own:\n  n = N",
    "in a lambda": "from PACKAGE.rules import N\nroot = lambda m: N + m",
    "beside a loop of the name": (
        "from PACKAGE.rules import N\ndef root(m): return [N for N in m], N"
    ),
    "as the sequence of a loop": "from PACKAGE.rules import N\ndef root(): return [N for N in N]",
    "by :=": "from PACKAGE.rules import N\ndef root():\n if (n := N):\n  return n",
    "in a function of a function": (
        "from PACKAGE.rules import N\ndef root():\n def own():\n  return N\n return own"
    ),
    "in a handler": "from PACKAGE import rules\ndef root():\n try: pass\n except rules.N: pass",
    "as an argument of what is raised": (
        "from PACKAGE.rules import N\ndef root(): raise ValueError(N, 'words')"
    ),
    "in two names at once": "from PACKAGE.rules import N\nroot, other = N, 1",
    "in what a module does": (
        "from PACKAGE.rules import N\ntable = {}\ntable['n'] = N\ndef root(): return table"
    ),
    "in what a module does after": (
        "from PACKAGE.rules import N\ndef root(): return root.n\nroot.n = N"
    ),
    "in a loop of a module": (
        "from PACKAGE.rules import N\nfor n in [N]: pass\ndef root(): return n"
    ),
    "by what an import does": "import PACKAGE.doing\ndef root(): return 1",
    "by what an import of an import does": "from PACKAGE.idle import I\ndef root(): return 1",
    "by what an import in a function does": ("def root():\n from PACKAGE.idle import I\n return 1"),
    "in a circle": (
        "from PACKAGE.rules import N\ndef other(n): return root(n - 1) if n else N\n"
        "def root(n): return other(n - 1) if n else 0"
    ),
}
DOING = {
    "doing": "import os\nfrom PACKAGE.rules import N\nos.environ['n'] = str(N)\n",
    "idle": "import PACKAGE.doing\nI = 1\n",
}


@pytest.mark.parametrize("use", USES)
def test_every_use_of_a_definition_is_followed(digest, use):
    ast.parse(USES[use])
    before, same = digest(USES[use], **DOING), digest(USES[use], **DOING)
    assert before == same
    assert digest(USES[use], **DOING, rules="N = 2\n") != before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("from PACKAGE.rules import *\ndef root(): return N", r"import \*` hides"),
        ("from .rules import N\ndef root(): return N", "main: `from .rules import N` hides"),
        ("async def root(): return 1", "main: `async def root"),
        ("def root(n):\n match n:\n  case 1: return 1", "main: `match n"),
        ("N = 1\ndef root():\n global N\n N = 2", "main: `global N`"),
        ("from PACKAGE import rules\ndef root(): rules.N = 2", "main: `rules.N = ` binds"),
        ("def root(): return eval('1')", "main: `eval`"),
        ("from PACKAGE.rules import M\ndef root(): return M", "rules has no 'M'"),
        ("from PACKAGE.laws import M\ndef root(): return M", "no module '.*laws'"),
    ],
)
def test_what_cannot_be_followed_is_refused(digest, text, message):
    with pytest.raises(SourceError, match=message):
        digest(text)


def test_methods_that_change_their_names_change_the_digest(digest):
    text = "def root():\n class Own:\n  def a(self): return 1\n  def b(self): return 2\n return Own"
    other = text.replace("def a", "def c").replace("def b", "def a").replace("def c", "def b")
    assert digest(text) != digest(other)


def test_a_line_of_equivalence_holds_for_all_that_reaches_a_definition(digest, monkeypatch):
    before, draw = digest(), digest(root="grammar:draw")
    edited = {"grammar": OTHERS["grammar"].replace("rules.N, of", "(rules.N, of)[:]")}
    after = digest(**edited, root="grammar:draw")
    assert digest(**edited) != before
    monkeypatch.setattr(sources, "earlier", lambda: {after: draw})
    assert digest(**edited) == before


def test_a_module_that_is_edited_while_it_is_imported_is_refused(digest, tmp_path):
    source = digest()
    package = sources.PACKAGES[-1]
    import_as_digested(source, f"{package}.main:root")
    assert sys.modules[f"{package}.grammar"].rules.N == 1
    with pytest.raises(EditedSourceError, match="edited after this run had begun"):
        import_as_digested("another", f"{package}.main:root")
    (tmp_path / package / "rules.py").write_text("N = 2\n", encoding="utf-8")
    import_as_digested(source, f"{package}.main:root")  # what was imported stays
    import_as_digested.cache_clear()
    with pytest.raises(EditedSourceError, match="nothing is stored"):
        import_as_digested(source, f"{package}.main:root")


def test_what_a_block_computes_is_refused_where_its_code_was_edited_meanwhile(digest, tmp_path):
    source, package = digest(), sources.PACKAGES[-1]
    with as_digested(source, f"{package}.main:root"):
        pass
    with pytest.raises(EditedSourceError), as_digested("another", f"{package}.main:root"):
        pytest.fail("nothing is computed")
    with (
        pytest.raises(EditedSourceError, match="nothing is stored"),
        as_digested(source, f"{package}.main:root"),
    ):
        (tmp_path / package / "rules.py").write_text("N = 2\n", encoding="utf-8")


# Of this project.
CELLS = {
    "reference": decided_by(HIERARCHY.module, {"engine": "reference", "net": "lcn"}),
    "sparse": decided_by(HIERARCHY.module, {"engine": "sparse", "net": "lcn"}),
    "sparse cnn": decided_by(HIERARCHY.module, {"engine": "sparse", "net": "cnn"}),
    "torch": decided_by(HIERARCHY.module, {"engine": "torch", "net": "vgg11"}),
    "autograd": decided_by(HIERARCHY.module, {"engine": "autograd", "net": "vgg11"}),
    "flow": decided_by(FLOW.module, {"net": "lcn"}),
    "images": decided_by(IMAGES.module, {"net": "vgg11"}),
    "memory": decided_by(
        "srhm.experiments.cells", {}, {"experiment": "srhm_studies.beyond.memory.cells:learn"}
    ),
    "data": SAMPLES,
}
ON_SRHM = {"reference", "sparse", "sparse cnn", "torch", "autograd"}
ALL, TRAINED = set(CELLS), set(CELLS) - {"data"}
NAMED = {"torch", "autograd", "images"}


def doubled(name):
    """An edit: a function gives twice what it gave, `0` added to the name's end."""
    return appended(f"_once = {name}\n\n\ndef {name}(*given, **named):\n    return 2 * _once()")


@pytest.mark.parametrize(
    ("module", "edit", "again"),
    [
        ("model.seeding", doubled("generator"), ALL),
        ("model.sampling", doubled("draw_samples"), ON_SRHM | {"data"}),
        ("networks.geometry", doubled("geometry"), ON_SRHM | {"flow"}),
        ("networks.slots", doubled("lcn"), {"reference", "sparse", "flow"}),
        ("networks.vgg", doubled("vgg11"), NAMED),
        ("networks.named", doubled("named_network"), NAMED),
        ("training.protocol", doubled("train"), ON_SRHM | {"images"}),
        ("training.cell", doubled("train_cell"), ON_SRHM),
        ("training.sparse_kernels", doubled("loss_and_errors"), {"sparse", "sparse cnn"}),
        ("training.tape", doubled("Tape"), {"torch"}),
        ("training.engines", doubled("prepare"), ON_SRHM),
        ("training.engines", replaced('"train"]', '"train"][::4]'), ON_SRHM),
        ("store.records", doubled("read_derivations"), ON_SRHM),
        ("store.records", doubled("write_derivations"), ON_SRHM | {"data"}),
        (
            "training.any_trainer",
            replaced("device=device, log=log", "log=log, device=device"),
            TRAINED,
        ),
        ("training.loop", doubled("train_or_load"), TRAINED),
        ("training.checkpoints", doubled("resume"), TRAINED),
        ("store.cells", doubled("write_cell"), TRAINED),
        ("flow.cell", doubled("train_members"), {"flow"}),
        ("flow.trainer", doubled("batches"), {"flow"}),
        ("images.training", doubled("train_cell"), {"images"}),
        ("images.readers", doubled("load_cifar"), {"images"}),
        ("experiments.cells", doubled("prepare"), {"memory"}),
        ("srhm_studies.beyond.memory.cells", doubled("learn"), {"memory"}),
        ("networks.registry", replaced('"lcn": Net(', '"more": Net("", ""), "lcn": Net('), set()),
        ("training.engines", replaced("ENGINES = {", 'ENGINES = {"more": (), '), set()),
        ("training.loop", replaced("stopped (%s): of", "ended (%s): of"), set()),
        ("training.loop", appended("LAW = 1  # a comment"), set()),
        ("training.configuration", appended("LAW = 1"), set()),
        ("model.theory", doubled("predicted_sample_complexity"), set()),
        ("networks.slots", doubled("fcn"), set()),
        ("measure.representations", doubled("measure_sensitivities"), set()),
        ("images.stability", doubled("stability"), set()),
    ],
)
def test_an_edit_makes_again_the_cells_that_depend_on_it_and_no_others(
    tmp_path, monkeypatch, module, edit, again
):
    edited = module if module.startswith("srhm") else f"srhm.{module}"
    before = {name: digest_of(*roots) for name, roots in CELLS.items()}
    after = digests_after(tmp_path, monkeypatch, {edited: edit}, CELLS)
    assert {name for name in CELLS if before[name] != after[name]} == again


def test_what_digests_leave_out_is_there():
    for name in sources.UNREAD:
        module, _, member = name.partition(":")
        assert not member or member in sources._module(module).nodes, name


# Definitions that a cell reaches and that load code by a name in a text, each with where the name
# is looked up: there the digest begins anew, at a root of `decided_by`.
BY_NAME = {
    "srhm.training.any_trainer:train_curve": "the trainer's module, of the spec",
    "srhm.training.engines:hierarchy_trainer": "the engine, of ENGINES",
    "srhm.declare.names:resolved": "the network, of the registry; the function of an experiment",
}


def test_code_that_is_loaded_by_its_name_is_a_root_of_the_digest():
    """A further place that loads by name must be looked at: its code may decide a cell."""
    found = set()
    for name in reached(*(root for roots in CELLS.values() for root in roots)):
        module, _, member = name.partition(":")
        for node in sources._module(module).nodes.get(member, ()):
            called = {
                getattr(one, "id", getattr(one, "attr", "")) for one in ast.walk(node)
                if isinstance(one, ast.Name | ast.Attribute)
            }  # fmt: skip
            if called & {"import_module", "__import__", "exec_module", "run_module"}:
                found.add(name)
    assert found == set(BY_NAME)


def test_every_engine_is_a_root():
    for engine, (module, name, _) in ENGINES.items():
        assert f"{module}:{name}" in decided_by(HIERARCHY.module, {"engine": engine, "net": "lcn"})
