"""Convolutions of signals on the sphere and on SO(3), built on e3nn, and the networks of digits.

Thesis, chapter 5 (spherical CNNs), sections 3 and 4. A signal on SO(3) of band limit b has blocks
of (2l+1) x (2l+1) coefficients F^l_mn, l < b, of the functions D^l_mn, scaled to mean square 1; a
rotation of the signal mixes the n. A correlation multiplies these blocks by those of the filter.
Filters are learnt at points near the identity (section 5.2: they are locally supported).

Shapes: B signals, C channels, K = sum of (2l+1)^2 coefficients.
"""

from collections.abc import Callable
from functools import cache
from math import pi, sqrt

import torch
from e3nn import o3
from torch import Tensor, nn
from torch.nn import functional

from srhm_studies.beyond.equivariance.steerable import Readout, redraw

REACH = (
    3 * pi / 8
)  # polar angle of the outermost points of a filter: pi / 8 at b = 30 in the thesis
# Points of a filter along alpha, beta and gamma.
POINTS = (8, 3, 3)
# Channels of the two networks' hidden layers (section 5.2).
SPHERICAL, PLANAR = (20, 40), (32, 64)


@cache
def grid(band: int, resolution: int) -> o3.SO3Grid:
    """Points of SO(3), 2 x resolution along each angle; for signals of this band limit."""
    return o3.SO3Grid(band - 1, resolution, aspect_ratio=1)


def blocks(x: Tensor, band: int) -> list[Tensor]:
    """Coefficients (..., K) of a signal on SO(3) by order, shapes (..., 2l+1, 2l+1)."""
    sizes = [2 * order + 1 for order in range(band)]
    parts = x.split([size**2 for size in sizes], dim=-1)
    return [part.unflatten(-1, (n, n)) for part, n in zip(parts, sizes, strict=True)]


def rotated(x: Tensor, rotation: Tensor, band: int) -> Tensor:
    """The signal on SO(3) after a rotation (3, 3), same shape (..., K); exact."""
    mixed = [
        torch.einsum("...mn,kn->...mk", part, o3.Irrep(order, 1).D_from_matrix(rotation)).flatten(
            -2
        )
        for order, part in enumerate(blocks(x, band))
    ]
    return torch.cat(mixed, dim=-1)


def near_identity() -> tuple[Tensor, Tensor, Tensor]:
    """Angles alpha, beta, gamma of the points of a filter, each of shape (points,)."""
    n_alpha, n_beta, n_gamma = POINTS
    alpha = torch.arange(n_alpha) * (2 * pi / n_alpha)
    beta = torch.arange(1, n_beta + 1) * (REACH / n_beta)
    gamma = torch.linspace(-REACH, REACH, n_gamma)
    mesh = torch.meshgrid(alpha, beta, gamma, indexing="ij")
    a, b, c = (angle.flatten() for angle in mesh)
    return a, b, c - a


class SphereConvolution(nn.Module):
    """From signals on the sphere to signals on SO(3)."""

    def __init__(self, before: int, after: int, *, band: int, draws: torch.Generator) -> None:
        super().__init__()
        self.band = band
        alpha, beta, _ = near_identity()
        # One filter's points on the sphere; gamma does not move them.
        places = slice(None, None, POINTS[-1])
        self.values = o3.spherical_harmonics_alpha_beta(
            list(range(band)), alpha[places], beta[places], normalization="component"
        )
        self.weight = nn.Parameter(torch.randn(before, after, len(self.values), generator=draws))
        self.bias = nn.Parameter(torch.zeros(after))

    def forward(self, x: Tensor) -> Tensor:
        """(B, C before, band^2 or more) to (B, C after, K)."""
        filters = self.weight @ self.values / sqrt(self.weight.shape[0] * len(self.values))
        sizes = [2 * order + 1 for order in range(self.band)]
        signals = x[..., : self.band**2].split(sizes, dim=-1)
        products = [
            torch.einsum("bin,iom->bomn", signal, kernel).flatten(-2)
            for signal, kernel in zip(signals, filters.split(sizes, dim=-1), strict=True)
        ]
        return with_constant(torch.cat(products, dim=-1), self.bias)


