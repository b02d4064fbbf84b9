"""Maps whose ranks are known, and points at which networks learn them.

Source: A. Jacot, talk "Bottleneck structure in large depth networks" (2023), slides "Infinite Depth
Limit" and "Identity cost". The slides name no map.
"""

from collections.abc import Mapping
from math import sqrt
from typing import Any

import numpy as np
import torch
from scipy import linalg
from torch import Tensor

from srhm.model import seeding
from srhm_studies.beyond.representation_cost.known import BEND, MAPS


def points_of(cell: Mapping[str, Any]) -> tuple[Tensor, Tensor]:
    """Inputs and targets (n, d), targets of zero mean but for identities, unit variance a rank.

    cell: map, n, d (of the maps of rank k; the others live in the plane), seed.

    Raises:
        ValueError: for an unknown map, or a d below the rank.
    """
    name, n, d, seed = str(cell["map"]), int(cell["n"]), int(cell["d"]), int(cell["seed"])
    if name not in MAPS:
        raise ValueError(f"map = {name!r}: allowed are {', '.join(MAPS)}")
    generator = seeding.generator(seed, role="train")
    if name == "circle":
        angle = generator.uniform(0, 2 * np.pi, size=n)
        x = sqrt(2) * np.column_stack([np.cos(angle), np.sin(angle)])
        return torch.from_numpy(x), torch.from_numpy(x)
    if name == "square":
        x = generator.uniform(0, sqrt(12), size=(n, 2))
        return torch.from_numpy(x), torch.from_numpy(x)
    rank = MAPS[name].bottleneck_rank
    if d < rank:
        raise ValueError(f"d = {d}: allowed are {rank} or more for the map of {name}")
    x = generator.uniform(-sqrt(3), sqrt(3), size=(n, d))
    task = seeding.generator(seed, role="transformation")
    into, out = (linalg.qr(task.normal(size=(d, d)))[0][:, :rank] for _ in range(2))
    z = x @ into
    bent = z + BEND * np.abs(z)
    return torch.from_numpy(x), torch.from_numpy((bent - bent.mean(0)) @ out.T)
