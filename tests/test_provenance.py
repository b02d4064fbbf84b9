"""The digest of sources: blind to prose and layout, awake to code, and through imports."""

from pathlib import Path

import numpy as np
import pytest
from changed_source import before_and_after

from srhm.results import provenance
from srhm.results.provenance import canonical_json, short_hash, source_digest, versions
from srhm.training import plan as training_plan

SOURCE = '''"""Module."""

import math

from srhm.grammar import draw


class Point:
    """A point."""

    x: int = 1
    """its place"""

    def norm(self, y=2):
        """Norm."""
        # why
        return math.sqrt(self.x**2 + y)
'''
GRAMMAR = {"grammar.py": "from srhm import rules\n\n\ndef draw():\n    return rules.N\n"}
PACKAGE = {"__init__.py": "", "rules.py": "N = 1\n", "unrelated.py": "M = 1\n", **GRAMMAR}


@pytest.fixture
def digest(tmp_path, monkeypatch):
    """Digest of a script with a package of its own, both given as text.

    Every call writes to a new folder: digests are kept by path, and do not depend on the folder.
    """
    calls = iter(range(100))

    def of(source=SOURCE, *, name="script.py", **files):
        folder = tmp_path / str(next(calls)) / "srhm"
        folder.mkdir(parents=True)
        for file, text in {**PACKAGE, **{f"{k}.py": v for k, v in files.items()}}.items():
            (folder / file).write_text(text)
        script = folder.parent / name
        script.write_text(source)
        monkeypatch.setattr(provenance, "PACKAGE", folder)
        return source_digest(script)

    return of


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# why", "# why not"),
        ("        # why\n", ""),
        ('"""Module."""', '"""Another module."""'),
        ('"""Module."""\n', ""),
        ('"""A point."""', '"""A place."""'),
        ('"""Norm."""', '"""Distance.\n\n        Of what?\n        """'),
        ('    """its place"""\n', ""),
        ("y=2", "y = 2"),
        ("self.x**2 + y", "(\n            self.x ** 2\n            + y\n        )"),
        ("\n\n\nclass", "\n\nclass"),
    ],
)
def test_a_change_of_prose_or_layout_keeps_the_digest(digest, old, new):
    assert old in SOURCE
    assert digest(SOURCE.replace(old, new)) == digest()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("y=2", "y=3"),
        ("x: int = 1", "x: int = 2"),
        ("math.sqrt", "math.cbrt"),
        ("**2 + y", "**2 - y"),
        ("import draw", "import draw as drawn"),
        ("return", "return -"),
    ],
)
def test_a_change_of_code_changes_the_digest(digest, old, new):
    assert old in SOURCE
    assert digest(SOURCE.replace(old, new)) != digest()


def test_a_string_that_code_uses_is_not_prose(digest):
    assert digest('name = "a"\n') != digest('name = "b"\n')
    assert digest('print("a")\n') != digest('print("b")\n')


def test_the_digest_follows_imports_of_imports(digest):
    assert digest(rules="N = 2\n") != digest()


def test_a_comment_in_an_imported_module_keeps_the_digest(digest):
    assert digest(rules="# so many\nN = 1\n") == digest()


def test_a_module_that_is_not_imported_keeps_the_digest(digest):
    assert digest(unrelated="M = 2\n") == digest()


@pytest.mark.parametrize(
    "statement",
    [
        "import srhm.rules",
        "import srhm.rules as r",
        "from srhm import rules",
        "from srhm.rules import N",
        "def f():\n    from srhm.rules import N",
        "if True:\n    import srhm.rules",
    ],
)
def test_every_form_of_import_is_followed(digest, statement):
    assert digest(statement, rules="N = 2\n") != digest(statement)


def test_the_digest_does_not_depend_on_where_the_sources_are(digest):
    assert digest() == digest()


def test_the_digest_does_not_depend_on_the_names_of_the_modules(digest):
    assert digest(name="script.py") == digest(name="other.py")
    moved = digest("from srhm.laws import N", laws="N = 1\n")
    assert moved == digest("from srhm.rules import N")


def test_the_digest_depends_on_what_is_imported_and_under_which_name(digest):
    two = {"rules": "N = 1\nM = 2\n"}
    texts = (
        "from srhm.rules import N",
        "from srhm.rules import M",
        "from srhm.rules import M as N",
    )
    assert len({digest(text, **two) for text in texts}) == 3


