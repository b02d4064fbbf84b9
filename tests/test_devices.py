"""Each training job gets a device of its own: fake devices, real processes and locks."""

import logging
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from srhm.jobs import devices
from srhm.jobs.devices import NoDevice, device_of_job, locked_device

LOG = logging.getLogger("test")

# Holds a device, says which, and waits to be told to end.
HOLDER = """
import logging, sys
from pathlib import Path
from srhm.jobs.devices import locked_device
with locked_device(["0", "1"], folder=Path(sys.argv[1]), log=logging.getLogger()) as device:
    print(device, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def hold(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts a process that takes one of the devices 0 and 1 and prints it."""
    holders = []

    def start() -> subprocess.Popen[str]:
        command = [sys.executable, "-c", HOLDER, str(tmp_path)]
        holders.append(
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        )
        return holders[-1]

    yield start
    for holder in holders:
        with holder:  # closes its pipes and waits for its end
            holder.kill()


def test_a_job_waits_while_all_devices_are_held_and_takes_the_one_that_is_given_back(hold):
    first, second = hold(), hold()
    held = {first: first.stdout.readline(), second: second.stdout.readline()}
    third = hold()
    printed, _, _ = select.select([third.stdout], [], [], 3 * devices.SECONDS_BETWEEN_TRIES)
    assert not printed
    second.stdin.close()
    assert third.stdout.readline() == held[second]


def test_a_device_is_free_again_after_the_sigkill_of_its_holder(hold):
    first, second = hold(), hold()
    held = {first: first.stdout.readline(), second: second.stdout.readline()}
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    assert hold().stdout.readline() == held[first]


def test_a_job_sees_its_device_alone_and_its_log_names_it(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(devices.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,3")
    resources = {"gpu": 1, "jobs_per_device": 1}
    with caplog.at_level(logging.INFO), device_of_job(resources, log=LOG) as device:
        assert os.environ["CUDA_VISIBLE_DEVICES"] == device
        assert caplog.messages == ["device 2 of 2,3"]
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,3")
        with device_of_job(resources, log=LOG) as second:
            assert (device, second) == ("2", "3")


def test_locks_are_kept_in_no_folder_of_another_and_follow_no_link(tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "mine")
    with (
        pytest.raises(NoDevice, match="is a link or another user's: remove it"),
        locked_device(["0"], folder=tmp_path / "link", log=LOG),
    ):
        pass
    (tmp_path / "precious").write_text("kept")
    (tmp_path / "mine" / "0.0.lock").symlink_to(tmp_path / "precious")
    with (
        pytest.raises(OSError, match="symbolic"),
        locked_device(["0"], folder=tmp_path / "mine", log=LOG),
    ):
        pass
    assert (tmp_path / "precious").read_text() == "kept"
    monkeypatch.setattr(devices.os, "getuid", lambda: -1)
    with (
        pytest.raises(NoDevice, match="another user's"),
        locked_device(["0"], folder=tmp_path / "mine", log=LOG),
    ):
        pass
