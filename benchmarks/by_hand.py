"""Time of one step of SGD beside the fastest PyTorch that we can write: gradients by hand.

    python benchmarks/by_hand.py [--quick]

prints and writes results/benchmarks/by_hand.md and .json. One thread and its processor time. The
engines take turns, and ratios are of the fastest repeats; problems and the dense module are those
of step_time.py.
"""

import argparse
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from dense_module import DenseEngine
from step_time import BATCH, SECONDS, TRAINED_STEPS, cell, problem, repeated, write
from torch import Tensor

from srhm.model.encoding import symbols
from srhm.model.sampling import Derivations
from srhm.model.seeding import generator
from srhm.networks.geometry import Geometry, initial_weights
from srhm.store.provenance import versions
from srhm.training.cell import processor
from srhm.training.sparse import SparseEngine

STACKED = 8
COLUMNS = ("dense", "by hand", "stacked")


class HandEngine:
    """LCN or CNN, or a stack of equal ones on the same batches: batched products, updates in place.

    A layer's weights are (G, K, H) and its inputs (G, M, K). Of a CNN G counts networks, and M
    points times places; of an LCN G counts networks times places, and M points.
    """

    def __init__(
        self,
        geometry: Geometry,
        weights: Mapping[str, np.ndarray],
        train: Derivations,
        *,
        batch_size: int,
        rate: float,
        momentum: float,
        stack: int = 1,
    ) -> None:
        torch.set_flush_denormal(True)
        self._geometry, self._stack, self._batch_size = geometry, stack, batch_size
        self._rate, self._momentum, self._shared = rate, momentum, geometry.net == "cnn"
        self._symbols = torch.from_numpy(symbols(train, geometry.parameters).astype(np.int64))
        self._labels = torch.from_numpy(train.labels.astype(np.int64))
        n_features = geometry.parameters.n_features
        self._table = torch.cat([torch.zeros(1, n_features), torch.eye(n_features)])
        self._weights: list[Tensor] = []
        for k, layer in enumerate(geometry.layers, start=1):
            places = 1 if self._shared else layer.n_places
            w = torch.from_numpy(weights[f"layer{k}"]).reshape(places, -1, geometry.width)
            self._weights.append(w.repeat(stack, 1, 1))
        self._weights.append(torch.from_numpy(weights["readout"]).repeat(stack, 1, 1))
        self._momenta = [torch.zeros_like(w) for w in self._weights]

    def weights(self, member: int = 0) -> list[Tensor]:
        """Weights of one network of the stack: layers (places, K, H), readout (1, H, n_c)."""
        return [w.view(self._stack, -1, *w.shape[1:])[member] for w in self._weights]

    @torch.inference_mode()
    def steps(self, order: np.ndarray) -> None:
        """Trains on these points, batch after batch."""
        for rows in torch.from_numpy(order).split(self._batch_size):
            self._step(rows)

    def _step(self, rows: Tensor) -> None:
        n, stack, width, shared = len(rows), self._stack, self._geometry.width, self._shared
        x = self._table[self._symbols[rows]].expand(stack, n, -1, -1)
        inputs, active = [], []
        for layer, w in zip(self._geometry.layers, self._weights, strict=False):
            if shared:
                x = x.reshape(stack, n * layer.n_places, -1)
            else:
                x = (
                    x.reshape(stack, n, layer.n_places, -1)
                    .transpose(1, 2)
                    .reshape(*w.shape[:1], n, -1)
                )
            inputs.append(x)
            x = torch.bmm(x, w).mul_(layer.scale).clamp_(min=0)
            active.append(x)
            if shared:
                x = x.view(stack, n, layer.n_places, width)
            else:
                x = x.view(stack, layer.n_places, n, width).transpose(1, 2)
        hidden = x.reshape(stack, n, width)
        logits = torch.bmm(hidden, self._weights[-1]).div_(width)
        slope = logits.softmax(2)
        slope[:, torch.arange(n), self._labels[rows]] -= 1
        slope /= n * width
        back = torch.bmm(slope, self._weights[-1].transpose(1, 2))
        self._update(-1, hidden, slope)
        for k in reversed(range(len(inputs))):
            layer, x = self._geometry.layers[k], active[k]
            if shared:
                back = back.reshape(x.shape)
            else:
                back = (
                    back.reshape(stack, n, layer.n_places, width).transpose(1, 2).reshape(x.shape)
                )
            slope = torch.where(x > 0, back, 0.0).mul_(layer.scale)
            if k:
                back = torch.bmm(slope, self._weights[k].transpose(1, 2))
                if not shared:  # (networks, places, points, inputs) to points before places
                    back = back.view(stack, layer.n_places, n, -1).transpose(1, 2)
            self._update(k, inputs[k], slope)

    def _update(self, k: int, inputs: Tensor, slope: Tensor) -> None:
        momenta = self._momenta[k]
        torch.baddbmm(momenta, inputs.transpose(1, 2), slope, beta=self._momentum, out=momenta)
        self._weights[k].add_(momenta, alpha=-self._rate)


def measure(coordinates: dict[str, Any], *, n_repeats: int) -> dict[str, Any]:
    """One row of the table, from the weights of the sparse engine after some steps."""
    n_train = coordinates["P"]
    shape, train, test, choice = problem(coordinates)
    weights = initial_weights(shape, generator=generator(0, role="initialisation"))
    stream = np.random.default_rng(0)
    sparse = SparseEngine(shape, weights, train, test, **choice)
    sparse.steps(stream.integers(n_train, size=BATCH * TRAINED_STEPS[shape.width]))
    weights = sparse.weights()
    engines: dict[str, Any] = {
        "sparse": sparse,
        "dense": DenseEngine(shape, weights, train, **choice),
        "by hand": HandEngine(shape, weights, train, **choice),
        "stacked": HandEngine(shape, weights, train, **choice, stack=STACKED),
    }
    times = repeated(engines, stream, n_train, n_repeats, time.process_time)
    times["stacked"] = [one / STACKED for one in times["stacked"]]
    return coordinates | {name: min(values) for name, values in times.items()}


def table(rows: list[dict[str, Any]], machine: dict[str, Any]) -> str:
    """The rows in Markdown, with what they were measured on."""
    lines = [
        f"{machine['processor']}; {machine['versions']}; one thread, its processor time.",
        f"Milliseconds a step and network, fastest of {machine['n_repeats']} repeats of"
        f" {SECONDS:g} s; in brackets times the sparse engine. v = m = n_c = 8, s = 2, batch"
        f" {BATCH}, float32; stacked: {STACKED} networks at once.",
        "",
        "| net | L | s0 | H | sparse | dense | by hand | stacked |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        columns = [row["net"].upper(), *(str(row[name]) for name in ("L", "s0", "H"))]
        columns.append(f"{row['sparse']:.3g}")
        columns += [f"{row[name]:.3g} ({row[name] / row['sparse']:.1f})" for name in COLUMNS]
        lines.append("| " + " | ".join(columns) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="3 repeats instead of 20")
    n_repeats = 3 if parser.parse_args().quick else 20
    torch.set_num_threads(1)
    machine = {
        "processor": processor(),
        "versions": versions(["numpy", "numba", "torch"]),
        "n_repeats": n_repeats,
    }
    rows = []
    for width in (128, 512):
        for depth in (2, 3):
            for net in ("cnn", "lcn"):
                rows.append(measure(cell(net, depth, 1, width, 2000), n_repeats=n_repeats))
                print(table(rows[-1:], machine).splitlines()[-1], flush=True)
    write("by_hand", rows, machine, table(rows, machine))


if __name__ == "__main__":
    main()
