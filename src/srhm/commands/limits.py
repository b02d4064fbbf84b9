"""What this process may use: cores and memory, whatever the machine has.

The least of what affinity, the quota of the container (cgroup v1 and v2) and the job of a cluster
leave. Needs nothing but Python's own library and no new syntax: the Makefile runs this file with
whatever Python there is, before there is an environment. It prints the number of cores.
"""

import os

TYPING = False
if TYPING:  # a Python of any age reads this file
    from collections.abc import Mapping

MEGABYTE = 1000000
# Megabytes of Snakemake itself, of a job that says nothing about its memory, of one that trains.
OF_SNAKEMAKE, OF_A_JOB, OF_TRAINING = 400, 600, 1300
# More than any machine has is how cgroup v1 says "no limit".
NO_LIMIT = 1 << 60
# Of a job: the variable that says that there is one, and those of its cores, the first that is set.
JOBS = (
    ("SLURM_JOB_ID", ("SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE")),
    ("PBS_JOBID", ("NCPUS", "PBS_NUM_PPN")),
    ("JOB_ID", ("NSLOTS",)),
    ("LSB_JOBID", ("LSB_DJOB_NUMPROC",)),
)


def cores(root: str = "/", environment: "Mapping[str, str]" = os.environ) -> int:
    """Number of cores, 1 at least. A quota of 1.5 processors is two cores, each with pauses.

    root: where /proc and /sys lie.
    """
    if hasattr(os, "sched_getaffinity"):
        allowed = [len(os.sched_getaffinity(0))]
    else:
        allowed = [os.cpu_count() or 1]
    for folder in _groups(root, "cpu"):
        words = _read(folder, "cpu.max").split()
        if len(words) != 2:
            words = [_read(folder, "cpu.cfs_quota_us"), _read(folder, "cpu.cfs_period_us")]
        quota, period = _number(words[0]), _number(words[1])
        if quota and period:
            allowed.append(-(-quota // period))
    for job, names in JOBS:
        if job in environment:
            allowed.extend(
                [n for n in (_number(environment.get(name, "")) for name in names) if n][:1]
            )
    return max(1, min(allowed))


def memory(root: str = "/", environment: "Mapping[str, str]" = os.environ) -> "int | None":
    """Megabytes that all processes together may take by the container or job; None: no limit."""
    allowed = []
    for folder in _groups(root, "memory"):
        for name in ("memory.max", "memory.limit_in_bytes"):
            number = _number(_read(folder, name))
            if number and number < NO_LIMIT:
                allowed.append(number // MEGABYTE)
    if "SLURM_JOB_ID" in environment:
        allowed.append(_number(environment.get("SLURM_MEM_PER_NODE", "")))
        each = _number(environment.get("SLURM_MEM_PER_CPU", ""))
        allowed.append(each * (_number(environment.get("SLURM_CPUS_ON_NODE", "")) or 1))
    return min(filter(None, allowed), default=None)


def _groups(root: str, controller: str) -> "list[str]":
    """Folders of the control groups of this process that count something, from the innermost.

    In a container /proc/self/cgroup may name a folder of its host, which is not there: then those
    that are, up to the root of what is mounted.
    """
    mounted = os.path.join(root, "sys", "fs", "cgroup")
    folders = []  # type: list[str]
    for line in _read(os.path.join(root, "proc", "self"), "cgroup").splitlines():
        number, _, rest = line.partition(":")
        names, _, path = rest.partition(":")
        if number == "0" and not names:
            places = [mounted, os.path.join(mounted, "unified")]
        elif controller in names.split(","):
            places = [os.path.join(mounted, name) for name in (names, controller)]
        else:
            continue
        parts = [part for part in path.split("/") if part and part != ".."]
        for place in places:
            for n_parts in range(len(parts), -1, -1):
                folders.append(os.path.join(place, *parts[:n_parts]))
    return [folder for folder in dict.fromkeys(folders) if os.path.isdir(folder)]


def _read(folder: str, name: str) -> str:
    """Text of a file; empty where it cannot be read."""
    try:
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _number(text: str) -> int:
    """The number that a text is; 0 for "max", a negative one and all else."""
    text = text.strip()
    return int(text) if text.isdigit() else 0


if __name__ == "__main__":
    print(cores())
