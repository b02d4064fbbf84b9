"""Table 1 of the paper, read off the modules: structures that a forward pass really meets.

The networks of the paper's comparison, at full width with ten classes: in two dimensions on images
of 32 x 32 in three colours, in one on the SRHM with v = 10, L = s = s_0 = 2 (d = 36 places). A pool
counts if it makes the places fewer there. Side branches (shortcuts, squeeze-and-excitation) count
as parameters, not as depth.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

import torch
from torch import Tensor, nn

from srhm.networks.convolutions import Dimensions, DropConnect, Dropout, HalvingPool
from srhm.networks.efficientnet import InvertedResidualBlock, SqueezeExcitation
from srhm.networks.named import named_network
from srhm.networks.resnet import Projection, ResidualBlock

N_CLASSES = 10
INPUT: dict[Dimensions, tuple[int, ...]] = {2: (3, 32, 32), 1: (10, 36)}

_WEIGHTS = (nn.Conv1d, nn.Conv2d, nn.Linear)
_NORMS = (nn.BatchNorm1d, nn.BatchNorm2d)
_MAX_POOLS = (HalvingPool, nn.MaxPool1d, nn.MaxPool2d)
_AVERAGES = (nn.AdaptiveAvgPool1d, nn.AdaptiveAvgPool2d)
_ACTIVATIONS = {nn.ReLU: "ReLU", nn.SiLU: "swish"}
_SIDE_BRANCHES = (Projection, SqueezeExcitation)


@dataclass(frozen=True)
class Structure:
    """What Table 1 lists of one network.

    depth: convolutions and linear layers from input to output, outside side branches;
    depth_in_blocks: the same with each inverted residual block counted as one layer. n_parameters:
    trained ones, without the running moments of batch norm. n_linear: fully connected layers, the
    readout included. activation: ReLU or swish. pooling: max; average (last layer only); or none.
    dropout, drop_connect: largest rates, 0 for none. n_skips: blocks with a skip connection.
    """

    depth: int
    depth_in_blocks: int
    n_parameters: int
    n_linear: int
    activation: str
    pooling: str
    dropout: float
    drop_connect: float
    batch_norm: bool
    n_skips: int


# The named nets of each family.
FAMILIES: dict[str, tuple[str, ...]] = {
    "vgg": ("vgg11", "vgg11_bn", "vgg16", "vgg16_bn"),
    "resnet": ("resnet18", "resnet34"),
    "efficientnet": ("efficientnetb0", "efficientnetb1", "efficientnetb2"),
}
# As printed; the numbers are of the 2-D networks.
_PRINTED = {
    "": ("depth", "parameters", "fc_layers", "activation", "pooling",
         "dropout", "batch_norm", "skip_connections"),
    "vgg": ("11, 16", "9-15 M", "1", "ReLU", "max", "/", "if 'bn' in name", "/"),
    "resnet": ("18, 34", "11-21 M", "1", "ReLU", "avg. (last layer only)", "/", "yes", "yes"),
    "efficientnet": ("18", "5 M", "1", "swish", "avg. (last layer only)",
                     "yes + dropconnect", "yes", "yes (inv. residuals)"),
}  # fmt: skip
PAPER: dict[str, dict[str, str]] = {
    name: dict(zip(_PRINTED[""], _PRINTED[name], strict=True)) for name in FAMILIES
}
# Smallest and largest of the printed millions of parameters, and the printed depths.
PAPER_MILLIONS = {"vgg": (9, 15), "resnet": (11, 21), "efficientnet": (5, 5)}
PAPER_DEPTHS = {"vgg": (11, 16), "resnet": (18, 34), "efficientnet": (18,)}


def structure(name: str, *, dimensions: Dimensions, n_classes: int = N_CLASSES) -> Structure:
    """Structure of a named network of full width, from its modules and one forward pass."""
    shape = INPUT[dimensions]
    network = named_network(
        name,
        dimensions=dimensions,
        in_channels=shape[0],
        n_classes=n_classes,
        generator=torch.Generator().manual_seed(0),  # no number of the table depends on it
    )
    met = _executed(network, torch.zeros(1, *shape))
    modules = [module for module, _ in met]
    weights = [m for m in modules if isinstance(m, _WEIGHTS)]
    inverted = [m for m in network.modules() if isinstance(m, InvertedResidualBlock)]
    inside = {m for block in inverted for m in block.modules()}
    residual = [m for m in network.modules() if isinstance(m, ResidualBlock)]
    return Structure(
        depth=len(weights),
        depth_in_blocks=sum(m not in inside for m in weights) + len(inverted),
        n_parameters=sum(p.numel() for p in network.parameters() if p.requires_grad),
        n_linear=sum(isinstance(m, nn.Linear) for m in modules),
        activation=", ".join(
            sorted({_ACTIVATIONS[type(m)] for m in modules if type(m) in _ACTIVATIONS})
        ),
        pooling=_pooling(met),
        dropout=max((m.rate for m in modules if type(m) is Dropout), default=0.0),
        drop_connect=max((m.rate for m in modules if type(m) is DropConnect), default=0.0),
        batch_norm=any(isinstance(m, _NORMS) for m in modules),
        n_skips=len(residual) + sum(block.skip for block in inverted),
    )


def table1() -> list[dict[str, Any]]:
    """Rows of Table 1: each named network in two and in one dimension, beside the paper's column.

    Keys: net, family, dimensions, the fields of Structure, paper_depth ... paper_skip_connections
    as printed, and `note`: where ours differs and why, empty if nowhere.
    """
    rows = []
    for family, nets in FAMILIES.items():
        paper = {f"paper_{item}": text for item, text in PAPER[family].items()}
        for name, dimensions in product(nets, INPUT):
            measured = structure(name, dimensions=dimensions)
            note = "; ".join(_notes(family, name, dimensions, measured))
            own = {"net": name, "family": family, "dimensions": dimensions, **asdict(measured)}
            rows.append({**own, **paper, "note": note})
    return rows


def _executed(network: nn.Module, x: Tensor) -> list[tuple[nn.Module, bool]]:
    """Modules without children on the main path in order, and whether each made places fewer."""
    branches = (branch for branch in network.modules() if isinstance(branch, _SIDE_BRANCHES))
    side = {part for branch in branches for part in branch.modules()}
    met: list[tuple[nn.Module, bool]] = []

    def note(module: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        met.append((module, output.shape[2:] != inputs[0].shape[2:]))

    for module in network.modules():
        if not list(module.children()) and module not in side:
            module.register_forward_hook(note)
    with torch.no_grad():
        network.eval()(x)
    return met


def _pooling(met: list[tuple[nn.Module, bool]]) -> str:
    last_convolution = max(i for i, (m, _) in enumerate(met) if isinstance(m, _WEIGHTS[:2]))
    kinds = []
    if any(fewer for m, fewer in met if isinstance(m, _MAX_POOLS)):
        kinds.append("max")
    averages = [i for i, (m, fewer) in enumerate(met) if fewer and isinstance(m, _AVERAGES)]
    if averages:
        last_only = min(averages) > last_convolution
        kinds.append("average (last layer only)" if last_only else "average")
    return ", ".join(kinds) or "none"


def _notes(family: str, name: str, dimensions: Dimensions, found: Structure) -> Iterator[str]:
    """Where a network differs from its column of Table 1, and why."""
    low, high = PAPER_MILLIONS[family]
    millions = found.n_parameters / 1e6
    if dimensions == 1:
        yield f"{millions:.1f} M: the paper counts filters of two dimensions"
    elif not low <= round(millions) <= high:
        published = structure(name, dimensions=2, n_classes=1000).n_parameters / 1e6
        yield f"{millions:.1f} M with {N_CLASSES} classes, {published:.1f} M with ImageNet's 1000"
    if family == "vgg":
        named = int(name.removeprefix("vgg").removesuffix("_bn"))
        if found.depth != named:
            yield f"depth {found.depth}: the name counts three fully connected layers"
    elif family == "efficientnet":
        yield (
            f"depth {found.depth}, or {found.depth_in_blocks} with each block as one layer: "
            "18 would be the 16 blocks of B0 and two layers"
        )
    elif found.depth not in PAPER_DEPTHS[family]:
        yield f"depth {found.depth}"
