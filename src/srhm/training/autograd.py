"""Training by PyTorch's autograd; of named nets, in one dimension, it is the engine `autograd`.

VGG, ResNet and EfficientNet are trained several times faster by `taped`, whose gradients are
written by hand; this engine trains a network that has none, is what tests compare the other with,
and is where networks of a stack begin.

The input is one-hot, its v features as channels and its d places as the dimension. Batch norm and
dropout are in training mode while training and in eval mode whenever something is measured.
"""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from srhm.model.encoding import one_hot
from srhm.model.grammar import GrammarParameters
from srhm.model.sampling import Derivations
from srhm.networks.named import named_network

# Entries beside parameters and buffers.
MOMENTUM, STREAM = "momentum of ", "stream"


def weights_of(network: nn.Module) -> dict[str, NDArray[Any]]:
    """Copies of parameters and of batch norm's buffers, by their names in the network."""
    return {name: value.cpu().numpy().copy() for name, value in network.state_dict().items()}


def state_of(
    network: nn.Module, optimiser: torch.optim.Optimizer, stream: torch.Generator | None
) -> dict[str, NDArray[Any]]:
    """Copies of weights, of momenta (there from the first step on) and of dropout's stream.

    stream: None where nothing is drawn.
    """
    arrays = weights_of(network)
    for name, parameter in network.named_parameters():
        momentum = optimiser.state[parameter].get("momentum_buffer")
        if momentum is not None:
            arrays[MOMENTUM + name] = momentum.cpu().numpy().copy()
    if stream is not None:
        arrays[STREAM] = stream.get_state().numpy().copy()
    return arrays


def restore(
    network: nn.Module,
    optimiser: torch.optim.Optimizer,
    stream: torch.Generator | None,
    state: Mapping[str, NDArray[Any]],
) -> None:
    """Puts network, optimiser and stream where `state_of` was taken, on the network's device.

    Raises:
        ValueError: if names, shapes or precisions are not those of this network.
    """
    current = network.state_dict()
    momenta = {MOMENTUM + name: p for name, p in network.named_parameters()}
    expected = {*current, STREAM} if stream is not None else {*current}
    if not expected <= state.keys() <= expected | momenta.keys():
        odd = sorted((state.keys() ^ expected) - momenta.keys())
        raise ValueError(f"the state is not one of this network: {', '.join(odd)}")
    values = {name: torch.from_numpy(np.array(array)) for name, array in state.items()}
    if stream is not None:
        stream.set_state(values.pop(STREAM))
    for name, value in values.items():
        like = current[name] if name in current else momenta[name]
        if like.ndim == 0 and value.shape == (1,):  # a file has no arrays without axes
            values[name] = value = value[0]
        if value.shape != like.shape or value.dtype != like.dtype:
            raise ValueError(f"{name}: {value.dtype}{tuple(value.shape)} does not fit")
    network.load_state_dict({name: values[name] for name in current})
    for name, parameter in momenta.items():
        if name in values:
            optimiser.state[parameter]["momentum_buffer"] = values[name].to(parameter.device)


