"""One cell: a network on digits that are moved or deformed anew each time that they are met."""

from collections.abc import Callable, Mapping
from functools import partial
from math import log
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import pad

from srhm.experiments.cells import Outcome
from srhm.images import readers
from srhm.images.deformations import coefficients, displacements, noise, temperature_of
from srhm.images.readers import N_CLASSES, Images, standardised
from srhm.images.stability import ImageProbe, probe, stability
from srhm.images.torch_deformations import deformed, visible_temperatures
from srhm.images.trainer import OUTPUT, responses
from srhm.images.training import ImageEngine, plan_of, training_images
from srhm.model.seeding import generator
from srhm.training.protocol import train

Change = Callable[[Tensor], Tensor]
N_TRAINING = 4000  # of the 5000 digits; the others are for testing
# As of relative stability on these digits, but for the number of steps.
TRAINING = {
    "batch_size": 32, "learning_rate": 0.01, "schedule": "cosine", "momentum": 0.9,
    "weight_decay": 5e-4, "augmentation": False, "loss_threshold": None,
}  # fmt: skip
CUTOFF, DISPLACEMENT = 3, 1.0  # c and delta, in pixels, of what R_f is measured with (chapter 4)
SHIFT = 2  # pixels along each side at most


class TaughtEngine(ImageEngine):
    """The engine of images, whose training images are changed anew each time they are met."""

    def __init__(self, *arguments: Any, change: Change) -> None:
        super().__init__(*arguments)
        self._given, self._change = self._pixels, change

    def steps(self, order: NDArray[np.int64]) -> float:
        """As the engine's, on changed copies of these images; those of the next steps are others.

        The labels stay.
        """
        labels, met = self._y, torch.from_numpy(order)
        self._pixels, self._y = self._change(self._given[met].float()), labels[met]
        loss = super().steps(np.arange(len(order)))
        self._y = labels
        return loss


def run(cell: Mapping[str, Any]) -> Outcome:
    """Test error, and D, G, R of the output to deformations and to shifts, after training.

    Medians over test images; noise has the mean norm of the change.

    Raises:
        ImagesError: if the file of digits is missing or another one.
    """
    training, test = load(seed=cell["seed"])
    settings = {**TRAINING, **cell}
    chosen = training_images(settings, training)
    change = changes(cell["taught"], generator=generator(cell["seed"], role="drawing"))
    engine = TaughtEngine(settings, chosen, training, test, change=change)
    outcome = train(
        engine, chosen.labels, plan_of(settings), n_classes=N_CLASSES,
        generator=generator(cell["seed"], role="order"),
    )  # fmt: skip
    row = {name: getattr(outcome, name) for name in ("steps", "train_loss", "test_error", "status")}
    if outcome.status == "diverged":
        return Outcome(row)
    asked = probes(test[: cell["n_points"]], training, seed=cell["seed"])
    of_kind = {kind: stability(lambda x: responses(engine.network, x)[OUTPUT], image_probe)
               for kind, image_probe in asked.items()}  # fmt: skip
    felt = {f"{name}_{kind}": getattr(of_kind[kind], name) for kind in of_kind for name in "DGR"}
    return Outcome({**row, **felt})


def load(*, seed: int) -> tuple[Images, Images]:
    """Digits (n, 1, 28, 28), 4000 for training and 1000 for testing, which a seed chooses."""
    (digits,) = readers.load("mnist5k")
    images = digits[generator(seed, role="test").permutation(len(digits))]
    return images[:N_TRAINING], images[N_TRAINING:]


def changes(taught: str, *, generator: np.random.Generator) -> Change:
    """From images (n, 1, size, size) to images of the same labels, drawn anew with each call.

    taught: "nothing"; "places", see `shifted`; "deformations", see `smoothly_deformed`; "both",
    deformed and then shifted.
    """
    shift = partial(shifted, generator=generator)
    deform = partial(smoothly_deformed, generator=generator)
    kinds: dict[str, Change] = {
        "nothing": lambda images: images, "places": shift, "deformations": deform,
        "both": lambda images: shift(deform(images)),
    }  # fmt: skip
    return kinds[taught]


def shifted(images: Tensor, *, generator: np.random.Generator) -> Tensor:
    """Each image (n, 1, size, size) moved by up to SHIFT pixels along each side, uniformly.

    What comes in is 0, black.
    """
    n, size = len(images), images.shape[-1]
    moves = torch.from_numpy(generator.integers(0, 2 * SHIFT + 1, size=(2, n, 1)))
    rows, columns = moves + torch.arange(size)
    which = torch.arange(n)[:, None, None]
    padded = pad(images, (SHIFT,) * 4)[:, 0]
    return padded[which, rows[:, :, None], columns[:, None, :]][:, None]


def smoothly_deformed(images: Tensor, *, generator: np.random.Generator) -> Tensor:
    """Each image (n, 1, size, size) moved by a field of its own, of c = CUTOFF.

    T is uniform in its logarithm, from what moves by half a pixel (root mean square) to where
    fields fold (Eq. 14 of the thesis's chapter 4).
    """
    n, size = len(images), images.shape[-1]
    least, most = visible_temperatures(CUTOFF, size=size)
    temperatures = np.exp(generator.uniform(log(least), log(most), size=(n, 1, 1)))
    unit = coefficients(n, cutoff=CUTOFF, temperature=1.0, generator=generator)
    fields = displacements(unit * np.sqrt(temperatures), size=size, cutoff=CUTOFF)
    return deformed(images, torch.from_numpy(fields).to(images.dtype))


def probes(test: Images, training: Images, *, seed: int) -> dict[str, ImageProbe]:
    """Test images with their deformations ("deformations") and their shifts ("places").

    Noise has the mean norm of the change. The same for all networks of a seed.
    """
    streams = (generator(seed, role="transformation", member=k) for k in range(4))
    deforming, deforming_noise, shifting, shifting_noise = streams
    x = standardised(test, by=training)
    moved = shifted(torch.from_numpy(test.pixels).float(), generator=shifting).numpy()
    mean, deviation = training.moments
    moved = (moved - mean) / deviation
    norm = float(np.linalg.norm((moved - x).reshape(len(x), -1), axis=1).mean())
    noisy = (x + noise(x.shape, norm=norm, generator=shifting_noise)).astype(x.dtype)
    return {
        "deformations": probe(
            x,
            cutoff=CUTOFF,
            temperature=temperature_of(DISPLACEMENT, size=x.shape[-1], cutoff=CUTOFF),
            n_draws=1,
            deformation_generator=deforming,
            noise_generator=deforming_noise,
        ),
        "places": ImageProbe(
            images=x, deformed=moved[None], noisy=noisy[None], noise_norm=norm, n_folded=0
        ),
    }
