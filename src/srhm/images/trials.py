"""Two small networks on invented images, on a device and on the processor, compared: see
`srhm.training.trials`.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from srhm.images.cifar import CHANNELS, N_CLASSES, SIZE, Images
from srhm.images.training import ImageEngine
from srhm.model.seeding import generator
from srhm.training.named_trials import ALONE
from srhm.training.trials import TrialTrained, by_engine, trial_row

NETS = ("vgg11_bn", "resnet18")
TOGETHER, STEPS, BATCH, RATE, WIDTH = 3, 6, 32, 1e-3, 8
N_TRAIN = N_TEST = 128
# How a cell of images is trained; momentum and decay as published.
CELL = {
    **{"width": WIDTH, "P": N_TRAIN, "seed": 0, "n_test": N_TEST, "batch_size": BATCH},
    **{"learning_rate": RATE, "schedule": "cosine", "momentum": 0.9, "weight_decay": 5e-4},
    **{"augmentation": True, "loss_threshold": None, "max_steps": STEPS},
}


class DoubleEngine(ImageEngine):
    """The engine in double precision; its test error is of no use."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.network.double()
        self._moments = [moment.double() for moment in self._moments]

    def test_error(self) -> float:
        """None is taken."""
        return np.nan


def images_trial(device: str) -> Iterator[dict[str, Any]]:
    """Rows of networks on images, one after the other."""
    torch.backends.cudnn.allow_tf32 = False
    stream = generator(0, role="train")
    training, test = (
        Images(
            stream.integers(256, size=(n, CHANNELS, SIZE, SIZE)).astype(np.uint8),
            stream.integers(N_CLASSES, size=n),
        )
        for n in (N_TRAIN, N_TEST)
    )
    orders = generator(0, role="order").integers(N_TRAIN, size=(TOGETHER, STEPS * BATCH))
    for net in NETS:
        cell = {**CELL, "net": net}

        def trained(
            made: type[ImageEngine], where: str, cell: dict[str, Any] = cell
        ) -> TrialTrained:
            data = (cell, training, training, test)
            return by_engine(lambda: made(*data, device=where), orders, batch=BATCH)

        first = ImageEngine(cell, training, training, test)
        start = {name: p.detach().numpy().copy() for name, p in first.network.named_parameters()}
        there, here = (trained(ImageEngine, where) for where in (device, "cpu"))
        told = {"there": there, "here": here, "exact": trained(DoubleEngine, "cpu")}
        yield trial_row(net, start, steps=STEPS, n_test=N_TEST, alone=ALONE, **told)
