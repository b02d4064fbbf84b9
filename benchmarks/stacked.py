"""Steps a second of VGG, ResNet and EfficientNet in stacks on a GPU, against one by one.

    python benchmarks/stacked.py [--device cuda] [--output results/benchmarks/stacked.json]

For each net, at the sizes of the paper's comparison (v = 10, L = s = s0 = 2, batch 4): the stacked
engine against the size of the stack; one network at a time on the same device, its data there and
no synchronisation between steps; and the engine of the processor on one thread. Rates count the
steps of each network. Prints a table row by row, and writes JSON with device, versions, repeats and
command. With --device cpu, and small sizes, it says that it works and nothing about a GPU.
"""

import argparse
import json
import logging
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # read when torch and numpy are imported

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy

from srhm.model.grammar import GrammarParameters, draw_grammar
from srhm.model.sampling import draw_sample
from srhm.model.seeding import generator
from srhm.results.provenance import versions
from srhm.results.sources import digest_of
from srhm.training import stacked
from srhm.training.cell import processor
from srhm.training.network import NetworkEngine, inputs
from srhm.training.rounds import Work
from srhm.training.stacked import StackLayout, device_label, make_stack, plain_float32, stack_size

LOG = logging.getLogger("srhm.benchmarks")
NETS = ("vgg11_bn", "resnet18", "efficientnetb0")
SIZES = (1, 4, 16, 64)
MOMENTUM, RATE = 0.9, 1e-4
N_TRAIN, N_TEST = 1000, 500
PARAMETERS = GrammarParameters(
    depth=2, branching=2, n_features=10, n_synonyms=10, n_classes=10, n_empty=2
)


class OneByOne(NetworkEngine):
    """One network on a device, with its data: what a stack is to beat."""

    def __init__(self, *arguments: Any, device: torch.device, rate: float, **options: Any) -> None:
        super().__init__(*arguments, rate=rate, **options)
        self.network.to(device)
        self._optimiser = torch.optim.SGD(
            self.network.parameters(), lr=rate, momentum=MOMENTUM, fused=True
        )
        self._x = inputs(self._train, self._parameters, dtype=self._dtype).to(device)
        self._y = torch.from_numpy(self._train.labels.astype(np.int64)).to(device)

    def steps(self, order: NDArray[np.int64]) -> float:
        """As those of the processor; the loss leaves the device once."""
        self.network.train()
        summed = torch.zeros((), dtype=torch.float64, device=self._x.device)
        for points in torch.from_numpy(order).to(self._x.device).split(self._batch_size):
            loss = cross_entropy(self.network(self._x[points]), self._y[points])
            self._optimiser.zero_grad()
            loss.backward()
            self._optimiser.step()
            summed += loss.detach() * len(points)
        return summed.item()


def rate_of(
    steps: Callable[[], object], *, n_steps: int, seconds: float, n_repeats: int
) -> list[float]:
    """Steps a second of each repeat; `steps` makes n_steps and waits for them."""
    steps()  # the device chooses kernels
    clock = time.perf_counter()
    steps()
    times = max(1, round(seconds / (time.perf_counter() - clock)))
    found = []
    for _ in range(n_repeats):
        clock = time.perf_counter()
        for _ in range(times):
            steps()
        found.append(times * n_steps / (time.perf_counter() - clock))
    return found


