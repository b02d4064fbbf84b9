"""Locks with hashes: the pins of the plain ones, as pip reads them, and what is checked of them."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TORCH = "torch==2.13.0"


def loaded():
    """The script, which is no module of the package."""
    spec = importlib.util.spec_from_file_location("hashes", ROOT / "envs" / "hashes.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["hashes"] = module  # as dataclasses ask for it
    spec.loader.exec_module(module)
    return module


hashes = loaded()


def entries(name):
    """Pin -> its hashes, of a lock of envs/hashed/."""
    text = (ROOT / "envs" / "hashed" / f"{name}.lock").read_text("utf-8").replace("\\\n", " ")
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return {pin: found for pin, *found in lines}


@pytest.mark.parametrize("name", hashes.LOCKS)
def test_a_lock_with_hashes_has_the_pins_of_the_plain_one_and_a_hash_at_least_of_each(name):
    found = entries(name)
    pins = hashes.pins_of(ROOT / "envs" / f"{name}.lock")
    # PyTorch is in a lock of its own for each of its builds.
    own = {"requirements": set(pins) - {TORCH}, "cuda": {TORCH, *pins}}
    assert found.keys() == own.get(name, set(pins))
    assert len(found) == len(own.get(name, pins))
    for pin, own in found.items():
        assert own, pin
        assert own == sorted(set(own)), pin
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", one) for one in own), pin


def test_pytorch_is_the_build_for_the_processor_or_that_of_the_default_index():
    cpu, cuda = ({one.split(":")[1] for one in entries(name)[TORCH]} for name in ("cpu", "cuda"))
    builds = set(hashes.CPU_BUILDS.values())
    # Linux on two processors, and macOS, each with three Pythons.
    assert (len(builds), len(cpu), len(cuda)) == (6, 9, 6)
    assert builds < cpu
    assert cuda & cpu == set()


def file(name, version="1", *, needs=(), python=""):
    return hashes.File(name, version, f"{name}-{version}-py3-none-any.whl", "", needs, python)


LINUX, _, MACOS = hashes.MACHINES


def said(*files, machine=LINUX, python="3.12"):
    return hashes.unmet({one.name: one for one in files}, machine.environment(python))


def test_pins_that_hold_all_that_their_files_need_are_fine():
    needs = ("b>=1", "c; extra == 'more'", "d; sys_platform == 'win32'")
    assert said(file("a", needs=needs), file("b")) == []


def test_what_a_file_needs_and_no_pin_is_or_another_version_is_named():
    assert said(file("a", needs=("b",))) == ["a needs b, which is not pinned"]
    assert said(file("a", needs=("b<1",)), file("b")) == ["a needs b<1, and 1 is pinned"]
