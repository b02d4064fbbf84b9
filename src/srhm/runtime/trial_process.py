"""The process in which a form is tried on a device: `python -m srhm.runtime.trial_process`.

It writes one JSON a line: {"device": name, driver, torch, triton}; then it waits for a line on its
input, and ends where that is closed. After it, each {"row": ...} that the trial yields, or
{"error": why, "crowded": whether for lack of memory}; {"no_device": why} where there is none.

A row: {"network", "trained": how many, "steps", "seconds" on the device, "on_processor": seconds of
one core for the same, "differences": {name: (found, allowed)}}. The seconds leave out what is done
once: to compile, to send data.
"""

import argparse
import faulthandler
import json
import re
import resource
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

from srhm.names import resolved
from srhm.runtime.no_device import NoDevice

DRIVER = Path("/proc/driver/nvidia/version")
# Seconds beyond its limit for which a trial lives whose job does not end it.
ORPHANED = 60.0


def device_named(kind: str) -> dict[str, str]:
    """Name, driver and libraries of a device of torch, "cuda" say.

    Raises:
        NoDevice: if torch sees none.
    """
    device = torch.device(kind)
    name, driver = device.type, ""
    if device.type == "cuda":
        if not torch.cuda.is_available():
            raise NoDevice(
                f"gpu = 1, but torch {torch.__version__} sees no CUDA device: it needs a torch with"
                " CUDA and its driver (docs/gpu.md), and gpu = 0 trains without them"
            )
        name = torch.cuda.get_device_name(device)
        text = DRIVER.read_text(encoding="utf-8") if DRIVER.is_file() else ""
        found = re.search(r"\d+\.\d+(\.\d+)?", text)
        driver = found[0] if found else str(torch._C._cuda_getDriverVersion())  # type: ignore[attr-defined]
    libraries = {"torch": torch.__version__, "triton": _version("triton")}
    return {"name": name, "driver": driver, **libraries}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def main(arguments: Sequence[str] | None = None) -> int:
    """Names the device and tries a form on it; exit code 1 if that fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("answers", type=Path, help="file that is written")
    parser.add_argument("trial", help='"module:function"')
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--limit", type=float, required=True, help="seconds")
    options = parser.parse_args(arguments)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable()  # says where it stands when its job aborts it
    _end_after(options.limit)
    with options.answers.open("a", encoding="utf-8", buffering=1) as file:

        def say(**answer: Any) -> None:
            file.write(json.dumps(answer) + "\n")

        try:
            say(device=device_named(options.device))
            faulthandler.cancel_dump_traceback_later()
            if not sys.stdin.readline():
                return 0
            _end_after(options.limit)
            for row in resolved(options.trial)(options.device):
                say(row=row)
        except NoDevice as error:
            say(no_device=str(error))
            return 1
        except Exception as error:
            crowded = isinstance(error, torch.cuda.OutOfMemoryError)
            why = str(error).partition("\n")[0]
            say(error=f"{type(error).__name__}: {why}", crowded=crowded)
            raise
    return 0


def _end_after(seconds: float) -> None:
    """Ends this process if it hangs and its job is not there any more."""
    faulthandler.dump_traceback_later(seconds + ORPHANED, exit=True)


if __name__ == "__main__":
    sys.exit(main())
