"""Points at which the second of two gradient steps sees more than noise: that of the next layer.

Step 1 moves layer k from equal weights by D^(1) of P points (appendix C, Eq. 12; `first_steps`). At
a place j of the level above it then says, up to a constant, the n_c numbers

    h_j,beta = sum over the features c at places z of patch j of D^(1)_slot(z)c,beta

Levels are taken as learnt one after the other: layer k+1 starts from equal weights, too. Its first
step is of the same P points, and sees h, with the noise of step 1, in place of features:

    D^(2)_slot,beta,alpha = mean over the data of (y_alpha - 1/n_c) x (h_beta at places of the slot)

All of it follows from the correlations of single places, the D of an LCN, which all nets sum.
Signal is sum D^2 of all data of the grammar, noise the mean square of what differs from it at P
points. Shapes: R samples, Z places of the input of layer k, C features, J patches of that input, K
places and features of a patch (J K = Z C), B classes of step 1, A of step 2.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import exp, log, nan
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from scipy.optimize import brentq

from srhm.model.correlations import class_correlations, expected_class_correlations
from srhm.model.grammar import GRAMMAR, Grammar
from srhm.model.seeding import generator
from srhm.networks.geometry import Layer, geometry
from srhm.store.tables import CELLS
from srhm_studies.learning_curves.tokens import independent
from srhm_studies.learning_curves.weight_sharing.analysis import grammars_of, known_places

Floats = NDArray[np.float64]

N_SAMPLES, N_DRAWN = 64, 2048  # samples of each grammar, and points of each
FEWEST, MOST = 1.0, 1e12  # points between which noise is looked for that equals signal
# layer: of the second step. places: the most levels of which the weights of the layer, or of the
# layer below, know the place.
ROWS = pa.schema([
    *(CELLS.field(name) for name in ("net", *GRAMMAR, "seed")),
    *(("layer", pa.int64()), ("places", pa.int64())),
    *(("n_equal", pa.float64()), ("n_equal_output", pa.float64())),
])  # fmt: skip


def two_steps(cells: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Rows of ROWS for each net, grammar and seed of the cells with empty places, and two layers.

    n_equal: independent points at which noise equals signal in the second step; n_equal_output: in
    what both steps say of a datum.
    """
    for letters, seed, grammar, nets in grammars_of(cells):
        for k in range(1, grammar.parameters.depth):
            # The grammar whose input is level k: without the rules of the levels below.
            depth = grammar.parameters.depth + 1 - k
            upper = Grammar(replace(grammar.parameters, depth=depth), grammar.rules[k - 1 :])
            expected = expected_class_correlations(upper)
            noise = noise_of_points(upper, expected, seed)
            for net in nets:
                places = known_places(net, grammar.parameters)[k - 1 : k + 1]
                lower, layer = geometry(net, grammar.parameters, width=1).layers[k - 1 : k + 1]
                step, output = points_of_two_steps(expected, noise, lower, layer)
                yield {
                    "net": net, **{name: letters[name] for name in GRAMMAR}, "seed": seed,
                    "layer": k + 1, "places": max(places), "n_equal": step,
                    "n_equal_output": output,
                }  # fmt: skip


def noise_of_points(grammar: Grammar, expected: Floats, seed: int) -> Floats:
    """What D of N_DRAWN independent points differs by from that of all data, N_SAMPLES times."""
    data = independent(grammar, N_SAMPLES * N_DRAWN, generator(seed, role="drawing"))
    starts = range(0, len(data), N_DRAWN)
    drawn = [class_correlations(data[i : i + N_DRAWN], grammar.parameters) for i in starts]
    return np.asarray(np.array(drawn) - expected)


@dataclass(frozen=True)
class Steps:
    """The two steps of some samples.

    second: D^(2), shape (R, slots, B, A). output: what one feature at one place adds to the
    answers of layer k+1, D^(1) D^(2), shape (R, Z C, A).
    """

    second: Floats
    output: Floats


def steps(D_RZCA: Floats, lower: Layer, layer: Layer) -> Steps:
    """Both steps from the correlations of single places of the input of `lower`.

    lower, layer: layers k and k+1.
    """
    n, _, n_features, n_classes = D_RZCA.shape
    below, above = (np.eye(one.n_slots)[list(one.slots)] for one in (lower, layer))  # place, slot
    flat = D_RZCA.reshape(n, len(below), -1)
    by_patch = (n, lower.n_places, lower.filter_size * n_features, n_classes)
    D1_RJKB = (below @ (below.T @ flat)).reshape(by_patch)
    D_RJKA = flat.reshape(by_patch)
    of_patches = (D1_RJKB.swapaxes(2, 3) @ D_RJKA).reshape(n, lower.n_places, -1)
    second = above.T @ of_patches
    D2_RJBA = (above @ second).reshape(n, lower.n_places, n_classes, n_classes)
    return Steps(
        second.reshape(n, layer.n_slots, n_classes, n_classes),
        (D1_RJKB @ D2_RJBA).reshape(n, -1, n_classes),
    )


def points_of_two_steps(
    expected: Floats, noise: Floats, lower: Layer, layer: Layer
) -> tuple[float, float]:
    """Points at which noise equals signal, in the second step and in the output of both.

    expected (Z, C, A), noise (R, Z, C, A): D of all data, and what differs at N_DRAWN points; at P
    points it is taken sqrt(N_DRAWN/P) times as large. In the output the scale says nothing: signal
    is the part along that of all data, noise the rest. NaN where all data give no signal.
    """
    wanted = steps(expected[None], lower, layer)
    size = (wanted.output**2).sum()
    if size == 0:
        return nan, nan
    # Both steps at D = expected + x noise by powers of x, (K, R, ...), from their values at four x:
    # D^(2) is a product of two D, the output of three.
    at = np.array([0.0, 1.0, -1.0, 2.0])
    both_steps = [steps(expected + x * noise, lower, layer) for x in at]
    from_values = np.linalg.inv(np.vander(at, increasing=True))
    second_K = np.tensordot(from_values, np.array([at_x.second for at_x in both_steps]), 1)
    output_K = np.tensordot(from_values, np.array([at_x.output for at_x in both_steps]), 1)
    # Sums of squares, and parts along the output of all data, by powers of noise.
    flat = (parts.reshape(len(parts), -1) for parts in (second_K[1:3], output_K))
    squares_KK, outputs_KK = (matrix @ matrix.T for matrix in flat)
    along_KR = np.einsum("krsa,sa->kr", output_K, wanted.output[0])

    def powers(log_P: float) -> Floats:
        return np.asarray((N_DRAWN / exp(log_P)) ** (np.arange(4) / 2))

    def of_second(log_P: float) -> float:
        x_K = powers(log_P)[1:3]
        differs = x_K @ squares_KK @ x_K / len(noise)
        return float(log(differs / (wanted.second**2).sum()))

    def of_output(log_P: float) -> float:
        x_K = powers(log_P)
        signal = ((x_K @ along_KR) ** 2).sum() / size
        return float(log((x_K @ outputs_KK @ x_K - signal) / signal))

    return _crossing(of_second), _crossing(of_output)


def _crossing(log_ratio: Callable[[float], float]) -> float:
    """P at which the logarithm of noise over signal is 0; NaN where it is not."""
    ends = log(FEWEST), log(MOST)
    if log_ratio(ends[0]) < 0 or log_ratio(ends[1]) > 0:
        return nan
    return float(exp(brentq(log_ratio, *ends, xtol=1e-3)))
