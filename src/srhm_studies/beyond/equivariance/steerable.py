"""3D steerable convolutions on voxels, built on e3nn, and the networks of the Tetris experiment.

Thesis, chapter 5 (3D steerable CNNs), sections 4.2 to 4.4. A field of order l has 2l+1 components
at each voxel, which rotations mix by D^l. A convolution from order l to j is equivariant if its
kernel obeys kappa(r x) = D^j(r) kappa(x) D^l(r)^-1 (Eq. 12); a basis of these kernels is
phi^m(|x|) Q^J Y^J(x/|x|) with |j-l| <= J <= j+l and Gaussian shells phi^m at radii m = 0, 1, ...

Fields: the number of fields of each order, (4, 4, 4, 1) for orders 0 to 3. Their components lie
one field behind the other, by order. Shapes: B inputs, C components, n voxels along each side.
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from math import sqrt
from typing import Any

import torch
from e3nn import o3
from torch import Tensor, nn
from torch.nn import functional

Fields = Sequence[int]

SIZE = 5  # voxels along a side of a kernel
SHELL_WIDTH = 0.6  # voxels, section 4.4.1
BLUR = 2.0  # voxels, standard deviation of the low-pass filter; the thesis gives none
BIAS = 0.5  # of the norm nonlinearity, which the thesis leaves open
# Table 1 of the supplement.
LAYERS: Sequence[Fields] = ((4, 4, 4, 1), (16, 16, 16), (32, 16, 16), (128,))
STRIDES = (1, 2, 2, 1)


@cache
def kernel_basis(order_in: int, order_out: int) -> Tensor:
    """Basis of the equivariant kernels, each of norm 1: (kernels, 2j+1, 2l+1, SIZE, SIZE, SIZE).

    A shell of radius m has no J above 2m (section 4.4.1: J_max^m, without its values).
    """
    side = torch.arange(SIZE, dtype=torch.float64) - SIZE // 2
    places = torch.stack(torch.meshgrid(side, side, side, indexing="ij"), dim=-1)
    radius = places.norm(dim=-1)
    kernels = []
    for shell in range(SIZE // 2 + 1):
        profile = torch.exp(-((radius - shell) ** 2) / (2 * SHELL_WIDTH**2))
        # A ball: the corners of the cube would single out its diagonals.
        profile = torch.where(radius <= SIZE / 2, profile, 0.0)
        for J in range(abs(order_out - order_in), min(order_out + order_in, 2 * shell) + 1):
            harmonics = o3.spherical_harmonics(J, places, normalize=True)
            mixing = o3.wigner_3j(order_out, order_in, J, dtype=torch.float64)
            kernel = torch.einsum("oik,xyzk,xyz->oixyz", mixing, harmonics, profile)
            kernels.append(kernel / kernel.norm())
    return torch.stack(kernels).to(torch.get_default_dtype())


class SteerableConvolution(nn.Module):
    """A convolution between fields whose kernels are combinations of the basis."""

    def __init__(
        self, before: Fields, after: Fields, *, stride: int, draws: torch.Generator
    ) -> None:
        super().__init__()
        self.stride = stride
        self.weights = list[nn.ParameterList]()
        self.bases = [
            [kernel_basis(order, out) for order in range(len(before))] for out in range(len(after))
        ]
        for out, (n_out, bases) in enumerate(zip(after, self.bases, strict=True)):
            # Outputs of variance 1 from white inputs of variance 1: a row of a kernel of norm 1
            # has 1/(2j+1) of its squares.
            n_inputs = sum(n * len(basis) for n, basis in zip(before, bases, strict=True))
            scale = sqrt((2 * out + 1) / n_inputs)
            drawn = (
                nn.Parameter(scale * torch.randn(n_out, n_in, len(basis), generator=draws))
                for n_in, basis in zip(before, bases, strict=True)
            )
            self.weights.append(nn.ParameterList(drawn))
        # Where the parameters of a module are looked for.
        self.all_weights = nn.ModuleList(self.weights)

    def kernel(self) -> Tensor:
        """That of an ordinary convolution, shape (C after, C before, SIZE, SIZE, SIZE)."""
        rows = []
        for weights, bases in zip(self.weights, self.bases, strict=True):
            blocks = [
                torch.einsum("uvb,boixyz->uovixyz", weight, basis).flatten(2, 3).flatten(0, 1)
                for weight, basis in zip(weights, bases, strict=True)
            ]
            rows.append(torch.cat(blocks, dim=1))
        return torch.cat(rows)

    def forward(self, x: Tensor) -> Tensor:
        """(B, C before, n, n, n) to (B, C after, n', n', n')."""
        return functional.conv3d(x, self.kernel(), stride=self.stride, padding=SIZE // 2)


def dimension(fields: Fields) -> int:
    """Components of all fields together."""
    return sum(n * (2 * order + 1) for order, n in enumerate(fields))


def with_gates(fields: Fields) -> Fields:
    """The fields with a scalar more for each of higher order."""
    return (fields[0] + sum(fields[1:]), *fields[1:])


def gate(fields: Fields, x: Tensor) -> Tensor:
    """ReLU of scalars; each other field times the sigmoid of a scalar of its own (section 4.3).

    x: components of `with_gates(fields)`.
    """
    scalars, gates, others = x.split(
        [fields[0], sum(fields[1:]), dimension(fields) - fields[0]], dim=1
    )
    spread = torch.sigmoid(gates).repeat_interleave(_sizes(fields[1:], first=1), dim=1)
    return torch.cat([scalars.relu(), others * spread], dim=1)


def norm(fields: Fields, x: Tensor) -> Tensor:
    """Each field f becomes ReLU(|f| - BIAS) f/|f| (supplement, section 1.3)."""
    sizes = _sizes(fields, first=0)
    fields_of = torch.repeat_interleave(torch.arange(len(sizes)), sizes)
    squares = x.new_zeros(x.shape[0], len(sizes), *x.shape[2:]).index_add(1, fields_of, x**2)
    factor = (1 - BIAS / squares.clamp_min(1e-12).sqrt()).relu()
    return x * factor[:, fields_of]


def components(fields: Fields, x: Tensor) -> Tensor:
    """ReLU of each component, which is not equivariant: rotations mix components."""
    return x.relu()


def linear(fields: Fields, x: Tensor) -> Tensor:
    """The fields as they are."""
    return x


NONLINEARITIES: dict[str, Callable[[Fields, Tensor], Tensor]] = {
    "gate": gate, "norm": norm, "components": components, "none": linear,
}  # fmt: skip


def _sizes(fields: Fields, *, first: int) -> Tensor:
    """Components of each field."""
    sizes = [2 * (first + i) + 1 for i, n in enumerate(fields) for _ in range(n)]
    return torch.tensor(sizes, dtype=torch.int64)


def low_pass(x: Tensor, *, width: float = BLUR) -> Tensor:
    """A Gaussian filter of each component (section 4.4.2), same shape; all is 0 outside.

    width: standard deviation in voxels.
    """
    places = torch.arange(x.shape[-1], dtype=x.dtype)
    profile = torch.exp(-((places - places[:, None]) ** 2) / (2 * width**2))
    mean = profile / profile.sum(dim=1).max()
    return torch.einsum("bcxyz,Xx,Yy,Zz->bcXYZ", x, mean, mean, mean)


class Layer(nn.Module):
    """A convolution with its nonlinearity; before one with a stride, the low-pass filter.

    Filter and convolution commute, so that this is the filter between convolution and subsampling.
    """

    def __init__(
        self, convolution: nn.Module, nonlinearity: Callable[[Tensor], Tensor], *, filtered: bool
    ) -> None:
        super().__init__()
        self.convolution, self.nonlinearity, self.filtered = convolution, nonlinearity, filtered
        self.scale = 1.0

    def convolved(self, x: Tensor) -> Tensor:
        """What the nonlinearity gets, but for the scale."""
        convolved: Tensor = self.convolution(low_pass(x) if self.filtered else x)
        return convolved

    def forward(self, x: Tensor) -> Tensor:
        """(B, C before, n, n, n) to (B, C after, n', n', n')."""
        return self.nonlinearity(self.scale * self.convolved(x))


def layers(
    kind: str, *, width: float, filtered: bool, draws: torch.Generator, nonlinearity: str = "gate",
    depth: int = len(LAYERS),
) -> nn.Sequential:  # fmt: skip
    """The hidden layers of the Tetris experiment, the last of them of scalars.

    kind: "steerable", or "plain", which has as many components and free kernels. width: times the
    number of fields of Table 1. filtered: whether there is a low-pass filter before each stride.
    nonlinearity: of a steerable network, one of NONLINEARITIES. depth: how many layers.
    """
    hidden, before = [], tuple[int, ...]((1,))
    for number, fields in enumerate(LAYERS[:depth]):
        after = tuple(max(1, round(width * n)) for n in fields)
        stride = STRIDES[number]
        convolution: nn.Module
        applied: Callable[[Tensor], Tensor]
        if kind == "steerable":
            act = NONLINEARITIES[nonlinearity]
            outputs = with_gates(after) if act is gate else after
            convolution = SteerableConvolution(before, outputs, stride=stride, draws=draws)
            applied = partial(act, after)
        else:
            convolution = nn.Conv3d(
                dimension(before), dimension(after), SIZE, stride=stride, padding=SIZE // 2
            )
            redraw(convolution, draws)
            applied = torch.relu
        hidden.append(Layer(convolution, applied, filtered=filtered and stride > 1))
        before = after
    return nn.Sequential(*hidden)


def redraw(layer: nn.Conv3d | nn.Conv2d | nn.Linear, draws: torch.Generator) -> None:
    """Weights for ReLU (He et al.) from a generator of our own, and no bias."""
    nn.init.kaiming_normal_(layer.weight, nonlinearity="relu", generator=draws)
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)


def normalised(hidden: nn.Sequential, x: Tensor) -> Tensor:
    """Scales what each layer's nonlinearity gets to a mean square of 1 on x; what comes out.

    It stands for the batch normalisation that the thesis goes without in this experiment.
    """
    layer: Any
    with torch.no_grad():
        for layer in hidden:
            layer.scale = 1 / float(layer.convolved(x).pow(2).mean().sqrt())
            x = layer(x)
    return x


class Readout(nn.Module):
    """A linear map to the classes from features that were standardised before training."""

    def __init__(self, features: Tensor, n_classes: int, *, draws: torch.Generator) -> None:
        """features: of some training data, shape (B, features); B is 2 or more."""
        super().__init__()
        self.shift, self.scale = features.mean(dim=0), features.std(dim=0).clamp_min(1e-6)
        self.linear = nn.Linear(features.shape[1], n_classes)
        redraw(self.linear, draws)

    def forward(self, x: Tensor) -> Tensor:
        """(B, features) to (B, classes)."""
        return self.linear((x - self.shift) / self.scale)


class MeanOfVoxels(nn.Module):
    """The mean over all voxels: (B, C, n, n, n) to (B, C)."""

    def forward(self, x: Tensor) -> Tensor:
        """(B, C, n, n, n) to (B, C)."""
        return x.mean(dim=(2, 3, 4))


def n_parameters(network: nn.Module) -> int:
    """How many numbers are learnt."""
    return sum(parameter.numel() for parameter in network.parameters())
