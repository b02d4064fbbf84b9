"""Trials on a stand-in for a GPU: the processor, which fails, hangs and lies as it is told.

Forms name these functions. They run in the process of a trial, on networks that are smaller still.
"""

import time
from collections.abc import Iterator
from typing import Any

import torch

from srhm.training import trials
from srhm.training.plain import PlainStack

Rows = Iterator[dict[str, Any]]


def honest(device: str) -> Rows:
    """What the real trial yields."""
    trials.TOGETHER, trials.STEPS = 3, 24
    trials.NETWORKS = (("cnn", 2, 16), ("lcn", 2, 12))
    yield from trials.plain_trial(device)


def fast(device: str) -> Rows:
    """A device that takes no time."""
    for row in honest(device):
        yield {**row, "seconds": 0.0}


def fails(device: str) -> Rows:
    """The second network meets an error of the device."""
    yield next(honest(device))
    raise RuntimeError("CUDA error: an illegal memory access was encountered\nmore words")


def hangs(device: str) -> Rows:
    """A wait that never ends."""
    yield next(honest(device))
    time.sleep(3600)


def lies(device: str) -> Rows:
    """Weights of half the digits after each step."""
    step = PlainStack._step

    def coarse(stack: PlainStack, *arguments: Any) -> torch.Tensor:
        losses = step(stack, *arguments)
        stack._weights.copy_(stack._weights.bfloat16())
        return losses

    PlainStack._step = coarse
    yield from honest(device)


def crowded(device: str) -> Rows:
    """Other processes have all the memory."""
    raise torch.cuda.OutOfMemoryError("CUDA out of memory")
    yield
