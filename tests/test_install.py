"""The environment of a clone: whole or absent, its own, made by one call at a time."""

import importlib.util
import os
import shutil
import subprocess
import sys
import threading
import time
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from srhm.commands.variables import why_reset

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
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
            (folder / "bin" / "python").touch()
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


def test_an_environment_older_than_its_lists_is_brought_up_to_date(clone, loaded):
    install = loaded(clone)
    install.main()
    ahead = time.time() + 60
    os.utime(clone / "pyproject.toml", (ahead, ahead))
    install.main()
    assert install.done == ALL + ALL[1:]


def test_an_environment_without_hashes_is_made_anew_where_they_are_asked_for(clone, loaded):
    (clone / "envs" / "hashed").mkdir()
    for name, pin in (("requirements", "setuptools"), ("cpu", "torch"), ("cuda", "torch")):
        lock = clone / "envs" / "hashed" / f"{name}.lock"
        lock.write_text(f"{pin}==2 \\\n    --hash=sha256:1\n")
    install = loaded(clone)
    install.main()
    for _ in range(2):
        assert install.main("yes") == 0
    assert install.done == [*ALL, "venv", "--no-deps", *ALL[1:]]
    plain, first, *hashed = install.given
    assert plain == clone / "envs" / "requirements.lock"
    assert hashed == [clone / "envs" / "hashed" / f"{one}.lock" for one in ("requirements", "cpu")]
    assert first.read_text().split() == ["setuptools==2", "--hash=sha256:1"]
    # One that was installed by hashes is whole without them, but not with others.
    assert install.main() == 0
    assert len(install.given) == 4
    assert install.main("cuda") == 0
    assert [path.name for path in install.given[-2:]] == ["requirements.lock", "cuda.lock"]


def test_other_hashes_than_those_that_there_are_are_refused(clone, loaded, capsys):
    assert loaded(clone).main("some") == 2
    assert "HASHES=some: known are HASHES=yes and HASHES=cuda" in capsys.readouterr().err


def test_where_no_index_has_the_build_that_hashes_allow_a_sentence_says_what_to_do(
    clone, monkeypatch, capsys
):
    spec = importlib.util.spec_from_file_location("install", clone / "envs" / "install.py")
    install = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(install)
    (clone / ".venv").mkdir()

    def refused(command, *, stdout=None, **_):
        if stdout is not None:
            stdout.write("THESE PACKAGES DO NOT MATCH THE HASHES\n    torch==2.13.0 from an index")
        return subprocess.CompletedProcess(command, 1, stdout="")

    monkeypatch.setattr(install.subprocess, "run", refused)
    assert install.pip(clone, "--requirement", "a") == 1
    assert "HASHES=cuda takes the other" in capsys.readouterr().err


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


def test_a_python_that_makes_no_environment_is_a_sentence_and_the_next_call_begins_anew(
    clone, loaded, capsys
):
    assert loaded(clone, venv_fails=True).main() == 1
    assert "cannot make an environment" in capsys.readouterr().err
    install = loaded(clone)
    assert install.main() == 0
    assert install.done == ALL


# Installs as pip does, in a process of its own: at the end a file leads to the sources.
PIP = """
import os, sys, sysconfig
from pathlib import Path
folder = Path(__file__).parents[1]
if sys.argv[-1] == "list":
    sys.exit(print("global.index='an-index'"))
if (folder / "fails").exists():
    sys.exit(print("ERROR: no such package") or 1)
if (folder / "damaged").exists() and "--no-cache-dir" not in sys.argv:
    sys.exit("ERROR: Wheel 'a' located at /cache/a.whl is invalid.")
if any(name in os.environ for name in ("PIP_USER", "PIP_TARGET", "PIP_NO_BINARY")):
    sys.exit("a variable of pip is passed on")
if "--editable" in sys.argv:
    file = Path(sysconfig.get_path("purelib")) / "__editable__.srhm-1.pth"
    file.write_text(f"{Path(sys.argv[-1]) / 'src'}\\n")
"""
OF_PIP = {"PIP_USER": "1", "PIP_TARGET": "/no/such/folder", "PIP_NO_BINARY": ":all:"}


