"""Jobs on PBS, SGE and LSF through profiles/generic; in place of the schedulers stand-ins."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from scheduled_runs import ROOT, wait_for

PROFILE = ROOT / "profiles" / "generic"
# A program that notes its words; one that sends has the script run, and prints the job's number.
SENDS = """#!/bin/sh
echo "$@" >> {folder}/{name}.words
for script; do :; done
{variable}={number} sh "$script" > {folder}/printed 2>&1 &
echo "{says}"
"""
ANSWERS = '#!/bin/sh\necho "$@" >> {folder}/{name}.words\ncat {folder}/answer\n'
# Programs by scheduler, the variable that a job finds its number in, what is said of a new job.
KINDS = {
    "pbs": ("qsub", "qstat", "qdel", "PBS_JOBID", "7.server"),
    "sge": ("qsub", "qstat", "qdel", "JOB_ID", "7.server"),
    "lsf": ("bsub", "bjobs", "bkill", "LSB_JOBID", "Job <7> is submitted to queue <normal>."),
}
RUNNING = {"pbs": "7.server  srhm  me  00:00:01 R batch", "sge": "job_number: 7", "lsf": "RUN"}
OVER = {
    "pbs": "qstat: Unknown Job Id 7.server",
    "sge": "Following jobs do not exist: 7",
    "lsf": "Job <7> is not found",
}
JOB = {"rule": "train", "jobid": 3, "threads": 4, "resources": {"mem_mb": 1502, "runtime": 90}}
NUMBERS = {"pbs": "7.server", "sge": "7.server", "lsf": "7"}


def programs(folder, kind):
    """A folder with the programs of a scheduler."""
    sends, asks, cancels, variable, says = KINDS[kind]
    folder.mkdir(parents=True)
    texts = {sends: SENDS, **dict.fromkeys((asks, cancels), ANSWERS)}
    for name, text in (texts | ({"qconf": ANSWERS} if kind == "sge" else {})).items():
        words = {"variable": variable, "number": NUMBERS[kind], "says": says}
        (folder / name).write_text(text.format(folder=folder, name=name, **words))
        (folder / name).chmod(0o755)
    (folder / "answer").write_text(RUNNING[kind])
    return folder


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def there(tmp_path, monkeypatch, kind):
    """Folder of the programs, which are the only ones of a scheduler; work is done in another."""
    folder = programs(tmp_path / "bin", kind)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    for name in ("PBS_JOBID", "JOB_ID", "LSB_JOBID"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return folder


@pytest.fixture
def scheduler():
    spec = importlib.util.spec_from_file_location("scheduler", PROFILE / "scheduler.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def job_script(tmp_path, does, **changes):
    file = tmp_path / "job.sh"
    file.write_text(f"#!/bin/sh\n# properties = {json.dumps({**JOB, **changes})}\n{does}\n")
    return file


@pytest.mark.parametrize(("code", "said"), [(0, "success"), (3, "failed")])
def test_a_job_that_ends_says_so_by_its_exit_code(there, kind, scheduler, tmp_path, code, said):
    number = scheduler.submit(job_script(tmp_path, f"echo worked; exit {code}"))
    assert number == NUMBERS[kind]
    (tmp_path / "job.sh").unlink()  # as Snakemake does
    wait_for(lambda: scheduler.status(number) != "running", within=20)
    assert scheduler.status(number) == said
    assert (there / "printed").read_text() == "worked\n"


def test_a_job_that_is_gone_without_a_code_has_failed_after_a_while(
    there, kind, scheduler, monkeypatch
):
    Path(".snakemake/scheduler").mkdir(parents=True)
    assert scheduler.status("7") == "running"
    # A scheduler that is down, or hangs, loses no job.
    for answer in ("cannot connect to server", ""):
        (there / "answer").write_text(answer)
        assert scheduler.status("7") == "running"
    (there / "answer").write_text(OVER[kind])
    assert scheduler.status("7") == "running"
    now = time.time()
    monkeypatch.setattr(scheduler.time, "time", lambda: now + scheduler.LATENCY + 1)
    assert scheduler.status("7") == "failed"


# A job that fails at its first attempt.
SNAKEFILE = """
rule made:
    output: "made"
    threads: 2
    resources: runtime=lambda wildcards, attempt: 10 * attempt
    shell: "test -e tried || {{ touch tried; exit 1; }}; echo $PBS_JOBID > {output}"
"""


def test_snakemake_sends_its_jobs_through_the_profile(tmp_path):
    profile, work = tmp_path / "profile", tmp_path / "work"
    shutil.copytree(PROFILE, profile)
    found = yaml.safe_load((profile / "profile.yaml").read_text())
    kept = {key: found[key] for key in found if key not in ("set-threads", "set-resources")}
    kept |= {"seconds-between-status-checks": 1, "latency-wait": 5}
    (profile / "profile.yaml").write_text(yaml.safe_dump(kept))
    work.mkdir()
    (work / "Snakefile").write_text(SNAKEFILE)
    there = programs(tmp_path / "bin", "pbs")
    send = (there / "qsub").read_text()
    (there / "qsub").write_text(send.replace("7.server", "$$"))  # each job has its own number
    command = [sys.executable, "-m", "snakemake", "--workflow-profile", profile]
    done = subprocess.run(
        [*command, "--directory", work, "--snakefile", work / "Snakefile"],
        env={**os.environ, "PATH": f"{there}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert (work / "made").read_text().strip().isdecimal()
    sent = (there / "qsub.words").read_text().splitlines()
    times = [line.split("walltime=")[1].split()[0] for line in sent]
    assert times == ["0:10:00", "0:20:00"]
    assert ["ncpus=2:mem=1500mb" in line for line in sent] == [True, False]
