"""The environment of a clone: whole or absent, its own, made by one call at a time."""

import importlib.util
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "envs" / "install.py"


@pytest.fixture
def clone(tmp_path):
    """A folder with the lists of an environment, but no code."""
    folder = tmp_path / "clone"
    (folder / "envs").mkdir(parents=True)
    shutil.copy(SCRIPT, folder / "envs")
    for name in ("pyproject.toml", "envs/requirements.lock"):
        (folder / name).write_text("a==1\n")
    return folder


@pytest.fixture
def loaded(monkeypatch):
    """Loads the script of a clone; what it does is noted, and done without a network."""

    def load(clone, *, fails=False):
        spec = importlib.util.spec_from_file_location("install", clone / "envs" / "install.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.done = []

        def venv(command, *, check):
            assert (command[1:3], check) == (["-m", "venv"], True)
            module.done.append("venv")
            folder = Path(command[-1])
            shutil.rmtree(folder, ignore_errors=True)
            (folder / "bin").mkdir(parents=True)
            (folder / "bin" / "python").touch()

        def pip(root, *words):
            module.done.append(words[0])
            time.sleep(0.05)
            if "--editable" in words:
                packages = root / ".venv" / "lib" / "python3" / "site-packages"
                packages.mkdir(parents=True, exist_ok=True)
                (packages / "__editable__.srhm-1.pth").write_text(f"{root / 'src'}\n")
            return int(fails)

        monkeypatch.setattr(module.subprocess, "run", venv)
        monkeypatch.setattr(module, "pip", pip)
        return module

    return load


ALL = ["venv", "--requirement", "--no-deps"]


def test_an_environment_is_made_once(clone, loaded):
    install = loaded(clone)
    assert install.main() == 0
    assert install.main() == 0
    assert install.done == ALL


def test_an_environment_older_than_its_lists_is_brought_up_to_date(clone, loaded):
    install = loaded(clone)
    install.main()
    ahead = time.time() + 60
    os.utime(clone / "pyproject.toml", (ahead, ahead))
    install.main()
    assert install.done == ALL + ALL[1:]


@pytest.mark.parametrize("way", [shutil.copytree, shutil.move])
def test_a_copied_or_moved_environment_is_made_anew(clone, loaded, tmp_path, way):
    loaded(clone).main()
    way(clone, tmp_path / "other")
    install = loaded(tmp_path / "other")
    assert install.main() == 0
    assert install.done == ALL
    assert install.is_own(tmp_path / "other")


def test_an_installation_that_was_interrupted_begins_anew(clone, loaded):
    assert loaded(clone, fails=True).main() == 1
    install = loaded(clone)
    assert install.main() == 0
    assert install.done == ALL


def test_of_two_calls_at_a_time_one_installs(clone, loaded):
    install = loaded(clone)
    calls = [threading.Thread(target=install.main) for _ in range(2)]
    for call in calls:
        call.start()
    for call in calls:
        call.join()
    assert install.done == ALL


@pytest.mark.parametrize("letter", [" ", "'", '"', "$", "\\", "{"])
def test_a_path_that_jobs_cannot_run_in_is_refused_before_anything_is_installed(tmp_path, letter):
    folder = tmp_path / f"a{letter}b"
    (folder / "envs").mkdir(parents=True)
    shutil.copy(SCRIPT, folder / "envs")
    command = [sys.executable, str(folder / "envs" / "install.py")]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 2
    assert f"has {letter!r}: jobs would fail in a shell. Move it" in run.stderr
    assert [file.name for file in folder.iterdir()] == ["envs"]


def test_a_copied_folder_does_not_run_the_code_of_the_original(tmp_path):
    for name in ("Snakefile", "rules", "config"):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--cores", "1"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 1
    assert "`make env` in this folder installs its own" in run.stdout + run.stderr
