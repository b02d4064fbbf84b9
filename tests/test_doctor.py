"""`srhm doctor`: a healthy machine and broken ones, made of stand-ins, each with what to do."""

import ast
import re
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from srhm.commands import doctor

ROOT = Path(__file__).parents[1]
COPIED = ("Makefile", "Snakefile", "pyproject.toml", "envs/install.py")
# In place of the Python of an environment.
AGREES = "#!/bin/sh\nexit 0\n"


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A clone with a whole environment; both are stand-ins."""
    folder = tmp_path / "clone"
    for name in COPIED:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    (folder / "envs" / "requirements.lock").write_text("numpy==2.4.6\n")
    packages = folder / ".venv" / "lib" / "python3.11" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "__editable__.srhm-1.pth").write_text(f"{folder / 'src'}\n")
    say(folder, AGREES)
    (folder / ".venv" / "package.stamp").touch()
    monkeypatch.setattr(doctor, "ROOT", folder)
    return folder


def say(clone, script):
    """Puts a script in place of the Python of the environment."""
    program = clone / ".venv/bin/python"
    program.parent.mkdir(exist_ok=True)
    program.write_text(script)
    program.chmod(0o755)


@pytest.fixture
def examine(clone, capsys):
    """Exit code and report of the clone's folder, or another one."""

    def examined(folder=None, *words):
        code = doctor.main(["--directory", str(folder or clone), *words])
        said = capsys.readouterr()
        assert "Traceback" not in said.out + said.err
        return code, said.out

    return examined


def wrongs(report):
    """What is wrong, each with what to do."""
    return re.findall(r"^WRONG \d+: (.*)\n  do: (.+)$", report, flags=re.MULTILINE)


def test_a_healthy_machine_has_nothing_wrong(examine):
    code, report = examine()
    assert (code, wrongs(report)) == (0, []), report
    assert report.endswith("nothing is wrong\n")
    assert "whole; its packages agree and can be loaded" in report
    for topic in ("code", "system", "python", "cores", "memory", "results", "run"):
        assert re.search(rf"^{topic} +\S", report, flags=re.MULTILINE), topic


def without_room(clone, monkeypatch):
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda place: SimpleNamespace(free=10**8))


def old_python(clone, monkeypatch):
    shutil.rmtree(clone / ".venv")
    monkeypatch.setattr(sys, "version_info", (3, 9, 2, "final", 0))
    monkeypatch.setattr(sys, "version", "3.9.2 (default, Feb  1 2021, 00:00:00) [GCC 10.2.1]")


def other_processor(clone, monkeypatch):
    say(clone, "#!/bin/sh\n[ $1 = -m ] || kill -ILL $$\n")


def failed(clone, monkeypatch):
    (clone / "results").mkdir()
    (clone / "results/run.log").write_text("12:00 curve: failed: OSError('x'); log: y\nend\n")


def python_gone(clone, monkeypatch):
    (clone / ".venv/bin/python").unlink()


@pytest.mark.parametrize(
    ("broken", "wrong", "cure"),
    [
        (without_room, "has 100 MB free; 500 MB are needed", "make room, or"),
        (old_python, "Python 3.11, 3.12 or 3.13 is needed, .* is 3.9.2", "PYTHON=python3.12"),
        (other_processor, "snakemake ends Python", "LD_LIBRARY_PATH"),
        (failed, r"the last run failed: 12:00 curve: failed: OSError\('x'\)", "goes on from there"),
        (python_gone, "its Python is gone", "make env"),
    ],
)
def test_of_a_broken_machine_it_says_what_is_wrong_and_what_to_do(
    clone, examine, monkeypatch, broken, wrong, cure
):
    broken(clone, monkeypatch)
    code, report = examine()
    found = wrongs(report)
    assert code == 1, report
    assert found, report
    assert cure in found[0][1], report
    # The same may be wrong of other folders, and nothing else is.
    assert [what for what, _ in found if not re.search(wrong, what)] == [], report


@pytest.mark.parametrize("file", [
    "src/srhm/commands/doctor.py", "src/srhm/commands/limits.py", "src/srhm/commands/printing.py",
    "envs/install.py",
])  # fmt: skip
def test_a_python_of_ten_years_ago_reads_it(file):
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"), feature_version=(3, 6))
    # It would work out what stands in annotations of arguments and results.
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            for one in [node.returns, *(argument.annotation for argument in arguments)]:
                assert isinstance(one, ast.Name | ast.Constant | None), f"{node.name}: quote it"
