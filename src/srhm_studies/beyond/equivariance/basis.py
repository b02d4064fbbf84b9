"""A picture of the angular part of the equivariant kernels between vectors (thesis, Fig. 2)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from e3nn import o3

from srhm.experiments.cells import Outcome

# Seen along the diagonal of space, where no harmonic of order 1 or 2 vanishes altogether.
TOWARDS = np.array([[1, -1, 0], [1, 1, -2], [1, 1, 1]]) / np.sqrt([[2], [6], [3]])


def run(cell: Mapping[str, Any]) -> Outcome:
    """Table `basis`: the 3 x 3 entries of Q^J Y^J on the half of a sphere that one sees.

    u, v: coordinates on the disc, from -1 to 1.
    """
    line = np.linspace(-1, 1, cell["n"])
    u, v = (one.ravel() for one in np.meshgrid(line, line))
    seen = u**2 + v**2 < 1
    u, v = u[seen], v[seen]
    places = torch.as_tensor(np.stack([u, v, np.sqrt(1 - u**2 - v**2)], axis=1) @ TOWARDS)
    rows: dict[str, list[Any]] = {name: [] for name in ("J", "row", "column", "u", "v", "value")}
    for J in range(3):
        mixing = o3.wigner_3j(1, 1, J, dtype=torch.float64)
        values = torch.einsum(
            "ijk,nk->ijn", mixing, o3.spherical_harmonics(J, places, normalize=False)
        )
        for i, j in np.ndindex(3, 3):
            columns = (np.full(len(u), J), np.full(len(u), i), np.full(len(u), j), u, v)
            for name, column in zip(rows, (*columns, values[i, j].numpy()), strict=True):
                rows[name].append(column)
    return Outcome({}, {"basis": {name: np.concatenate(parts) for name, parts in rows.items()}})
