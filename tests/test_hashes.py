"""Locks with hashes: the pins of the plain ones, as pip reads them, and what is checked of them."""

import hashlib
import importlib.util
import os
import re
import subprocess
import sys
import zipfile
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


def test_needs_are_those_of_the_machine_and_the_python_asked_for():
    one = file("a", needs=("b; platform_system == 'Darwin' and python_version < '3.13'",))
    assert said(one) == []
    assert said(one, machine=MACOS, python="3.13") == []
    assert len(said(one, machine=MACOS)) == 1
    assert said(file("a", python=">=3.13")) == ["a 1 needs Python >=3.13"]


def test_a_package_that_is_needed_with_an_extra_needs_what_the_extra_does():
    one, other = file("a", needs=("b[more]",)), file("b", needs=("c; extra == 'more'",))
    assert said(one, other) == ["b needs c; extra == 'more', which is not pinned"]
    assert said(one, other, file("c")) == []


@pytest.fixture
def index(tmp_path, monkeypatch):
    """An index of two invented packages, one with a file for each processor of Linux."""
    for name, tag in (("a", "py3-none-any"), *(("b", f"cp312-cp312-manylinux_2_28_{one}")
                      for one in ("x86_64", "aarch64"))):  # fmt: skip
        folder = tmp_path / "simple" / name
        folder.mkdir(parents=True, exist_ok=True)
        wheel = folder / f"{name}-1-{tag}.whl"
        info = f"{name}-1.dist-info"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(
                f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n"
            )
            archive.writestr(
                f"{info}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n"
            )
            archive.writestr(f"{info}/RECORD", "")
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        with (folder / "index.html").open("a") as page:
            page.write(f'<a href="{wheel.name}#sha256={digest}">{wheel.name}</a>\n')
    monkeypatch.setenv("PIP_INDEX_URL", (tmp_path / "simple").as_uri())
    return tmp_path


def test_pip_says_what_it_would_take_on_another_machine_and_what_it_has_not(index):
    found = hashes.files_of(["a==1", "b==1"], "3.12", hashes.glibc(31, "aarch64"))
    wheel = index / "simple" / "b" / "b-1-cp312-cp312-manylinux_2_28_aarch64.whl"
    assert [one.file for one in found] == ["a-1-py3-none-any.whl", wheel.name]
    assert found[1].hash == hashlib.sha256(wheel.read_bytes()).hexdigest()
    with pytest.raises(SystemExit, match=r"(?s)Python 3\.13: .*No matching distribution .* b==1"):
        hashes.files_of(["a==1", "b==1"], "3.13", hashes.glibc(31, "x86_64"))


def test_pip_takes_a_file_of_one_of_the_hashes_and_refuses_another_content(index):
    wheel = next((index / "simple" / "a").glob("*.whl"))
    own, lock = hashlib.sha256(wheel.read_bytes()).hexdigest(), index / "lock"
    lock.write_text(hashes.with_hashes("a==1", ["0" * 64, own]))
    command = [sys.executable, "-m", "pip", "--no-input", "install", "--no-index", "--no-cache-dir"]
    command += ["--find-links", str(wheel.parent), "--target", str(index / "there"), "--quiet"]
    command += ["--requirement", str(lock)]
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    plain |= {"PIP_CONFIG_FILE": os.devnull}
    assert subprocess.run(command, env=plain).returncode == 0
    lock.write_text(hashes.with_hashes("a==1", ["0" * 64]))
    done = subprocess.run(command, env=plain, capture_output=True, text=True)
    assert done.returncode != 0
    assert "DO NOT MATCH" in done.stderr
