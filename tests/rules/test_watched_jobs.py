"""Jobs on Slurm are watched until their end, whatever its status command does.

The plugin of the stand-in does what that for Slurm does: it drops all jobs where the command fails,
and waits for jobs that it does not list.
"""

import asyncio
import logging
import threading
from types import SimpleNamespace

import pytest

from srhm.jobs.slurm import LOOK, watch, watched

LOG = logging.getLogger("test_slurm")


class Plugin:
    """States by number, or None where the status command fails, are those of `states`."""

    def __init__(self, states):
        self.states, self.logger = states, LOG
        self.succeeded, self.failed, self.cancelled = [], [], []
        self.run_uuid, self._submitted_job_clusters = "srhm_run", set()
        self.next_seconds_between_status_checks = 180
        self.wait, self.lock = True, threading.Lock()
        self.wait_thread = threading.Thread(target=lambda: asyncio.run(self.sleep()), daemon=True)

    async def check_active_jobs(self, jobs):
        for job in jobs if self.states is not None else ():
            if self.states.get(job.external_jobid) == "COMPLETED":
                self.report_job_success(job)
            elif self.states.get(job.external_jobid) == "FAILED":
                self.report_job_error(job, msg="failed")
            else:
                yield job

    def report_job_success(self, job):
        self.succeeded.append(job.external_jobid)

    def report_job_error(self, job, msg):
        self.failed.append(job.external_jobid)

    def cancel_jobs(self, jobs):
        self.cancelled = [job.external_jobid for job in jobs]

    async def sleep(self):
        await asyncio.sleep(180)

    def shutdown(self):
        self.wait = False
        self.wait_thread.join()


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def jobs(tmp_path):
    """Two jobs, of which the first has made its file."""
    (tmp_path / "1").touch()
    return [
        SimpleNamespace(external_jobid=number, job=SimpleNamespace(output=[tmp_path / number]))
        for number in ("1", "2")
    ]


def looked(executor, jobs):
    async def all_of():
        return [job async for job in executor.check_active_jobs(jobs)]

    return asyncio.run(all_of())


def test_jobs_are_kept_while_the_status_command_fails(clock, jobs, caplog):
    caplog.set_level(logging.INFO)
    executor = watched(Plugin, ask=lambda name: None, clock=clock)(None)
    for clock.now in (0, 60, 100 * LOOK):
        assert looked(executor, jobs) == jobs
    said = [record.message for record in caplog.records]
    assert len(said) == 2
    assert "fails, for 0 min: 2 jobs go on" in said[0]
    executor.states = {"1": "COMPLETED", "2": "RUNNING"}
    assert looked(executor, jobs) == jobs[1:]
    assert executor.succeeded == ["1"]
    assert "answers again" in caplog.records[-1].message


@pytest.mark.parametrize("listed", [None, {}], ids=["it fails", "it lists nothing"])
@pytest.mark.parametrize(
    "found", [{}, {"1": "COMPLETED", "2": "FAILED"}], ids=["forgotten", "ended"]
)
def test_a_job_that_is_over_by_two_looks_is_done_if_its_files_are_there(clock, jobs, listed, found):
    executor = watched(Plugin, ask=lambda name: found, clock=clock)(listed)
    assert looked(executor, jobs) == jobs
    clock.now = LOOK
    assert looked(executor, jobs) == jobs
    clock.now = 2 * LOOK
    assert looked(executor, jobs) == []
    assert (executor.succeeded, executor.failed) == (["1"], ["2"])


def test_a_job_that_one_look_alone_does_not_find_is_kept(clock, jobs):
    found = [{}, {"1": "RUNNING", "2": "PENDING"}, {}, None, {"1": "RUNNING", "2": "RUNNING"}]
    executor = watched(Plugin, ask=lambda name: found.pop(0), clock=clock)({})
    while found:
        clock.now += LOOK
        assert looked(executor, jobs) == jobs
        assert not executor.failed


def test_the_executor_of_slurm_is_watched_once_and_no_other():
    plugins = {name: SimpleNamespace(executor=Plugin) for name in ("slurm", "local")}
    watch(plugins)
    first = plugins["slurm"].executor
    watch(plugins)
    assert plugins["slurm"].executor is first is not Plugin
    assert plugins["local"].executor is Plugin
    watch({})
