"""Training data drawn anew along the task's invariances, each time that they are met.

synonyms: p_l at all levels l up to this one; 0: none. places: which placements are drawn anew,

    none      none
    all       those of all levels, uniformly
    level l   those of level l alone, uniformly
    halves    those of all levels, each feature within its half of its s_0+1 places
    skewed    those of all levels, each next place of a feature half as likely as the one before
"""

import numpy as np

from srhm.model.grammar import Grammar
from srhm.model.sampling import Derivations, derive
from srhm.model.transformations import displace, exchange_synonyms

LEVEL = "level "
PLACES = ("none", "all", f"{LEVEL}1", f"{LEVEL}2", f"{LEVEL}3", "halves", "skewed")


def drawn_anew(
    data: Derivations,
    grammar: Grammar,
    *,
    synonyms: int,
    places: str,
    generator: np.random.Generator,
) -> Derivations:
    """The data with other synonyms and places; labels stay.

    Raises:
        ValueError: if a level is not in 1 ... L, or places are halved that are not an even number.
    """
    if synonyms:
        data = exchange_synonyms(
            data, grammar, level=synonyms, generator=generator, redraw_all=True
        )
    if places == "none":
        return data
    if places == "all":
        level = grammar.parameters.depth
        return displace(data, grammar, level=level, generator=generator, redraw_all=True)
    if places.startswith(LEVEL):
        level = int(places.removeprefix(LEVEL))
        return displace(data, grammar, level=level, generator=generator)
    moved = MOVES[places](data, grammar, generator)
    return derive(grammar, data.labels, data.choices, moved)


def _halves(data: Derivations, grammar: Grammar, generator: np.random.Generator) -> np.ndarray:
    """Placements whose features stay in the half of their places that they are in."""
    n, s = grammar.parameters.n_empty + 1, grammar.parameters.branching
    if n % 2:
        raise ValueError(f"s0 = {n - 1}: halves need an even number of places, s0 = 1, 3, ...")
    within = data.placements[..., None] // n ** np.arange(s - 1, -1, -1) % n
    return _placements(
        within // (n // 2) * (n // 2) + generator.integers(n // 2, size=within.shape), n
    )


def _skewed(data: Derivations, grammar: Grammar, generator: np.random.Generator) -> np.ndarray:
    """Placements that favour the first places of each feature."""
    n, s = grammar.parameters.n_empty + 1, grammar.parameters.branching
    odds = 0.5 ** np.arange(n)
    drawn = generator.choice(n, size=(*data.placements.shape, s), p=odds / odds.sum())
    return _placements(drawn, n)


def _placements(within: np.ndarray, n: int) -> np.ndarray:
    """Number of the placement, sparsity A, from the place of each feature among its own n."""
    return within @ n ** np.arange(within.shape[-1] - 1, -1, -1)


MOVES = {"halves": _halves, "skewed": _skewed}
