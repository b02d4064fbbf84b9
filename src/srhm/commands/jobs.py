"""Training jobs of a useful length: how cells share jobs, and what a job asks of a cluster.

A curve that is expected to take too long for one job is split into parts, each a job of its own.
Parts train into the store, so that a curve that is split otherwise next time trains nothing twice.
All numbers are estimates with a margin, of the costs of cells. A job that still runs out of time
stops before its end, leaves checkpoints, and is sent again with more.
"""

from collections.abc import Sequence
from math import ceil

from srhm.flow.cost import BATCH_BYTES
from srhm.training.cost import Cost

# Seconds asked for over those expected: steps of a cell are off by a factor of 1.5 or so (one sd,
# see cost_model.json), and machines by another.
SAFETY = 3.0
# Minutes for starting, for compiling, and for reading and writing on a slow file system.
START = 10
# Assumed: bytes of a job without networks: Python, Numba or PyTorch, and the Snakemakes around it.
PROGRAM = 1.2e9
# Assumed: bytes that a job with a GPU takes on the host besides: the libraries of CUDA, the context
# of the device, kernels and their compiler.
GPU_PROGRAM = 3.0e9
# Assumed: networks that a job with a GPU has copies of on the host at a time, whatever its threads:
# as many as a stack of named nets holds.
STACK = 16
# Memory of a network in training over that of its weights and momenta: a checkpoint is put together
# in memory before it is written.
COPIES = 3
# Assumed: bytes of the activations of the points that sensitivities are measured on.
ACTIVATIONS = 1.0e9
# Assumed: seconds to measure one cell of width 512; a smaller one takes less.
SECONDS_TO_MEASURE = 20.0
MEGABYTE = 1e6


def parts(
    expected: Sequence[Cost],
    *,
    minutes: float | None = None,
    cells: int | None = None,
    groups: Sequence[Sequence[int]] | None = None,
) -> dict[str, list[int]]:
    """Places of the cells of each part of a curve, by the part's name ("1-of-3").

    Empty where one job does. A group, or a single cell, is never split. All parts take about the
    same time. The choice depends on the arguments alone.

    Args:
        expected: cost of each cell, in the order of the curve.
        minutes: that a part may be expected to take on one core; None: any.
        cells: that a part may have; None: any number. A larger group is a part by itself.
        groups: places of cells that are trained together; None: each by itself.
    """
    groups = groups or [[place] for place in range(len(expected))]
    n_parts = 1
    if minutes is not None:
        n_parts = ceil(sum(cost.seconds for cost in expected) / (60 * minutes))
    if cells is not None:
        n_parts = max(n_parts, ceil(len(expected) / cells))
    n_parts = min(n_parts, len(groups))
    if n_parts <= 1:
        return {}
    filled: list[list[int]] = [[] for _ in range(n_parts)]
    load = [0.0] * n_parts
    seconds = [sum(expected[place].seconds for place in group) for group in groups]
    most = len(expected) if cells is None else cells
    # The longest first, each to the part that has least so far, and room for it.
    for k in sorted(range(len(groups)), key=lambda k: (-seconds[k], k)):
        room = most - len(groups[k])
        open_parts = [i for i, part in enumerate(filled) if not part or len(part) <= room]
        if not open_parts:
            open_parts = [len(filled)]
            filled.append([])
            load.append(0.0)
        least = min(open_parts, key=lambda i: (load[i], len(filled[i]), i))
        filled[least] += groups[k]
        load[least] += seconds[k]
    return {f"{i}-of-{len(filled)}": sorted(part) for i, part in enumerate(filled, start=1)}


def training_minutes(
    expected: Sequence[Cost], *, threads: int, attempt: int, limit: int | None = None
) -> int:
    """Minutes to ask for to train these cells in so many threads; each attempt asks for more.

    limit: the most that a job may ask for. A longer one goes on from its checkpoints next time.
    """
    seconds = [cost.seconds for cost in expected]
    longest = max(seconds, default=0.0)
    # Threads take the longest cells first; none ends later than this.
    at_most = (sum(seconds) - longest) / threads + longest
    return _minutes(at_most, attempt=attempt, limit=limit)


def training_megabytes(
    expected: Sequence[Cost], *, threads: int, attempt: int, gpu: int = 0, together: bool = True
) -> int:
    """Megabytes to ask for to train these cells in so many threads; each attempt asks for more.

    gpu: 1 for a job with a GPU. together: whether networks are trained together on a GPU, whatever
    the threads; those on images are not.
    """
    at_a_time = max(threads, STACK) if gpu and together else threads
    largest = sorted((cost.memory for cost in expected), reverse=True)[:at_a_time]
    return attempt * ceil((_program(gpu) + COPIES * sum(largest)) / MEGABYTE)


def _program(gpu: int) -> float:
    """Bytes of a job without networks."""
    return PROGRAM + gpu * GPU_PROGRAM


def measuring_minutes(seconds: Sequence[float], *, attempt: int, limit: int | None = None) -> int:
    """Minutes to ask for to measure cells one by one, each for so many expected seconds."""
    return _minutes(sum(seconds), attempt=attempt, limit=limit)


def _minutes(seconds: float, *, attempt: int, limit: int | None) -> int:
    minutes = attempt * (START + ceil(SAFETY * seconds / 60))
    return minutes if limit is None else min(minutes, limit)


def batch_bytes(one: float, *, members: int) -> float:
    """Bytes of members that are trained together: of all, or of as many as are at once."""
    return max(one, min(one * members, BATCH_BYTES))


def megabytes(working: float, *, attempt: int, gpu: int = 0) -> int:
    """Megabytes to ask for so many bytes of arrays and PyTorch; each attempt asks for more.

    gpu: 1 for a job with a GPU.
    """
    return attempt * ceil((_program(gpu) + ACTIVATIONS + COPIES * working) / MEGABYTE)


def measuring_megabytes(expected: Sequence[Cost], *, attempt: int, gpu: int = 0) -> int:
    """Megabytes to ask for to measure these cells one by one; each attempt asks for more."""
    working = max((cost.memory for cost in expected), default=0.0)
    return megabytes(working, attempt=attempt, gpu=gpu)
