"""Where the jobs of a launch compute, and how many at a time on GPUs.

`auto` is resolved here, once: the node of a cluster on which a job runs has other devices than the
machine that sent it.
"""

from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, get_args

from srhm.commands.printing import Refused
from srhm.jobs.devices import VISIBLE, device_here
from srhm.planning.preset import Common

CHOICES: tuple[str, ...] = get_args(Common.model_fields["device"].annotation)


def why_no_gpu_here() -> str:
    """Why the torch of this environment computes on no GPU, for people; empty if it may.

    Only the version of torch is read: an import would take seconds. A driver that does not suit
    torch is found by the job.
    """
    try:
        torch = version("torch")
    except PackageNotFoundError:
        return "torch is not installed here"
    if torch.endswith("+cpu"):
        return f"torch {torch} of this environment is a build without CUDA"
    return ""


def device_of_run(
    asked: str, visible: Sequence[str], *, local: bool, unusable: str = "", dry: bool = False
) -> str:
    """The device that is meant, "cpu" or "cuda", with a line on `auto`.

    local: whether jobs run on this machine, whose devices are visible. unusable: why torch cannot
    compute on them, from `why_no_gpu_here`; empty: it can. dry: whether nothing is computed.

    Raises:
        Refused: if the jobs of this machine are to compute on a GPU, and none is visible or torch
            cannot use it.
    """
    there = f"GPU {', '.join(visible)}" if visible else f"{VISIBLE} and /dev/nvidia0 name none"
    cause = unusable if local and visible else ""
    device = device_here(asked, visible=[] if cause else visible)
    if asked == "auto":
        found = f"{there}, but {cause}" if cause else there
        print(f"device: auto, here {device}: {found}", flush=True)
    if device == "cuda" and local and ((cause and not dry) or not visible):
        raise Refused(
            f"device: cuda, but {cause or f'this machine shows no GPU: {there}'}. DEVICE=cpu"
            " computes on processors; a profile of a cluster sends jobs to its GPUs (docs/gpu.md);"
            " nothing was started"
        )
    return device


def jobs_on_devices(visible: Sequence[str], profile: Mapping[str, Any]) -> int:
    """Jobs that may hold a GPU at a time: of a device as many as any rule of a profile allows."""
    rules = profile.get("set-resources", {}).values()
    return len(visible) * max([1, *(rule.get("jobs_per_device", 1) for rule in rules)])
