"""Laws that the package stands for, and the slow plain routes that check its fast ones."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import combinations, product
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from srhm.model.encoding import symbols
from srhm.model.grammar import Grammar
from srhm.model.parsing import Parsed, parse
from srhm.model.sampling import Derivations, derive
from srhm.networks.geometry import Geometry

# Chance that one statistical test fails though nothing is wrong. All seeds are fixed, so that a
# test which passes once passes always; the rate says how surprising a failure after a change is.
FALSE_ALARM = 1e-4


def inputs(data: Derivations, grammar: Grammar) -> list[tuple[int, ...]]:
    """Data as rows of symbols: 0 for an empty place, f + 1 for feature f."""
    return [tuple(row) for row in symbols(data, grammar.parameters).tolist()]


def parsed(data: Derivations, grammar: Grammar) -> list[Parsed]:
    """Data as the parser reads them, from their symbols alone."""
    return [parse(row, grammar) for row in symbols(data, grammar.parameters)]


def assert_distinct(*samples: Derivations, grammar: Grammar) -> None:
    """No input occurs twice, in one sample or in two."""
    rows = [row for sample in samples for row in inputs(sample, grammar)]
    assert len(set(rows)) == len(rows)


def assert_equal(one: Derivations, other: Derivations) -> None:
    """Two samples hold the same data in the same order."""
    for field in fields(Derivations):
        a, b = getattr(one, field.name), getattr(other, field.name)
        assert a.dtype == b.dtype, field.name
        np.testing.assert_array_equal(a, b, err_msg=field.name)


def assert_label_kept(before: Derivations, after: Derivations, grammar: Grammar) -> None:
    """Each transformed input belongs to the grammar and has the label of the original."""
    assert [datum.label for datum in parsed(after, grammar)] == before.labels.tolist()


def assert_uniform(values: ArrayLike, n_values: int, *, false_alarm: float = FALSE_ALARM) -> None:
    """Each of 0 ... n_values - 1 is equally likely: chi-square at a rate of false alarms."""
    counts = np.bincount(np.asarray(values).ravel(), minlength=n_values)
    assert len(counts) == n_values
    assert counts.sum() >= 5 * n_values, "too few values for a chi-square"
    assert stats.chisquare(counts).pvalue > false_alarm, counts


def all_data(grammar: Grammar) -> Derivations:
    """Every datum of a grammar, from its number written in digits."""
    parameters = grammar.parameters
    nodes = parameters.n_nodes
    bases = (parameters.n_classes,) + (parameters.n_synonyms,) * nodes
    bases += (parameters.n_placements,) * nodes
    rows = np.stack(np.unravel_index(np.arange(parameters.n_distinct), bases), axis=1)
    return derive(grammar, rows[:, 0], *np.split(rows[:, 1:], 2, axis=1))


def all_inputs(grammar: Grammar) -> list[tuple[int, tuple[int, ...]]]:
    """Every (label, row of symbols) of a tiny grammar, by recursion over its rules."""
    depth = grammar.parameters.depth
    return [
        (label, row)
        for label in range(grammar.parameters.n_classes)
        for row in _expansions(grammar, label, level=depth)
    ]


def _expansions(grammar: Grammar, latent: int, *, level: int) -> Iterator[tuple[int, ...]]:
    if level == 0:
        yield (latent + 1,)
        return
    parameters = grammar.parameters
    s, width = parameters.branching, parameters.n_empty + 1
    nothing = (0,) * parameters.patch_size ** (level - 1)
    for rule in grammar.rules[level - 1][latent].tolist():
        for places in combinations(range(s * width), s):
            if parameters.sparsity == "A" and [i // width for i in places] != list(range(s)):
                continue
            children = [list(_expansions(grammar, f, level=level - 1)) for f in rule]
            for choice in product(*children):
                parts = [nothing] * (s * width)
                for place, child in zip(places, choice, strict=True):
                    parts[place] = child
                yield sum(parts, ())


def forward_by_loops(
    geometry: Geometry,
    weights: Mapping[str, NDArray],
    x: NDArray,
    *,
    biases: Mapping[str, NDArray] | None = None,
) -> list[NDArray]:
    """f_1 ... f_L (places, H) and the logits of one input (d, v): Eq. 9 and 10, term by term."""
    parameters, width, net = geometry.parameters, geometry.width, geometry.net
    found, w = [], parameters.patch_size
    for k in range(1, parameters.depth + 1):
        n_places_in, n_channels = x.shape
        whole = net == "fcn"  # one filter over all places
        n_places = 1 if whole else n_places_in // w
        filter_size = n_places_in if whole else w
        fan_in = n_places_in * n_channels if whole else n_channels
        f = np.zeros((n_places, width), dtype=x.dtype)
        for i in range(n_places):
            for h in range(width):
                total = 0.0
                for i0 in range(filter_size):
                    z = i * filter_size + i0
                    slot = i0 if net == "cnn" else z
                    for c in range(n_channels):
                        total += weights[f"layer{k}"][slot, c, h] * x[z, c]
                f[i, h] = total / sqrt(fan_in)
                if biases:
                    f[i, h] += 0.1 * biases[f"layer{k}"][i, h]
                f[i, h] = max(f[i, h], 0)
        found.append(f)
        x = f
    logits = np.zeros(geometry.n_classes)
    for alpha in range(geometry.n_classes):
        for h in range(width):
            logits[alpha] += weights["readout"][h, alpha] * x[0, h] / width
    return [*found, logits]
