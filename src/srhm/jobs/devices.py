"""Which GPU a training job computes on: one for itself, also where no scheduler hands them out.

Snakemake counts the GPUs of a workstation but gives none away: two jobs at a time would both find
the first. Here a job takes a device by locking a file of it. The kernel drops the lock when the
process ends, however it ends, so that a killed job blocks no device.
"""

import fcntl
import logging
import os
import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from srhm.jobs.stopping import STOPPED, Stopped, StopRequest


class NoDevice(Exception):
    """A job asks for a GPU and there is none; the message says where they were looked for."""


VISIBLE = "CUDA_VISIBLE_DEVICES"
SECONDS_BETWEEN_TRIES = 0.5


@contextmanager
def device_of_job(
    resources: Mapping[str, Any],
    *,
    log: logging.Logger,
    stop: StopRequest | None = None,
) -> Iterator[str | None]:
    """Device of a job while the block runs, named in its log; None for a job that asks for none.

    The process sees no other: CUDA_VISIBLE_DEVICES is set, so the block must start before CUDA.

    resources: of the job. gpu: 0 or 1. jobs_per_device: how many jobs share a device; absent or 0:
    a scheduler has set CUDA_VISIBLE_DEVICES, and nothing is locked.
    stop: request that ends the wait for a device; None: nothing can.

    Raises:
        Stopped: if asked to stop before a device is free; the log says so.
        NoDevice: if the job asks for a GPU and no device is visible, or none can be locked.
        ValueError: if it asks for more than one: a network trains on one device.
    """
    wanted, devices = resources.get("gpu", 0), visible_devices()
    if not wanted:
        yield None
        return
    if wanted != 1:
        raise ValueError(f"gpu = {wanted}: a training job uses one device")
    if not devices:
        raise NoDevice(
            f"gpu = 1, but {VISIBLE} names no device and there is no /dev/nvidia0;"
            " device: cpu (DEVICE=cpu) computes on processors"
        )
    if not (shared_by := resources.get("jobs_per_device", 0)):
        log.info("device %s, as given by the scheduler", ",".join(devices))
        yield devices[0]
        return
    with locked_device(devices, jobs_per_device=shared_by, log=log, stop=stop) as device:
        log.info("device %s of %s", device, ",".join(devices))
        os.environ[VISIBLE] = device
        yield device


def visible_devices() -> list[str]:
    """Names of the devices that the process may use.

    As CUDA does, this reads CUDA_VISIBLE_DEVICES up to the first entry that names no device. If the
    variable is not set, the names are the numbers of the machine's NVIDIA devices.
    """
    if VISIBLE in os.environ:
        names = [name.strip() for name in os.environ[VISIBLE].split(",")]
        ends = [i for i, name in enumerate(names) if name in ("", "-1")]
        return names[: ends[0]] if ends else names
    matches = (re.fullmatch(r"nvidia(\d+)", path.name) for path in Path("/dev").glob("nvidia*"))
    return [str(n) for n in sorted(int(match[1]) for match in matches if match)]


@contextmanager
def locked_device(
    devices: Sequence[str],
    *,
    log: logging.Logger,
    jobs_per_device: int = 1,
    folder: Path | None = None,
    stop: StopRequest | None = None,
) -> Iterator[str]:
    """A device that at most `jobs_per_device` holders have at a time; waits until one is free.

    log, stop: as of `device_of_job`, and so what is raised.
    folder: where the locks are, on a disk of this machine: device 0 of another machine is another
    device. Default: one for each user under the machine's folder for temporary files.
    """
    if folder is None:
        folder = Path(tempfile.gettempdir()) / f"srhm-devices-{os.getuid()}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise NoDevice(
            f"{folder}, where devices are locked, is a link or another user's: remove it, or set"
            " TMPDIR to a folder of your own"
        )
    # All devices once before any of them twice.
    places = [(device, place) for place in range(jobs_per_device) for device in devices]
    while True:
        for device, place in places:
            # Made if there is none and left as it is; not what a link leads to.
            flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW
            file = os.open(folder / f"{quote(device, safe='')}.{place}.lock", flags, 0o600)
            with open(file, "wb") as lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    continue
                yield device
                return
        if stop and stop.reason:
            log.warning(
                "stopped (%s) while waiting for one of the devices %s: nothing was trained, the"
                " same command begins again",
                *(stop.reason, ",".join(devices)),
            )
            raise Stopped(STOPPED)
        time.sleep(SECONDS_BETWEEN_TRIES)
