"""Compares what this machine's GPU trains with the processor, and prints a table to send in.

`make check-gpu`, or `python -m srhm.commands.check_gpu`. Small networks of each kind are trained on
both. In double precision they must agree to 1e-6 of how far training has moved their weights. In
single precision the device may be ten times as far from the processor's double precision as the
processor's own single precision is, in the median of the networks of a row: tf32 is farther.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from srhm.commands.printing import printing
from srhm.flow.cell import train_members
from srhm.images import training as images
from srhm.images.readers import CHANNELS, N_CLASSES, SIZE, Images
from srhm.model.grammar import parameters_of
from srhm.model.sampling import draw_samples
from srhm.model.seeding import generator
from srhm.planning.preset import plan_preset
from srhm.training.cell import processor
from srhm.training.stacked import StackMember, train_stack

ALLOWED, ALLOWED_SINGLE = 1e-6, 10.0
SEEDS, P, N_TEST = 4, 64, 200
# Section, and the keys of its only group of curves.
STACKS: dict[str, tuple[str, dict[str, Any]]] = {
    "CNN": ("sparse_hierarchy", {"net": "cnn", "L": 2, "s0": 1, "width": 256}),
    "LCN": ("sparse_hierarchy", {"net": "lcn", "L": 3, "s0": 1, "width": 64}),
    "FCN": ("sparse_hierarchy", {"net": "fcn", "L": 2, "s0": 1, "width": 256}),
    "VGG11": ("named_nets", {"net": "vgg11", "L": 2, "s0": 2, "width": 8}),
    "ResNet18": ("named_nets", {"net": "resnet18", "L": 2, "s0": 2, "width": 8}),
    "EfficientNetB0": ("named_nets", {"net": "efficientnetb0", "L": 2, "s0": 2, "width": 8}),
}
STEPS = {"sparse_hierarchy": 100, "named_nets": 6}
FLOWS = {
    "CNN, gradient flow": {"net": "cnn", "optimiser": {"max_evaluations": 100}},
    "FCN, Adam": {"net": "fcn", "optimiser": {"name": "adam", "max_evaluations": 100}},
}
IMAGE_STEPS = 6
IMAGE_CELL: dict[str, Any] = {
    **{"net": "resnet18", "width": 8, "batch_size": 32, "max_steps": IMAGE_STEPS},
    **{"learning_rate": 1e-3, "schedule": "cosine", "momentum": 0.9, "weight_decay": 5e-4},
    "augmentation": True,
}
HEADER = (
    "| network | trained, steps | device, s | processor, s | double | single | outcome |\n"
    "|---|---|---|---|---|---|---|"
)
BUFFERS = ("running_mean", "running_var", "num_batches_tracked")
Weights = Mapping[str, NDArray[Any]]
Train = Callable[[str, str], Sequence[Weights]]


@dataclass(frozen=True)
class Compared:
    """A row of the table, of networks that were trained on the device and on the processor.

    double: largest distance between their weights, over how far training has moved them. single:
    median distance of the device from double precision, over that of the processor; NaN where
    there is no such training.
    """

    network: str
    trained: str
    seconds: tuple[float, float]
    double: float = np.nan
    single: float = np.nan

    @property
    def agrees(self) -> bool:
        """Whether what there is is within what is allowed."""
        return not (self.double > ALLOWED or self.single > ALLOWED_SINGLE)

    def line(self) -> str:
        """The row."""
        single, double = (f"{value:.2g}" for value in (self.single, self.double))
        there, here = (f"{value:.3g}" for value in self.seconds)
        outcome = "agrees" if self.agrees else "DIFFERS"
        row = (self.network, self.trained, there, here, double, single, outcome)
        return f"| {' | '.join(row)} |"


def distance(one: Weights, other: Weights) -> float:
    """Between two networks' weights, without batch norm's buffers, which no gradient moves."""
    names = [name for name in one if not name.endswith(BUFFERS)]
    return sum(np.square(one[n] - other[n], dtype=np.float64).sum() for n in names) ** 0.5


def distances(
    some: Sequence[Weights], others: Sequence[Weights], starts: Sequence[Weights]
) -> list[float]:
    """Of each network: how far its weights are from the other's, over how far those have moved."""
    return [
        float(distance(weights, other) / distance(other, start))
        for weights, other, start in zip(some, others, starts, strict=True)
    ]


def compared(
    network: str, trained: str, device: str, train: Train, *, starts: Sequence[Weights] | None
) -> Compared:
    """A row of the table.

    trained: networks and steps, for people. train: from a device and a type of numbers to the
    weights of all networks. starts: weights before training; None: all that is trained starts at 0,
    in double precision alone.
    """
    dtype = "float64" if starts is None else "float32"
    weights, seconds = {}, {}
    for place in (device, "cpu"):
        train(place, dtype)  # the first call loads libraries
        clock = time.perf_counter()
        weights[place] = train(place, dtype)
        seconds[place] = time.perf_counter() - clock
    times = seconds[device], seconds["cpu"]
    if starts is None:
        zero = [{name: 0 * array for name, array in arrays.items()} for arrays in weights["cpu"]]
        double = max(distances(weights[device], weights["cpu"], zero))
        return Compared(network, trained, times, double=double)
    exact = train("cpu", "float64")
    there, here = (median(distances(weights[place], exact, starts)) for place in (device, "cpu"))
    double = max(distances(train(device, "float64"), exact, starts))
    return Compared(network, trained, times, double=double, single=there / here)


