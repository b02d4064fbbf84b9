"""A few data of a random grammar with their derivation trees, as text or as arrays.

`srhm sample --depth 2 --number 3` prints each datum as a line a level, each feature above the patch
that it produced. With --output the same goes to a file of NumPy arrays, n data in front: labels,
symbols (n, d; 0 for an empty place, f + 1 for feature f), and for each level l features_l and
places_l (see `srhm.data.Level`), with its production rules, rules_l (latents, m, s).
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from srhm.commands.printing import Refused
from srhm.data import Derivations, Grammar, drawn, random_grammar, symbols, train_and_test, tree


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the data or writes them.

    Raises:
        Refused: if there are none of this kind, or the file cannot be written.
    """
    parser = argparse.ArgumentParser(
        prog="srhm sample",
        description=__doc__,
        epilog="example: srhm sample --depth 3 --empty 1 --number 100 --output data.npz",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--depth", type=int, default=2, help="L, levels of production rules")
    parser.add_argument("--branching", type=int, default=2, help="s, features that one produces")
    parser.add_argument("--features", type=int, default=4, help="v, features of a level")
    parser.add_argument("--empty", type=int, default=1, help="s_0, empty places for each feature")
    parser.add_argument("--synonyms", type=int, help="m, rules of each feature; None: v^(s-1)")
    parser.add_argument("--classes", type=int, help="n_c, number of classes; None: v")
    parser.add_argument("--sparsity", choices=("A", "B"), default="A", help="see docs/notation.md")
    parser.add_argument("--seed", type=int, default=0, help="of the grammar and of the data")
    parser.add_argument("--number", type=int, default=3, help="of data")
    parser.add_argument("--output", type=Path, help="a file to be written, .npz; None: text")
    options = parser.parse_args(arguments)
    output: Path | None = options.output
    if output is not None and output.suffix != ".npz":
        raise Refused(f"--output {output}: allowed are names that end in .npz")
    try:
        grammar = random_grammar(
            depth=options.depth,
            branching=options.branching,
            n_features=options.features,
            n_empty=options.empty,
            n_synonyms=options.synonyms,
            n_classes=options.classes,
            sparsity=options.sparsity,
            seed=options.seed,
        )
        data, _ = train_and_test(grammar, n_train=options.number, n_test=1, seed=options.seed)
    except ValueError as refusal:
        raise Refused(str(refusal)) from refusal
    if output is None:
        print(drawn(data, grammar), end="")
        return 0
    try:
        np.savez_compressed(output, **arrays(data, grammar))
    except OSError as error:
        raise Refused(f"{output} cannot be written: {error.strerror}") from error
    print(f"{output}: {len(data)} data")
    return 0


def arrays(data: Derivations, grammar: Grammar) -> dict[str, Any]:
    """The data, their trees and their grammar as arrays by name, as the file holds them."""
    named: dict[str, Any] = {"labels": data.labels, "symbols": symbols(data, grammar.parameters)}
    for number, level in tree(data, grammar).items():
        named |= {f"features_{number}": level.features, f"places_{number}": level.places}
    return named | {f"rules_{level}": rules for level, rules in enumerate(grammar.rules, start=1)}
