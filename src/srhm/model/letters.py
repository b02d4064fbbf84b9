"""From the letters of the paper, as cells name them, to the parameters of a grammar."""

from collections.abc import Mapping
from typing import Any

from srhm.model.grammar import GrammarParameters


def parameters_of(cell: Mapping[str, Any]) -> GrammarParameters:
    """Parameters of the grammar of a cell, or of the coordinates that its cells share.

    cell: L, s, v, m, n_c, s0, and sparsity, A where it is left out.

    Raises:
        srhm.model.grammar.GrammarError: if no grammar can have them; the message names the letter.
    """
    sparsity = {"sparsity": cell["sparsity"]} if "sparsity" in cell else {}
    return GrammarParameters(
        depth=cell["L"],
        branching=cell["s"],
        n_features=cell["v"],
        n_synonyms=cell["m"],
        n_classes=cell["n_c"],
        n_empty=cell["s0"],
        **sparsity,
    )
