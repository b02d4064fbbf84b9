"""Networks so small that Triton's interpreter can train them: some tenths of a second a step."""

from typing import Any

import numpy as np
import torch

from srhm.model.grammar import GrammarParameters, draw_grammar
from srhm.model.sampling import Derivations, draw_sample
from srhm.model.seeding import generator
from srhm.networks.geometry import Geometry, geometry, initial_weights
from srhm.training.packed import Pack, PackLayout, device_for_packs

N_TEST = 24
WIDTH = 12  # not a power of two: channels beyond it must stay zero
RATE = 0.01 * WIDTH
Task = tuple[Geometry, dict[str, np.ndarray], Derivations, Derivations]


def task(net: str, depth: int, branching: int, n_empty: int, *, width: int = WIDTH) -> Task:
    """Geometry, initial weights, and data of a small grammar."""
    v = {2: 4, 3: 3}[branching]
    parameters = GrammarParameters(
        depth=depth,
        branching=branching,
        n_features=v,
        n_synonyms=2 if depth == 3 else v,
        n_classes=v,
        n_empty=n_empty,
    )
    n_train = min(40, parameters.n_distinct // 2)
    train, test = draw_sample(
        draw_grammar(parameters, generator=generator(0, role="grammar")),
        n_train=n_train,
        n_test=min(N_TEST, parameters.n_distinct - n_train),
        train_generator=generator(0, role="train"),
        test_generator=generator(0, role="test"),
    )
    shape = geometry(net, parameters, width=width)
    return shape, initial_weights(shape, generator=np.random.default_rng(3)), train, test


def layout(one: Task, *, batch_size: int = 4, dtype: type = np.float64) -> PackLayout:
    """What a pack of networks of this task looks like; few programs evaluate."""
    shape, _, train, test = one
    return PackLayout(
        shape,
        batch_size=batch_size,
        momentum=0.9,
        n_train=len(train),
        n_test=len(test),
        dtype=dtype,
        test_programs=6,
    )


def pack(one: Task, size: int = 1, **options: Any) -> Pack:
    """A pack on the GPU if there is one, else interpreted."""
    return Pack(layout(one, **options), size, device=device_for_packs())


def present_momenta(state: dict[str, np.ndarray], momentum: float = 0.9) -> np.ndarray:
    """Momenta of the rows as the steps of rest have left them."""
    rested = state["steps"][0] - state["stamps"]
    return state["momenta"] * (momentum**rested)[:, None]


def on_gpu() -> bool:
    """Whether kernels are compiled."""
    return torch.cuda.is_available()
