"""Four groups on a zigzag, learnt at two depths: tripoints of shallow networks that deep ones lack.

Source: A. Jacot, talk "Bottleneck structure in large depth networks" (2023), slide "Implications:
Classification". Its figure shows a task whose regions meet in tripoints at the smaller of two
depths alone, and the slide does not describe it. Here the groups alternate between two heights, one
step apart along the first axis: that coordinate alone tells them apart, so that a classifier of
rank 1 is possible. In the plane each is nearest to two others or three, whose regions meet.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from srhm.experiments.cells import Outcome
from srhm.model import seeding
from srhm_studies.beyond.representation_cost.classes import N_CLASSES, learnt

# Centres are STEP apart along the first axis, at +-HEIGHT along the second.
STEP, HEIGHT, NOISE = 0.9, 0.35, 0.08


def points_of(cell: Mapping[str, Any]) -> tuple[Tensor, NDArray[np.int64]]:
    """Points (n, 2) and their classes (n,), in equal numbers. cell: n, seed."""
    generator = seeding.generator(int(cell["seed"]), role="train")
    classes = np.arange(int(cell["n"])) % N_CLASSES
    centres = np.column_stack([(classes - (N_CLASSES - 1) / 2) * STEP, HEIGHT * (-1.0) ** classes])
    return torch.from_numpy(centres + NOISE * generator.normal(size=centres.shape)), classes


def run(cell: Mapping[str, Any]) -> Outcome:
    """One network that learns the groups; see `classes.learnt`."""
    return learnt(cell, *points_of(cell))
