"""Sensitivities S_{k,l} and D_{k,l} of a network's layers (Eq. 6, 7, 13, 14, appendix D).

    S_{k,l} = <||f_k(x) - f_k(p_l x)||^2>_{x, p_l} / <||f_k(x_i) - f_k(x_j)||^2>_{i != j}

and D_{k,l} with τ_l for p_l, where f_k is a hidden layer after its activation, all places and
channels, or the logits. x runs over a test set, i and j over all pairs of its points.

How a network is evaluated is a `Probe`: representations.py has those of LCN, CNN and FCN,
network_representations.py those of VGG, ResNet and EfficientNet.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise, product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from srhm.model.grammar import Grammar
from srhm.model.sampling import Derivations
from srhm.model.seeding import generator
from srhm.model.transformations import displace, exchange_synonyms
from srhm.statistics.jackknife import UNDEFINED, ratio_to_pairs

Kind = Literal["S", "D"]
Variant = Literal["text", "practice"]
TRANSFORMATIONS = {"S": exchange_synonyms, "D": displace}
# By name, whether all levels below are drawn anew and the old synonym may come again.
REDRAWN = {"text": False, "practice": True}
# Values of one evaluation, over all layers, that are in memory at once: 16 MB in single precision.
# The arrays that come and go while layers are computed and compared are about twice as much.
MAX_VALUES = 2**22


@dataclass(frozen=True)
class Representation:
    """One layer for n data: values (n, nodes, channels) at places (n, nodes), elsewhere zero.

    The nodes of a datum are at different places out of n_places. What is not sparse is one node of
    all channels.
    """

    values: NDArray[np.floating]
    places: NDArray[np.integer]
    n_places: int


@dataclass(frozen=True)
class Probe:
    """A network as it is measured.

    layers: names of its hidden layers in order, the last being "output", the logits; represent: one
    Representation for each of them; values_per_point: values that one evaluation holds for a datum.
    """

    layers: tuple[str, ...]
    represent: Callable[[Derivations], list[Representation]]
    values_per_point: int


def one_node(values: NDArray[np.floating]) -> Representation:
    """A layer (n, ...) that is not sparse, as one node of all its values."""
    n = len(values)
    return Representation(values.reshape(n, 1, -1), np.zeros((n, 1), dtype=np.int32), 1)


def transform(
    points: Derivations, grammar: Grammar, *, n_draws: int, seed: int, variant: Variant
) -> dict[tuple[Kind, int], Derivations | None]:
    """Images of n points under p_l ("S") and τ_l ("D") by kind and level, n_draws of each point.

    The images are n_draws blocks of n. None if the transformation can change nothing: p for m = 1,
    tau if there is only one placement (s_0 = 0). Cells of one seed meet the same images.
    """
    parameters = grammar.parameters
    possible = {"S": parameters.n_synonyms > 1, "D": parameters.n_placements > 1}
    repeated = points[np.tile(np.arange(len(points)), n_draws)]
    images: dict[Any, Derivations | None] = {}
    for member, (kind, level) in enumerate(product("SD", range(1, parameters.depth + 1))):
        images[kind, level] = None
        if possible[kind]:
            images[kind, level] = TRANSFORMATIONS[kind](
                repeated,
                grammar,
                level=level,
                generator=generator(seed, role="transformation", member=member),
                redraw_all=REDRAWN[variant],
            )
    return images


def sensitivities(
    probe: Probe,
    points: Derivations,
    images: Mapping[tuple[Kind, int], Derivations | None],
    *,
    n_draws: int,
    max_values: int = MAX_VALUES,
) -> list[dict[str, Any]]:
    """Rows kind, layer, k, l, value, standard_error, n, n_draws, from points and their images.

    Layers are numbered from k = 1; the last is the output. Points are evaluated in batches of at
    most max_values values, so that memory does not grow with their number.

    The error is that of a delete-one jackknife over the points, so that the draws of a point do not
    count as independent. NaN where all points have one representation, and with n = 0 where there
    is no image.

    Raises:
        ValueError: if there are fewer than two points, which make no pair.
    """
    n, n_layers = len(points), len(probe.layers)
    if n < 2:
        raise ValueError(f"n_points = {n}: allowed are 2 or more, as points are compared in pairs")
    changed = {key: image for key, image in images.items() if image is not None}
    distances = {key: np.empty((n_layers, n)) for key in changed}
    squares, overlaps = np.empty((n_layers, n)), np.empty((n_layers, n))
    totals: list[NDArray[np.float64]] = []
    size = max_values // (n_draws * probe.values_per_point)
    chunks = list(_chunks(n, size)) if changed else []
    for chunk in chunks:
        layers = probe.represent(points[chunk])
        totals = totals or [np.zeros((f.n_places, f.values.shape[2])) for f in layers]
        for k, f in enumerate(layers):
            squares[k, chunk] = _squared_norms(f)
            _accumulate(f, totals[k])
        rows = np.concatenate([draw * n + np.arange(n)[chunk] for draw in range(n_draws)])
        for key, image in changed.items():
            moved = probe.represent(image[rows])
            for k, (f, g) in enumerate(zip(layers, moved, strict=True)):
                distances[key][k, chunk] = _squared_distances(f, g).mean(axis=0)
    for chunk in chunks:  # again: the overlap of a point with all needs the total first
        layers = probe.represent(points[chunk])
        for k, f in enumerate(layers):
            overlaps[k, chunk] = np.einsum("nac,nac->n", f.values, totals[k][f.places])
    table = []
    for kind, level in images:
        for k in range(n_layers):
            ratio = UNDEFINED
            if (kind, level) in changed:
                norm = float((totals[k] ** 2).sum())
                ratio = ratio_to_pairs(distances[kind, level][k], squares[k], overlaps[k], norm)
            table.append(
                {
                    "kind": kind,
                    "layer": probe.layers[k],
                    "k": k + 1,
                    "l": level,
                    **asdict(ratio),
                    "n_draws": n_draws,
                }
            )
    return table


def measure(
    probe: Probe,
    grammar: Grammar,
    data: Derivations,
    *,
    seed: int,
    n_points: int = 500,
    n_draws: int = 4,
    variant: Variant = "text",
) -> list[dict[str, Any]]:
    """All sensitivities of one network on the first n_points of a test set; see sensitivities."""
    points = data[:n_points]
    images = transform(points, grammar, n_draws=n_draws, seed=seed, variant=variant)
    return sensitivities(probe, points, images, n_draws=n_draws)


def _chunks(n: int, size: int) -> Iterator[slice]:
    """Slices of n points of about equal size, the largest allowed, one point at least."""
    n_chunks = -(-n // max(1, size))
    edges = np.linspace(0, n, n_chunks + 1).astype(int).tolist()
    return (slice(a, b) for a, b in pairwise(edges))


def _squared_norms(f: Representation) -> NDArray[np.float64]:
    # In double precision: the mean over pairs is a difference of means.
    values = f.values.astype(np.float64)
    return np.einsum("nac,nac->n", values, values)


def _accumulate(f: Representation, total: NDArray[np.float64]) -> None:
    """Adds all data to their total (places, channels)."""
    if f.n_places == 1:
        total[0] += f.values.sum(axis=(0, 1), dtype=np.float64)
        return
    places = f.places.ravel()
    order = np.argsort(places, kind="stable")
    met, starts = np.unique(places[order], return_index=True)
    values = f.values.reshape(len(places), -1)[order].astype(np.float64)
    total[met] += np.add.reduceat(values, starts, axis=0)


def _squared_distances(f: Representation, images: Representation) -> NDArray[np.float64]:
    """||f(x) - f(image of x)||^2 over all places, (n_draws, n), from n_draws blocks of n images.

    Nodes are compared where they are at one place, whatever their branch of the tree; what is
    alone at its place is compared with zero.
    """
    n, n_nodes, width = f.values.shape
    n_draws = len(images.values) // n
    values = images.values.reshape(n_draws, n, n_nodes, width)
    places = images.places.reshape(n_draws, n, n_nodes)
    if (places == f.places).all():
        change = (f.values - values).reshape(n_draws, n, -1)
        return np.einsum("rnc,rnc->rn", change, change).astype(np.float64)
    same = f.places[:, :, None] == places[:, :, None, :]  # (n_draws, n, node of x, of its image)
    partners = np.take_along_axis(values, same.argmax(axis=3)[..., None], axis=2)
    partners *= same.any(axis=3)[..., None]
    np.subtract(f.values, partners, out=partners)
    change = partners.reshape(n_draws, n, -1)
    alone = ~same.any(axis=2)
    return (
        np.einsum("rnc,rnc->rn", change, change).astype(np.float64)
        + (np.einsum("rnac,rnac->rna", values, values) * alone).sum(axis=2)
    )  # fmt: skip
