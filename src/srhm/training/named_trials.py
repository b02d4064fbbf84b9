"""Two small named nets in stacks, on a device and on the processor, compared: see `trials`."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from srhm.model.grammar import GrammarParameters
from srhm.model.seeding import generator
from srhm.training.network import NetworkEngine
from srhm.training.stacked import Stack, StackLayout
from srhm.training.taped import TapedEngine
from srhm.training.trials import (
    MOMENTUM,
    N_TEST,
    N_TRAIN,
    PARAMETERS,
    by_engine,
    in_pack,
    trial_row,
    trial_sample,
)

NETS = ("vgg11_bn", "resnet18")
# With more steps, or at larger rates, batch norm makes of rounding what training makes.
TOGETHER, STEPS, BATCH, RATE, WIDTH = 4, 30, 16, 1e-3, 8
# As far as training moves a network: what batch norm makes of one pre-activation across zero.
ALONE = 1.0


def stacked_trial(device: str) -> Iterator[dict[str, Any]]:
    """Rows of named nets in a stack."""
    torch.set_num_threads(1)
    parameters = GrammarParameters(depth=2, **PARAMETERS)
    data = trial_sample(parameters)
    training: dict[str, Any] = {"width": WIDTH, "batch_size": BATCH, "momentum": MOMENTUM}
    orders = generator(0, role="order").integers(N_TRAIN, size=(TOGETHER, STEPS * BATCH))
    for net in NETS:

        def engine(made: type, dtype: type, net: str = net) -> Any:
            stream = generator(0, role="initialisation")
            options = {"rate": RATE, "generator": stream, "dtype": dtype}
            return made(net, parameters, *data, **options, **training)

        layout = StackLayout(
            net=net, parameters=parameters, n_train=N_TRAIN, n_test=N_TEST, **training
        )
        stack = Stack(layout, TOGETHER, device=torch.device(device))
        first: NetworkEngine = engine(NetworkEngine, np.float32)
        slots = [stack.enter(first.state(), *data, rate=RATE) for _ in orders]
        start = {name: p.detach().numpy().copy() for name, p in first.network.named_parameters()}
        engine(TapedEngine, np.float32).steps(orders[0, :BATCH])  # compiles
        here = by_engine(lambda: engine(TapedEngine, np.float32), orders, batch=BATCH)
        exact = by_engine(lambda: engine(NetworkEngine, np.float64), orders, batch=BATCH)
        there = in_pack(stack, slots, orders, batch=BATCH)
        told = {"there": there, "here": here, "exact": exact}
        yield trial_row(net, start, steps=STEPS, n_test=N_TEST, alone=ALONE, **told)
