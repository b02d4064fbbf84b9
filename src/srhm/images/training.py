"""One named network trained on P images: the engine, and the course of its training."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import cos, inf, pi
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, pad

from srhm.images.readers import CHANNELS, N_CLASSES, SIZE, Images, standardised
from srhm.model.seeding import generator
from srhm.networks.named import image_network
from srhm.training import autograd
from srhm.training.protocol import Pause, Snapshot, TrainingPlan, train

# Images in memory at once where nothing is trained.
EVALUATION_BATCH = 500
PADDING = 4  # pixels on each side, before a crop
# Entries of a state beside those of the network: steps made, which set the rate and the crops; the
# kind of device, whose bits the state has.
STEPS, DEVICE = "steps", "device"
# Member of the stream "order": 0 shuffles the batches, 1 + t crops and mirrors those of step t.
FIRST_CROPS = 1


@dataclass(frozen=True)
class TrainedNetwork:
    """Row of results (the cell's coordinates among them), and the state of the network."""

    row: dict[str, Any]
    weights: dict[str, NDArray]


def initial_network(
    cell: Mapping[str, Any], *, channels: int = CHANNELS, size: int = SIZE
) -> nn.Module:
    """The network of a cell before training, in evaluation mode, on the processor.

    channels, size: of the images, (channels, size, size).
    """
    return _initial_network(cell, _stream(cell), channels, size).eval()


def training_images(cell: Mapping[str, Any], training: Images) -> Images:
    """The P images that a cell learns from; those of a smaller P are among those of a larger."""
    order = generator(cell["seed"], role="train").permutation(len(training))
    return training[order[: cell["P"]]]


def outputs_of(network: nn.Module, x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Logits (n, classes) of standardised images (n, channels, size, size), in evaluation mode."""
    where = next(network.parameters()).device
    network.eval()
    with torch.no_grad():
        parts = [
            network(torch.from_numpy(x[start : start + EVALUATION_BATCH]).to(where)).cpu()
            for start in range(0, len(x), EVALUATION_BATCH)
        ]
    return torch.cat(parts).numpy()


def test_error(network: nn.Module, x: NDArray[np.float32], labels: NDArray[np.int64]) -> float:
    """Fraction of images that are not classified right; a tie is an error."""
    logits = outputs_of(network, x)
    label_logits = np.take_along_axis(logits, labels[:, None], axis=1)
    right = (logits >= label_logits).sum(axis=1) == 1
    return 1 - float(right.mean())


def plan_of(cell: Mapping[str, Any]) -> TrainingPlan:
    """When the training of a cell ends; an epoch drops the incomplete last batch."""
    threshold = cell["loss_threshold"]
    return TrainingPlan(
        batch="shuffled",
        batch_size=cell["batch_size"],
        loss_threshold=-inf if threshold is None else threshold,
        max_steps=cell["max_steps"],
        n_checks=0,
        drop_incomplete=True,
    )


class ImageEngine:
    """SGD with momentum, weight decay and a schedule on the mean cross-entropy of a batch.

    chosen: the training images; training: all of them, whose moments standardise; test: of which
    the error is taken. device: where the network is trained; its bits are those of the device.
    """

    # A step of a wide net takes a processor seconds.
    steps_at_once = 1

    def __init__(
        self,
        cell: Mapping[str, Any],
        chosen: Images,
        training: Images,
        test: Images,
        *,
        device: str | torch.device = "cpu",
    ) -> None:
        torch.set_num_threads(1)  # sums in one order, whatever the machine; cells run side by side
        torch.set_flush_denormal(True)  # momenta of dead channels decay for ever
        self._cell, self._training, self._test = cell, training, test
        self._device = torch.device(device)
        if self._device.type == "cuda":
            torch.backends.cudnn.deterministic = True
        self._pixels, self._y = torch.from_numpy(chosen.pixels), torch.from_numpy(chosen.labels)
        self._moments = [torch.from_numpy(m).to(self._device) for m in training.moments]
        self._stream = _stream(cell)
        shape = chosen.pixels.shape[1:3]
        self.network = _initial_network(cell, self._stream, *shape).to(self._device)
        if self._device.type == "cpu" and getattr(self.network, "channels_last", False):
            self.network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._optimiser = torch.optim.SGD(
            self.network.parameters(),
            lr=cell["learning_rate"],
            momentum=cell["momentum"],
            weight_decay=cell["weight_decay"],
            fused=True,  # one call for all weights, of which these nets have a hundred small arrays
        )
        self._steps = 0

    def steps(self, order: NDArray[np.int64]) -> float:
        """Summed cross-entropy of these images as their batches saw it; trains on them."""
        self.network.train()
        mean, deviation = self._moments
        size, summed = self._cell["batch_size"], 0.0
        for start in range(0, len(order), size):
            batch = torch.from_numpy(order[start : start + size])
            for group in self._optimiser.param_groups:
                group["lr"] = _rate(self._cell, self._steps)
            x = (self._pixels[batch].to(self._device).float() - mean) / deviation
            if self._cell["augmentation"]:
                member = FIRST_CROPS + self._steps
                crops = generator(self._cell["seed"], role="order", member=member)
                x = _augmented(x, generator=crops)
            loss = cross_entropy(self.network(x), self._y[batch].to(self._device))
            self._optimiser.zero_grad()
            loss.backward()
            self._optimiser.step()
            summed += loss.item() * len(batch)
            self._steps += 1
        return summed

    def test_error(self) -> float:
        """Fraction of the test images that are not classified right; a tie is an error."""
        x = standardised(self._test, by=self._training)
        return test_error(self.network, x, self._test.labels)

    def weights(self) -> dict[str, NDArray[Any]]:
        """Copies of parameters and of batch norm's buffers, by their names in the network."""
        return autograd.weights_of(self.network)

    def state(self) -> dict[str, NDArray[Any]]:
        """Copies of weights, momenta and dropout's stream, the steps made, and the device."""
        network = autograd.state_of(self.network, self._optimiser, self._stream)
        device = np.frombuffer(self._device.type.encode(), dtype=np.uint8)
        return {**network, STEPS: np.array([self._steps]), DEVICE: device}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Puts the engine where `state` was taken.

        Raises:
            ValueError: if names, shapes or precisions are not those of this engine, or the state
                is from another kind of device: a training has the bits of one device.
        """
        network = dict(state)
        try:
            steps, device = network.pop(STEPS), bytes(network.pop(DEVICE)).decode()
        except KeyError as error:
            raise ValueError(f"a state without its {error}") from error
        if device != self._device.type:
            raise ValueError(f"it was made on {device}, not on {self._device.type}")
        autograd.restore(self.network, self._optimiser, self._stream, network)
        for parameter in self.network.parameters():
            slot = self._optimiser.state[parameter]
            if "momentum_buffer" in slot:  # laid out as the weights, which decides how sums round
                slot["momentum_buffer"] = torch.empty_like(parameter).copy_(slot["momentum_buffer"])
        self._steps = int(steps[0])


def train_cell(
    cell: Mapping[str, Any],
    training: Images,
    test: Images,
    *,
    device: str = "cpu",
    start: Snapshot | None = None,
    pause: Pause | None = None,
) -> TrainedNetwork:
    """Trains one network on P of the training images, and tests it.

    A seed chooses the images, the initial weights and the order. Training ends after max_steps
    steps ("capped"), where a threshold is set also at the end of an epoch whose mean loss, as its
    batches saw it, is below ("fitted"), or as soon as a loss is no finite number ("diverged":
    errors are NaN). start, pause: as in `protocol.train`.
    """
    chosen = training_images(cell, training)
    engine = ImageEngine(cell, chosen, training, test[: cell["n_test"]], device=device)
    outcome = train(
        engine,
        chosen.labels,
        plan_of(cell),
        n_classes=N_CLASSES,
        generator=generator(cell["seed"], role="order"),
        start=start,
        pause=pause,
    )
    names = ("epochs", "steps", "train_loss", "test_error", "status")
    row = {**cell, **{name: getattr(outcome, name) for name in names}, "device": device}
    return TrainedNetwork(row, engine.weights())


def _rate(cell: Mapping[str, Any], step: int) -> float:
    """Learning rate of a step, counted from 0."""
    if cell["schedule"] == "constant":
        return cell["learning_rate"]
    return cell["learning_rate"] * (1 + cos(pi * step / cell["max_steps"])) / 2


def _augmented(x: Tensor, *, generator: np.random.Generator) -> Tensor:
    """Each image cropped at random out of itself padded by zeros, and mirrored or not."""
    padded = pad(x, (PADDING,) * 4)
    rows, columns = generator.integers(0, 2 * PADDING + 1, size=(2, len(x)))
    mirrored = generator.random(len(x)) < 0.5
    crops = []
    for image, row, column, mirror in zip(padded, rows, columns, mirrored, strict=True):
        crop = image[:, row : row + x.shape[2], column : column + x.shape[3]]
        crops.append(crop.flip(2) if mirror else crop)
    return torch.stack(crops)


def _stream(cell: Mapping[str, Any]) -> torch.Generator:
    """Torch's own stream of a seed: the initial weights, then the masks of dropout."""
    seed = int(generator(cell["seed"], role="initialisation").integers(2**63 - 1))
    return torch.Generator().manual_seed(seed)


def _initial_network(
    cell: Mapping[str, Any], stream: torch.Generator, channels: int, size: int
) -> nn.Module:
    return image_network(
        cell["net"],
        in_channels=channels,
        size=size,
        n_classes=N_CLASSES,
        width=cell["width"],
        generator=stream,
    )