def test_the_order_of_imports_keeps_the_digest(digest):
    one, other = "from srhm.rules import N", "from srhm.grammar import draw"
    assert digest(f"{one}\n{other}\n") == digest(f"{other}\n{one}\n")


def test_modules_that_import_each_other_are_named(digest):
    circle = {"one": "import srhm.two\n", "two": "import srhm.one\n"}
    with pytest.raises(ValueError, match="one -> two -> one"):
        digest("import srhm.one\n", **circle)


def test_of_modules_that_decide_nothing_the_place_alone_counts(digest, monkeypatch):
    source = "from srhm.said import log\n"
    listed = provenance.UNREAD
    assert all((SOURCES / one).is_file() for one in listed)
    monkeypatch.setattr(provenance, "UNREAD", (*listed, "said.py"))
    assert digest(source, said="log = 1\n") == digest(source, said="log = 2\n")
    monkeypatch.setattr(provenance, "UNREAD", listed)
    assert digest(source, said="log = 1\n") != digest(source, said="log = 2\n")


SOURCES = provenance.PACKAGE
CASES = [("reference", "lcn"), ("sparse", "lcn"), ("sparse", "cnn")]
ALL, REFERENCE, SPARSE, NONE = set(CASES), set(CASES[:1]), set(CASES[1:]), set()
LCN = set(CASES[:2])


@pytest.mark.parametrize(
    ("module", "retrained"),
    [
        ("model/seeding", ALL),
        ("model/grammar", ALL),
        ("model/sampling", ALL),
        ("networks/geometry", ALL),
        ("networks/lcn", LCN),
        ("networks/fcn", NONE),
        ("networks/registry", NONE),
        ("training/protocol", ALL),
        ("training/cell", ALL),
        ("training/reference", REFERENCE),
        ("networks/hierarchical", REFERENCE),
        ("model/encoding", REFERENCE),
        ("training/sparse", SPARSE),
        ("training/sparse_kernels", SPARSE),
        ("model/theory", NONE),
        ("model/transformations", NONE),
        ("model/parsing", NONE),
        ("training/plan", NONE),
        ("training/configuration", NONE),
        ("training/loop", NONE),
        ("preset", NONE),
        ("study", NONE),
        ("studies/registry", NONE),
        ("studies/sparse_hierarchy/study", NONE),
        ("results/store", NONE),
        ("results/records", NONE),
        ("training/curve", NONE),
        ("statistics/sample_complexity", NONE),
        ("studies/sparse_hierarchy/figures/networks", NONE),
    ],
)
def test_a_change_retrains_the_cells_of_the_engines_that_depend_on_it(
    tmp_path, monkeypatch, module, retrained
):
    before, after = before_and_after(
        *(tmp_path, monkeypatch, module),
        lambda: {case: training_plan.engine_digest(*case) for case in CASES},
        holders=(provenance, training_plan),
    )
    assert {case for case in CASES if before[case] != after[case]} == retrained


def test_the_engines_have_different_digests():
    assert len({training_plan.engine_digest(engine, "lcn") for engine in ("sparse", "dense")}) == 2


def test_the_text_of_a_value_does_not_depend_on_the_order_of_its_keys():
    one = {"a": 1, "b": {"c": [1, 2.5, None], "d": "x"}}
    other = {"b": {"d": "x", "c": [1, 2.5, None]}, "a": 1}
    assert canonical_json(one) == canonical_json(other)
    assert short_hash(one) == short_hash(other)


@pytest.mark.parametrize("other", [{"a": [2, 1]}, {"a": [1, 2.0]}, {"b": [1, 2]}, {"a": ["1", 2]}])
def test_different_values_have_different_texts(other):
    assert canonical_json(other) != canonical_json({"a": [1, 2]})
    assert short_hash(other) != short_hash({"a": [1, 2]})


def test_the_text_of_a_number_gives_the_number_back():
    for number in np.random.default_rng(0).standard_normal(100).tolist():
        assert float(canonical_json(number)) == number


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_is_no_number_has_no_text(number):
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json({"a": number})


def test_a_hash_has_the_length_asked_for():
    assert [len(short_hash(0, length=n)) for n in (12, 24)] == [12, 24]


def test_versions_name_python_and_the_packages():
    line = versions(["numpy"])
    assert line.startswith("python 3.")
    assert f"numpy {np.__version__}" in line


def test_the_sources_are_those_of_this_repository():
    assert Path(training_plan.__file__).parents[1] == provenance.PACKAGE