def compared_stacks(device: str) -> Iterator[Compared]:
    """LCN, CNN, FCN and named nets in stacks."""
    for name, (section, group) in STACKS.items():
        training = {"max_steps": STEPS[section], "n_checks": 0, "loss_threshold": 1e-12}
        training |= {"batch_size": 16, "learning_rate": 0.01} if section == "named_nets" else {}
        keys = {"seeds": SEEDS, "n_test": N_TEST, "training": training}
        keys["curves"] = [{"v": 4, "P": [P], **group}]
        (curve,) = plan_preset({"preset": "check", section: keys}).curves.values()
        parameters = parameters_of(curve.cells[0])
        samples = draw_samples(parameters, range(SEEDS), n_train=P, n_test=N_TEST)

        def train(place: str, dtype: str, curve: Any = curve, samples: Any = samples) -> Any:
            entries = [{**e, "cell": {**e["cell"], "dtype": dtype}} for e in curve.entries]
            cells = train_stack(
                entries, start=None, pause=lambda snapshot: None, samples=samples,
                device=torch.device(place), made_by=place,
            )  # fmt: skip
            return [cell.weights for cell in cells]

        starts = [StackMember(cell, samples, None).engine.weights() for cell in curve.cells]
        yield compared(name, f"{SEEDS} × {STEPS[section]}", device, train, starts=starts)


def compared_flows(device: str) -> Iterator[Compared]:
    """Members of a flow, all at once, in double precision."""
    for name, group in FLOWS.items():
        keys = {"L": 2, "v": 4, "s0": 1, "width": 32, "P": P, "loss_threshold": 1e-12, **group}
        section = {"n_test": 100, "curves": [keys]}
        (curve,) = plan_preset({"preset": "check", "crossover": section}).curves.values()
        cells = [{**curve.entries[0]["cell"], "member": member} for member in range(2 * SEEDS)]

        def train(place: str, _: str, cells: Any = cells) -> Sequence[Weights]:
            weights = train_members(cells, device=torch.device(place)).weights
            return [{k: v[e].numpy() for k, v in weights.items()} for e in range(len(cells))]

        yield compared(name, f"{len(cells)} × 100", device, train, starts=None)


class DoubleEngine(images.ImageEngine):
    """The engine of networks on images in double precision."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.network.double()
        self._moments = [moment.double() for moment in self._moments]


def compared_images(device: str) -> Iterator[Compared]:
    """A network on invented images, one seed after the other."""
    torch.backends.cudnn.allow_tf32 = False
    stream = generator(0, role="train")
    pixels = stream.integers(256, size=(128, CHANNELS, SIZE, SIZE)).astype(np.uint8)
    data = Images(pixels, stream.integers(N_CLASSES, size=128))
    orders = stream.integers(128, size=(SEEDS, IMAGE_STEPS * IMAGE_CELL["batch_size"]))

    def train(place: str, dtype: str, steps: int | None = None) -> Sequence[Weights]:
        kind, trained = DoubleEngine if dtype == "float64" else images.ImageEngine, []
        for seed, order in enumerate(orders):
            engine = kind({**IMAGE_CELL, "seed": seed}, data, data, data, device=place)
            engine.steps(order[:steps])
            trained.append(engine.weights())
        return trained

    starts = train("cpu", "float32", steps=0)
    yield compared("ResNet18, images", f"{SEEDS} × {IMAGE_STEPS}", device, train, starts=starts)


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if all agree with the processor, 1 if one does not, 2 if there is no GPU."""
    parser = argparse.ArgumentParser(prog="check_gpu", description=__doc__)
    parser.add_argument("--device", default="cuda", help="of torch; for tests")
    options = parser.parse_args(arguments)
    if options.device == "cuda" and not torch.cuda.is_available():
        print(f"there is no GPU to check: torch {torch.__version__} sees no CUDA device")
        return 2
    name = torch.cuda.get_device_name() if options.device == "cuda" else options.device
    print(f"{name}; torch {torch.__version__}; {processor()}\n\n{HEADER}")
    rows = []
    for kind in (compared_stacks, compared_flows, compared_images):
        for row in kind(options.device):
            print(row.line(), flush=True)
            rows.append(row)
    print(f"\nallowed: double {ALLOWED}, single {ALLOWED_SINGLE}; please send the table in")
    return 0 if all(row.agrees for row in rows) else 1


if __name__ == "__main__":
    sys.exit(printing(main))
