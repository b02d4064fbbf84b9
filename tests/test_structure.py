"""The order of the modules, the digests of the rules, the size of the scripts."""

import ast
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from srhm.results import provenance

PACKAGE = provenance.PACKAGE
REPOSITORY = PACKAGE.parents[1]
RULES = sorted((REPOSITORY / "rules").glob("*.smk"))
SCRIPTS = sorted((REPOSITORY / "scripts").glob("*.py"))
# A module imports from its own group and those before it only; all others come after them.
ORDER = [
    {"provenance", "progress", "stopping", "no_device", "devices", "seeding", "grammar", "theory"}
    | {"coordinates", "atomic", "jackknife"},
    {"sampling", "transformations", "parsing", "encoding"},
    {"architectures"},
    {"store", "tables", "records", "gathering", "regression"},
    {"training", "sample_complexity", "sensitivity"},
    {"plane"},
]


def name_of(path):
    """Name of a module of the package: training.cell."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


FILES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}
MODULES = sorted(name for name in FILES if name)


def imports_of(name):
    """Modules of the package that a module imports."""
    found = set()
    for node in ast.walk(ast.parse(FILES[name].read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: a relative import escapes the digest"
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        found |= {n.removeprefix("srhm.") for n in names if n.startswith("srhm.")} & set(MODULES)
    return found - {name}


def test_no_modules_import_each_other():
    graph = {name: imports_of(name) for name in MODULES}
    list(TopologicalSorter(graph).static_order())  # raises CycleError, which names the circle


@pytest.mark.parametrize("place", range(len(ORDER)))
def test_modules_import_from_their_own_group_and_those_before_it(place):
    allowed = set().union(*ORDER[: place + 1])
    for name in MODULES:
        if name.split(".")[0] in ORDER[place]:
            assert {imported.split(".")[0] for imported in imports_of(name)} <= allowed, name


def test_only_commands_import_experiments_and_nobody_imports_a_command():
    # A library that knew the configuration would retrain cells when a key is added to it.
    commands = {
        "launch",
        "planning",
        "status",
        "collection",
        "on_gpu",
        "published",
        "device_options",
        "presets",
    }  # what commands share
    for name in set(MODULES) - commands:
        assert not imports_of(name) & {"experiments", *commands}, name


@pytest.mark.parametrize("module", ["experiments", "launch"])
def test_planning_and_launching_load_neither_torch_nor_numba(module):
    code = f"import sys, srhm.{module}; print({{'torch', 'numba'}} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_training_with_the_fast_engine_does_not_load_torch():
    code = "import sys, srhm.training.sparse, srhm.training.curve; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def rules():
    """Text of each rule by its name."""
    found = {}
    for file in [REPOSITORY / "Snakefile", *RULES]:
        blocks = re.split(r"^(?:rule|checkpoint) (\w+):$", file.read_text(), flags=re.MULTILINE)
        found |= dict(zip(blocks[1::2], blocks[2::2], strict=True))
    return found


WITH_SCRIPT = {name: text for name, text in rules().items() if "    script:" in text}


def test_there_are_rules_with_scripts():
    assert {"draw_derivations", "train_curve", "gather_cells"} <= set(WITH_SCRIPT)


@pytest.mark.parametrize("name", WITH_SCRIPT)
def test_a_rule_with_a_script_carries_its_digest_or_its_keys(name):
    text = WITH_SCRIPT[name]
    (script,) = re.findall(r'"\.\./scripts/(\w+\.py)"', text)
    if f'source=source_of("{script}")' not in text:
        (spec,) = re.findall(r"spec=(\w+),", text)
        functions = (REPOSITORY / "rules" / "common.smk").read_text().split("\ndef ")
        (function,) = [f for f in functions if f.startswith(f"{spec}(")]
        # Entries hold keys, keys the digest.
        assert '"cells": curve.entries' in function or '"cells": IMAGE_CURVES[' in function


@pytest.mark.parametrize("name", rules())
def test_a_rule_with_a_script_has_log_benchmark_and_message(name):
    text = rules()[name]
    if name in WITH_SCRIPT:
        assert all(f"    {part}:" in text for part in ("log", "benchmark", "message"))


def test_every_script_belongs_to_a_rule():
    used = {s for text in WITH_SCRIPT.values() for s in re.findall(r"scripts/(\w+\.py)", text)}
    assert used == {script.name for script in SCRIPTS}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_is_short(script):
    assert len(script.read_text().splitlines()) <= 30


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_has_no_branch_no_loop_and_no_function(script):
    kinds = (ast.If, ast.For, ast.While, ast.Try, ast.FunctionDef, ast.ClassDef, ast.Lambda)
    found = [node for node in ast.walk(ast.parse(script.read_text())) if isinstance(node, kinds)]
    assert [ast.unparse(node) for node in found] == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_says_what_it_does(script):
    assert ast.get_docstring(ast.parse(script.read_text()))


def test_the_snakefile_is_a_table_of_contents():
    assert len((REPOSITORY / "Snakefile").read_text().splitlines()) < 60


def test_modules_say_what_they_are_for():
    for name, path in FILES.items():
        assert ast.get_docstring(ast.parse(Path(path).read_text())), name
