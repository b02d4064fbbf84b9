"""The order of the modules, what studies declare, what rules say as parsed, the scripts' size."""

import ast
import csv
import json
import re
import runpy
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from test_docs import DOCUMENTS, text_of

from srhm.declare.names import resolved
from srhm.declare.study import names_in
from srhm.planning.registry import GROUPS, STUDIES, TRAINERS, folder_of
from srhm.store import provenance
from srhm.store.places import source_of
from srhm.store.tables import schema_of

PACKAGE = provenance.PACKAGE
REPOSITORY = PACKAGE.parents[1]
# Floors of the core: a room imports itself and rooms of lines before its own.
ORDER = """
    declare model jobs
    networks store data transforms tangent_kernel
    torch_data statistics training
    images experiments figures scorecard learning_curve
    flow report deformations
    measure planning paper
    sensitivity plane commands
"""
# What a reader imports; the root of the core holds nothing else.
LIBRARY = {"data", "transforms", "torch_data", "tangent_kernel", "learning_curve", "deformations",
           "sensitivity"}  # fmt: skip
PLACES = {name: place for place, line in enumerate(ORDER.split("\n")) for name in line.split()}
# What a script loads by the names in its spec: their code is part of the digest of its rule.
LOADED = {
    "derive.py": ("function",),
    "draw.py": ("function",),
    "draw_derivations.py": (),
    "gather.py": (),
    "measure.py": ("function",),
    "score.py": ("module",),
    "train_curve.py": ("trainer",),
    "write_explorer.py": (),
    "write_page.py": ("claims_module", "page_tables", "headline"),
}


FURTHER = PACKAGE.parent / "srhm_studies"


