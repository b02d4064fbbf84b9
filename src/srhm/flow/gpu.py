"""The GPU that cells of the plane are trained on: whether there is one, its name, its memory."""

import torch

from srhm.runtime.no_device import NoDevice

# Share of the free memory that the expected bytes of a batch may take: the expectation is a rule of
# thumb, and libraries, fragments and other processes need some.
SHARE_OF_MEMORY = 0.5


def device_of(gpu: int) -> torch.device:
    """Where a job trains: the CPU for gpu = 0, the CUDA device that it sees for gpu = 1.

    Raises:
        NoDevice: if it asks for a GPU and torch sees none; the message says what to do.
    """
    if not gpu:
        return torch.device("cpu")
    if not torch.cuda.is_available():
        raise NoDevice(
            f"gpu = {gpu}, but torch {torch.__version__} sees no CUDA device: it needs a torch with"
            " CUDA and its driver (docs/gpu.md), and gpu = 0 trains without them"
        )
    return torch.device("cuda")


def name_of(device: torch.device) -> str:
    """Name of a GPU as its maker gives it."""
    return torch.cuda.get_device_name(device)


def free_bytes(device: torch.device) -> float:
    """Bytes that a batch may be expected to take on a GPU: a share of those that are free."""
    torch.cuda.empty_cache()  # what earlier batches have left counts as free
    return SHARE_OF_MEMORY * torch.cuda.mem_get_info(device)[0]
