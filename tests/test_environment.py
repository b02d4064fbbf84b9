"""The descriptions of the environment agree: pyproject.toml, both locks and the conda file."""

import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REPOSITORY = Path(__file__).parents[1]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
LOCK = (REPOSITORY / "envs" / "requirements.lock").read_text()
CONDA = yaml.safe_load((REPOSITORY / "envs" / "srhm.yaml").read_text())
EXTRAS = PROJECT["optional-dependencies"]


def requirements(*extras: str) -> list[Requirement]:
    """What the package needs with these extras and with those that they name in turn."""
    lines, seen, left = list(PROJECT["dependencies"]), set(), list(extras)
    while left:
        seen.add(name := left.pop())
        for line in EXTRAS[name]:
            requirement = Requirement(line)
            if requirement.name == PROJECT["name"]:
                left += requirement.extras - seen
            else:
                lines.append(line)
    return [Requirement(line) for line in lines]


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


def pinned_in(lock: str) -> dict[str, str]:
    """The versions of a lock."""
    return versions([line for line in lock.splitlines() if line and not line.startswith("#")])


@pytest.fixture
def locked() -> dict[str, str]:
    return pinned_in(LOCK)


def test_the_lock_pins_pytorch_exactly_and_names_no_build_of_one_machine(locked):
    assert locked["torch"] == "2.13.0"
    assert not [name for name, version in locked.items() if "+" in version]


def test_the_lock_satisfies_every_dependency_of_the_project(locked):
    for requirement in requirements("dev"):
        version = locked[canonicalize_name(requirement.name)]
        assert version in requirement.specifier, requirement


def test_the_conda_environment_is_the_part_of_the_lock_that_the_workflow_needs(locked):
    *_, through_pip = CONDA["dependencies"]
    conda = versions(through_pip["pip"])
    assert conda == {name: locked[name] for name in conda}
    needed = {canonicalize_name(one.name) for one in requirements("workflow")}
    assert needed <= set(conda)


@pytest.mark.parametrize("extra", ["docs", "equivariance"])
def test_the_lock_of_an_extra_adds_what_it_needs_and_changes_no_version(extra, locked):
    added = pinned_in((REPOSITORY / "envs" / f"{extra}.lock").read_text())
    assert added.keys() & locked.keys() == set()
    for line in EXTRAS[extra]:
        requirement = Requirement(line)
        assert added[canonicalize_name(requirement.name)] in requirement.specifier, line
