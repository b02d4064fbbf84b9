"""What surrounds the training of a job: its log, its requests to stop, its device."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from srhm.jobs.devices import device_of_job
from srhm.jobs.progress import job_log
from srhm.jobs.stopping import StopRequest, stop_on_signals


@contextmanager
def measuring_job(
    log_file: str | Path, *, name: str, resources: Mapping[str, Any]
) -> Iterator[logging.Logger]:
    """Log of a job that can be begun again; while the block runs it has the device it asks for."""
    with job_log(log_file, name=name) as log, device_of_job(resources, log=log):
        yield log


@contextmanager
def training_job(
    log_file: str | Path, *, name: str, resources: Mapping[str, Any]
) -> Iterator[tuple[logging.Logger, StopRequest]]:
    """Log of a job, and whether it is to stop; while the block runs it has the device it asks for.

    resources: of the job. runtime: minutes that it may last, where time_limit is 1; where it is 0,
    as long as it takes; see `stopping.StopRequest`. gpu, jobs_per_device: see
    `devices.device_of_job`.
    """
    minutes = resources.get("time_limit", 0) * resources.get("runtime", 0)
    stop = StopRequest(limit=60 * minutes or None)
    with (
        job_log(log_file, name=name) as log,
        stop_on_signals(stop, log=log),
        device_of_job(resources, log=log, stop=stop),
    ):
        yield log, stop
