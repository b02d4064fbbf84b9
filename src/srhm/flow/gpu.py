"""The GPU that flow cells are trained on: whether there is one, its name, its memory.

All members of a batch lie along the leading axis of one tensor, in float64. An evaluation is 70 to
160 operations whatever the number of members. The CPU waits for the device once an evaluation to
see which members have ended (SGD: once in each look), and at each record of the history. Launches
are not captured in a graph, so that a batch of few members or points is bound by them.

A batch holds as many members of one P as are expected to take SHARE_OF_MEMORY of the free memory;
measured batches took 0.6 to 1.4 times the expected bytes. Where that is too much, batches are
halved down to one member. A cell's last digits depend on what it was batched with.
"""

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


def gpu_name(device: torch.device) -> str:
    """Name of a GPU as its maker gives it."""
    return torch.cuda.get_device_name(device)


def free_bytes(device: torch.device) -> float:
    """Bytes that a batch may be expected to take on a GPU: a share of those that are free."""
    torch.cuda.empty_cache()  # what earlier batches have left counts as free
    return SHARE_OF_MEMORY * torch.cuda.mem_get_info(device)[0]
