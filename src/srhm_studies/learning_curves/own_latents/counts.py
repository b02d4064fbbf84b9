"""What tuples stand beside, counted, and the clusters of what was counted. Nothing is trained.

Letters of the paper: L depth, s branching, s_0 empty places for each informative one, v features. A
patch of level l holds s tokens in s(s_0+1) places; its content says which, and where. Targets are
what is counted beside a content:

    context  the tokens of the other patches under the same parent (cousins, without labels)
    parent   the latent of level l+2 above the patch's own
    class    the label

Nets: "shared": contents of all places are pooled, and so are places of the context, as a network
that shares weights sees them. "separate": every place of a level is on its own, and the context is
known with its places.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from srhm.model.grammar import GrammarParameters

TARGETS = ("context", "parent", "class")
NETS = ("shared", "separate")
STARTS = 10  # of k-means, from which the best is taken
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Tokens:
    """Tokens of one level of n data: values (n, k) from 0 on, and where they stand, (n, k)."""

    values: Ints
    places: Ints


@dataclass(frozen=True)
class Patches:
    """Patches of one level: numbers of contents, and places, (n, k/s) each."""

    contents: Ints
    places: Ints


def n_contents(parameters: GrammarParameters) -> int:
    """Contents that a patch of v tokens can have, (v(s_0+1))^s."""
    width = parameters.n_features * (parameters.n_empty + 1)
    return int(width**parameters.branching)


def patches(tokens: Tokens, parameters: GrammarParameters) -> Patches:
    """The patches of tokens; s neighbours in the order of `Derivations` are in one patch."""
    s, v, spread = parameters.branching, parameters.n_features, parameters.n_empty + 1
    digits = (tokens.places % spread * v + tokens.values).reshape(len(tokens.values), -1, s)
    numbers = digits @ (v * spread) ** np.arange(s - 1, -1, -1)
    return Patches(numbers, tokens.places[:, ::s] // parameters.patch_size)


def groups(net: str, n_places: int) -> Ints:
    """The group of each place of a level: one of all, or one each.

    Raises:
        ValueError: if the net is unknown.
    """
    if net not in NETS:
        raise ValueError(f"net = {net!r}: allowed are {', '.join(NETS)}")
    return np.arange(n_places) if net == "separate" else np.zeros(n_places, dtype=np.int64)


def context(tokens: Tokens, parameters: GrammarParameters, *, net: str) -> tuple[Ints, int]:
    """Which coordinates of the context of each patch are 1, (n, k/s, s(s-1)), and of how many.

    A coordinate is a token in a slot (of s) of one of the s-1 other patches of the parent, counted
    from the patch on and around; of a separate net also the places of patch and token.
    """
    s, v, spread = parameters.branching, parameters.n_features, parameters.n_empty + 1
    n, k = tokens.values.shape
    shape = (n, k // s**2, s, s)  # data, parents, patches of a parent, slots
    values = tokens.values.reshape(shape)
    inner = tokens.places.reshape(shape) % spread
    outer = tokens.places.reshape(shape) // parameters.patch_size % spread
    slot = np.arange(s)
    known = net == "separate"
    found = []
    for step in range(1, s):
        number = np.full(shape, step - 1)
        if known:
            number = number * spread + np.roll(outer, -step, axis=2)
        number = number * s + slot
        if known:
            number = number * spread + np.roll(inner, -step, axis=2)
        found.append(number * v + np.roll(values, -step, axis=2))
    size = (s - 1) * s * v * (spread**2 if known else 1)
    every = np.concatenate(found, axis=3)
    return every.reshape(n, k // s, s * (s - 1)), size


@dataclass(frozen=True)
class Statistics:
    """Means of the target beside each content, less those of all contents of the group.

    counts (groups, contents); means (groups, contents, coordinates), 0 for what was never met.
    """

    counts: Ints
    means: Floats


def statistics(
    found: Patches, beside: Ints, n_coordinates: int, group_of: Ints, size: int
) -> Statistics:
    """What stands beside each content of a group. beside: coordinates that are 1, (n, k/s, q)."""
    n_groups = int(group_of.max()) + 1
    cells = group_of[found.places] * size + found.contents
    numbers = cells[:, :, None] * n_coordinates + beside
    table = np.bincount(numbers.ravel(), minlength=n_groups * size * n_coordinates)
    table = table.reshape(n_groups, size, n_coordinates)
    counts = np.bincount(cells.ravel(), minlength=n_groups * size).reshape(n_groups, size)
    totals = np.maximum(counts.sum(axis=1), 1)[:, None, None]
    means = table / np.maximum(counts, 1)[:, :, None] - table.sum(axis=1, keepdims=True) / totals
    return Statistics(counts, np.where(counts[:, :, None] > 0, means, 0.0))


def clusters(means: Floats, counts: Ints, n_clusters: int, *, seed: int) -> Ints:
    """A cluster for every content of a group, (contents,): spectral clustering, weighted by counts.

    k-means of the projections on the first n_clusters - 1 principal directions. What was never met
    gets the cluster that lies nearest to the mean of all.
    """
    met = counts > 0
    n = min(n_clusters, int(met.sum()))
    if n < 2:
        return np.zeros(len(counts), dtype=np.int64)
    weighted = np.sqrt(counts[met])[:, None] * means[met]
    _, _, directions = np.linalg.svd(weighted, full_matrices=False)
    projected = means @ directions[: n - 1].T
    model = KMeans(n_clusters=n, n_init=STARTS, random_state=seed)
    model.fit(projected[met], sample_weight=counts[met])
    return np.asarray(model.predict(projected), dtype=np.int64)


def wrong_pairs(tokens: Ints, latents: Ints, of: Ints) -> float:
    """Share of pairs of patches that are wrongly grouped, corrected for chance; arrays (n, k).

    1 - the adjusted index of Rand (Hubert, Arabie 1985): 0 if two patches have one token exactly if
    they have one latent, 1 in the mean for tokens at random. Pairs within each group `of`, whose
    numbers of pairs are summed.
    """
    n_groups, size = int(of.max()) + 1, int(max(tokens.max(), latents.max())) + 1
    numbers = (of * size + tokens) * size + latents
    tables = np.bincount(numbers.ravel(), minlength=n_groups * size**2).astype(float)
    tables = tables.reshape(n_groups, size, size)
    together = _pairs(tables).sum(axis=(1, 2))
    one, other = (_pairs(tables.sum(axis=axis)).sum(axis=1) for axis in (1, 2))
    chance = one * other / np.maximum(_pairs(tables.sum(axis=(1, 2))), 1.0)
    right, most = (together - chance).sum(), ((one + other) / 2 - chance).sum()
    return float(1 - right / most) if most > 0 else 0.0


def _pairs(n: Floats) -> Floats:
    return n * (n - 1) / 2