def measure(net: str, choice: argparse.Namespace) -> dict[str, Any]:
    """One row: rates of the stacked engine by size, and of one by one."""
    device = torch.device(choice.device)
    plain_float32()
    train, test = draw_sample(
        draw_grammar(PARAMETERS, generator=generator(0, role="grammar")),
        n_train=N_TRAIN,
        n_test=N_TEST,
        train_generator=generator(0, role="train"),
        test_generator=generator(0, role="test"),
    )
    layout = StackLayout(
        net=net,
        parameters=PARAMETERS,
        width=choice.width,
        batch_size=choice.batch,
        momentum=MOMENTUM,
        n_train=N_TRAIN,
        n_test=N_TEST,
    )
    stream = np.random.default_rng(0)
    repeats = {"n_steps": choice.steps, "seconds": choice.seconds, "n_repeats": choice.repeats}

    def order() -> NDArray[np.int64]:
        return stream.integers(N_TRAIN, size=choice.steps * choice.batch)

    def one(made: Callable[..., NetworkEngine], **options: Any) -> NetworkEngine:
        return made(
            net,
            PARAMETERS,
            train,
            test,
            width=choice.width,
            generator=generator(0, role="initialisation"),
            batch_size=choice.batch,
            rate=RATE,
            momentum=MOMENTUM,
            **options,
        )

    start = one(NetworkEngine).state()
    row: dict[str, Any] = {"net": net, "H": choice.width, "batch": choice.batch}
    row |= {"size_of_the_rule": stack_size(layout), "stacked": {}, "test_points_a_second": {}}
    row["peak_bytes"] = {}
    for size in choice.sizes:
        if device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(device)
        stack = make_stack(layout, size, device=device, log=LOG)
        if stack.size < size:
            break
        slots = [stack.enter(start, train, test, rate=RATE) for _ in range(size)]

        def steps(stack: stacked.Stack = stack, slots: list[int] = slots) -> None:
            stack.train([Work(slot, order(), 0.0) for slot in slots])

        row["stacked"][str(size)] = [size * rate for rate in rate_of(steps, **repeats)]
        clock = time.perf_counter()
        stack.test_errors(slots)
        row["test_points_a_second"][str(size)] = size * N_TEST / (time.perf_counter() - clock)
        if device.type == "cuda":
            row["peak_bytes"][str(size)] = torch.cuda.max_memory_allocated(device)
        del stack, steps
        torch.cuda.empty_cache()
    alone = one(OneByOne, device=device)
    row["one_by_one"] = rate_of(lambda: alone.steps(order()), **repeats)
    on_processor = one(NetworkEngine)
    row["processor"] = rate_of(lambda: on_processor.steps(order()), **repeats)
    return row


HEADER = (
    "| net | H | batch | stack | steps/s | one by one | ratio | processor | size of the rule |\n"
    + "|---" * 9
    + "|"
)


def line(row: dict[str, Any]) -> str:
    """A row of the table: medians of the repeats, for the size that is fastest."""
    medians = {size: median(rates) for size, rates in row["stacked"].items()}
    size = max(medians, key=lambda size: medians[size])
    alone, on_processor = median(row["one_by_one"]), median(row["processor"])
    return (
        f"| {row['net']} | {row['H']} | {row['batch']} | {size} | {medians[size]:.4g} |"
        f" {alone:.4g} | {medians[size] / alone:.2g} | {on_processor:.4g} |"
        f" {row['size_of_the_rule']} |"
    )


def main() -> None:
    """Measures, prints and writes after each row, so that a run that is cut leaves what it has."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--nets", nargs="+", default=NETS)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="of stacks")
    parser.add_argument("--steps", type=int, default=stacked.STEPS_OF_A_ROUND, help="of a round")
    parser.add_argument("--seconds", type=float, default=2.0, help="of one repeat")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--output", type=Path, default=Path("results/benchmarks/stacked.json"))
    choice = parser.parse_args()
    device = torch.device(choice.device) if choice.device == "cpu" else stacked.device_for_stacks()
    machine = {
        "device": device_label(device),
        "processor": processor(),
        "versions": versions(["numpy", "torch"]),
        "n_repeats": choice.repeats,
        "command": " ".join(["python", *sys.argv]),
        "source": digest_of("srhm.training.stacked:"),
    }
    print(f"{machine['device']}; {machine['versions']}\n\n{HEADER}")
    choice.output.parent.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    for net in choice.nets:
        rows.append(measure(net, choice))
        print(line(rows[-1]), flush=True)
        choice.output.write_text(json.dumps({"machine": machine, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
