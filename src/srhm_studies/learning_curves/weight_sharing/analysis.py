"""Exponents of s_0+1 of each grammar, in P* and in the first two gradient steps of each layer.

Of the first step: points at which it sees more than noise. Levels are taken as learnt one after the
other: layer k sees the true features of level k at their places. Its first step from equal weights
(appendix C, Eq. 12) is, at slot i and feature c,

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
from srhm.model.seeding import generator
from srhm.networks.geometry import Layer, geometry
from srhm.statistics.exponents_of_grammars import OF_GRAMMAR, complexities_of_grammars, powers
from srhm.store.tables import CELLS
from srhm_studies.learning_curves.tokens import independent

N_POINTS = 1 << 16  # drawn of each grammar
# places: of how many levels the weights of the layer know the place, each 1 of s_0+1.
FIRST_STEPS = pa.schema([
    *(CELLS.field(name) for name in ("net", *GRAMMAR, "seed")),
    *(("layer", pa.int64()), ("places", pa.int64()), ("n_equal", pa.float64())),
])  # fmt: skip


def first_steps(cells: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """FIRST_STEPS of each net, grammar and seed of the cells with empty places, and each layer.

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
                    "net": net, **{name: letters[name] for name in GRAMMAR}, "seed": seed,
                    "layer": k, "places": places[k - 1],
                    "n_equal": equal_points(layer, levels[k], data.labels),
                }  # fmt: skip


def grammars_of(cells: pd.DataFrame) -> Iterator[tuple[dict[str, Any], int, Grammar, list[str]]]:
    """Letters, seed, grammar and nets of the cells with empty places, each grammar once."""
    sparse = cells[cells["s0"] > 0]
    for _, part in sparse.groupby([*DATA_MODEL, "seed"]):
        first = part.iloc[0]
        letters, seed = {name: first[name] for name in DATA_MODEL}, int(first["seed"])
        rules = draw_grammar(parameters_of(letters), generator=generator(seed, role="grammar"))
        yield letters, seed, rules, sorted(set(part["net"]))


def known_places(net: str, parameters: GrammarParameters) -> list[int]:
    """Of how many levels the weights of each layer know the place.

    From the numbers of weights at s_0 = 0 and 1, as each level that is known doubles them.
    """
    both = (geometry(net, replace(parameters, n_empty=s0), width=1).layers for s0 in (0, 1))
    pairs = zip(*both, strict=True)
    return [round(log2(sparse.n_slots / dense.n_slots)) for dense, sparse in pairs]


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


# of: of which points. layer: of a step; 0: of P*. places: of how many levels the weights of that
# layer know the place; of P* and of two steps: the largest number of all layers so far.
EXPONENTS = pa.schema([
    *(CELLS.field(name) for name in ("net", *OF_GRAMMAR)),
    *(("of", pa.string()), ("layer", pa.int64()), ("places", pa.int64())),
    ("exponent", pa.float64()),
])  # fmt: skip
P_STAR, FIRST, SECOND, OUTPUT = ("P_star", "first_step", "second_step", "output")
# P* from s_0 = 0 to 1.
FIRST_PLACE = "first_place"


def exponents(
    cells: pd.DataFrame, first_steps: pd.DataFrame, two_steps: pd.DataFrame, *, threshold: float
) -> pd.DataFrame:
    """Rows of EXPONENTS: slopes against log (s_0+1) at the s_0 > 0 of each grammar.

    Of log P*, and of the log of the points at which noise equals signal: in the first step of a
    layer, in the step after that of the layer below, and in the output of both. FIRST_PLACE is that
    of P* at s_0 = 0 and 1. A grammar with one s_0, or a censored P*, has none.
    """
    stars = complexities_of_grammars(cells, threshold=threshold)
    most = first_steps.groupby(["net", "L"])["places"].max().rename("places").reset_index()
    stars = stars.rename(columns={"P_star": "points"}).merge(most, on=["net", "L"]).assign(layer=0)
    tables = (
        stars[stars["s0"] > 0].assign(of=P_STAR),
        stars[stars["s0"] <= 1].assign(of=FIRST_PLACE),
        first_steps.assign(of=FIRST, points=first_steps["n_equal"]),
        two_steps.assign(of=SECOND, points=two_steps["n_equal"]),
        two_steps.assign(of=OUTPUT, points=two_steps["n_equal_output"]),
    )
    by = ["net", *OF_GRAMMAR, "of", "layer", "places"]
    return powers(pd.concat(tables), "points", by=by)[EXPONENTS.names]
