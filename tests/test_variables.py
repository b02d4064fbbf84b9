"""What variables of the environment do to a run, in one place."""

import getpass
import os
import shutil
import subprocess
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from srhm.commands.launch import _environment
from srhm.commands.variables import (
    KEEP_MEMORY,
    KEPT_OF_PYTHON,
    RESET,
    named,
    of_nobody,
    passed_on,
    why_reset,
)

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", [
    "PATH", "HOME", "TMPDIR", "LANG", "LD_LIBRARY_PATH", "LD_PRELOAD", "http_proxy",
    "SSL_CERT_FILE",
    "CUDA_VISIBLE_DEVICES", "CUDA_HOME", "NUMBA_CACHE_DIR", "NUMBA_CUDA_DRIVER", "NUMBA_CPU_NAME",
    "SLURM_JOB_ID", "SLURM_CPUS_PER_TASK", "SNAKEMAKE_STORAGE_S3_ACCESS_KEY", "XDG_CACHE_HOME",
    "PIP_INDEX_URL", "PIP_CERT", "PIP_NO_INDEX", "PIP_CONFIG_FILE", "PYTHONPATH", "PYTHONUTF8",
    "OMP_NUM_THREADS", "MKL_NUM_THREADS", "MPLCONFIGDIR", "ATEN_CPU_CAPABILITY", "BASH_ENV", "USER",
])  # fmt: skip
def test_where_something_is_and_what_a_cluster_or_card_needs_is_passed_on(name):
    assert passed_on({name: "a"}) == {name: "a"}
    assert named({name: "a"}) == []


@pytest.mark.parametrize("name", [
    "MATPLOTLIBRC", "PYTHONINSPECT", "PYTHONWARNINGS", "PYTHONOPTIMIZE",
    "PYTHONSTARTUP",
    "PYTHONDEVMODE", "PYTHONHASHSEED", "PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PIP_NO_BINARY",
    "PIP_CONSTRAINT", "PIP_REQUIRE_HASHES", "NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK",
    "GOMP_CPU_AFFINITY", "OMP_PROC_BIND", "KMP_AFFINITY", "SNAKEMAKE_PROFILE", "SHELLOPTS",
])  # fmt: skip
def test_what_changes_the_programs_is_reset_and_named_with_a_reason(name):
    assert passed_on({name: "a", "HOME": "b"}) == {"HOME": "b"}
    (line,) = named({name: "a"})
    assert line.startswith(f"{name}=a of the environment is ignored: ")
    assert why_reset(name) in line


def test_what_is_kept_is_of_a_pattern_that_is_reset():
    for pattern, (reason, kept) in RESET.items():
        assert reason
        assert all(fnmatchcase(name.replace("*", ""), pattern) or pattern in ("GOMP_*", "KMP_*",
                   "OMP_*") for name in kept)  # fmt: skip


def test_make_lets_python_start_with_the_same_variables():
    given = ["PYTHONINSPECT", "PYTHONHOME", "PYTHONPATH", "PYTHONWARNINGS", "PYTHONUNBUFFERED"]
    makefile = "include Makefile\nshow:\n\t@env | sed -n 's/^\\(PYTHON[^=]*\\)=.*/\\1/p'\n"
    done = subprocess.run(
        ["make", "--no-print-directory", "-f", "-", "show"],
        input=makefile,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", **dict.fromkeys(given, "1")},
    )
    assert done.returncode == 0, done.stderr
    started = set(done.stdout.split())
    # Whose modules are found is the environment's own; a user's PYTHONPATH is for the launcher.
    assert started == {"PYTHONUNBUFFERED", "PYTHONNOUSERSITE", "PYTHONUTF8"}
    assert started <= set(KEPT_OF_PYTHON)


@pytest.mark.parametrize("name", ["VENV", "BIN", "PIP", "LOG", "LOCK"])
def test_no_variable_of_the_environment_replaces_a_path_of_make(name):
    command = ["make", "--environment-overrides", "--dry-run", "clean-env", "env-cluster"]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, name: "/mine"}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "rm -rf .venv\n" in done.stdout
    assert "/mine" not in done.stdout


def test_another_make_says_which_is_needed():
    other = shutil.which("bmake")
    if not other:
        pytest.skip("no bmake is installed")
    done = subprocess.run([other, "status"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode != 0
    assert done.stderr.startswith("GNU make is needed")


def test_a_user_without_an_entry_gets_a_name_and_a_home(tmp_path, monkeypatch):
    assert of_nobody(tmp_path) == {}

    def unknown(*_):
        raise KeyError("getpwuid(): uid not found: 12345")

    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(getpass, "getuser", unknown)
    monkeypatch.setattr(Path, "home", homeless)
    lacking = of_nobody(tmp_path)
    assert lacking["HOME"] == str(tmp_path)
    assert lacking["LOGNAME"].startswith("uid")


def test_jobs_keep_memory_unless_the_user_says_how(monkeypatch, tmp_path):
    for name in KEEP_MEMORY:
        monkeypatch.delenv(name, raising=False)
    assert _environment(tmp_path).items() >= KEEP_MEMORY.items()
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "0")
    assert _environment(tmp_path)["MALLOC_TRIM_THRESHOLD_"] == "0"
