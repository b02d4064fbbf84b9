"""GPUs of the machine that launches a run: whether jobs may compute there, how many at a time."""

from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, get_args

from srhm.commands.printing import Refused
from srhm.jobs.devices import VISIBLE
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


def check_gpus(visible: Sequence[str], *, unusable: str) -> None:
    """Whether the jobs of this machine can compute on its GPUs.

    Args:
        visible: the devices that there are.
        unusable: why torch cannot compute on them, from `why_no_gpu_here`; empty: it can.

    Raises:
        Refused: if none is visible, or torch cannot use it.
    """
    none = "" if visible else f"this machine shows no GPU: {VISIBLE} and /dev/nvidia0 name none"
    if cause := none or unusable:
        raise Refused(
            f"device: cuda, but {cause}. DEVICE=cpu computes on processors; a profile of a cluster"
            " sends jobs to its GPUs (docs/gpu.md); nothing was started"
        )


def jobs_on_devices(visible: Sequence[str], profile: Mapping[str, Any]) -> int:
    """Jobs that may hold a GPU at a time: of a device as many as any rule of a profile allows."""
    rules = profile.get("set-resources", {}).values()
    return len(visible) * max([1, *(rule.get("jobs_per_device", 1) for rule in rules)])
