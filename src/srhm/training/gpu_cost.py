"""What a preset will cost on one GPU: its steps, times the bytes of a step, over bytes a second.

A step of the packed engine is bound by memory. With batch B it touches, in the layers k >= 2, the
rows of the channels that are active in an input of any of its entries, and in the first layer one
row an entry. U rows of H channels in float32 are

    forward     weights, and momenta not updated in the step before: 4 to 8 U H bytes
    update      weights and momenta, read and written: 16 U H bytes

Activations, errors and lists stay in the caches. With q entries to a row there are 2 q + 1
multiply-adds an element forward and 2 q + 4 in the update: at q = 2 one operation for each byte,
where an H100 does 20. The benchmark's share of the bandwidth counts the 16 U H of the update alone,
so that 67 to 80 % is the most it can reach. CNN, s = 2, v = 8, s0 = 1, H = 512, B = 4: U = 1473 at
L = 2 and 3327 at L = 3, at most 185 and 82 thousand steps a second at 3.35 TB/s. How many bytes a
second a GPU manages is taken from results/benchmarks/gpu.json, which `make bench-gpu` writes; where
there is none, it is the bandwidth that the maker of an H100 names, and the result a bound.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from srhm.networks.geometry import Geometry
from srhm.training.cell import geometry_of, points_of_a_step
from srhm.training.cost import BYTES, FORWARD, Cost

BENCHMARK = Path("results/benchmarks/gpu.json")
# H100 SXM, HBM3: bytes a second, as the maker names it.
NOMINAL = 3.35e12
# Reads and writes of an element of a touched row: weights and momenta, in the update and before.
IN_UPDATE, IN_FORWARD = 4, 2
# Part of an entry's channels that ReLU leaves active.
ACTIVE = 0.5


@dataclass(frozen=True)
class GpuRate:
    """Bytes a second of an update, by width; none measured: the roofline."""

    by_width: Mapping[int, float]
    origin: str

    def bytes_a_second(self, width: int) -> float:
        """Bytes of updated rows a second, at the measured width that is nearest."""
        if not self.by_width:
            return NOMINAL * IN_UPDATE / (IN_UPDATE + IN_FORWARD)
        nearest = min(self.by_width, key=lambda other: abs(other - width))
        return self.by_width[nearest]


def gpu_rate(path: Path = BENCHMARK) -> GpuRate:
    """The rate of a benchmark; the roofline where there is none."""
    if not path.is_file():
        return GpuRate({}, "the bandwidth of an H100 as its maker names it (no benchmark): a bound")
    found = json.loads(path.read_text(encoding="utf-8"))
    rates: dict[int, list[float]] = {}
    for row in found["rows"]:
        fastest = max(median(repeats) for repeats in row["packed"].values())
        rates.setdefault(row["H"], []).append(fastest * row["bytes_a_step"])
    by_width = {width: median(values) for width, values in rates.items()}
    return GpuRate(by_width, f"{path}, measured on {found['machine']['device']}")


def touched_rows(shape: Geometry, n_points: int) -> float:
    """Expected rows that a step updates, with places that are uniform and independent."""
    rows, inputs = 0.0, shape.parameters.n_leaves
    for k, layer in enumerate(shape.layers):
        entries = n_points * inputs
        slots = layer.n_slots * (layer.n_inputs if k == 0 else 1)
        groups = slots * (1 - (1 - 1 / slots) ** entries)
        share = 1.0 if k == 0 else 1 - (1 - ACTIVE) ** (entries / groups)
        rows += groups * share * (1 if k == 0 else layer.n_inputs)
        inputs //= layer.arity
    return rows


def gpu_seconds(
    cells: Iterable[Mapping[str, Any]], expected: Iterable[Cost], rate: GpuRate
) -> float:
    """Seconds of one GPU that packs of these cells keep busy; cells of other engines take none."""
    total = 0.0
    for cell, cost in zip(cells, expected, strict=True):
        if cell.get("engine") != "sparse":
            continue
        shape = geometry_of(cell)
        n_points = points_of_a_step(cell)
        updated = IN_UPDATE * BYTES[cell["dtype"]] * shape.width * touched_rows(shape, n_points)
        looks = (cell["n_checks"] + 1) * cell["n_test"] / n_points
        steps = cost.steps + FORWARD * looks
        total += steps * updated / rate.bytes_a_second(shape.width)
    return total