class RotationConvolution(nn.Module):
    """From signals on SO(3) to signals on SO(3)."""

    def __init__(self, before: int, after: int, *, band: int, draws: torch.Generator) -> None:
        super().__init__()
        self.band = band
        angles = near_identity()
        values = [
            sqrt(2 * order + 1) * o3.wigner_D(order, *angles).flatten(-2) for order in range(band)
        ]
        self.values = torch.cat(values, dim=-1)
        self.weight = nn.Parameter(torch.randn(before, after, len(self.values), generator=draws))
        self.bias = nn.Parameter(torch.zeros(after))

    def forward(self, x: Tensor) -> Tensor:
        """(B, C before, K) to (B, C after, K)."""
        filters = self.weight @ self.values / sqrt(self.weight.shape[0] * len(self.values))
        products = [
            torch.einsum("bimn,iokm->bokn", signal, kernel).flatten(-2) / sqrt(signal.shape[-1])
            for signal, kernel in zip(blocks(x, self.band), blocks(filters, self.band), strict=True)
        ]
        return with_constant(torch.cat(products, dim=-1), self.bias)


def with_constant(x: Tensor, bias: Tensor) -> Tensor:
    """Signals (B, C, K) plus a constant of each channel (C,)."""
    return torch.cat([x[..., :1] + bias[:, None], x[..., 1:]], dim=-1)


def pointwise(
    x: Tensor, act: Callable[[Tensor], Tensor], *, band: int, after: int, resolution: int
) -> Tensor:
    """A function of the values of signals on SO(3) at a grid, (..., K) to (..., K of `after`).

    band, after: band limits of input and output. Where the values have a higher one, the grid
    confuses orders (aliasing), and a rotation no longer commutes with this.
    """
    values = act(grid(band, resolution).to_grid(x) * sqrt(x.shape[-1]))
    out = grid(after, resolution)
    return out.from_grid(values) / sqrt(out.D.shape[-1])


class SphericalNetwork(nn.Module):
    """S^2 correlation, ReLU, SO(3) correlation, ReLU, mean over SO(3), linear (section 5.2)."""

    def __init__(
        self, bands: tuple[int, int, int], *, seen: Tensor, draws: torch.Generator
    ) -> None:
        """bands: band limits of the input and behind each correlation.

        seen: training data, shape (B, 1, 2b, 2b).
        """
        super().__init__()
        self.bands = bands
        self.coefficients = o3.FromS2Grid((2 * bands[0], 2 * bands[0]), bands[0] - 1)
        first, second = SPHERICAL
        self.sphere = SphereConvolution(1, first, band=bands[1], draws=draws)
        self.rotations = RotationConvolution(first, second, band=bands[2], draws=draws)
        with torch.no_grad():
            self.readout = Readout(self.features(seen), 10, draws=draws)

    def features(self, x: Tensor) -> Tensor:
        """Invariants (B, channels) of values (B, 1, 2b, 2b) on the sphere, beta and alpha."""
        _, first, second = self.bands
        x = self.sphere(self.coefficients(x))
        x = pointwise(x, torch.relu, band=first, after=second, resolution=first)
        x = pointwise(self.rotations(x), torch.relu, band=second, after=1, resolution=second)
        return x[..., 0]

    def forward(self, x: Tensor) -> Tensor:
        """(B, 1, 2b, 2b) to (B, 10)."""
        return self.readout(self.features(x))


class PlanarNetwork(nn.Module):
    """The same values as a picture: two convolutions of 5 x 5, ReLU, linear (section 5.2)."""

    def __init__(self, band: int, *, draws: torch.Generator) -> None:
        super().__init__()
        first, second = PLANAR
        # The thesis has a stride of 3 on 60 x 60 points.
        self.first = nn.Conv2d(1, first, 5, stride=2)
        self.second = nn.Conv2d(first, second, 5, stride=2)
        side = ((2 * band - 5) // 2 + 1 - 5) // 2 + 1
        self.readout = nn.Linear(second * side**2, 10)
        for layer in (self.first, self.second, self.readout):
            redraw(layer, draws)

    def forward(self, x: Tensor) -> Tensor:
        """(B, 1, 2b, 2b) to (B, 10)."""
        x = functional.relu(self.second(functional.relu(self.first(x))))
        return self.readout(x.flatten(1))
