"""The three descriptions of the environment agree: pyproject.toml, the lock and the conda file."""

import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

REPOSITORY = Path(__file__).parents[1]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
LOCK = (REPOSITORY / "envs" / "requirements.lock").read_text()
CONDA = yaml.safe_load((REPOSITORY / "envs" / "srhm.yaml").read_text())


def versions(lines: list[str]) -> dict[str, str]:
    """Package -> the one version that a list of `name==version` allows."""
    pinned = {}
    for line in lines:
        requirement = Requirement(line)
        (specifier,) = requirement.specifier
        assert specifier.operator == "==", line
        assert requirement.url is None, line
        assert canonicalize_name(requirement.name) not in pinned, f"{line}: a second pin"
        pinned[canonicalize_name(requirement.name)] = specifier.version
    return pinned


@pytest.fixture
def locked() -> dict[str, str]:
    return versions([line for line in LOCK.splitlines() if line and not line.startswith("#")])


def test_the_lock_pins_pytorch_exactly_and_names_no_build_of_one_machine(locked):
    assert locked["torch"] == "2.13.0"
    assert not [name for name, version in locked.items() if "+" in version]


def test_the_lock_satisfies_every_dependency_of_the_project(locked):
    for line in PROJECT["dependencies"] + PROJECT["optional-dependencies"]["dev"]:
        requirement = Requirement(line)
        assert locked[canonicalize_name(requirement.name)] in requirement.specifier, line


def test_the_conda_environment_is_the_part_of_the_lock_that_the_workflow_needs(locked):
    *_, through_pip = CONDA["dependencies"]
    conda = versions(through_pip["pip"])
    assert conda == {name: locked[name] for name in conda}
    needed = {canonicalize_name(Requirement(line).name) for line in PROJECT["dependencies"]}
    assert needed <= set(conda)


def test_the_conda_environment_has_a_python_that_the_project_allows():
    (python,) = [name for name in CONDA["dependencies"] if str(name).startswith("python=")]
    assert python.removeprefix("python=") in SpecifierSet(PROJECT["requires-python"])
