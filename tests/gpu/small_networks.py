"""Networks so small that Triton's interpreter can train them: some tenths of a second a step."""

from functools import partial
from typing import Any

import numpy as np
import small_tasks
import torch
from small_tasks import Task

from srhm.training.packed import Pack, PackLayout, device_for_packs

N_TEST = 24
WIDTH = 12  # not a power of two: channels beyond it must stay zero
RATE = 0.01 * WIDTH
task = partial(small_tasks.task, width=WIDTH, n_train=40, n_test=N_TEST)


def layout(one: Task, *, batch_size: int = 4, dtype: type = np.float64) -> PackLayout:
    """What a pack of networks of this task looks like; few programs evaluate."""
    shape, _, train, test = one
    return PackLayout(
        shape,
        batch_size=batch_size,
        momentum=0.9,
        n_train=len(train),
        n_test=len(test),
        dtype=dtype,
        test_programs=6,
    )


def pack(one: Task, size: int = 1, **options: Any) -> Pack:
    """A pack on the GPU if there is one, else interpreted."""
    return Pack(layout(one, **options), size, device=device_for_packs())


def present_momenta(state: dict[str, np.ndarray], momentum: float = 0.9) -> np.ndarray:
    """Momenta of the rows as the steps of rest have left them."""
    rested = state["steps"][0] - state["stamps"]
    return state["momenta"] * (momentum**rested)[:, None]


def on_gpu() -> bool:
    """Whether kernels are compiled."""
    return torch.cuda.is_available()