class AutogradEngine:
    """SGD with momentum on the mean cross-entropy of a batch, one autograd step after the other."""

    test_batch: int
    """test points in memory at once"""
    rate: float
    stream: torch.Generator | None = None
    """of what a step draws, if it draws"""
    network: nn.Module
    _optimiser: torch.optim.Optimizer
    _train: Derivations
    _test: Derivations
    _batch_size: int

    def steps(self, order: NDArray[np.int64]) -> float:
        """Summed cross-entropy of these points as their batches saw it; trains on them."""
        self.network.train()
        summed = 0.0
        for start in range(0, len(order), self._batch_size):
            x, y = self._tensors(self._train[order[start : start + self._batch_size]])
            loss = cross_entropy(self.network(x), y)
            self._optimiser.zero_grad()
            loss.backward()
            self._optimiser.step()
            summed += loss.item() * len(y)
        return summed

    @torch.no_grad()
    def test_error(self) -> float:
        """Fraction of the test set that is not classified right; a tie is an error."""
        self.network.eval()
        right = 0
        for start in range(0, len(self._test), self.test_batch):
            x, y = self._tensors(self._test[start : start + self.test_batch])
            logits = self.network(x)
            label_logits = logits.gather(1, y[:, None])
            right += int(((logits >= label_logits).sum(dim=1) == 1).sum())
        return 1 - right / len(self._test)

    def weights(self) -> dict[str, NDArray[Any]]:
        """Copies of parameters and of batch norm's buffers, by their names in the network."""
        return weights_of(self.network)

    def state(self) -> dict[str, NDArray[Any]]:
        """Copies of weights, of momenta (there from the first step on) and of dropout's stream."""
        return state_of(self.network, self._optimiser, self.stream)

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Puts the engine where `state` was taken.

        Raises:
            ValueError: if names, shapes or precisions are not those of this engine.
        """
        restore(self.network, self._optimiser, self.stream, state)

    def _tensors(self, data: Derivations) -> tuple[Tensor, Tensor]:
        """Inputs and labels."""
        raise NotImplementedError


def network_for(
    net: str, parameters: GrammarParameters, *, width: int, generator: torch.Generator
) -> nn.Module:
    """A named net for the data of a grammar, freshly initialised; it keeps the generator."""
    return named_network(
        net,
        dimensions=1,
        in_channels=parameters.n_features,
        n_classes=parameters.n_classes,
        width=width,
        generator=generator,
    )


def inputs(
    data: Derivations,
    parameters: GrammarParameters,
    *,
    whitening: bool = False,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """One-hot input (n, v, d): features as channels, places as the dimension."""
    x_BDC = torch.from_numpy(one_hot(data, parameters, whitening=whitening))
    return x_BDC.transpose(1, 2).to(dtype).contiguous()


def columns(parameters: GrammarParameters, *, whitening: bool = False) -> NDArray[np.float32]:
    """Channels (v + 1, v) of each symbol at a place, as `encoding.one_hot` makes them."""
    v = parameters.n_features
    data = Derivations(
        labels=np.zeros(v + 1, dtype=np.int16),
        choices=np.zeros((v + 1, 0), dtype=np.int16),
        placements=np.zeros((v + 1, 0), dtype=np.int32),
        # Seen at the first place, which is empty in datum 0: its feature lies at the second.
        features=np.array([0, *range(v)], dtype=np.int16)[:, None],
        positions=np.array([1, *[0] * v], dtype=np.int32)[:, None],
    )
    return one_hot(data, parameters, whitening=whitening)[:, 0]


class NetworkEngine(AutogradEngine):
    """The engine of a named net.

    generator: of this cell's initialisation. It seeds the stream of torch's own from which initial
    weights and, while training, the masks of dropout are drawn.
    """

    steps_at_once, test_batch = 20, 256
    # Batch norm has no use for a batch of a single point.
    whole_batches = True

    @classmethod
    def of_cell(
        cls,
        cell: Mapping[str, Any],
        parameters: GrammarParameters,
        train: Derivations,
        test: Derivations,
        *,
        generator: np.random.Generator,
        **options: Any,
    ) -> Self:
        """The named net of a cell on its data; options: further arguments of the engine.

        The rate is the cell's as it is: these nets have no outputs of 1/H.
        """
        return cls(
            cell["net"],
            parameters,
            train,
            test,
            width=cell["width"],
            generator=generator,
            rate=cell["learning_rate"],
            **options,
        )

    def __init__(
        self,
        net: str,
        parameters: GrammarParameters,
        train: Derivations,
        test: Derivations,
        *,
        width: int,
        generator: np.random.Generator,
        batch_size: int,
        rate: float,
        momentum: float,
        dtype: type = np.float32,
        whitening: bool = False,
    ) -> None:
        torch.set_num_threads(1)  # sums in one order, whatever the machine; cells run side by side
        torch.set_flush_denormal(True)  # momenta of dead channels decay for ever
        self._parameters, self._train, self._test = parameters, train, test
        self._batch_size, self._whitening = batch_size, whitening
        self._dtype = torch.float64 if dtype is np.float64 else torch.float32
        self.rate = rate
        self.stream = torch.Generator().manual_seed(int(generator.integers(2**63)))
        network = network_for(net, parameters, width=width, generator=self.stream)
        self.network = network.to(self._dtype)
        # Fused: one call for all weights, of which these nets have a hundred small arrays.
        self._optimiser = torch.optim.SGD(
            self.network.parameters(), lr=rate, momentum=momentum, fused=True
        )

    def _tensors(self, data: Derivations) -> tuple[Tensor, Tensor]:
        x = inputs(data, self._parameters, whitening=self._whitening, dtype=self._dtype)
        return x, torch.from_numpy(data.labels.astype(np.int64))
