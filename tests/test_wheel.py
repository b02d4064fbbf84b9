"""A wheel of the package, installed where there is no repository, is the whole library."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "srhm"
PIP = [sys.executable, "-m", "pip", "--no-input", "--disable-pip-version-check"]
USE = """
import srhm.data, sys
from pathlib import Path
assert Path(srhm.data.__file__).is_relative_to(sys.argv[1]), srhm.data.__file__
from srhm.learning_curve import sample_complexity
from srhm.sensitivity import sensitivities
from srhm.torch_data import HierarchyDataset
from torch import nn
grammar = srhm.data.random_grammar(depth=2, branching=2, n_features=3, n_empty=1, seed=0)
train, test = srhm.data.train_and_test(grammar, n_train=9, n_test=9, seed=0)
x, y = HierarchyDataset(train, grammar)[:]
table = sensitivities(nn.Flatten(), ["output"], HierarchyDataset(test, grammar), seed=0)
print(tuple(x.shape), len(table), sample_complexity([10, 1000], [0.15, 0.05]).P_star)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of a copy, since a build leaves folders among the sources."""
    folder = tmp_path_factory.mktemp("wheel")
    left_out = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", folder / "src", ignore=left_out)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", folder / "made"]
    subprocess.run([*PIP, "wheel", *options, folder], check=True, capture_output=True)
    (made,) = (folder / "made").glob("srhm-*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The folder into which the wheel is installed."""
    folder = tmp_path_factory.mktemp("installed") / "packages"
    options = ["--no-deps", "--no-index", "--target", folder]
    subprocess.run([*PIP, "install", *options, wheel], check=True, capture_output=True)
    return folder


def run(installed, *words):
    """What Python says of these words, with the installed package and outside the repository."""
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    return subprocess.run(
        [sys.executable, *words],
        cwd=installed.parent,
        env=environment,
        capture_output=True,
        text=True,
    )


def test_a_wheel_holds_every_module_page_caption_style_and_table_of_the_package(wheel):
    with ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if name.startswith("srhm/")}
    there = {
        f"srhm/{path.relative_to(SOURCES)}"
        for path in SOURCES.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    kinds = {Path(name).suffix for name in there}
    assert {".py", ".html", ".rst", ".md", ".mplstyle", ".json"} <= kinds
    assert held == there


def test_the_library_works_from_a_wheel(installed):
    done = run(installed, "-c", USE, str(installed))
    assert done.returncode == 0, done.stderr
    *numbers, P_star = done.stdout.split()
    assert numbers == ["(9,", "16,", "3)", "4"]
    assert float(P_star) == pytest.approx(100)


def test_the_command_samples_without_the_repository_and_names_what_else_it_needs(installed):
    script = str(installed / "bin" / "srhm")
    done = run(installed, script, "sample", "--number", "2")
    assert (done.returncode, done.stdout.count("class")) == (0, 2), done.stderr
    refused = run(installed, script, "reproduce")
    assert refused.returncode == 2
    assert "srhm reproduce needs Snakefile, config, profiles" in refused.stderr
    assert "Traceback" not in refused.stderr