def name_of(path):
    """Name of a module: srhm.training.cell."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


FILES = {name_of(path): path for root in (PACKAGE, FURTHER) for path in sorted(root.rglob("*.py"))}
# A package has a docstring alone, but for that of a study, which declares it.
DECLARED = {str(study.package) for study in STUDIES.values()}
MODULES = sorted(
    name for name, path in FILES.items() if path.name != "__init__.py" or name in DECLARED
)
KNOWN = set(MODULES)


@cache
def imports_of(name):
    """Modules of the package that a module imports."""
    found = set()
    for node in ast.walk(ast.parse(FILES[name].read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: a relative import, which is not followed here"
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        found |= set(names) & KNOWN
    return found - {name}


def test_no_modules_import_each_other():
    graph = {name: imports_of(name) for name in MODULES}
    list(TopologicalSorter(graph).static_order())  # raises CycleError, which names the circle


def test_the_root_of_the_core_is_the_library_alone():
    assert {path.stem for path in PACKAGE.glob("[!_]*.py")} == LIBRARY


def test_rooms_import_themselves_and_rooms_on_lower_floors():
    core = [name for name in MODULES if name.startswith("srhm.")]
    assert {name.split(".")[1] for name in core} == PLACES.keys()
    wrong = {
        f"{name} imports {imported}"
        for name in core
        for imported in imports_of(name)
        for room, other in [(name.split(".")[1], imported.split(".")[1])]
        if room != other and (PLACES[other] >= PLACES[room] or not imported.startswith("srhm."))
    }
    assert wrong == set()


def test_the_core_does_not_know_further_studies():
    """But for the two places that find the package where it is installed."""
    knowing = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if "srhm_studies" in path.read_text(encoding="utf-8")
    }
    assert knowing == {"planning/registry.py", "store/sources.py"}


def test_a_study_imports_no_other_study():
    for study in STUDIES.values():
        own = [name for name in MODULES if f"{name}.".startswith(f"{study.package}.")]
        assert own, study.name
        others = {str(one.package) for one in STUDIES.values()} - {study.package}
        for name in own:
            for imported in imports_of(name):
                assert not any(f"{imported}.".startswith(f"{other}.") for other in others), name


def test_every_folder_of_a_study_is_in_its_family():
    folders = {
        (path.parents[1].name, path.parent.name)
        for path in PACKAGE.parent.rglob("__init__.py")
        if "STUDY = " in path.read_text(encoding="utf-8")
    }
    assert folders == {(family, name) for family, names in GROUPS.items() for name in names}
    assert all(name == study.name for name, study in STUDIES.items())


def test_only_the_registry_knows_all_studies():
    for name in MODULES:
        if not name.startswith(("srhm.commands.", "srhm.planning.")):
            assert "srhm.planning.registry" not in imports_of(name), name


SLOW = {"torch", "numba", "matplotlib", "scipy", "sklearn", "pandas"}


@pytest.mark.parametrize(
    ("modules", "libraries"),
    [
        # Declarations, planning and launching.
        ("planning.registry planning.preset planning.pages commands.launch planning.lengths", SLOW),
        ("data learning_curve commands.command commands.sample", SLOW),
        # Training and measuring with the fast engine.
        ("training.sparse training.engines measure.representations measure.rows", {"torch"}),
        # Half a second in each job that scores, shows claims or fits; special functions suffice.
        (
            " ".join(
                ["scorecard.estimators", "scorecard.card", "learning_curve"]
                + [f"statistics.{file.stem}" for file in (PACKAGE / "statistics").glob("[!_]*.py")]
            ),
            {"scipy.stats"},
        ),
    ],
    ids=["planning", "library", "training", "statistics"],
)
def test_modules_load_no_library_that_takes_time_and_that_they_do_not_need(modules, libraries):
    code = "import sys, " + ", ".join(f"srhm.{module}" for module in modules.split())
    code += f"; print({libraries} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


# What studies declare.
FIGURES = [(study, figure) for study in STUDIES.values() for figure in study.figures]


def test_what_a_study_declares_by_name_is_there():
    for study in STUDIES.values():
        functions = [one.function for one in (*study.measurements, *study.tables, *study.figures)]
        functions += [study.page_tables] if study.page_tables else []
        for name in functions:
            assert callable(resolved(name)), name
        assert study.claims is None or resolved(f"{study.claims}:CLAIMS")
        for name in study.schemas.values():
            assert schema_of(name).names
        for one in (*study.tables, *study.figures):
            assert_there(names_in(one.uses), study.name)
        assert_there(names_in(study.claim_uses), study.name)


def assert_there(tables, study):
    """Every table that a study uses is one that some study has."""
    for name in tables:
        owner, _, table = name.rpartition("/")
        assert table in STUDIES[owner or study].schemas, (study, name)


def test_what_a_trainer_declares_by_name_is_there():
    for trainer in TRAINERS:
        assert callable(resolved(f"{trainer.module}:prepare"))
        assert callable(resolved(trainer.cost or trainer.seconds))
        assert schema_of(trainer.cells).names
        assert schema_of(trainer.timings).names


def test_every_figure_has_a_caption():
    folders = {study.name: folder_of(study.name) / "captions" for study, _ in FIGURES}
    missing = [
        f"{study.name}/captions/{figure.name}.rst"
        for study, figure in FIGURES
        if not (folders[study.name] / f"{figure.name}.rst").is_file()
    ]
    assert missing == []
    drawn = {(study.name, figure.name) for study, figure in FIGURES}
    captions = {
        (path.parents[1].name, path.stem) for path in PACKAGE.parent.rglob("captions/*.rst")
    }
    assert captions - drawn == set()  # captions of no figure


# Rules as Snakemake has parsed them.
@pytest.fixture(scope="module")
def rules():
    """Rules of config/test.yaml by name; of one without a script, None."""
    code = [sys.executable, str(Path(__file__).with_name("parsed_workflow.py"))]
    done = subprocess.run(code, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def named_in(value, keys):
    """Values of these keys, anywhere in a spec."""
    if isinstance(value, list):
        return [one for part in value for one in named_in(part, keys)]
    if not isinstance(value, dict):
        return []
    own = [value[key] for key in keys if value.get(key)]
    return own + [one for part in value.values() for one in named_in(part, keys)]


# Nothing is planned of these where the images, or e3nn, are not there.
UNPLANNED = {
    **{
        f"train_{name}": STUDIES[name].trainer.module
        for name in ("images", "equivariance", "taught_digits")
    },
    "measure_equivariance_long": STUDIES["equivariance"].measurements[0].function,
}


def test_a_rule_with_a_script_carries_the_digest_of_all_that_it_runs_or_keys(rules):
    for name, rule in rules.items():
        if rule is None:
            continue
        spec = json.loads(rule["spec"]) if rule["spec"] else {}
        if rule["script"] == "train_part.py":
            # It writes keys alone, and these hold the digest of what trains.
            assert rule["source"] is None
            assert all(entry["key"] and entry["source"] for entry in spec.get("cells", []))
        elif name in UNPLANNED and not spec:
            assert rule["source"] == source_of(rule["script"], UNPLANNED[name]), name
        else:
            modules = named_in(spec, LOADED[rule["script"]])
            assert bool(modules) == bool(LOADED[rule["script"]]), name
            assert rule["source"] == source_of(rule["script"], *modules), name


def test_rules_that_documents_name_exist(rules):
    named = re.compile(
        r"--set-threads (\w+)=|--until (\w+)|\bsnakemake ([a-z]\w+) --configfile"
        r"|\b((?:train|measure|gather|score|derive|page)_(?:"
        + "|".join([*STUDIES, *(trainer.name for trainer in TRAINERS), "curve", "plane", "network"])
        + r")\w*)\b(?!\.py)"
    )
    for document in DOCUMENTS:
        names = {next(filter(None, groups)) for groups in named.findall(text_of(document))}
        assert names <= rules.keys(), document


def test_a_package_holds_a_docstring_and_that_of_a_study_its_declaration():
    # No digest of a module below it has what a package does when it is imported: it binds names.
    binds = ast.Import | ast.ImportFrom | ast.Assign | ast.FunctionDef
    for name, path in FILES.items():
        if path.name == "__init__.py":
            docstring, *others = ast.parse(path.read_text()).body
            assert isinstance(docstring, ast.Expr), path
            assert name in DECLARED or not others, path
            assert all(isinstance(one, binds) for one in others), path


def test_what_a_change_touches_is_there():
    touched = runpy.run_path(str(REPOSITORY / ".ci" / "touched.py"))["TOUCHED"]
    named = {name for line, patterns in touched.items() for name in (*line.split(), *patterns)}
    assert [name for name in sorted(named) if not list(REPOSITORY.glob(name))] == []


def test_each_fault_that_was_found_has_its_test():
    with (REPOSITORY / "reference" / "faults.csv").open(encoding="utf-8", newline="") as file:
        tests = {row["test"] for row in csv.DictReader(file) if "::" in row["test"]}
    lost = [
        one
        for one in sorted(tests)
        if f"def {one.partition('::')[2]}(" not in (REPOSITORY / one.partition("::")[0]).read_text()
    ]
    assert lost == []
