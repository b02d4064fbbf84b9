"""A task of fewer outputs than its symmetry leaves, and the same with all outputs.

Source: A. Jacot, talk "Bottleneck structure in large depth networks" (2023), slide "Impact of the
Output Dim.": where dim(Omega/~) >= d_out, networks learn f*(x) = f*(y) in the bottleneck in place
of the true symmetry ~, which could be learnt before it. The slide names no task.

Here x = A^T z + B^T u in d dimensions, z uniform in a disc and u in a cube. The true symmetry is
that u does not matter, and leaves the two dimensions of z. Of one output the task is |z|: then
f*(x) = f*(y) on circles, besides. Of three outputs it is (|z|, z_1, z_2): the full bottleneck.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import linalg

from srhm.experiments.cells import Outcome
from srhm.model import seeding
from srhm_studies.beyond.representation_cost import spectra
from srhm_studies.beyond.representation_cost.fitting import fit
from srhm_studies.beyond.representation_cost.networks import Architecture, activations, concatenated
from srhm_studies.beyond.representation_cost.outcomes import layer_tables, numbers

Values = NDArray[np.float64]
RADIUS = 2.0  # of the disc: unit variance of each coordinate
N_PAIRS = 500


def drawn(n: int, d: int, *, generator: np.random.Generator) -> tuple[Values, Values]:
    """z (n, 2), uniform in the disc, and u (n, d - 2), of unit variance."""
    angle = generator.uniform(0, 2 * np.pi, size=n)
    radius = RADIUS * np.sqrt(generator.uniform(size=n))
    z = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return z, generator.uniform(-np.sqrt(3), np.sqrt(3), size=(n, d - 2))


def task(z: Values, outputs: int) -> Values:
    """The first outputs of (|z|, z_1, z_2), each of zero mean and unit variance on the disc."""
    mean, deviation = 2 / 3 * RADIUS, RADIUS / np.sqrt(18)
    length = (np.linalg.norm(z, axis=1) - mean) / deviation
    return np.column_stack([length, z])[:, :outputs]


def turned(z: Values, *, generator: np.random.Generator) -> Values:
    """Each z at another angle, of the same length."""
    angle = generator.uniform(0, 2 * np.pi, size=len(z))
    return np.linalg.norm(z, axis=1)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


def run(cell: Mapping[str, Any]) -> Outcome:
    """One network that learns the task.

    cell: outputs (1 or 3), L, width, n, d, and what `fitting.fit` reads. Row: besides
    `outcomes.numbers` the variance of the targets. Table `layers` has, of pairs that were not
    fitted, the mean squared distance of their representations over that of independent pairs:
    apart_true where z is equal and u is not, apart_full where |z| alone is equal.
    """
    seed, n, d, outputs = (int(cell[name]) for name in ("seed", "n", "d", "outputs"))
    turn = seeding.generator(seed, role="transformation")
    basis = linalg.qr(turn.normal(size=(d, d)))[0]

    def inputs(z: Values, u: Values) -> torch.Tensor:
        return torch.from_numpy(np.column_stack([z, u]) @ basis.T)

    z, u = drawn(n, d, generator=seeding.generator(seed, role="train"))
    x, wanted = inputs(z, u), torch.from_numpy(task(z, outputs))
    channels = concatenated((d, outputs), int(cell["L"]), int(cell["width"]))
    fitted = fit(Architecture(channels=channels), x, wanted, cell)
    row = {**numbers(fitted), "variance": float(wanted.var(0, correction=0).sum())}
    if not fitted.finite:
        return Outcome(row)
    pairs = seeding.generator(seed, role="test")
    one, u_one = drawn(N_PAIRS, d, generator=pairs)
    other, u_other = drawn(N_PAIRS, d, generator=pairs)
    ends = {"true": one, "full": turned(one, generator=pairs), "any": other}

    def layers_of(z: Values, u: Values) -> list[torch.Tensor]:
        return activations(fitted.parameters, inputs(z, u).to(fitted.parameters.theta.dtype))[1:]

    first = layers_of(one, u_one)
    apart = {
        name: [float((a - b).square().sum(1).mean()) for a, b in zip(first, second, strict=True)]
        for name, second in ((name, layers_of(end, u_other)) for name, end in ends.items())
    }
    tables = layer_tables(fitted, x)
    layers = {
        **tables["layers"],
        **{f"apart_{name}": np.divide(apart[name], apart["any"]) for name in ("true", "full")},
    }
    middle = first[int(cell["L"]) // 2 - 1]
    row["representation_rank"] = float(spectra.n_visible(spectra.representation_values(middle)))
    return Outcome(row, {**tables, "layers": layers})
