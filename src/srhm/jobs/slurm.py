"""A watch over jobs on Slurm, for as long as Snakemake's plugin for it loses sight of them.

Plugin 2.8.0 drops all jobs for good where the status command (`squeue`, `sacct`) fails five times
within a second; waits for ever for a job that the command does not list any more; and, asked
to end, cancels no job while the command hangs. Here a job is watched until Slurm says its end.
"""

import asyncio
import subprocess
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

# Seconds between two looks of its own, and for which one may take.
LOOK, LONGEST = 300.0, 60.0
# Seconds that the plugin's thread, which may wait for the status command, is waited for at the end.
ENDING = 10.0
# States of a job that has ended, and that Slurm still lists.
ENDED = {
    *("BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY"),
    "TIMEOUT",
}

# A name of jobs: the state of each by its number; None where Slurm does not answer.
Ask = Callable[[str], Mapping[str, str] | None]


def watch(plugins: Mapping[str, Any]) -> None:
    """Has the executor for Slurm, where it is installed, watch its jobs."""
    if (slurm := plugins.get("slurm")) and not hasattr(slurm.executor, "watches"):
        slurm.executor = watched(slurm.executor)


def states(name: str) -> dict[str, str] | None:
    """States of all jobs of a name that `squeue` lists; None where it fails or hangs."""
    command = ["squeue", "--noheader", "--states=all", "--format=%i|%T", "--name", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
    except (OSError, subprocess.SubprocessError):
        return None
    lines = (line.strip().split("|") for line in done.stdout.splitlines() if "|" in line)
    return None if done.returncode else {job: state for job, state, *_ in lines}


def watched(
    executor: Any, *, ask: Ask = states, clock: Callable[[], float] = time.monotonic
) -> type[Any]:
    """The plugin's class of executors with a watch.

    A job that the plugin neither reports nor keeps is kept. Every `LOOK` seconds `squeue` is asked
    beside the plugin: a job that has ended twice running by it is reported as a success where its
    files are there, and else as failed, so that it is sent again.
    """

    class Watched(executor):  # type: ignore[misc] # the plugin is not of the lock
        watches = True
        wait_thread: threading.Thread

        def __init__(self, *arguments: Any, **options: Any) -> None:
            self.looked = self.told = clock()
            self.unanswered: float | None = None  # since when the status command fails
            self.checked: list[Any] = []  # jobs that the plugin looks at: no other list has them
            self.ended: set[int] = set()  # those of them that it has reported
            self.lost: set[str] = set()  # numbers that the last look did not find
            super().__init__(*arguments, **options)  # starts the thread that looks

        async def check_active_jobs(self, active_jobs: Sequence[Any]) -> AsyncIterator[Any]:
            self.checked, self.ended = list(active_jobs), set()
            kept = []
            async for job in super().check_active_jobs(active_jobs):
                kept.append(job)
            known = {*map(id, kept), *self.ended}
            forgotten = [job for job in active_jobs if id(job) not in known]
            if active_jobs:
                self._tell(len(forgotten))
            jobs = [*kept, *forgotten]
            gone = await self._gone(jobs) if jobs else []
            for job in gone:
                if all(Path(str(file)).exists() for file in job.job.output):
                    self.report_job_success(job)
                else:
                    self.report_job_error(
                        job,
                        msg=f"Slurm has no job {job.external_jobid} any more, and not all of its"
                        " files are there. Finished networks are stored. ",
                    )
            for job in jobs:
                if id(job) not in self.ended:
                    yield job

        def _tell(self, forgotten: int) -> None:
            """Says that the status command fails, how long, and when it answers again."""
            now = clock()
            if forgotten and (self.unanswered is None or now - self.told > LOOK):
                self.unanswered = self.unanswered or now
                self.told = now
                self.logger.warning(
                    "WARNING: Slurm's status command fails, for"
                    f" {(now - self.unanswered) / 60:.0f} min: {forgotten} jobs go on, and are"
                    " looked at again. Ctrl-C cancels them"
                )
            elif not forgotten and self.unanswered is not None:
                minutes = (now - self.unanswered) / 60
                self.logger.warning(f"WARNING: Slurm answers again, after {minutes:.0f} min")
                self.unanswered = None

        async def _gone(self, jobs: Sequence[Any]) -> list[Any]:
            """Jobs of which two looks, one after the other, say that they are over."""
            # A squeue elsewhere lists no jobs of other clusters.
            if clock() - self.looked < LOOK or self._submitted_job_clusters:
                return []
            self.looked = clock()
            state_of = await asyncio.to_thread(ask, self.run_uuid)
            if state_of is None:
                return []
            over = [job for job in jobs if state_of.get(job.external_jobid, "COMPLETED") in ENDED]
            before, self.lost = self.lost, {job.external_jobid for job in over}
            return [job for job in over if job.external_jobid in before]

        def report_job_success(self, job: Any) -> None:
            self.ended.add(id(job))
            super().report_job_success(job)

        def report_job_error(self, job: Any, *words: Any, **options: Any) -> None:
            self.ended.add(id(job))
            super().report_job_error(job, *words, **options)

        async def sleep(self) -> None:
            end = clock() + self.next_seconds_between_status_checks
            while self.wait and clock() < end:
                await asyncio.sleep(0.5)

        def cancel_jobs(self, active_jobs: Sequence[Any]) -> None:
            numbers = {job.external_jobid for job in active_jobs}
            unlisted = [
                job
                for job in self.checked
                if id(job) not in self.ended and job.external_jobid not in numbers
            ]
            try:
                super().cancel_jobs([*active_jobs, *unlisted])
            except Exception as error:  # noqa: BLE001 (Snakemake is to end whatever Slurm says)
                self.logger.error(
                    f"ERROR: jobs may run on ({error}): scancel --name {self.run_uuid} ends them"
                )

        def shutdown(self) -> None:
            with self.lock:
                self.wait = False
            self.wait_thread.join(ENDING)
            if self.wait_thread.is_alive():  # a daemon, which ends with the process
                self.wait_thread = threading.Thread(target=int)
                self.wait_thread.start()
            super().shutdown()

    return Watched
