"""One named network trained on P images: plain PyTorch, one step after the other."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import cos, pi
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, pad

from srhm.architectures.named import named_network
from srhm.images.cifar import CHANNELS, N_CLASSES, SIZE, Images, standardised
from srhm.seeding import generator

# Images in memory at once where nothing is trained.
EVALUATION_BATCH = 500
PADDING = 4  # pixels on each side, before a crop


@dataclass(frozen=True)
class TrainedNetwork:
    """Row of results (the cell's coordinates among them), and the state of the network."""

    row: dict[str, Any]
    weights: dict[str, NDArray]


def device() -> torch.device:
    """The graphics card where torch sees one, else the processor; rows say which it was."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def initial_network(cell: Mapping[str, Any]) -> nn.Module:
    """The network of a cell before training, in evaluation mode."""
    stream = torch.Generator().manual_seed(_torch_seed(cell["seed"]))
    network = named_network(
        cell["net"],
        dimensions=2,
        in_channels=CHANNELS,
        n_classes=N_CLASSES,
        width=cell["width"],
        generator=stream,
    )
    return network.eval()


def training_images(cell: Mapping[str, Any], training: Images) -> Images:
    """The P images that a cell learns from; those of a smaller P are among those of a larger."""
    order = generator(cell["seed"], role="train").permutation(len(training))
    return training[order[: cell["P"]]]


def outputs_of(network: nn.Module, x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Logits (n, classes) of standardised images (n, 3, 32, 32), in evaluation mode."""
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
    own = np.take_along_axis(logits, labels[:, None], axis=1)
    right = (logits >= own).sum(axis=1) == 1
    return 1 - float(right.mean())


def train_cell(cell: Mapping[str, Any], training: Images, test: Images) -> TrainedNetwork:
    """Trains one network on P of the training images, and tests it.

    A seed chooses the images, the initial weights and the order. Training ends after max_steps
    steps ("capped"), where a threshold is set also at the end of an epoch whose mean loss, as its
    batches saw it, is below ("fitted"), or as soon as a loss is no finite number ("diverged":
    errors are NaN).
    """
    torch.set_num_threads(1)  # sums in one order, whatever the machine
    torch.set_flush_denormal(True)
    where = device()
    if where.type == "cuda":
        torch.backends.cudnn.deterministic = True
    chosen = training_images(cell, training)
    pixels, y = torch.from_numpy(chosen.pixels), torch.from_numpy(chosen.labels)
    mean, deviation = (torch.from_numpy(moment).to(where) for moment in training.moments)
    network = initial_network(cell).to(where)
    optimiser = torch.optim.SGD(
        network.parameters(),
        lr=cell["learning_rate"],
        momentum=cell["momentum"],
        weight_decay=cell["weight_decay"],
    )
    order = generator(cell["seed"], role="order")
    status: Literal["fitted", "capped", "diverged"] = "capped"
    epochs, steps, loss = 0, 0, np.nan
    while steps < cell["max_steps"] and status == "capped":
        network.train()
        losses = []
        for batch in _batches(len(y), cell["batch_size"], generator=order):
            if steps == cell["max_steps"]:
                break
            for group in optimiser.param_groups:
                group["lr"] = _rate(cell, steps)
            x = (pixels[batch].to(where).float() - mean) / deviation
            if cell["augmentation"]:
                x = _augmented(x, generator=order)
            value = cross_entropy(network(x), y[batch].to(where))
            optimiser.zero_grad()
            value.backward()
            optimiser.step()
            losses.append(value.item())
            steps += 1
            if not np.isfinite(losses[-1]):
                status = "diverged"
                break
        else:
            epochs += 1
        loss = float(np.mean(losses))
        whole = len(losses) == len(y) // cell["batch_size"]
        threshold = cell["loss_threshold"]
        if status == "capped" and whole and threshold is not None and loss < threshold:
            status = "fitted"
    lost = status == "diverged"
    seen_test = test[: cell["n_test"]]
    error = np.nan if lost else test_error(network, standardised(seen_test, by=training),
                                           seen_test.labels)  # fmt: skip
    outcome = {
        "epochs": epochs,
        "steps": steps,
        "train_loss": np.nan if lost else loss,
        "test_error": error,
        "status": status,
        "device": where.type,
    }
    weights = {name: value.cpu().numpy().copy() for name, value in network.state_dict().items()}
    return TrainedNetwork({**cell, **outcome}, weights)


def _rate(cell: Mapping[str, Any], step: int) -> float:
    """Learning rate of a step, counted from 0."""
    if cell["schedule"] == "constant":
        return cell["learning_rate"]
    return cell["learning_rate"] * (1 + cos(pi * step / cell["max_steps"])) / 2


def _batches(n: int, size: int, *, generator: np.random.Generator) -> Iterator[Tensor]:
    """One epoch: full batches of a new order; what is left over is dropped."""
    order = torch.from_numpy(generator.permutation(n))
    for start in range(0, n - size + 1, size):
        yield order[start : start + size]


def _augmented(x: Tensor, *, generator: np.random.Generator) -> Tensor:
    """Each image cropped at random out of itself padded by zeros, and mirrored or not."""
    padded = pad(x, (PADDING,) * 4)
    rows, columns = generator.integers(0, 2 * PADDING + 1, size=(2, len(x)))
    mirrored = generator.random(len(x)) < 0.5
    crops = []
    for image, row, column, mirror in zip(padded, rows, columns, mirrored, strict=True):
        crop = image[:, row : row + SIZE, column : column + SIZE]
        crops.append(crop.flip(2) if mirror else crop)
    return torch.stack(crops)


def _torch_seed(seed: int) -> int:
    """Seed of torch's generator for the initial weights (and the network's own dropout)."""
    return int(generator(seed, role="initialisation").integers(2**63 - 1))
