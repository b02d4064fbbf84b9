"""Greedy layerwise training: a layer at a time under a readout of its own, then frozen.

Source: the claim that deep CNNs trained layer by layer learn the RHM from O(m^((1+o(1)) L)) points
(arXiv 2601.19756, as an article about it reports). The protocol is this package's: for k = 1 ... L,
layer k and a linear readout of all its places are trained together on the labels, the readout is
thrown away, and the layer's activations become the input of the next. The predictor after the last
stage is that of the whole network.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from srhm.flow.descents import NetworkSystem, Trained
from srhm.flow.losses import Loss
from srhm.flow.networks import Network, Predictor, Weights, trace


@dataclass(frozen=True)
class LayerStage:
    """One layer after its training.

    network: of one hidden layer, whose readout sees its places as channels of one place;
    predictor: with its own initial weights; trained: its weights and how the training ended.
    """

    network: Network
    predictor: Predictor
    trained: Trained

    def activations(self, x: Tensor) -> Tensor:
        """Activations of the layer, (E, B, places, H), the input of the next stage."""
        with torch.no_grad():
            hidden_EDBH = trace(self.network, self.trained.state, x).hidden[0]
        return hidden_EDBH.transpose(1, 2)


def train_layerwise(
    network: Network,
    x: Tensor,
    y: Tensor,
    loss: Loss,
    *,
    alpha: Tensor,
    starts: Sequence[Weights],
    optimise: Callable[[NetworkSystem, Weights], Trained],
) -> list[LayerStage]:
    """Trains the layers of a network one after the other, all members at once.

    Args:
        network: whose layers are trained; without biases.
        x, y: training set, as of `NetworkSystem`.
        loss: of every stage, on the labels.
        alpha: (E,), of every stage.
        starts: of each stage initial weights (E, ...): layer1, and the readout of its places.
        optimise: what trains a stage; one that does not fit is frozen as it is.

    Returns one stage for each layer.
    """
    stages: list[LayerStage] = []
    n_places = network.n_places
    for layer, start in zip(network.layers, starts, strict=True):
        stage = replace(network, layers=(layer,), n_places=n_places)
        predictor = Predictor(stage, alpha, start)
        trained = optimise(NetworkSystem.of(predictor, x, y, loss), start)
        stages.append(LayerStage(stage, predictor, trained))
        x = stages[-1].activations(x)
        n_places = layer.n_places
    return stages
