"""Maximum-entropy deformations against their formulas (thesis, chapter 4, Eq. 3, 13 and 14)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from srhm.experiments.cells import Outcome
from srhm.images.deformations import (
    coefficients,
    displacements,
    folded,
    largest_compression,
    largest_temperature,
    mean_squared_displacement_on_pixels,
)
from srhm.model.seeding import generator


def run(cell: Mapping[str, Any]) -> Outcome:
    """Displacement, largest Xi and folds of n_fields fields of one size, cut-off and temperature.

    The temperature is given over the bound of Eq. 14, which the table has as `temperature_bound`.
    """
    size, cutoff = cell["size"], cell["cutoff"]
    bound = largest_temperature(cutoff)
    temperature = cell["times_bound"] * bound
    stream = generator(cell["seed"], role="transformation")
    amplitudes = coefficients(
        cell["n_fields"], cutoff=cutoff, temperature=temperature, generator=stream
    )
    moved = displacements(amplitudes, size=size, cutoff=cutoff)
    compression = largest_compression(amplitudes, size=size, cutoff=cutoff)
    return Outcome(
        {
            "temperature": temperature,
            "temperature_bound": bound,
            "squared_displacement": float((moved**2).sum(axis=1).mean()),
            "exact_squared_displacement": mean_squared_displacement_on_pixels(
                size=size, cutoff=cutoff, temperature=temperature
            ),
            "compression": float(np.median(compression)),
            "part_above_one": float((compression >= 1).mean()),
            "n_folded": int(folded(amplitudes, size=size, cutoff=cutoff).sum()),
        }
    )
