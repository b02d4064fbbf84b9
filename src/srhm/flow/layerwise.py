"""Greedy layerwise training: a layer at a time under a readout of its own, then frozen.

Source: the claim that deep CNNs trained layer by layer learn the RHM from O(m^((1+o(1)) L)) points
(arXiv 2601.19756, as an article about it reports). The protocol is this package's: for k = 1 ... L,
layer k and a linear readout of all its places are trained together on the labels, the readout is
thrown away, and the layer's activations become the input of the next. The predictor after the last
stage is that of the whole network.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from srhm.flow.descents import FlowStep, NetworkSystem, Trained, gradient_flow
from srhm.flow.losses import Loss
from srhm.flow.networks import Network, Predictor, Weights, trace

# Initial weights of a stage's network: layer1 and the readout of its places, for all members.
MakeWeights = Callable[[Network], Weights]
# Training of one stage from its initial weights.
Optimise = Callable[[NetworkSystem, Weights], Trained]


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
    make_weights: MakeWeights,
    max_evaluations: int,
    step: FlowStep | None = None,
    optimise: Optimise | None = None,
) -> list[LayerStage]:
    """Trains the layers of a network one after the other, all members at once.

    Args:
        network: whose layers are trained; without biases.
        x, y: training set, as of `NetworkSystem`.
        loss: of every stage, on the labels.
        alpha: (E,), of every stage.
        make_weights: initial weights (E, ...) of a stage's network.
        max_evaluations: of each stage; a stage that does not fit is frozen as it is.
        step: of the flow.
        optimise: what trains a stage in place of the flow, `adam` with its settings say; the two
            arguments before are then not looked at.

    Returns one stage for each layer.

    Raises:
        ValueError: if the network has biases.
    """
    if network.biased:
        raise ValueError("layerwise training is for networks without biases")
    stages: list[LayerStage] = []
    n_places = network.n_places
    for layer in network.layers:
        stage = replace(network, layers=(layer,), n_places=n_places)
        start = make_weights(stage)
        predictor = Predictor(stage, alpha, start)
        system = NetworkSystem.of(predictor, x, y, loss)
        if optimise is None:
            trained = gradient_flow(system, start, max_evaluations=max_evaluations, step=step)
        else:
            trained = optimise(system, start)
        stages.append(LayerStage(stage, predictor, trained))
        x = stages[-1].activations(x)
        n_places = layer.n_places
    return stages