def test_pip_that_fails_or_has_a_damaged_cache_or_foreign_variables(clone, tmp_path):
    (tmp_path / "packages" / "pip").mkdir(parents=True)
    (tmp_path / "packages" / "pip" / "__init__.py").touch()
    (tmp_path / "packages" / "pip" / "__main__.py").write_text(PIP, encoding="utf-8")

    def installed(**variables):
        command = [sys.executable, str(clone / "envs" / "install.py")]
        own = {**os.environ, "PYTHONPATH": str(tmp_path / "packages"), **variables}
        done = subprocess.run(command, capture_output=True, text=True, env=own)
        return done.returncode, done.stdout + done.stderr

    (tmp_path / "packages" / "fails").touch()
    code, said = installed()
    assert code != 0
    assert "ERROR: no such package" in said
    assert "pip is configured here: " in said
    (tmp_path / "packages" / "fails").rename(tmp_path / "packages" / "damaged")
    code, said = installed()
    assert code == 0, said
    assert "pip's cache holds a damaged package: again without that cache" in said
    shutil.rmtree(clone / ".venv")
    code, said = installed(**OF_PIP)
    assert code == 0, said
    assert said.count("is ignored") == len(OF_PIP)


def a_link(venv: Path) -> None:
    an_environment(venv.with_name("shared"))
    venv.symlink_to("shared")


def a_link_to_nothing(venv: Path) -> None:
    venv.symlink_to("gone")


def a_link_to_a_former_one(venv: Path) -> None:
    an_environment(venv.with_name("shared"))
    (venv.with_name("shared") / "package.stamp").touch()
    venv.symlink_to("shared")


def a_file(venv: Path) -> None:
    venv.write_text("a note", encoding="utf-8")


def an_environment(venv: Path) -> None:
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").touch()
    (venv / "pyvenv.cfg").touch()


def an_environment_with_our_code(venv: Path) -> None:
    an_environment(venv)
    packages = venv / "lib" / "python3" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "__editable__.srhm-1.pth").write_text(f"{venv.parent / 'src'}\n")


def a_folder_of_notes(venv: Path) -> None:
    venv.mkdir()
    (venv / "note").write_text("a note")


FOREIGN = [
    *(a_link, a_link_to_nothing, a_link_to_a_former_one, a_file, an_environment),
    *(an_environment_with_our_code, a_folder_of_notes),
]


@pytest.mark.parametrize("made", FOREIGN)
def test_an_environment_that_is_not_ours_is_refused_and_left_as_it_is(clone, loaded, capsys, made):
    made(clone / ".venv")
    install = loaded(clone)
    before = sorted(clone.rglob("*"))
    assert install.main() == 2
    assert f"{clone / '.venv'} " in capsys.readouterr().err
    assert sorted(clone.rglob("*")) == before
    assert install.done == []


def test_an_empty_folder_in_its_place_is_no_environment_of_somebody_else(clone, loaded):
    (clone / ".venv").mkdir()
    assert loaded(clone).main() == 0


def test_what_a_link_within_an_unfinished_environment_leads_to_is_kept(clone, loaded, tmp_path):
    (tmp_path / "kept").mkdir()
    (clone / ".venv").mkdir()
    (clone / ".venv" / "unfinished").touch()
    (clone / ".venv" / "lib64").symlink_to(tmp_path / "kept")
    assert loaded(clone).main() == 0
    assert (tmp_path / "kept").is_dir()


def test_of_two_calls_at_a_time_one_installs(clone, loaded):
    install = loaded(clone)
    calls = [threading.Thread(target=install.main) for _ in range(2)]
    for call in calls:
        call.start()
    for call in calls:
        call.join()
    assert install.done == ALL


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


def test_a_disk_that_takes_nothing_is_named_with_its_path(clone, loaded, capsys, monkeypatch):
    install = loaded(clone)

    def full(root, hashes):
        raise OSError(28, "No space left on device", str(root / ".venv"))

    monkeypatch.setattr(install, "install", full)
    assert install.main() == 2
    assert f"{clone / '.venv'}: No space left on device" in capsys.readouterr().err


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


def test_a_wheelhouse_has_the_locks_and_the_plugins_for_slurm():
    command = ["make", "--dry-run", "wheelhouse"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in ("requirements", "docs", "equivariance"):
        assert f"--requirement envs/{name}.lock" in said
    plugins = PROJECT["optional-dependencies"]["cluster"]
    assert f"--wheel-dir wheelhouse {' '.join(plugins)} " in said
    # What is then said to pip reaches it.
    words = ("PIP_NO_INDEX", "PIP_FIND_LINKS")
    assert all(f"{word}=" in said and not why_reset(word) for word in words)


def test_a_copied_folder_does_not_run_the_code_of_the_original(tmp_path):
    for name in ("Snakefile", "rules", "config"):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--cores", "1"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 1
    assert "`make env` in this folder installs its own" in run.stdout + run.stderr
