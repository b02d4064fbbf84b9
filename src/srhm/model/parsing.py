"""From an input back to its label and derivation, bottom-up.

It shares no code with the sampler, because it checks labels, sparsity and transformations. It reads
rows of symbols patch by patch, and knows the rules as a dictionary.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from srhm.model.grammar import Grammar


class ParseError(ValueError):
    """An input that the grammar cannot have produced."""


@dataclass(frozen=True)
class Parsed:
    """Label of an input; rule choices and offsets of its features, a list for each level.

    choices[l-1] and offsets[l-1] hold one entry for each informative patch of level l, left to
    right: the number of the synonym, and the tuple of places within the patch.
    """

    label: int
    choices: list[list[int]]
    offsets: list[list[tuple[int, ...]]]


def parse(row: NDArray[np.integer], grammar: Grammar) -> Parsed:
    """Derivation of one row of symbols, 0 for uninformative and f + 1 for feature f.

    Raises:
        ParseError: if a patch is not the right side of a rule, or its places are not allowed.
    """
    parameters = grammar.parameters
    size, width = parameters.patch_size, parameters.n_empty + 1
    symbols = [int(symbol) for symbol in row]
    if len(symbols) != parameters.input_length:
        raise ParseError(f"{len(symbols)} places, not d = {parameters.input_length}")
    all_choices, all_offsets = [], []
    for level in range(1, parameters.depth + 1):
        lookup = {
            tuple(int(f) + 1 for f in rule): (latent, choice)
            for latent, synonyms in enumerate(grammar.rules[level - 1])
            for choice, rule in enumerate(synonyms)
        }
        parents, choices, offsets = [], [], []
        for start in range(0, len(symbols), size):
            patch = symbols[start : start + size]
            places = tuple(i for i, symbol in enumerate(patch) if symbol)
            if not places:
                parents.append(0)
                continue
            features = tuple(patch[i] for i in places)
            if features not in lookup:
                raise ParseError(f"level {level}, place {start}: no rule produces {features}")
            if parameters.sparsity == "A" and any(i // width != j for j, i in enumerate(places)):
                raise ParseError(f"level {level}, place {start}: sparsity A forbids {places}")
            latent, choice = lookup[features]
            parents.append(latent + 1)
            choices.append(choice)
            offsets.append(places)
        symbols = parents
        all_choices.append(choices)
        all_offsets.append(offsets)
    if len(symbols) != 1 or symbols[0] == 0:
        raise ParseError("an input without informative features has no label")
    return Parsed(symbols[0] - 1, all_choices, all_offsets)
