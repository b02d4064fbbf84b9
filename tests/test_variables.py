"""What variables of the environment do to a run, in one place."""

import os
import subprocess
from pathlib import Path

import pytest

from srhm.commands.variables import KEPT, named, passed_on

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
def test_what_changes_the_programs_is_reset_and_named(name):
    assert passed_on({name: "a", "HOME": "b"}) == {"HOME": "b"}
    assert named({name: "a"}) == [f"{name}=a of the environment is ignored"]


def test_make_hands_on_what_is_said_to_it_alone():
    command = ["make", "--dry-run", "reproduce", "plan", "ARGS=--configfile elsewhere.yaml"]
    environment = {**os.environ, "TARGETS": "fig02"}
    said = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True).stdout
    (launched,) = (line for line in said.splitlines() if "elsewhere.yaml" in line)
    assert "--preset" not in launched
    assert "fig02" not in said


def test_make_lets_python_start_with_the_same_variables():
    given = ["PYTHONINSPECT", "PYTHONHOME", "PYTHONPATH", "PYTHONWARNINGS", "PYTHONUNBUFFERED"]
    makefile = "include Makefile\nenv:\n\t+@env | sed -n 's/^\\(PYTHON[^=]*\\)=.*/\\1/p'\n"
    done = subprocess.run(
        ["make", "--no-print-directory", "--dry-run", "-f", "-", "claims"],
        input=makefile,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", **dict.fromkeys(given, "1")},
    )
    assert done.returncode == 0, done.stderr
    started = {line for line in done.stdout.splitlines() if line.startswith("PYTHON")}
    # Whose modules are found is the environment's own; a user's PYTHONPATH is for the launcher.
    assert started == {"PYTHONUNBUFFERED", "PYTHONNOUSERSITE", "PYTHONUTF8", "PYTHONSAFEPATH"}
    assert started <= set(KEPT)
