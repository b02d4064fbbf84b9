"""Networks in one dimension as a list of steps with gradients by hand.

PyTorch's convolutions of one dimension and its batch norm are slow on small arrays. Here the arrays
of all layers are made once, and a training step is a fixed list of matrix products (torch) and
loops (`tape_kernels`) on them, forth and back. Values are (places, batch, channels): a convolution
is a product of matrices for each tap, all places of a tap at once.

The modules stay what they are, their parameters become views of the arrays here. A network that is
trained so says its steps in a method `taped(tape, x)`, made of the methods of `Tape`; so do its
blocks.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from srhm.networks.convolutions import Dropout, HalvingPool
from srhm.training import tape_kernels as kernels

Module = Any
# Lanes of batch norm, at least, where a batch has as many.
LANES = 128
# Numbers of a cache line, in single precision.
LINE = 16
FOLLOWS = {nn.ReLU: kernels.RELU, nn.SiLU: kernels.SWISH}


class Value:
    """A value (places, batch, channels) and the derivative of the loss by it.

    gradient: that of another value where a step changes it in its place; None: not needed. lanes,
    gradient_lanes: the same as arrays (places, batch * channels). readers: the steps that read it,
    in order. On the way back the last of them is the first to write its gradient, and the others
    add to it.
    """

    def __init__(self, like: Tensor, shape: tuple[int, ...], *, gradient: Tensor | None) -> None:
        self.x = like.new_zeros(shape)
        self.gradient = gradient
        self.lanes, self.gradient_lanes = lanes_of(self.x), lanes_of(gradient)
        self.readers: list[Step] = []

    @property
    def shape(self) -> tuple[int, int, int]:
        """Places, points of a batch, channels."""
        places, batch, channels = self.x.shape
        return places, batch, channels

    def begun(self, reader: "Step") -> bool:
        """Whether another reader has written the gradient before this one does."""
        return self.readers[-1] is not reader

    def begin(self, reader: "Step") -> None:
        """Clears the gradient, if this reader is the first that adds to it."""
        if self.gradient is not None and not self.begun(reader):
            self.gradient.zero_()


def lanes_of(tensor: Tensor | None) -> NDArray[Any]:
    """(places, batch, channels) as an array (places, batch * channels); nothing of None."""
    return np.empty((0, 0)) if tensor is None else tensor.flatten(1).numpy()


def as_rows(tensor: Tensor) -> Tensor:
    """(places, batch, channels) as (places * batch, channels); a copy where places are left out."""
    return tensor.reshape(-1, tensor.shape[-1])


class Parameters:
    """Weights, momenta and gradients of a network, one array each.

    A parameter lies there with its axes in reverse, (taps, in, out) of a convolution, and begins at
    a cache line.
    """

    def __init__(self, network: nn.Module) -> None:
        size = sum(p.numel() + LINE for p in network.parameters())
        like = next(network.parameters()).detach()
        self.weights, self.momenta, self.gradients = (like.new_zeros(size) for _ in range(3))
        self.momentum_of: dict[nn.Parameter, Tensor] = {}
        self._used = 0

    def of(self, parameter: nn.Parameter) -> tuple[Tensor, Tensor]:
        """A parameter and its gradient as they lie here; the module's own becomes a view."""
        shape = tuple(reversed(parameter.shape))
        part = slice(self._used, self._used + parameter.numel())
        self._used = part.stop + -part.stop % LINE
        weight, momentum, gradient = (
            array[part].view(shape) for array in (self.weights, self.momenta, self.gradients)
        )
        axes = tuple(reversed(range(len(shape))))
        weight.copy_(parameter.detach().permute(axes))
        parameter.data = weight.permute(axes)
        self.momentum_of[parameter] = momentum.permute(axes)
        return weight, gradient


class Step:
    """What makes one value of others; it knows its arrays from the beginning."""

    y: Value

    def forward(self, training: bool) -> None:
        """Computes the value."""

    def backward(self) -> None:
        """From the gradient by the value those by parameters and by what it was made of."""


class Tap(NamedTuple):
    """What one tap of a convolution multiplies: places of the input, rows of the output."""

    x: Tensor
    x_gradient: Tensor | None
    weights: Tensor
    weights_gradient: Tensor
    y: Tensor
    y_gradient: Tensor


