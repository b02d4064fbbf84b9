"""The file of a preset: what is refused before anything is planned, and in which line."""

import subprocess
import sys

import pytest

from srhm.commands.presets import read_preset
from srhm.declare.study import ConfigError
from srhm.store.provenance import PACKAGE

REFUSED = {
    "preset: a\npreset: b\n": "line 2: preset stands there twice (before in line 1): keep one",
    "a:\n- {P: 1, L: 2, P: 3}\n": "line 2: P stands there twice (before in line 2)",
    "a: {v: [8, 060]}\n": "line 1: YAML reads 060 as 48: write the number in base 10",
    "a: {on: 1}\n": "line 1: YAML reads the key on as yes or no: no key is called so",
    "a: 1:30\n": "line 1: YAML reads 1:30 as 90",
    "": "holds no keys",
    "{}": "holds no keys",
    "[1, 2]": "holds no keys",
    "a: [1\nb: 2": "is not YAML: line 2",
    "a: 2026-13-45": "is not YAML: month must be in 1..12",
    "__use_yte__: true\na: 1": "__use_yte__ is not allowed",
    'a: !!python/object/apply:os.system ["id"]': "could not determine a constructor",
    "a: 1\n---\nb: 1": "but found another document",
    "a:\n\tb: 1": "cannot start any",
    f"a: {'9' * 5000}": "4300 digits",
    "a: *b": "undefined alias",
    "a: 1\n<<: 3\n": "for merging",
    "a: b\0": "unacceptable character #x0000",
    "a: b\a": "unacceptable character #x0007",
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:20])
def test_a_file_that_says_other_than_it_seems_is_refused_in_a_sentence(tmp_path, text):
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as refusal:
        read_preset(path)
    assert str(refusal.value).startswith(str(path))
    assert REFUSED[text] in str(refusal.value)


def test_aliases_and_merged_keys_are_read_as_they_are_meant(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("a: &a {P: 1, v: 0}\nb: {<<: *a, P: 2}\nc: '060'\nd: 0.5\n", encoding="utf-8")
    expected = {"a": {"P": 1, "v": 0}, "b": {"P": 2, "v": 0}, "c": "060", "d": 0.5}
    assert read_preset(path) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [("{}", "holds no keys"), ("device: cpu", "preset: Field required")],
)
def test_a_snakemake_by_hand_refuses_such_a_file_and_takes_no_other(tmp_path, text, said):
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    snakefile = str(PACKAGE.parents[1] / "Snakefile")
    command = [sys.executable, "-m", "snakemake", "--snakefile", snakefile]
    command += ["--configfile", str(path), "--directory", str(tmp_path), "--dry-run"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 1
    assert said in run.stdout + run.stderr
