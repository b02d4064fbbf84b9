"""A ball under gravity on a ring: two frames in, the next ones out, learnt by convolutions.

Source: A. Jacot, talk "Bottleneck structure in large depth networks" (2023), slide "Learning
Newtonian Mechanics": a network keeps position and velocity in two pairs of frequency 1. The talk's
frames are n x n images; here a frame is a ring of n places on which the ball falls.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from srhm.experiments.cells import Outcome
from srhm.model import seeding
from srhm_studies.beyond.representation_cost.fitting import fit
from srhm_studies.beyond.representation_cost.networks import Architecture, concatenated
from srhm_studies.beyond.representation_cost.outcomes import layer_tables, numbers

FRAMES_IN = 2  # of these, position and velocity can be told
CONCENTRATION = 1.0  # of the ball's image, a von Mises bump: about a third of the ring is bright
GRAVITY = 0.15  # of the ring's 2 pi, by the square of the time between frames
FASTEST = 0.8  # initial velocity in the same units: below half a ring a frame, so that it is unique


def positions(n: int, frames: int, *, generator: np.random.Generator) -> NDArray[np.float64]:
    """Angles (n, frames) of balls that fall from random places with random velocities."""
    start = generator.uniform(0, 2 * np.pi, size=(n, 1))
    velocity = generator.uniform(-FASTEST, FASTEST, size=(n, 1))
    time = np.arange(frames)
    return np.asarray(start + velocity * time - GRAVITY / 2 * time**2)


def images(angles: NDArray[np.float64], places: int) -> NDArray[np.float64]:
    """Frames as brightness on a ring, (n, places, frames), of zero mean and unit variance."""
    ring = 2 * np.pi * np.arange(places) / places
    bump = np.exp(CONCENTRATION * np.cos(ring[None, :, None] - angles[:, None, :]))
    centred = bump - bump.mean()
    return np.asarray(centred / np.sqrt(np.mean(centred**2)))


def points_of(cell: Mapping[str, Any]) -> tuple[Tensor, Tensor]:
    """Frames in and frames out, rows are the places of each trajectory. cell: n, places, frames."""
    n, places, frames = int(cell["n"]), int(cell["places"]), int(cell["frames"])
    generator = seeding.generator(int(cell["seed"]), role="train")
    film = images(positions(n, FRAMES_IN + frames, generator=generator), places)
    film = film.reshape(n * places, FRAMES_IN + frames)
    return torch.from_numpy(film[:, :FRAMES_IN]), torch.from_numpy(film[:, FRAMES_IN:])


def run(cell: Mapping[str, Any]) -> Outcome:
    """One convolutional network that continues films.

    cell: L, width (channels), n (films), places, reach, frames (out), and what `fitting.fit` reads.
    Row: besides `outcomes.numbers` the variance of the targets. C and variance are sums over the
    channels, means over places.
    """
    x, y = points_of(cell)
    channels = concatenated((x.shape[1], y.shape[1]), int(cell["L"]), int(cell["width"]))
    architecture = Architecture(
        channels=channels, places=int(cell["places"]), reach=int(cell["reach"])
    )
    fitted = fit(architecture, x, y, cell)
    row = {**numbers(fitted), "variance": float(y.var(0, correction=0).sum())}
    return Outcome(row, layer_tables(fitted, x) if fitted.finite else {})