class Convolution(Step):
    """A product of matrices for each tap, on the places that it meets."""

    def __init__(self, module: Module, x: Value, parameters: Parameters) -> None:
        weights, gradients = parameters.of(module.weight)
        self._bias = parameters.of(module.bias) if module.bias is not None else None
        (stride,), (padding,), (taps, _, n_out) = module.stride, module.padding, weights.shape
        places, batch, _ = x.shape
        n_places = (places + 2 * padding - taps) // stride + 1
        shape = (n_places, batch, n_out)
        back = x.x.new_zeros(shape)
        self.y = Value(x.x, shape, gradient=back)
        self._x, self._stride = x, stride
        x.readers.append(self)
        self._taps: list[Tap] = []
        # The middle tap meets all places of the output, and comes first.
        for t in sorted(range(taps), key=lambda t: t != padding):
            first = max(0, -((t - padding) // stride))
            last = min(n_places - 1, (places - 1 - t + padding) // stride)
            if first > last:
                continue
            outputs = slice(first, last + 1)
            met = slice(first * stride + t - padding, last * stride + t - padding + 1, stride)
            gradient = None if x.gradient is None else x.gradient[met]
            rows = as_rows(self.y.x[outputs]), as_rows(back[outputs])
            self._taps.append(Tap(x.x[met], gradient, weights[t], gradients[t], *rows))

    def forward(self, training: bool) -> None:
        """The middle tap's product, and those of the others added."""
        middle, *others = self._taps
        if self._bias is None:
            torch.mm(as_rows(middle.x), middle.weights, out=middle.y)
        else:
            torch.addmm(self._bias[0], as_rows(middle.x), middle.weights, out=middle.y)
        for tap in others:
            tap.y.addmm_(as_rows(tap.x), tap.weights)

    def backward(self) -> None:
        """The transposed products."""
        if self._bias is not None:
            torch.sum(self._taps[0].y_gradient, 0, out=self._bias[1])
        # With stride 1 the first product writes all places.
        before = float(self._x.begun(self))
        if self._stride > 1:
            self._x.begin(self)
        for tap in self._taps:
            torch.mm(as_rows(tap.x).t(), tap.y_gradient, out=tap.weights_gradient)
            if tap.x_gradient is None:
                continue
            if self._stride == 1:
                rows = as_rows(tap.x_gradient)
                rows.addmm_(tap.y_gradient, tap.weights.t(), beta=before)
                before = 1.0
            else:
                back = torch.mm(tap.y_gradient, tap.weights.t())
                tap.x_gradient.add_(back.view_as(tap.x))


class Depthwise(Step):
    """A convolution of each channel by itself."""

    def __init__(self, module: Module, x: Value, parameters: Parameters) -> None:
        self._x = x
        weights, gradients = (w.squeeze(1) for w in parameters.of(module.weight))
        self._weights, self._gradients = weights.numpy(), gradients.numpy()
        (self._stride,), (padding,), taps = module.stride, module.padding, len(weights)
        places, batch, channels = x.shape
        shape = ((places + 2 * padding - taps) // self._stride + 1, batch, channels)
        self.y = Value(x.x, shape, gradient=x.x.new_zeros(shape))
        x.readers.append(self)
        self._lanes, self._sums = (
            np.zeros((taps, batch * channels), self._weights.dtype) for _ in range(2)
        )

    def forward(self, training: bool) -> None:
        """Shifted inputs times the weights of their taps."""
        kernels.depthwise(self._x.lanes, self._weights, self._lanes, self._stride, self.y.lanes)

    def backward(self) -> None:
        """The same with inputs and outputs exchanged."""
        self._x.begin(self)
        kernels.depthwise_back(
            self._x.lanes,
            self.y.gradient_lanes,
            self._lanes,
            self._stride,
            self._x.gradient_lanes,
            self._gradients,
            self._sums,
        )


class BatchNorm(Step):
    """Batch norm, with the ReLU or swish that follows it; the gradient stays in its place."""

    def __init__(self, module: Module, x: Value, parameters: Parameters, *, follows: int) -> None:
        self.y = Value(x.x, x.shape, gradient=x.gradient)
        x.readers.append(self)
        (gain, gain_gradient), (bias, bias_gradient) = (
            [array.numpy() for array in parameters.of(p)] for p in (module.weight, module.bias)
        )
        if x.x.numel() == len(gain):
            raise ValueError("batch norm needs more than one value of each channel in a batch")
        self._follows, self._epsilon = follows, module.eps
        self._running = module.running_mean.numpy(), module.running_var.numpy()
        self._mean, self._inverse = (np.zeros_like(gain) for _ in range(2))
        self._gate = torch.zeros_like(self.y.x) if follows == kernels.SWISH else self.y.x
        # Lanes of some points at a time: long loops on few numbers.
        n_rows, n_lanes = x.x.numel() // len(gain), len(gain)
        while n_lanes < LANES and n_rows % 2 == 0:
            n_rows, n_lanes = n_rows // 2, 2 * n_lanes
        x_rows, y, gate, gradient = (
            lanes_of(tensor).reshape(n_rows, n_lanes)
            for tensor in (x.x, self.y.x, self._gate, self.y.gradient)
        )
        lanes = np.zeros((5, n_lanes), gain.dtype)
        inner = (self._mean, self._inverse)
        self._moments = (x_rows, *inner, *self._running, module.momentum, module.eps, lanes)
        self._forward = (x_rows, gain, bias, *inner, lanes, y, follows)
        parts = (gain_gradient, bias_gradient, self._inverse)
        self._backward = (x_rows, y, gate, gradient, *parts, lanes, follows)

    def forward(self, training: bool) -> None:
        """With the moments of the batch, which move the running ones, or with these."""
        if training:
            kernels.moments(*self._moments)
        else:
            mean, variance = self._running
            self._mean[:] = mean
            self._inverse[:] = 1 / np.sqrt(variance + self._epsilon)
        kernels.normalise(*self._forward)
        if self._follows == kernels.SWISH:
            torch.sigmoid(self.y.x, out=self._gate)
            self.y.x *= self._gate

    def backward(self) -> None:
        """In two loops over the batch."""
        kernels.normalise_back(*self._backward)


class Relu(Step):
    """ReLU of a value, or of its sum with a shortcut; the gradient stays in its place."""

    def __init__(self, x: Value, shortcut: Value | None = None) -> None:
        self._x, self._shortcut = x, shortcut
        self.y = Value(x.x, x.shape, gradient=x.gradient)
        for value in (x, shortcut):
            if value is not None:
                value.readers.append(self)

    def forward(self, training: bool) -> None:
        """Negative values become zero."""
        x, y = self._x.x, self.y.x
        if self._shortcut is not None:
            x = torch.add(x, self._shortcut.x, out=y)
        torch.clamp_min(x, 0, out=y)

    def backward(self) -> None:
        """Nothing comes back where the output is zero."""
        back = self.y.gradient_lanes
        kernels.relu_back(self.y.lanes, back)
        if self._shortcut is not None:
            self._shortcut.begin(self)
            np.add(self._shortcut.gradient_lanes, back, out=self._shortcut.gradient_lanes)


class Skip(Step):
    """The sum of a branch, which drop-connect may mask, and of what the branch began with."""

    def __init__(self, x: Value, shortcut: Value, mask: "Mask") -> None:
        self._mask = mask
        self.y = Value(x.x, x.shape, gradient=x.gradient)
        for value in (x, shortcut):
            value.readers.append(self)
        lanes = np.zeros_like(x.lanes[0])
        self._forward = (x.lanes, mask.kept.flatten().numpy(), shortcut.lanes, lanes, self.y.lanes)
        self._shortcut = shortcut
        self._backward = (self.y.gradient_lanes, lanes, shortcut.gradient_lanes)

    def forward(self, training: bool) -> None:
        """The branch times its mask, and the shortcut."""
        self._mask.draw(training)
        kernels.add_branch(*self._forward)

    def backward(self) -> None:
        """To both."""
        kernels.split_branch(*self._backward, self._shortcut.begun(self))


class Mask:
    """The mask of dropout or drop-connect, drawn as the module draws it for this input.

    kept: zero or 1/(1 - rate), by point and channel or by point; ones where nothing is masked.
    """

    def __init__(self, module: Dropout, x: Tensor) -> None:
        self._module = module
        self.kept = x.new_ones(module.mask_shape(x))

    def draw(self, training: bool) -> None:
        """Draws the mask of a step."""
        module = self._module
        if not training:
            self.kept.fill_(1)
        elif module.rate > 0:
            drawn = torch.rand(self.kept.shape, generator=module.generator)
            self.kept.copy_(drawn >= module.rate).div_(1 - module.rate)


class Gate(Step):
    """Squeeze-and-excitation; the gradient stays in its place."""

    def __init__(self, maps: Sequence[Module], x: Value, parameters: Parameters) -> None:
        self.y = Value(x.x, x.shape, gradient=x.gradient)
        x.readers.append(self)
        self._x, self._places = x, len(x.x)
        self._weights = [tuple(w[0] for w in parameters.of(module.weight)) for module in maps]
        self._biases = [parameters.of(module.bias) for module in maps]
        self._mean, self._gates, self._gradient = (torch.zeros_like(x.x[0]) for _ in range(3))
        self._lanes = [rows.view(-1).numpy() for rows in (self._mean, self._gates, self._gradient)]

    def forward(self, training: bool) -> None:
        """Channels times gates that are made of their means over places."""
        (w1, _), (w2, _) = self._weights
        (b1, _), (b2, _) = self._biases
        mean, gates, _ = self._lanes
        kernels.mean_over_places(self._x.lanes, mean)
        self._squeezed = torch.addmm(b1, self._mean, w1)
        self._sigmoid = torch.sigmoid(self._squeezed)
        self._swish = self._squeezed * self._sigmoid
        torch.addmm(b2, self._swish, w2, out=self._gates).sigmoid_()
        kernels.scale(self._x.lanes, gates, self.y.lanes)

    def backward(self) -> None:
        """Through the product and through the two maps."""
        (w1, dw1), (w2, dw2) = self._weights
        (_, db1), (_, db2) = self._biases
        _, gates, back = self._lanes
        kernels.gates_back(self._x.lanes, self.y.gradient_lanes, gates, back)
        torch.mm(self._swish.t(), self._gradient, out=dw2)
        torch.sum(self._gradient, 0, out=db2)
        swish = self._sigmoid + self._swish * (1 - self._sigmoid)
        squeezed = torch.mm(self._gradient, w2.t()).mul_(swish)
        torch.mm(self._mean.t(), squeezed, out=dw1)
        torch.sum(squeezed, 0, out=db1)
        torch.mm(squeezed, w1.t(), out=self._gradient).div_(self._places)
        kernels.scale_back(self.y.gradient_lanes, gates, back)


class Halving(Step):
    """The larger of each two places; an odd last place is dropped, a single one is left."""

    def __init__(self, x: Value) -> None:
        self._x = x
        places, batch, channels = x.shape
        shape = (max(1, places // 2), batch, channels)
        self.y = Value(x.x, shape, gradient=x.x.new_zeros(shape))
        x.readers.append(self)

    def forward(self, training: bool) -> None:
        """Maxima."""
        kernels.halve(self._x.lanes, self.y.lanes)

    def backward(self) -> None:
        """To the larger of two, to the first where both are equal."""
        kernels.halve_back(self._x.lanes, self.y.gradient_lanes, self._x.gradient_lanes)


class Readout(Step):
    """Mean over places, dropout and the linear readout: the logits at one place."""

    def __init__(self, module: Module, x: Value, parameters: Parameters, mask: Mask | None) -> None:
        self._x, self._mask = x, mask
        (self._weights, self._gradients), (self._bias, self._bias_gradient) = (
            parameters.of(p) for p in (module.weight, module.bias)
        )
        _, batch, _ = x.shape
        shape = (1, batch, module.out_features)
        self.y = Value(x.x, shape, gradient=x.x.new_zeros(shape))
        x.readers.append(self)

    def forward(self, training: bool) -> None:
        """Logits."""
        self._mean = self._x.x.mean(0)
        if self._mask is not None:
            self._mask.draw(training)
            self._mean *= self._mask.kept
        torch.addmm(self._bias, self._mean, self._weights, out=self.y.x[0])

    def backward(self) -> None:
        """To weights, bias and all places."""
        assert self.y.gradient is not None
        assert self._x.gradient is not None
        gradient = self.y.gradient[0]
        torch.mm(self._mean.t(), gradient, out=self._gradients)
        torch.sum(gradient, 0, out=self._bias_gradient)
        mean = torch.mm(gradient, self._weights.t()) / len(self._x.x)
        if self._mask is not None:
            mean *= self._mask.kept
        self._x.gradient.copy_(mean.expand_as(self._x.gradient))


class Tape:
    """The steps of a network in training, for batches of one size.

    inputs: (places, batch, channels), to be filled in before `forward`.
    """

    def __init__(self, network: nn.Module, *, places: int, batch: int, channels: int) -> None:
        self.parameters = Parameters(network)
        self.steps: list[Step] = []
        like = next(network.parameters()).detach()
        start = Value(like, (places, batch, channels), gradient=None)
        self.inputs = start.x
        taped: Any = getattr(network, "taped", None)
        if taped is None:
            name = type(network).__name__
            raise TypeError(f"{name} says no steps for a tape: the engine 'autograd' trains it")
        self._end: Value = taped(self, start)
        self._weights, self._momenta, self._gradients = (
            array.numpy()
            for array in (
                self.parameters.weights,
                self.parameters.momenta,
                self.parameters.gradients,
            )
        )

    @property
    def logits(self) -> Tensor:
        """Logits (batch, classes) of the last `forward`."""
        return self._end.x[0]

    def forward(self, *, training: bool) -> None:
        """The logits of `inputs`."""
        for step in self.steps:
            step.forward(training)

    def backward(self, labels: Tensor) -> float:
        """The mean cross-entropy of the logits, and its gradient by all parameters."""
        logarithms = torch.log_softmax(self.logits, 1)
        gradient = self._end.gradient
        assert gradient is not None
        torch.exp(logarithms, out=gradient[0])
        rows = torch.arange(len(labels))
        gradient[0, rows, labels] -= 1
        gradient /= len(labels)
        for step in reversed(self.steps):
            step.backward()
        return -float(logarithms[rows, labels].mean())

    def descend(self, *, rate: float, momentum: float) -> None:
        """A step of SGD."""
        kernels.descend(self._weights, self._momenta, self._gradients, rate, momentum)

    def sequence(self, modules: Iterable[Module], x: Value) -> Value:
        """Steps for modules one after the other; batch norm takes what follows it.

        A module is a layer that is known here, or says its own steps (`taped`).
        """
        left = list(modules)
        while left:
            module = left.pop(0)
            if isinstance(module, nn.BatchNorm1d):
                follows = FOLLOWS.get(type(left[0]), kernels.NOTHING) if left else kernels.NOTHING
                if follows:
                    left.pop(0)
                x = self._add(BatchNorm(module, x, self.parameters, follows=follows))
            else:
                x = self._module(module, x)
        return x

    def relu(self, x: Value, shortcut: Value | None = None) -> Value:
        """ReLU of a value, or of its sum with a shortcut."""
        return self._add(Relu(x, shortcut))

    def skip(self, x: Value, shortcut: Value, drop_connect: Dropout) -> Value:
        """The sum of a branch, masked by drop-connect, and of what it began with."""
        return self._add(Skip(x, shortcut, Mask(drop_connect, shortcut.x[0])))

    def gate(self, squeeze: Module, excite: Module, x: Value) -> Value:
        """Squeeze-and-excitation by two maps of one tap."""
        return self._add(Gate([squeeze, excite], x, self.parameters))

    def readout(self, module: Module, x: Value, dropout: Dropout | None = None) -> Value:
        """Mean over places, dropout, and a linear readout."""
        mask = None if dropout is None else Mask(dropout, x.x[0])
        return self._add(Readout(module, x, self.parameters, mask))

    def _add(self, step: Step) -> Value:
        self.steps.append(step)
        return step.y

    def _module(self, module: Module, x: Value) -> Value:
        if hasattr(module, "taped"):
            taped: Value = module.taped(self, x)
            return taped
        made: dict[type, Callable[[], Value]] = {
            nn.Conv1d: lambda: self._add(
                (Depthwise if module.groups > 1 else Convolution)(module, x, self.parameters)
            ),
            nn.ReLU: lambda: self.relu(x),
            HalvingPool: lambda: self._add(Halving(x)),
        }
        if type(module) not in made:
            raise TypeError(f"no steps are known for {type(module).__name__}")
        return made[type(module)]()
