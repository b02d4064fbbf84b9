"""Cores and memory of the container or job, read from files as Linux has them."""

import re

import pytest

from srhm.commands import launch, limits
from srhm.commands.presets import Run
from srhm.planning.preset import plan_preset


@pytest.fixture(autouse=True)
def eight_cores(monkeypatch):
    monkeypatch.setattr(limits.os, "sched_getaffinity", lambda pid: set(range(8)))


def machine(root, *, group="/", **files):
    """Path of a folder with these files of control groups, and the group of this process."""
    places = {f"sys/fs/cgroup/{name}": text for name, text in files.items()}
    for name, text in {"proc/self/cgroup": f"0::{group}\n", **places}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return str(root)


def test_without_a_limit_the_cores_are_those_of_the_affinity(tmp_path):
    root = machine(tmp_path)
    assert limits.cores(root, {}) == 8
    assert limits.memory(root, {}) is None
    assert limits.cores(str(tmp_path / "nothing"), {}) == 8


@pytest.mark.parametrize(
    ("quota", "cores"),
    [("50000 100000", 1), ("400000 100000", 4), ("", 8)],
)
def test_the_quota_of_cgroup_v2_is_rounded_up(tmp_path, quota, cores):
    assert limits.cores(machine(tmp_path, **{"cpu.max": quota}), {}) == cores


def test_the_least_limit_of_all_groups_around_the_process_counts(tmp_path):
    files = {
        "user.slice/cpu.max": "200000 100000", "user.slice/memory.max": "2000000000\n",
        "user.slice/job/cpu.max": "max 100000", "user.slice/job/memory.max": "max\n",
        "other/cpu.max": "100000 100000", "other/memory.max": "1000\n",
    }  # fmt: skip
    root = machine(tmp_path, group="/user.slice/job", **files)
    assert limits.cores(root, {}) == 2
    assert limits.memory(root, {}) == 2000


@pytest.mark.parametrize(
    ("job", "cores", "memory"),
    [
        ({"SLURM_JOB_ID": "1", "SLURM_CPUS_PER_TASK": "3", "SLURM_CPUS_ON_NODE": "6"}, 3, None),
        ({"SLURM_JOB_ID": "1", "SLURM_CPUS_ON_NODE": "2", "SLURM_MEM_PER_CPU": "500"}, 2, 1000),
        ({"PBS_JOBID": "1", "NCPUS": "5"}, 5, None),
        ({"JOB_ID": "1", "NSLOTS": "4"}, 4, None),
        ({"LSB_JOBID": "1", "LSB_DJOB_NUMPROC": "2"}, 2, None),
    ],
)
def test_a_job_of_a_cluster_has_its_cores_and_memory(tmp_path, job, cores, memory):
    root = machine(tmp_path)
    assert (limits.cores(root, job), limits.memory(root, job)) == (cores, memory)


TINY = {
    "preset": "tiny",
    "sparse_hierarchy": {"curves": [{"net": "lcn", "L": 2, "v": 3, "s0": 1, "P": [30]}]},
}


def words(monkeypatch, *given, memory, profile):
    monkeypatch.setattr(limits, "memory", lambda: memory)
    monkeypatch.setattr(limits, "cores", lambda: 2)
    run = Run(plan_preset(TINY))
    options, extra = launch.launch_parser("reproduce").parse_known_args(given)
    _, said = launch.profile_named(profile)
    return launch.snakemake_words(options, extra, run, said, local=True)[:-1]


def test_a_limit_of_memory_lets_as_many_jobs_run_as_fit(monkeypatch, capsys):
    found = words(monkeypatch, memory=1200, profile="default")
    default = ["--default-resources", "mem_mb=600", "--cores", "2", "--resources"]
    assert found == [*default, "mem_mb=800"]
    assert "memory: 1200 MB by the limit of this container or job" in capsys.readouterr().out
    assert words(monkeypatch, memory=64000, profile="default") == [*default, "mem_mb=63600"]
    assert capsys.readouterr().out == ""


def test_what_the_user_or_the_profile_says_of_cores_counts(monkeypatch):
    assert words(monkeypatch, memory=None, profile="default") == ["--cores", "2"]
    found = words(monkeypatch, "--cores", "7", memory=None, profile="default")
    assert found == ["--cores", "7"]
    assert words(monkeypatch, memory=None, profile="ci") == []


def test_a_job_that_is_killed_for_memory_is_called_that(monkeypatch):
    monkeypatch.setattr(limits, "memory", lambda: 1200)
    assert re.search("a job was killed .*for want of memory .*1200 MB", launch.why_killed())


def test_a_job_at_its_limit_of_processor_time_is_called_that(monkeypatch):
    monkeypatch.setattr(launch.resource, "getrlimit", lambda _: (60, 60))
    assert "after 60 s of processor time" in launch.why_killed()
