"""Points at which the first step of gradient descent of each layer sees more than noise.

Levels are taken as learnt one after the other: layer k sees the true features of level k at their
places. Its first step from equal weights (appendix C, Eq. 12) is, at slot i and feature c,

    D_ic,alpha = mean over the data of (y_alpha - 1/n_c) x (how often c lies at places of slot i)

The signal is S = sum D^2 of all data; for P independent points the noise is V/P, with V the
variance of one point, and meets the signal at V/S points. Both are measured on drawn points; S as
the product of the D of two halves, whose noise is independent.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import log2, nan
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from srhm.data import Level, tree
from srhm.model.grammar import (
    DATA_MODEL,
    GRAMMAR,
    Grammar,
    GrammarParameters,
    draw_grammar,
    parameters_of,
)
from srhm.model.sampling import Derivations, derive
from srhm.model.seeding import generator
from srhm.networks.geometry import Layer, geometry
from srhm.store.tables import CELLS

N_POINTS = 1 << 16  # drawn of each grammar
# places: of how many levels the weights of the layer know the place, each 1 of s_0+1.
ROWS = pa.schema(
    [
        *(CELLS.field(name) for name in ("net", *GRAMMAR, "seed")),
        *(("layer", pa.int64()), ("places", pa.int64()), ("n_equal", pa.float64())),
    ]
)


def first_steps(cells: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Rows of ROWS for each net, grammar and seed of the cells with empty places, and each layer.

    n_equal: independent points at which noise equals signal; NaN where the signal is not seen.
    """
    for letters, seed, grammar, nets in grammars_of(cells):
        parameters = grammar.parameters
        data = independent(grammar, N_POINTS, generator(seed, role="drawing"))
        levels = tree(data, grammar)
        for net in nets:
            places = known_places(net, parameters)
            for k, layer in enumerate(geometry(net, parameters, width=1).layers, start=1):
                yield {
                    "net": net,
                    **{name: letters[name] for name in GRAMMAR},
                    "seed": seed,
                    "layer": k,
                    "places": places[k - 1],
                    "n_equal": equal_points(layer, levels[k], data.labels),
                }


def grammars_of(cells: pd.DataFrame) -> Iterator[tuple[dict[str, Any], int, Grammar, list[str]]]:
    """Letters, seed, grammar and nets of the cells with empty places, each grammar once."""
    own = cells[cells["s0"] > 0]
    for _, part in own.groupby([*DATA_MODEL, "seed"]):
        first = part.iloc[0]
        letters, seed = {name: first[name] for name in DATA_MODEL}, int(first["seed"])
        rules = draw_grammar(parameters_of(letters), generator=generator(seed, role="grammar"))
        yield letters, seed, rules, sorted(set(part["net"]))


def independent(grammar: Grammar, n: int, random: np.random.Generator) -> Derivations:
    """n data of a grammar, drawn independently: some may be equal."""
    parameters = grammar.parameters
    labels = random.integers(parameters.n_classes, size=n)
    choices, placements = (
        random.integers(number, size=(n, parameters.n_nodes))
        for number in (parameters.n_synonyms, parameters.n_placements)
    )
    return derive(grammar, labels, choices, placements)


def known_places(net: str, parameters: GrammarParameters) -> list[int]:
    """Of how many levels the weights of each layer know the place.

    From the numbers of weights at s_0 = 0 and 1, as each level that is known doubles them.
    """
    both = (geometry(net, replace(parameters, n_empty=s0), width=1).layers for s0 in (0, 1))
    pairs = zip(*both, strict=True)
    return [round(log2(one.n_slots / dense.n_slots)) for dense, one in pairs]


def equal_points(layer: Layer, level: Level, labels: NDArray[Any]) -> float:
    """V/S of one layer from the features (n, inputs) of its level and the classes (n,)."""
    n, n_classes = len(labels), int(labels.max()) + 1
    v = int(level.features.max()) + 1
    at = np.array(layer.slots)[level.places] * v + level.features
    halves = []
    for half in (slice(n // 2), slice(n // 2, n)):
        index = at[half] * n_classes + labels[half, None]
        counts = np.bincount(index.ravel(), minlength=layer.n_slots * v * n_classes)
        D = counts.reshape(-1, n_classes) / (n // 2)
        halves.append(D - D.mean(axis=1, keepdims=True))
    signal = float((halves[0] * halves[1]).sum())
    squares = float((at[:, :, None] == at[:, None]).sum()) / n * (1 - 1 / n_classes)
    return (squares - signal) / signal if signal > 0 else nan
