"""What the variables of the environment are to the workflow: passed on, reset, or named aloud.

The one place for all of them. Variables that say where something is, or what a cluster or a card
needs, are passed on (proxies, indices of packages, caches, CUDA_*, SLURM_*, LD_*). Those that
change what Python, pip, matplotlib, Numba, OpenMP or Snakemake do are reset; of these, what a user
may have meant for the workflow is named. How Python itself starts is decided before this module is
read: the Makefile resets the same names of Python (`tests/test_variables.py` compares the two).
Needs nothing but Python's own library: `envs/install.py` reads it before there is an environment.
"""

import getpass
import os
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path

# Of PYTHON*: where modules are, whether those of the user's home are found, and how it writes.
KEPT_OF_PYTHON = (
    *("PYTHONPATH", "PYTHONHOME", "PYTHONNOUSERSITE", "PYTHONUTF8"),
    *("PYTHONPYCACHEPREFIX", "PYTHONUNBUFFERED"),
)
# Of PIP_*: where packages come from and how they are fetched; not which, nor where they go to.
KEPT_OF_PIP = (
    *("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_PROXY"),
    *("PIP_CERT", "PIP_CLIENT_CERT", "PIP_TRUSTED_HOST", "PIP_KEYRING_PROVIDER"),
    *("PIP_CACHE_DIR", "PIP_NO_CACHE_DIR", "PIP_CONFIG_FILE", "PIP_USE_DEPRECATED"),
    *("PIP_RETRIES", "PIP_TIMEOUT", "PIP_DEFAULT_TIMEOUT", "PIP_RESUME_RETRIES"),
)
# Where compiled code lies and for which processor it is; not whether or how it is compiled.
KEPT_OF_NUMBA = ("NUMBA_CACHE_DIR", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_CUDA_*")
# A job has one thread, unless its rule asks for more; all else about threads could bind all jobs
# to one core. The last lets Intel's and GNU's libraries lie in one process.
KEPT_OF_THREADS = ("OMP_NUM_THREADS", "KMP_DUPLICATE_LIB_OK")

# By name, what is reset and why; the first that fits counts. Of an asterisk the kept ones are not.
RESET: dict[str, tuple[str, tuple[str, ...]]] = {
    "PYTHON*": ("changes what every Python does, or the exit code of a job", KEPT_OF_PYTHON),
    "PIP_*": ("changes which packages pip installs, or where to", KEPT_OF_PIP),
    "MPLBACKEND": ("figures are drawn into files", ()),
    "MATPLOTLIBRC": ("figures would have other styles", ()),
    "NUMBA_*": ("changes whether and how code is compiled", KEPT_OF_NUMBA),
    "OMP_*": ("threads of a job are those of its rule", KEPT_OF_THREADS),
    "GOMP_*": ("threads of a job are those of its rule", KEPT_OF_THREADS),
    "KMP_*": ("threads of a job are those of its rule", KEPT_OF_THREADS),
    "SNAKEMAKE_PROFILE": ("--profile (PROFILE= of make) names a profile", ()),
    "SNAKEMAKE_OUTPUT_CACHE": ("results are kept in results/ alone", ()),
    "SETUPTOOLS_USE_DISTUTILS": ("packages are built with setuptools' own", ()),
    "SOURCE_DATE_EPOCH": ("packages and figures have no date", ()),
    "SHELLOPTS": ("jobs' shells have options of their own", ()),
    "BASHOPTS": ("jobs' shells have options of their own", ()),
}
# Set where they are not, for glibc: a process keeps the memory that it gives back, and asks the
# system for none again (benchmarks/README.md). The greatest numbers that glibc takes.
KEEP_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(2**25), "MALLOC_TRIM_THRESHOLD_": str(2**30)}
# Set by make, or by so many programs that to name them says nothing.
UNNAMED = {
    "PYTHON",
    "PYTHONDONTWRITEBYTECODE",
    "SOURCE_DATE_EPOCH",
    "PIP_DISABLE_PIP_VERSION_CHECK",
    "MPLBACKEND",
}


def why_reset(name: str) -> str:
    """Why a variable is reset; empty where it is passed on."""
    for pattern, (reason, kept) in RESET.items():
        if fnmatchcase(name, pattern):
            return "" if any(fnmatchcase(name, one) for one in kept) else reason
    return ""


def passed_on(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables that jobs and pip are started with, of those that there are."""
    return {name: value for name, value in environment.items() if not why_reset(name)}


def named(environment: Mapping[str, str] = os.environ, *, pattern: str = "*") -> list[str]:
    """A line for each variable that is reset and that a user may have meant for the workflow."""
    return [
        f"{name}={environment[name]} of the environment is ignored: {reason}"
        for name in sorted(environment)
        if fnmatchcase(name, pattern) and name not in UNNAMED and (reason := why_reset(name))
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
