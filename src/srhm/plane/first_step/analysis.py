"""The first step of gradient descent (appendix C): signal and noise of the first layer's update.

From equal hidden weights, a Gaussian readout a and zero output, every channel of the first layer
moves at place z and feature c by the same amount (Eq. 12), up to a constant,

    update_zc = sum_alpha abar_alpha D_zc,alpha
    D_zc,alpha = (1/P) sum_k (y_alpha(x_k) - 1/n_c) x_k,zc

the correlation of a feature at a place with the classes, abar the mean of the readout over
channels. Averaged over abar, the squared update is sum_alpha D^2: no readout need be drawn. In a
CNN the update of a filter's place is the sum over the patches that the filter sees.

Signal is the sum of squares of D for all data of the grammar, noise that of its deviation for P
points. For independent points the noise is V/P and meets the signal at P = V/signal; points drawn
distinct out of N data have less, V/P (N - P)/(N - 1), which is corrected for. The law of this P for
the LCN is (s_0+1)^L n_c m^L, up to a constant.

A seed is that of the core: it has the grammar of the learning curves with the same parameters, and
their nested training sets but for the points of their tests. Grammars of one seed are alike for all
s_0 and share the numbers their samples are made of: exponents are therefore fitted for each seed
alone, and intervals are those of the mean over the seeds.

Shapes: Z place of a filter (d for the LCN, s(s_0+1) for the CNN), v features, A classes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srhm.declare.keys import combinations
from srhm.model.correlations import class_correlations, expected_class_correlations
from srhm.model.grammar import (
    GRAMMAR,
    Grammar,
    draw_grammar,
    parameters_of,
    placement_offsets,
)
from srhm.model.sampling import Derivations, draw_samples
from srhm.model.seeding import generator
from srhm.statistics.regimes import averages
from srhm.statistics.regression import Fit, mean

NETS = ("lcn", "cnn")


@dataclass(frozen=True)
class FirstStep:
    """Signal and noise of the first update at P points, in units of squared correlations.

    synonym_noise, placement_noise, latent_signal: variances of the responses of the filters to the
    level-1 patches of the grammar, means over filters, summed over classes: between synonyms of one
    latent of level 2, between placements of one tuple, and between the means of these latents.
    Synonyms and displaced copies group together where the last exceeds the first two.
    all_synonym_noise, all_latent_signal: the same of all data. Filters see single features, and
    synonyms of one latent differ in these: they do not group fully whatever P is. Displaced copies
    do with sparsity A, where all placements of a tuple are alike in all data.
    """

    n_train: int
    n_distinct: int
    signal: float
    noise: float
    synonym_noise: float
    placement_noise: float
    latent_signal: float
    all_synonym_noise: float
    all_latent_signal: float

    @property
    def n_equal(self) -> float:
        """Independent points at which the noise equals the signal; NaN if P is all data."""
        left = self.n_distinct - self.n_train
        if left == 0:
            return float("nan")
        return self.n_train * self.noise / self.signal * ((self.n_distinct - 1) / left)


def first_step(grammar: Grammar, data: Derivations, net: str) -> FirstStep:
    """Signal and noise of the first update of an LCN or CNN from these training points.

    Raises:
        ValueError: if the net is neither.
    """
    measured = as_seen(grammar, class_correlations(data, grammar.parameters), net)
    expected = as_seen(grammar, expected_class_correlations(grammar), net)
    synonyms, placements, latents = _spread(grammar, measured)
    all_synonyms, _, all_latents = _spread(grammar, expected)
    return FirstStep(
        n_train=len(data),
        n_distinct=grammar.parameters.n_distinct,
        signal=float((expected**2).sum()),
        noise=float(((measured - expected) ** 2).sum()),
        synonym_noise=synonyms,
        placement_noise=placements,
        latent_signal=latents,
        all_synonym_noise=all_synonyms,
        all_latent_signal=all_latents,
    )


def as_seen(grammar: Grammar, table: NDArray[np.float64], net: str) -> NDArray[np.float64]:
    """Correlations (d, v, A) as an LCN sees them, or (Z, v, A) summed over patches, as a CNN does.

    Raises:
        ValueError: if the net is neither.
    """
    if net not in NETS:
        raise ValueError(f"net = {net!r}: allowed are {', '.join(NETS)}")
    if net == "lcn":
        return table
    return table.reshape(-1, grammar.parameters.patch_size, *table.shape[1:]).sum(axis=0)


def _spread(grammar: Grammar, table: NDArray[np.float64]) -> tuple[float, float, float]:
    """Variances between synonyms, placements and latents, of responses to level-1 patches."""
    parameters = grammar.parameters
    by_patch = table.reshape(-1, parameters.patch_size, *table.shape[1:])
    offsets, rules = placement_offsets(parameters), grammar.rules[0]
    # Filter i, latent q, synonym m, placement p: the sum over the s features of the patch.
    seen = by_patch[:, offsets[None, None], rules[:, :, None]]
    responses = seen.sum(axis=4)
    of_tuples = responses.mean(axis=3)
    of_latents = of_tuples.mean(axis=2)
    parts = (
        of_tuples.var(axis=2).mean(axis=(0, 1)).sum(),
        responses.var(axis=3).mean(axis=(0, 1, 2)).sum(),
        of_latents.var(axis=1).mean(axis=0).sum(),
    )
    return float(parts[0]), float(parts[1]), float(parts[2])


def first_step_rows(entries: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """A row (FIRST_STEP) for each net, grammar, seed and P of the entries.

    A grammar of two entries is measured once for each net, seed and P.

    Raises:
        SampleError, GrammarError: if a grammar has no such P, or is none; the message names both.
    """
    done = set()
    for entry in entries:
        sizes = sorted(one["P"] for one in combinations(entry, "P"))
        for letters in combinations({"m": None, "n_c": None, **entry}, *GRAMMAR, "seed"):
            parameters, seed = parameters_of(letters), letters["seed"]
            rules = draw_grammar(parameters, generator=generator(seed, role="grammar"))
            samples = draw_samples(parameters, [seed], n_train=sizes[-1], n_test=1)
            data = samples[seed, "train"]
            for row in combinations({**entry, "P": sizes}, "net", "P", **letters):
                if tuple(row.items()) not in done:
                    done.add(tuple(row.items()))
                    step = first_step(rules, data[: row["P"]], row["net"])
                    numbers = {**asdict(step), "n_equal": step.n_equal}
                    del numbers["n_train"]
                    yield {**row, **numbers, "n_distinct": float(step.n_distinct)}


# Column of `equal_points` of each exponent, and what tells the groups apart that it is fitted in.
EXPONENTS: dict[str, tuple[str, ...]] = {
    "s0+1": ("L", "s", "v", "m", "n_c"),
    "m": ("L", "s", "s0", "v", "n_c"),
    "n_c": ("L", "s", "s0", "v", "m"),
    "law": ("L", "s"),
}


def equal_points(table: pd.DataFrame) -> pd.DataFrame:
    """Points at which noise equals signal: net, GRAMMAR, seed, s0+1, law, n_equal.

    A row for each net, grammar and seed: n_equal is the geometric mean over the training sets,
    which are nested. A training set of all data has none.
    """
    known = table[table["n_equal"] > 0]
    keys = ["net", *GRAMMAR, "seed"]
    logs = np.log(known["n_equal"].to_numpy(dtype=float))
    points = known[keys].assign(n_equal=logs).groupby(keys, as_index=False).mean()
    empty = points["s0"] + 1
    law = empty ** points["L"] * points["n_c"] * points["m"] ** points["L"]
    return points.assign(n_equal=np.exp(points["n_equal"]), law=law, **{"s0+1": empty})


def over_seeds(points: pd.DataFrame) -> pd.DataFrame:
    """Geometric means over seeds: net, GRAMMAR, law, n_equal, low, high with its 95 % interval."""
    grammars = ["net", *GRAMMAR, "law"]
    means = averages(points.assign(status=""), "n_equal", by=grammars, logarithmic=True)
    return means.rename(columns={"value": "n_equal"})


def slopes(points: pd.DataFrame, *, net: str, of: str, depth: int | None = None) -> pd.DataFrame:
    """Exponent of s0+1, m, n_c or of the whole law in n_equal: seed, slope, n_grammars.

    Args:
        points: of `equal_points`.
        net, depth: those that enter; None: all depths.
        of: one of EXPONENTS; a slope with an intercept for each group of grammars that differ in
            it alone, for the law one for each L and s.

    Seeds without one of the grammars have no row.
    """
    chosen = points[(points["net"] == net) & ((points["L"] == depth) | (depth is None))]
    groups = chosen.groupby(list(EXPONENTS[of]))[of].transform("nunique")
    chosen = chosen[groups > 1]
    names = ["seed", "slope", "n_grammars"]
    if chosen.empty:
        return pd.DataFrame(columns=names)
    wide = chosen.pivot_table(index=[*GRAMMAR, "law", "s0+1"], columns="seed", values="n_equal")
    wide = wide.dropna(axis="columns")
    grammars = wide.index.to_frame(index=False)
    x = np.log(grammars[of].to_numpy(dtype=float))
    group = grammars.groupby(list(EXPONENTS[of])).ngroup().to_numpy()
    centred = x - (np.bincount(group, x) / np.bincount(group))[group]
    exponents = centred @ np.log(wide.to_numpy(dtype=float)) / (centred @ centred)
    return pd.DataFrame({"seed": wide.columns, "slope": exponents, "n_grammars": len(grammars)})


def exponent(points: pd.DataFrame, *, net: str, of: str, depth: int | None = None) -> Fit:
    """Mean of `slopes` over the seeds."""
    return mean(slopes(points, net=net, of=of, depth=depth)["slope"].to_numpy(dtype=float))
