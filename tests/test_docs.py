"""What the documents name is there: files, modules, commands, rules, figures, keys."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from srhm.planning import preset
from srhm.planning.registry import GROUPS, STUDIES

REPOSITORY = Path(__file__).parents[1]
# The changelog names what was there once.
DOCUMENTS = [
    *sorted(REPOSITORY.glob("README.md")),
    *sorted(REPOSITORY.glob("[a-z]*/README.md")),
    *sorted((REPOSITORY / "docs").glob("*.md")),
    *sorted((REPOSITORY / "src").rglob("README.md")),
    *sorted((REPOSITORY / "src").rglob("methods.md")),
]
FOLDERS = "benchmarks|config|docs|envs|profiles|published|reference|rules|scripts|src|tests"
EXAMPLE = "config/mine.yaml"  # what a reader is told to write


@cache
def text_of(document: Path) -> str:
    return document.read_text(encoding="utf-8")


def code_in(document: Path) -> list[str]:
    """What stands in backticks or in blocks of code."""
    text = text_of(document)
    blocks = re.findall(r"^ *```\w*\n(.*?)^ *```", text, flags=re.MULTILINE | re.DOTALL)
    rest = re.sub(r"^ *```\w*\n.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)
    return blocks + re.findall(r"`([^`\n]+)`", rest)


def commands_in(documents: Iterable[Path]) -> list[str]:
    """Lines of code that call make, Snakemake or a module of this package, without remarks."""
    lines = (
        line for document in documents for code in code_in(document) for line in code.split("\n")
    )
    calls = re.compile(
        r"\s*((?:make|(?:\.venv/bin/)?(?:snakemake|python -m srhm\.[a-z_.]+)) [^#]*)"
    )
    return sorted({found[1].strip() for line in lines if (found := calls.match(line))})


def test_links_lead_to_files():
    for document in DOCUMENTS:
        text = re.sub(r"`[^`\n]+`", "", text_of(document))
        found = re.findall(r'\]\(([^)\s]+)\)|\bsrc(?:set)?="([^"]+)"', text)
        for link in map("".join, found):
            if not link.startswith(("https://", "#")):
                assert (document.parent / link.partition("#")[0]).exists(), (document, link)


def test_files_that_are_named_exist():
    for document in DOCUMENTS:
        for code in code_in(document):
            for name in re.findall(rf"(?<![\w./-])(?:{FOLDERS})/[\w./*-]*", code):
                path = name.rstrip("./")
                # PRESET, NAME and the like stand for any.
                pattern = re.sub(r"\b[A-Z][A-Z_]+\b", "*", path)
                written = path == EXAMPLE or path.startswith("profiles/mine")
                assert written or list(REPOSITORY.glob(pattern)), (document, name)


def test_modules_that_are_named_exist():
    pattern = re.compile(r"(?<![\w/])srhm(?:\.[a-z_]\w*)+(?::\w+)?")
    for document in DOCUMENTS:
        for name in pattern.findall("\n".join(code_in(document))):
            module, _, member = name.partition(":")
            assert find_spec(module), (document, name)
            assert not member or hasattr(import_module(module), member), (document, name)


def test_commands_are_targets_of_make():
    makefile = (REPOSITORY / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z][a-z-]*):", makefile, flags=re.MULTILINE))
    for document in DOCUMENTS:
        for code in code_in(document):
            found = set(re.findall(r"^\s*make ([a-z][\w-]*)", code, flags=re.MULTILINE))
            assert found <= targets, document
            assert set(re.findall(r"\bSTUDY=([a-z_]+)", code)) <= {*STUDIES, *GROUPS}, document
            for name in re.findall(r"\bPROFILE=([a-z][\w-]*)", code):
                made = name == "mine"
                file = REPOSITORY / "profiles" / name / "profile.yaml"
                assert made or file.is_file(), (document, name)


@pytest.mark.parametrize("command", commands_in(DOCUMENTS))
def test_commands_that_are_shown_can_be_given(command, tmp_path):
    program, *rest = shlex.split(command.replace("NAME", "jamming"))
    if program == "make":
        words = [program, *rest, "--dry-run"]
    else:
        called = rest if program.endswith("python") else ["-m", "snakemake", *rest]
        # Of an option that is given twice the last counts.
        own = ["--directory", str(tmp_path), "--dry-run", "--quiet", "all"]
        words = [sys.executable, *called, *own]
    said = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr


def test_the_preset_of_the_documents_can_be_planned():
    text = text_of(REPOSITORY / "config" / "README.md")
    (example,) = re.findall(r"```yaml\n(.*?)```", text, flags=re.DOTALL)
    assert preset.plan_preset(yaml.safe_load(example)).curves
