"""The wheel of the package, installed where there is no repository, is the whole library.

With NumPy alone `srhm.data` works, and what needs more says which extra brings it.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
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
def sources(tmp_path_factory):
    """A copy of what is packed, since a build leaves folders among the sources."""
    folder = tmp_path_factory.mktemp("sources")
    left_out = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", folder / "src", ignore=left_out)
    for name in ("pyproject.toml", "README.md", "LICENSE", "MANIFEST.in"):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture(scope="module")
def wheel(sources, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", folder]
    subprocess.run([*PIP, "wheel", *options, sources], check=True, capture_output=True)
    (made,) = folder.glob("srhm-*.whl")
    return made


@pytest.fixture(scope="module")
def alone(wheel, tmp_path_factory):
    """Programs of an environment that has the package, NumPy, and nothing else."""
    folder = tmp_path_factory.mktemp("alone")
    venv.create(folder)
    (packages,) = folder.glob("lib/python3*/site-packages")
    for one in Path(sysconfig.get_path("platlib")).glob("numpy*"):
        (packages / one.name).symlink_to(one)
    options = ["--no-deps", "--no-index", "--no-compile", wheel]
    program = ["--python", folder / "bin/python"]
    subprocess.run([*PIP, *program, "install", *options], check=True, capture_output=True)
    return folder / "bin"


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The folder into which the wheel is installed."""
    folder = tmp_path_factory.mktemp("installed") / "packages"
    options = ["--no-deps", "--no-index", "--no-compile", "--target", folder]
    subprocess.run([*PIP, "install", *options, wheel], check=True, capture_output=True)
    return folder


def said_by(python, code, *words, cwd, **variables):
    """What a Python says of this code, outside the repository."""
    own = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    command, env = [python, "-c", code, *words], {**own, **variables}
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)


def test_a_wheel_holds_every_module_page_caption_style_and_table_of_the_packages(wheel):
    with ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if name.startswith(("srhm/", "srhm_studies/"))}
    there = {
        str(path.relative_to(SOURCES.parent))
        for package in (SOURCES, SOURCES.with_name("srhm_studies"))
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    kinds = {Path(name).suffix for name in there}
    assert {".py", ".html", ".rst", ".md", ".mplstyle", ".json"} <= kinds
    assert held == there
    assert "srhm/py.typed" in held  # its types are for whoever imports it


def test_the_library_works_from_a_wheel(installed):
    there = {"cwd": installed.parent, "PYTHONPATH": str(installed)}
    done = said_by(sys.executable, USE, str(installed), **there)
    assert done.returncode == 0, done.stderr
    *numbers, P_star = done.stdout.split()
    assert numbers == ["(9,", "16,", "3)", "4"]
    # Linear in the root of the error between P = 10 and 1000.
    part = (0.15**0.5 - 0.1**0.5) / (0.15**0.5 - 0.05**0.5)
    assert float(P_star) == pytest.approx(10 ** (1 + 2 * part))


@pytest.mark.parametrize(
    ("code", "package", "extra"),
    [
        ("import srhm.torch_data", "torch", "torch"),
        ("import srhm.sensitivity", "torch", "torch"),
        (
            "from srhm.learning_curve import sample_complexity; sample_complexity([1, 2], [1, 0])",
            "scipy",
            "analysis",
        ),
    ],
)
def test_what_is_missing_is_a_sentence_with_the_extra_that_brings_it(alone, code, package, extra):
    said = said_by(alone / "python", code, cwd=alone).stderr
    assert said.splitlines()[-1] == (
        f"ModuleNotFoundError: {package} is not installed: pip install 'srhm[{extra}]' brings it"
    )
