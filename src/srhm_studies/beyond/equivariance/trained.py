"""Networks on blocks of Tetris after training: what a rotation changes, layer by layer.

The networks of `tetris`, and the same with one thing changed: filter, padding, fields of the first
layer, biases, or the orientation in which the blocks are seen.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from srhm.experiments.cells import Outcome
from srhm.model.seeding import generator
from srhm_studies.beyond.equivariance.experiment import (
    BLOCKS,
    inputs,
    random_rotations,
    torch_generator,
    trained,
)
from srhm_studies.beyond.equivariance.steerable import (
    LAYERS,
    STRIDES,
    Fields,
    MeanOfVoxels,
    Readout,
    SteerableConvolution,
    gate,
    low_pass,
    normalised,
    with_gates,
)


class Block(nn.Module):
    """A steerable convolution with gates, the filter before it or behind.

    Before the convolution: gates act on the voxels that the stride leaves. Behind, as in the
    author's code: gates act on all voxels, then come the filter and the stride.
    """

    def __init__(
        self, before: Fields, after: Fields, *, stride: int, cell: Mapping[str, Any],
        draws: torch.Generator,
    ) -> None:  # fmt: skip
        super().__init__()
        outputs = with_gates(after)
        self.convolution = SteerableConvolution(before, outputs, stride=stride, draws=draws)
        self.fields, self.stride, self.padding = after, stride, cell["padding"]
        blurs = cell["low_pass"] and stride > 1
        self.blurred = partial(low_pass, width=cell["blur"]) if blurs else nn.Identity()
        self.behind = blurs and cell["place"] == "behind"
        self.scale = 1.0
        self.bias = nn.Parameter(torch.zeros(outputs[0]), requires_grad=cell["bias"])

    def convolved(self, x: Tensor) -> Tensor:
        """What the gates get, but for scale and biases."""
        stride = 1 if self.behind else self.stride
        x = x if self.behind else self.blurred(x)
        return functional.conv3d(x, self.convolution.kernel(), stride=stride, padding=self.padding)

    def forward(self, x: Tensor) -> Tensor:
        """(B, C before, n, n, n) to (B, C after, n', n', n')."""
        x = self.scale * self.convolved(x)
        biases = functional.pad(self.bias, (0, x.shape[1] - len(self.bias)))
        x = gate(self.fields, x + biases[:, None, None, None])
        skipped = slice(None, None, self.stride)
        return self.blurred(x)[..., skipped, skipped, skipped] if self.behind else x


def hidden_layers(cell: Mapping[str, Any], draws: torch.Generator) -> nn.Sequential:
    """Those of Table 1 with parts of its fields, `first` of layer 1 and `width` of the others."""
    blocks, before = [], tuple[int, ...]((1,))
    for number, fields in enumerate(LAYERS):
        part = cell["width"] if number else cell["first"]
        after = tuple(max(1, round(part * n)) for n in fields)
        blocks.append(Block(before, after, stride=STRIDES[number], cell=cell, draws=draws))
        before = after
    return nn.Sequential(*blocks)


def run(cell: Mapping[str, Any]) -> Outcome:
    """Accuracy on blocks in random rotations, and the table `layers`: a row for each layer.

    Layers 1 to 4, then the scores of the classes. What is compared does not change where a field
    turns as it should: means over voxels of the lengths of the fields, and the scores.
    """
    draws = torch_generator(cell["seed"])
    hidden = hidden_layers(cell, draws)
    turns = np.broadcast_to(np.eye(3), (len(BLOCKS), 3, 3))
    if cell["train"] == "R":
        turns = random_rotations(len(BLOCKS), generator(cell["seed"], role="transformation"))
    seen = each_in_its_own(turns, cell["n"])
    features = normalised(hidden, seen).mean(dim=(2, 3, 4))
    network = nn.Sequential(hidden, MeanOfVoxels(), Readout(features, len(BLOCKS), draws=draws))
    labels = torch.arange(len(BLOCKS))
    learnt = [parameter for parameter in network.parameters() if parameter.requires_grad]
    loss = trained(network, learnt, seen, labels, cell)
    rotations = random_rotations(cell["rotations"], generator(cell["seed"], role="test"))
    with torch.no_grad():
        straight = invariants(network, seen)
        tested = [invariants(network, inputs(rotation[None], cell["n"])) for rotation in rotations]
    moved = [torch.stack(layer) for layer in zip(*tested, strict=True)]
    right = (moved[-1].argmax(dim=-1) == labels).float()
    return Outcome(
        {
            "accuracy": float(right.mean()),
            "train_accuracy": float((straight[-1].argmax(dim=1) == labels).float().mean()),
            "loss": loss,
            "parameters": sum(parameter.numel() for parameter in learnt),
        },
        compared(straight, moved),
    )


def each_in_its_own(turns: Any, n: int) -> Tensor:
    """Block i in rotation i, shape (blocks, 1, n, n, n)."""
    all_pairs = inputs(turns, n).unflatten(0, (len(BLOCKS), len(BLOCKS)))
    return all_pairs[range(len(BLOCKS)), range(len(BLOCKS))]


def invariants(network: nn.Sequential, x: Tensor) -> list[Tensor]:
    """Of each layer the means of the lengths of its fields, (B, fields); last the scores."""
    hidden, mean, readout = network.children()
    means = []
    for block in hidden.children():
        assert isinstance(block, Block)
        x = block(x)
        sizes = [(n, 2 * order + 1) for order, n in enumerate(block.fields)]
        parts = x.split([n * size for n, size in sizes], dim=1)
        lengths = [
            part.unflatten(1, size).norm(dim=2) for part, size in zip(parts, sizes, strict=True)
        ]
        means.append(torch.cat(lengths, dim=1).mean(dim=(2, 3, 4)))
    return [*means, readout(mean(x))]


def compared(straight: list[Tensor], moved: list[Tensor]) -> dict[str, dict[str, list[float]]]:
    """Change under rotations and distance of the classes, over the length of the invariants.

    straight: (blocks, invariants) of each layer. moved: the same in other rotations, (rotations,
    blocks, invariants). recognised: part of the moved blocks that are nearest to the right one.
    Table `blocks` has the same of each block, with the distance of the block nearest to it.
    """
    layers: dict[str, list[float]] = {}
    blocks: dict[str, list[float]] = {}
    for number, (before, after) in enumerate(zip(straight, moved, strict=True), start=1):
        length = before.square().sum(dim=1).mean().sqrt()
        changes = (after - before).square().sum(dim=2)
        right = (torch.cdist(after, before).argmin(dim=2) == torch.arange(len(before))).float()
        rows = {
            "layer": number, "error": float(changes.mean().sqrt() / length),
            "distance": float(torch.pdist(before).square().mean().sqrt() / length),
            "recognised": float(right.mean()),
        }  # fmt: skip
        for name, value in rows.items():
            layers.setdefault(name, []).append(value)
        diagonal = torch.diag(torch.full((len(before),), torch.inf))
        distances = (torch.cdist(before, before) + diagonal).min(dim=1)
        of_blocks = {
            "layer": [number] * len(before), "block": range(len(before)),
            "change": (changes.mean(dim=0).sqrt() / length).tolist(),
            "distance": (distances.values / length).tolist(),
            "nearest": distances.indices.tolist(), "recognised": right.mean(dim=0).tolist(),
        }  # fmt: skip
        for name, values in of_blocks.items():
            blocks.setdefault(name, []).extend(values)
    return {"layers": layers, "blocks": blocks}
