"""LCN, CNN and FCN of many members at once, in two parametrisations (Eq. 9, 10).

    layer k    f_k = sigma(scale_k W_k patch(f_(k-1)) + b_k)    scale_k from the geometry
    output     f = W f_L / sqrt(H) + b     "ntk"                biases only where asked for
               f = W f_L / H + b           "mean_field", Eq. 10

Sources: Eq. 9, 10 of the SRHM paper; Table 1 of the thesis (loss landscape and symmetries in
neural networks), where an FCN has the same scales. All weights start as standard Gaussians, or as
orthogonal matrices as in chapters 1 and 2 of the thesis, biases at zero.

Members are networks of one shape, each with weights of its own: every weight array has a leading
axis of members, and one call evaluates all of them, with the dtype of the weights.

Shapes: E member, B batch, D place, K place of a filter, C channel in, H channel out, O output.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod, sqrt
from typing import Any, Literal, Self

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import softplus

from srhm.model.grammar import GrammarParameters
from srhm.networks.geometry import Layer, geometry

Parametrisation = Literal["ntk", "mean_field"]
Initialisation = Literal["gaussian", "orthogonal"]
Weights = dict[str, Tensor]

# a in a ln(1 + e^(5z))/5 with unit second moment under a standard Gaussian z; the thesis rounds it
# to 1.404.
SOFTPLUS_FACTOR = 1.4043833
SOFTPLUS_SHARPNESS = 5.0
# Beyond it ln(1 + e^x) is x in double precision; the default of torch, 20, errs by 2e-9.
SOFTPLUS_LINEAR_ABOVE = 40.0


def scaled_softplus(z: Tensor) -> Tensor:
    """Activation a ln(1 + e^(5z))/5 of chapter 3 of the thesis, of unit second moment.

    It is 0.195 at zero: empty patches of the SRHM emit a signal, as they do not with ReLU.
    """
    return SOFTPLUS_FACTOR * softplus(z, beta=SOFTPLUS_SHARPNESS, threshold=SOFTPLUS_LINEAR_ABOVE)


ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu,
    "softplus": scaled_softplus,
    "tanh": torch.tanh,
}


@dataclass(frozen=True, kw_only=True)
class Network:
    """Shape and scales of a network none of whose layers is `tied`, without its weights."""

    layers: tuple[Layer, ...]
    n_places: int
    """places of the input"""
    width: int
    n_outputs: int
    parametrisation: Parametrisation = "ntk"
    activation: str = "relu"
    biased: bool = False

    @property
    def output_scale(self) -> float:
        """What the sum over the last hidden layer is multiplied by: channels count, not places."""
        return 1 / sqrt(self.width) if self.parametrisation == "ntk" else 1 / self.width

    @property
    def shared(self) -> tuple[bool, ...]:
        """For each hidden layer, whether its places share their filter."""
        return tuple(layer.shared for layer in self.layers)

    def weight_shapes(self) -> dict[str, tuple[int, ...]]:
        """Shape of each array of one member.

        layer1 ... layerL (slots, inputs, H), readout (places H, O): the last hidden layer has one
        place, but for the stages of layerwise training. With biases also layerk.bias (filters, H),
        one for each place that has a filter of its own, and readout.bias (O,).
        """
        shapes: dict[str, tuple[int, ...]] = {
            f"layer{k}": (layer.n_slots, layer.n_inputs, self.width)
            for k, layer in enumerate(self.layers, start=1)
        }
        # A network that ends above its last layer's single place sees all places, place major.
        shapes["readout"] = (self.layers[-1].n_places * self.width, self.n_outputs)
        if self.biased:
            for k, (layer, shared) in enumerate(zip(self.layers, self.shared, strict=True), 1):
                shapes[f"layer{k}.bias"] = (1 if shared else layer.n_places, self.width)
            shapes["readout.bias"] = (self.n_outputs,)
        return shapes

    @property
    def n_parameters(self) -> int:
        """Number of weights and biases, N."""
        return sum(prod(shape) for shape in self.weight_shapes().values())

    @property
    def n_weights(self) -> int:
        """Number of weights without biases: the N of N_Delta/N in chapters 1 and 2."""
        shapes = self.weight_shapes().items()
        return sum(prod(shape) for name, shape in shapes if not name.endswith("bias"))


def hierarchical_network(
    net: str, parameters: GrammarParameters, *, width: int, **more: Any
) -> Network:
    """LCN, CNN or FCN of as many hidden layers as the grammar has levels, for inputs (d, v).

    more: as of `Network`; n_outputs is the number of classes, or 1 for a label of plus or minus
    one.

    Raises:
        ValueError: as `srhm.networks.geometry.geometry`.
    """
    shape = geometry(net, parameters, width=width)
    return Network(layers=shape.layers, n_places=parameters.input_length, width=width, **more)


def fully_connected_network(n_inputs: int, *, depth: int, width: int, **more: Any) -> Network:
    """FCN with any number of hidden layers, for inputs (1, n_inputs): the FC of the thesis.

    more: as of `Network`.
    """
    fans = [n_inputs, *[width] * (depth - 1)]
    layers = tuple(Layer((0,), fan, 1, 1, 1 / sqrt(fan)) for fan in fans)
    return Network(layers=layers, n_places=1, width=width, **more)


def image_network(n_pixels: int, *, width: int, **more: Any) -> Network:
    """CNN of L hidden layers with filters of 2 x 2 and stride 2, for images of 2^L x 2^L pixels.

    Inputs are (n_pixels, 1), pixels in the order of `quarters`, in which a filter sees four
    neighbours. Scales are 1/sqrt(inputs of a filter), the ntk scale of an FCN in the thesis. more:
    as of `Network`.
    """
    depth = (n_pixels.bit_length() - 1) // 2
    fans = [4, *[4 * width] * (depth - 1)]
    layers = tuple(
        Layer((0, 1, 2, 3) * n_places, fan // 4, n_places, 4, 1 / sqrt(fan))
        for k, fan in enumerate(fans, start=1)
        for n_places in [4 ** (depth - k)]
    )
    return Network(layers=layers, n_places=n_pixels, width=width, **more)


def quarters(n_pixels: int) -> np.ndarray:
    """Indices of the pixels of a square image, row by row, quarter by quarter down to 2 x 2.

    Four in turn are neighbours, sixteen in turn a block of 4 x 4, and so on. Shape (n_pixels,).
    """
    side = int(n_pixels**0.5)
    tiles = np.arange(n_pixels).reshape(1, side, side)
    while tiles.shape[-1] > 1:
        half = tiles.shape[-1] // 2
        tiles = tiles.reshape(-1, 2, half, 2, half).transpose(0, 1, 3, 2, 4).reshape(-1, half, half)
    return tiles.reshape(-1)


def initial_weights(
    network: Network,
    *,
    generators: Sequence[np.random.Generator],
    initialisation: Initialisation = "gaussian",
    dtype: torch.dtype = torch.float64,
) -> Weights:
    """Independent weights and zero biases, one member for each generator.

    gaussian: standard Gaussian; a member has the numbers that
    `srhm.networks.geometry.initial_weights` draws from the same generator. orthogonal: what
    `orthogonal` makes of these numbers, for each filter, whose columns are its channels.

    Returns arrays (E, ...) by name.
    """

    shapes, filters = network.weight_shapes(), {"readout": 1}
    for k, (layer, shared) in enumerate(zip(network.layers, network.shared, strict=True), start=1):
        filters[f"layer{k}"] = 1 if shared else layer.n_places

    def drawn(name: str, stream: np.random.Generator) -> np.ndarray:
        shape = shapes[name]
        if name.endswith("bias"):
            return np.zeros(shape)
        numbers = stream.standard_normal(shape)
        if initialisation == "gaussian":
            return numbers
        matrices = numbers.reshape(filters[name], -1, shape[-1])
        return np.stack([orthogonal(matrix) for matrix in matrices]).reshape(shape)

    members = [{name: drawn(name, stream) for name in shapes} for stream in generators]
    return {
        name: torch.from_numpy(np.stack([member[name] for member in members])).to(dtype)
        for name in shapes
    }


def orthogonal(gaussian: np.ndarray) -> np.ndarray:
    """A random matrix sqrt(inputs) Q of orthonormal columns (rows where there are more outputs).

    Returns (inputs, outputs), the shape of the given numbers; uniform over such matrices if these
    are independent standard Gaussians (Mezzadri, How to generate random matrices from the classical
    compact groups). With the scale of a layer, 1/sqrt(inputs), it is Q: the start of chapters 1 and
    2 of the thesis, of gain 1. Where outputs exceed inputs its elements are smaller than Gaussian
    ones by sqrt(inputs/outputs).
    """
    inputs, outputs = gaussian.shape
    q, r = np.linalg.qr(gaussian if inputs >= outputs else gaussian.T)
    q = q * np.sign(np.diagonal(r))
    return np.sqrt(inputs) * (q if inputs >= outputs else q.T)


def moved(weights: Mapping[str, Tensor], device: torch.device | str) -> Weights:
    """Weights on a device; those that are there already are not copied."""
    return {name: array.to(device) for name, array in weights.items()}


def selected(weights: Mapping[str, Tensor], members: Tensor | slice) -> Weights:
    """Weights of some members, by their indices or a slice."""
    return {name: array[members] for name, array in weights.items()}


def flattened(weights: Mapping[str, Tensor]) -> Tensor:
    """Weights as vectors (E, N), arrays in the order of their names in the mapping."""
    return torch.cat([array.flatten(1) for array in weights.values()], dim=1)


def unflattened(network: Network, vectors: Tensor) -> Weights:
    """Weights by name from vectors (E, N): the inverse of `flattened`."""
    shapes = network.weight_shapes()
    parts = vectors.split([prod(shape) for shape in shapes.values()], dim=1)
    return {
        name: part.reshape(-1, *shape)
        for part, (name, shape) in zip(parts, shapes.items(), strict=True)
    }


@dataclass(frozen=True)
class Trace:
    """All that one evaluation goes through.

    patches: inputs of each hidden layer by filter (E or 1, D, B, K C); preactivations and hidden
    (E, D, B, H), before and after sigma; outputs (E, B, O).
    """

    patches: list[Tensor]
    preactivations: list[Tensor]
    hidden: list[Tensor]
    outputs: Tensor


def trace(network: Network, weights: Mapping[str, Tensor], x: Tensor) -> Trace:
    """Evaluates all members on inputs (B, d, v) that they share, or (E, B, d, v) of their own.

    Raises:
        ValueError: if the inputs do not have the places of the network.
    """
    if x.shape[-2] != network.n_places:
        raise ValueError(f"inputs of {x.shape[-2]} places, not {network.n_places}")
    sigma = ACTIVATIONS[network.activation]
    x_EBDC = x[None] if x.ndim == 3 else x
    z_EDBC = x_EBDC.transpose(1, 2)
    patches: list[Tensor] = []
    preactivations: list[Tensor] = []
    hidden: list[Tensor] = []
    for k, (layer, shared) in enumerate(zip(network.layers, network.shared, strict=True), start=1):
        members, _, batch, channels = z_EDBC.shape
        grouped = z_EDBC.reshape(members, layer.n_places, -1, batch, channels)
        p_EDBK = grouped.transpose(2, 3).reshape(members, layer.n_places, batch, -1)
        w_EDKH = weights[f"layer{k}"]
        w_EDKH = w_EDKH.reshape(len(w_EDKH), 1 if shared else layer.n_places, -1, network.width)
        pre_EDBH = _contract(p_EDBK, w_EDKH, shared=shared) * layer.scale
        if network.biased:
            pre_EDBH = pre_EDBH + weights[f"layer{k}.bias"][:, :, None]
        z_EDBC = sigma(pre_EDBH)
        patches.append(p_EDBK)
        preactivations.append(pre_EDBH)
        hidden.append(z_EDBC)
    last_EBK = z_EDBC.transpose(1, 2).flatten(2)
    f_EBO = last_EBK @ weights["readout"] * network.output_scale
    if network.biased:
        f_EBO = f_EBO + weights["readout.bias"][:, None]
    return Trace(patches, preactivations, hidden, f_EBO)


def outputs(network: Network, weights: Mapping[str, Tensor], x: Tensor) -> Tensor:
    """f(w, x) of shape (E, B, O) for inputs (B, d, v), or (E, B, d, v)."""
    return trace(network, weights, x).outputs


def _contract(p_EDBK: Tensor, w_EDKH: Tensor, *, shared: bool) -> Tensor:
    """Patches times filters, (E, D, B, H). Inputs that all members share are not copied."""
    if p_EDBK.shape[0] == 1 and w_EDKH.shape[0] > 1:
        if shared:
            return torch.einsum("dbk,ekh->edbh", p_EDBK[0], w_EDKH[:, 0])
        return torch.einsum("dbk,edkh->edbh", p_EDBK[0], w_EDKH)
    if shared:
        members, places, batch, _ = p_EDBK.shape
        flat = p_EDBK.reshape(members, places * batch, -1) @ w_EDKH[:, 0]
        return flat.reshape(members, places, batch, -1)
    return p_EDBK @ w_EDKH


def alpha_from_tilde(value: float, *, width: int) -> float:
    """alpha_tilde / sqrt(h)."""
    return value / sqrt(width)


@dataclass(frozen=True)
class Predictor:
    """Predictor of several members.

    alpha: (E,), one for each member, so that members may differ in alpha as well as in their seed.
    initial: the weights w0 that f is measured from; None: F = alpha f, as in chapters 1 and 2.
    """

    network: Network
    alpha: Tensor
    initial: Weights | None

    @property
    def factor(self) -> Tensor:
        """What multiplies the network's own output, (E,): alpha, or alpha_tilde ("mean_field")."""
        if self.network.parametrisation == "ntk":
            return self.alpha
        return self.alpha * sqrt(self.network.width)

    def select(self, members: Tensor | slice) -> Self:
        """The predictor of some members, by their indices or a slice."""
        initial = None if self.initial is None else selected(self.initial, members)
        return type(self)(self.network, self.alpha[members], initial)

    def offset(self, x: Tensor) -> Tensor | None:
        """f(w0, x) of shape (E, B, O); None without w0."""
        return None if self.initial is None else outputs(self.network, self.initial, x).detach()

    def __call__(
        self, weights: Mapping[str, Tensor], x: Tensor, *, offset: Tensor | None = None
    ) -> Tensor:
        """F of shape (E, B, O) for inputs (B, d, v) or (E, B, d, v).

        offset: `self.offset(x)`, where it is known already.
        """
        f = outputs(self.network, weights, x)
        start = self.offset(x) if offset is None else offset
        if start is not None:
            f = f - start
        return self.factor.to(f.dtype)[:, None, None] * f
