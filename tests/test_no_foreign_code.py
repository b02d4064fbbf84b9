"""No file that is read, and no text that is given, can become code that runs.

What libraries do inside is theirs: Numba keeps its compiled code, of this package's own functions,
in a cache of its own (`srhm.training.machine_code`).
"""

import re

import pytest

from srhm.store.provenance import PACKAGE

REPOSITORY = PACKAGE.parents[1]
SOURCES = sorted(
    file for folder in ("src", "scripts", "envs") for file in (REPOSITORY / folder).rglob("*.py")
)
RULES = [REPOSITORY / "Snakefile", *sorted((REPOSITORY / "rules").glob("*.smk"))]
# Modules whose reading runs what the file says.
LOADERS = r"(pickle|marshal|shelve|dill|cloudpickle|joblib)\b"
# What runs text or files as code, or may.
DANGERS = re.compile(
    rf"^ *(?:import|from) {LOADERS}|(?<![\w.])(?:eval|exec|compile|__import__)\(|shell=(?!False)"
    r"|allow_pickle=(?!False)|\b(?:read|to)_pickle\b|\bos\.(?:system|popen)\b|\bget(?:status)?output\("
    r"|\btorch\.load\(|\byaml\.(?:load|load_all|unsafe_load|full_load)\(",
    re.MULTILINE,
)


def test_no_source_runs_text_or_files_as_code():
    assert len(SOURCES) > 100
    found = {file.name: DANGERS.findall(file.read_text(encoding="utf-8")) for file in SOURCES}
    assert {name: dangers for name, dangers in found.items() if dangers} == {}


# Of a rule: a command for a shell, and Python that no digest knows.
IN_RULES = re.compile(rf"\b{LOADERS}|\b(shell|run)\s*:|\b(eval|exec|shell)\s*\(")


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
    assert len(DANGERS.findall(source)) == 1
