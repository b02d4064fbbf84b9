"""How far networks are from equivariance: after sampling, after nonlinearities, with depth."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from srhm.experiments.cells import Outcome
from srhm.model.seeding import generator
from srhm_studies.beyond.equivariance.blocks import random_rotations, rotations_of_the_cube
from srhm_studies.beyond.equivariance.sphere import RotationConvolution, pointwise, rotated
from srhm_studies.beyond.equivariance.steerable import LAYERS, layers, n_parameters, normalised
from srhm_studies.beyond.equivariance.tetris import inputs, torch_generator

CHANNELS = 10  # of the spherical CNNs, section 5.1
ACTS = {"relu": torch.relu, "square": torch.square, "softplus": torch.nn.functional.softplus}


def of_sphere(cell: Mapping[str, Any]) -> Outcome:
    """Delta of correlations on SO(3), mean of std(R Phi(f) - Phi(R f)) / std(Phi(f)).

    Thesis, chapter 5 (spherical CNNs), section 5.1 and Fig. 3, but the rotation of a signal is
    exact here: it acts on coefficients. Each f is white noise of the band limit.
    """
    band, draws = cell["band"], torch_generator(cell["seed"])
    stack = [
        RotationConvolution(CHANNELS, CHANNELS, band=band, draws=draws)
        for _ in range(cell["depth"])
    ]

    def mapped(x: Tensor) -> Tensor:
        for convolution in stack:
            x = convolution(x)
            if cell["act"] != "none":
                resolution = round(band * cell["oversampling"])
                act = ACTS[cell["act"]]
                x = pointwise(x, act, band=band, after=band, resolution=resolution)
        return x

    size = sum((2 * order + 1) ** 2 for order in range(band))
    turns = random_rotations(cell["rotations"], generator(cell["seed"], role="transformation"))
    errors = []
    with torch.no_grad():
        for turn in torch.as_tensor(turns, dtype=torch.float32):
            x = torch.randn(1, CHANNELS, size, generator=draws)
            after = rotated(mapped(x), turn, band)
            errors.append(_spread(after - mapped(rotated(x, turn, band))) / _spread(after))
    return Outcome({"error": float(np.mean(errors))})


def _spread(x: Tensor) -> float:
    """Standard deviation over SO(3) and channels of a signal from its coefficients (1, C, K)."""
    return float((x.square().sum(dim=-1).mean() - x[..., 0].mean() ** 2).sqrt())


def of_voxels(cell: Mapping[str, Any]) -> Outcome:
    """The same of the scalars of a steerable network on blocks of Tetris, as means over voxels.

    Delta: root mean square of Phi(R x) - Phi(x) over that of Phi(x). The network is not trained.
    """
    n = cell["n"]
    draws = torch_generator(cell["seed"])
    hidden = layers(
        cell["net"], width=cell["width"], filtered=cell["low_pass"], draws=draws,
        nonlinearity=cell["act"], depth=cell["depth"],
    )  # fmt: skip
    drawn = generator(cell["seed"], role="transformation")
    turns = random_rotations(cell["rotations"], drawn)
    if cell["turns"] == "cube":
        group = rotations_of_the_cube()
        moving = group[group.trace(axis1=1, axis2=2) < 2.5]  # all but the identity
        turns = drawn.permutation(moving)[: cell["rotations"]]
    straight = inputs(np.eye(3)[None], n)
    normalised(hidden, straight)
    scalars = max(1, round(cell["width"] * LAYERS[cell["depth"] - 1][0]))

    def means(x: Tensor) -> Tensor:
        with torch.no_grad():
            return hidden(x)[:, :scalars].mean(dim=(2, 3, 4))

    before = means(straight)
    errors = torch.stack([means(inputs(turn[None], n)) - before for turn in turns])
    error = errors.square().mean().sqrt() / before.square().mean().sqrt()
    return Outcome({"error": float(error), "parameters": n_parameters(hidden)})
