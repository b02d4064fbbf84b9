"""The environment of a clone: whole or absent, its own, made by one call at a time."""

import importlib.util
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "envs" / "install.py"
VARIABLES = ROOT / "src" / "srhm" / "commands" / "variables.py"


@pytest.fixture
def clone(tmp_path):
    """A folder with the lists of an environment, but no code."""
    folder = tmp_path / "clone"
    (folder / "envs").mkdir(parents=True)
    shutil.copy(SCRIPT, folder / "envs")
    (folder / "src" / "srhm" / "commands").mkdir(parents=True)
    shutil.copy(VARIABLES, folder / "src" / "srhm" / "commands")
    for name in ("pyproject.toml", "envs/requirements.lock"):
        (folder / name).write_text("a==1\n")
    return folder


@pytest.fixture
def loaded(monkeypatch):
    """Loads the script of a clone; what it does is noted, and done without a network."""

    def load(clone, *, fails=False, venv_fails=False):
        spec = importlib.util.spec_from_file_location("install", clone / "envs" / "install.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.done, module.given = [], []

        def venv(command, *, env):
            assert command[1:3] == ["-m", "venv"]
            module.done.append("venv")
            folder = Path(command[-1])
            assert [one.name for one in folder.iterdir()] == ["unfinished"]
            if venv_fails:
                return subprocess.CompletedProcess(command, 1)
            (folder / "bin").mkdir()
            (folder / "bin/python").touch()
            return subprocess.CompletedProcess(command, 0)

        def pip(root, *words):
            module.done.append(words[0])
            module.given += [
                Path(words[n + 1]) for n in range(len(words)) if words[n] == "--requirement"
            ]
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


ALL = ["venv", "--no-build-isolation", "--no-build-isolation"]


def test_an_environment_is_made_once(clone, loaded):
    install = loaded(clone)
    assert install.main() == 0
    assert install.main() == 0
    assert install.done == ALL


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


def a_link(venv: Path) -> None:
    an_environment(venv.with_name("shared"))
    venv.symlink_to("shared")


def an_environment(venv: Path) -> None:
    (venv / "bin").mkdir(parents=True)
    (venv / "bin/python").touch()
    (venv / "pyvenv.cfg").touch()


def a_folder_of_notes(venv: Path) -> None:
    venv.mkdir()
    (venv / "note").write_text("a note")


@pytest.mark.parametrize("made", [a_link, an_environment, a_folder_of_notes])
def test_an_environment_that_is_not_ours_is_refused_and_left_as_it_is(clone, loaded, capsys, made):
    made(clone / ".venv")
    install = loaded(clone)
    before = sorted(clone.rglob("*"))
    assert install.main() == 2
    assert f"{clone / '.venv'} " in capsys.readouterr().err
    assert sorted(clone.rglob("*")) == before
    assert install.done == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"version_info": (3, 10, 13)}, "3.10.13"),
        ({"version_info": (3, 14, 0)}, "3.14.0"),
        ({"implementation": SimpleNamespace(name="pypy")}, "of pypy"),
        ({"maxsize": 2**31 - 1}, "of 32 bits"),
    ],
)
def test_a_python_without_wheels_is_refused_in_a_sentence(
    clone, loaded, capsys, monkeypatch, change, said
):
    install = loaded(clone)
    known = {name: getattr(sys, name) for name in ("maxsize", "implementation", "executable",
                                                   "stderr")}  # fmt: skip
    known |= {"version_info": (3, 13, 0), **change}
    known["version"] = ".".join(map(str, known["version_info"]))
    monkeypatch.setattr(install, "sys", SimpleNamespace(**known))
    assert install.main() == 2
    said_all = capsys.readouterr().err
    assert "Python 3.11, 3.12 or 3.13 is needed" in said_all
    assert said in said_all
    assert install.done == []
    assert not (clone / ".venv").exists()


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
