"""What the variables of the environment are to the workflow: passed on, or ignored and named.

Passed on is what says where something is, or what a cluster or a card needs. What changes what
Python, pip, matplotlib, Numba, OpenMP or Snakemake do is not. How Python itself starts is decided
before this module is read: the Makefile resets the same names of Python.
Needs nothing but Python's own library: `envs/install.py` reads it before there is an environment.
"""

import getpass
import os
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path

RESET = (
    *("PYTHON*", "PIP_*", "NUMBA_*", "OMP_*", "GOMP_*", "KMP_*", "MPLBACKEND", "MATPLOTLIBRC"),
    *("SNAKEMAKE_PROFILE", "SNAKEMAKE_OUTPUT_CACHE", "SETUPTOOLS_USE_DISTUTILS"),
    *("SOURCE_DATE_EPOCH", "SHELLOPTS", "BASHOPTS"),
)
# Of these: where modules, packages and compiled code are and how they are fetched; one thread for a
# job, unless its rule asks for more; that Intel's and GNU's libraries may lie in one process.
KEPT = (
    *("PYTHONPATH", "PYTHONHOME", "PYTHONNOUSERSITE", "PYTHONUTF8", "PYTHONPYCACHEPREFIX"),
    *("PYTHONUNBUFFERED", "PIP_*INDEX*", "PIP_FIND_LINKS", "PIP_PROXY", "PIP_*CERT"),
    *("PIP_TRUSTED_HOST", "PIP_KEYRING_PROVIDER", "PIP_*CACHE_DIR", "PIP_CONFIG_FILE"),
    *("PIP_USE_DEPRECATED", "PIP_*RETRIES", "PIP_*TIMEOUT", "NUMBA_CACHE_DIR", "NUMBA_CPU_*"),
    *("NUMBA_CUDA_*", "OMP_NUM_THREADS", "KMP_DUPLICATE_LIB_OK", "PYTHONSAFEPATH"),
)
# Set by make, or by so many programs that to name them says nothing.
UNNAMED = {
    *("PYTHON", "PYTHONDONTWRITEBYTECODE", "SOURCE_DATE_EPOCH", "MPLBACKEND"),
    "PIP_DISABLE_PIP_VERSION_CHECK",
}
# Set where they are not, for glibc: a process keeps the memory that it gives back, and asks the
# system for none again (benchmarks/README.md). The greatest numbers that glibc takes.
KEEP_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(2**25), "MALLOC_TRIM_THRESHOLD_": str(2**30)}


def is_reset(name: str) -> bool:
    """Whether a variable is not passed on."""
    reset, kept = (any(fnmatchcase(name, pattern) for pattern in names) for names in (RESET, KEPT))
    return reset and not kept


def passed_on(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables that jobs and pip are started with, of those that there are."""
    return {name: value for name, value in environment.items() if not is_reset(name)}


def named(environment: Mapping[str, str] = os.environ, *, pattern: str = "*") -> list[str]:
    """A line for each variable that is reset and that a user may have meant for the workflow."""
    return [
        f"{name}={environment[name]} of the environment is ignored"
        for name in sorted(environment)
        if fnmatchcase(name, pattern) and name not in UNNAMED and is_reset(name)
    ]


def of_nobody(home: Path) -> dict[str, str]:
    """What a user without an entry in the table of users lacks: a name, and a home in this folder.

    Empty for everybody else. Containers are often run with such a number (docker run --user).
    """
    lacking = {}
    try:
        getpass.getuser()
    except (KeyError, OSError):
        lacking["LOGNAME"] = f"uid{os.getuid()}"
    try:
        Path.home()
    except RuntimeError:
        lacking["HOME"] = str(home)
    return lacking
