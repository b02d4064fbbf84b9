"""No file that is read, and no text that is given, can become code that runs.

The parsed source is looked at. What libraries do inside is theirs: Numba keeps its compiled code,
of this package's own functions, in a cache of its own (`srhm.training.machine_code`).
"""

import ast
import re
from collections.abc import Iterator

import pytest

from srhm.store.provenance import PACKAGE

REPOSITORY = PACKAGE.parents[1]
SOURCES = sorted(
    file for folder in ("src", "scripts", "envs") for file in (REPOSITORY / folder).rglob("*.py")
)
RULES = [REPOSITORY / "Snakefile", *sorted((REPOSITORY / "rules").glob("*.smk"))]
# Modules whose reading runs what the file says.
LOADERS = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
CALLS = {"eval", "exec", "compile", "__import__"}
ATTRIBUTES = {
    ("os", "system"), ("os", "popen"), ("subprocess", "getoutput"),
    ("subprocess", "getstatusoutput"), ("yaml", "unsafe_load"), ("yaml", "full_load"),
    ("yaml", "load_all"),
}  # fmt: skip
READERS = {"read_pickle", "to_pickle"}


def dangers(source: str) -> Iterator[str]:
    """What in a Python source runs text or files as code, with its line."""
    for node in ast.walk(ast.parse(source)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        found = {name for name in names if name.partition(".")[0] in LOADERS}
        if isinstance(node, ast.Call):
            found |= set(_dangers_of_call(node))
        yield from (f"{name}, line {node.lineno}" for name in found)


def _dangers_of_call(call: ast.Call) -> Iterator[str]:
    words = {word.arg: ast.unparse(word.value) for word in call.keywords}
    if words.get("shell", "False") != "False":
        yield "shell"
    if words.get("allow_pickle", "False") != "False":
        yield "allow_pickle"
    if isinstance(call.func, ast.Name) and call.func.id in CALLS:
        yield call.func.id
    if isinstance(call.func, ast.Attribute):
        owner, name = ast.unparse(call.func.value), call.func.attr
        if (owner, name) in ATTRIBUTES or name in READERS:
            yield f"{owner}.{name}"
        if (owner, name) == ("torch", "load") and words.get("weights_only") != "True":
            yield "torch.load"
        if (owner, name) == ("yaml", "load") and "Safe" not in words.get("Loader", ""):
            yield "yaml.load"


def test_no_source_runs_text_or_files_as_code():
    assert len(SOURCES) > 100
    found = {file.name: list(dangers(file.read_text(encoding="utf-8"))) for file in SOURCES}
    assert {name: dangers for name, dangers in found.items() if dangers} == {}


# Of a rule: a command for a shell, and Python that no digest knows.
IN_RULES = re.compile(
    rf"\b({'|'.join(sorted(LOADERS))})\b|\b(shell|run)\s*:|\b(eval|exec|shell)\s*\("
)


@pytest.mark.parametrize("file", RULES, ids=lambda file: file.name)
def test_no_rule_has_a_shell_or_runs_text(file):
    text = re.sub(r"#.*", "", file.read_text(encoding="utf-8"))
    assert IN_RULES.search(text) is None


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "eval('1')",
        "torch.load(file, weights_only=False)",
        "np.load(file, allow_pickle=True)",
        "pd.read_pickle(file)",
        "subprocess.run(command, shell=True)",
        "yaml.load(text, Loader=yaml.Loader)",
        "yaml.unsafe_load(text)",
    ],
)
def test_each_of_them_would_be_seen(source):
    assert len(list(dangers(source))) == 1
